"""Text that is safe to show: received bytes may hold anything, a log or a terminal should not."""

import re

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that could end a line or move a cursor, and halves of characters, which UTF-8 cannot say."""

# A table takes a tenth of what a pattern does; a bot may send 64 KiB of these while other games wait.
_ESCAPES = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))
}


def readable(line: bytes) -> str:
    r"""``line`` as text: tabs as blanks; what is not UTF-8, and control characters, like ``\xff``."""
    return escaped(line.decode("utf-8", "backslashreplace").replace("\t", " "))


def escaped(text: str) -> str:
    """``text`` with every control character written as an escape."""
    if text.isprintable():
        return text
    return text.translate(_ESCAPES)


def one_line(text: str) -> str:
    """``text`` with its white space as single blanks and other control characters as escapes."""
    return escaped(" ".join(text.split()))
