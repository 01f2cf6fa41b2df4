"""What a program inherits: the arbiter's environment, less what would hide a fault of the program.

Some variables make a program write every line at once though it never flushes. They are set in one shell
or one container and nowhere else, so that a bot would play well here and lose on time there.
"""

import os
import re
from collections.abc import Iterator

_UNBUFFERING = frozenset(
    (
        "PYTHONUNBUFFERED",
        "_STDBUF_I",
        "_STDBUF_O",
        "_STDBUF_E",
        "GFORTRAN_UNBUFFERED_ALL",
        "GFORTRAN_UNBUFFERED_PRECONNECTED",
        "NSUnbufferedIO",
    )
)
"""Heeded by Python, by stdbuf's library, by GNU Fortran and by Apple's Foundation."""
_PRELOADING = ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES")
_STDBUF = re.compile(r"[^:\s]*libstdbuf\.\w+[:\s]*")


def inherited() -> dict[str, str]:
    """The environment that programs are started with."""
    kept = {name: value for name, value in os.environ.items() if name not in _UNBUFFERING}
    for name in _PRELOADING:
        if name in kept and not (value := _STDBUF.sub("", kept[name])):
            del kept[name]
        elif name in kept:
            kept[name] = value
    return kept


def withheld() -> list[str]:
    """What in the arbiter's environment programs do not get for that reason, as people know it."""
    return list(dict.fromkeys(_withheld()))


def _withheld() -> Iterator[str]:
    for name in sorted(_UNBUFFERING & os.environ.keys()):
        yield "stdbuf" if name.startswith("_STDBUF") else name
    if any(_STDBUF.search(os.environ.get(name, "")) for name in _PRELOADING):
        yield "stdbuf"
