"""Sizes of memory and files as people write them."""

import re

from arbiter.tournament.problems import quoted

_UNITS = {"K": 10, "M": 20, "G": 30}
_LEAST, _MOST = 1 << 20, 1 << 50


def parse_size(text: str) -> int:
    """Bytes for texts such as ``512M``, ``1.5G`` or ``64 MiB``; each unit is 1024 of the one before.

    Raises:
        ValueError: with what is wrong, in a sentence.
    """
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMG])(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise ValueError(f"{quoted(text)} is not a size; write it like `512M` or `2G`")
    size = int(float(match[1]) * (1 << _UNITS[match[2].upper()]))
    if not _LEAST <= size <= _MOST:
        raise ValueError(f"{quoted(text)} is too {'small; the least is `1M`' if size < _LEAST else 'large'}")
    return size
