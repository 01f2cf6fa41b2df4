"""Which files a directory holds, to see what a bot makes of it."""

import os
from pathlib import Path

_MOST = 5_000
_NOT_LOOKED_AT = {"__pycache__", ".git", "node_modules", ".venv"}


def files_in(directory: Path) -> dict[str, tuple[int, int]]:
    """Time of change and size of the files in and below a directory, of some thousand at most."""
    found: dict[str, tuple[int, int]] = {}
    for folder, names, files in os.walk(directory):
        names[:] = sorted(name for name in names if name not in _NOT_LOOKED_AT)
        for name in sorted(files):
            path = Path(folder, name)
            try:
                status = path.stat()
            except OSError:
                continue
            found[str(path.relative_to(directory))] = (status.st_mtime_ns, status.st_size)
            if len(found) == _MOST:
                return found
    return found
