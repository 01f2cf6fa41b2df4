"""Comments of a record: ``{used=412 pv=A1B1,B2C2}`` or plain words, both ways."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from protocol.errors import LocalProtocolError
from protocol.records.record import TEXT

_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PAIR = re.compile(r"([A-Za-z0-9_-]+)=(\S*)")
_QUOTED = frozenset("%{}\"'")
_PLAIN = re.compile(r"[!#$&(-z|~]*")
"""Values that need no quoting, as most are: visible characters of ASCII other than those above."""


def parse_comment(body: str) -> dict[str, str]:
    """Read what stands between the braces.

    A comment that begins with ``key=value`` consists of pairs; any other is plain text and comes
    back under ``TEXT``, its white space reduced to single blanks.

    :raises ValueError: a word among pairs is none, a key comes twice, or a value is wrongly encoded.
    """
    words = body.split()
    if not words:
        return {}
    if not _PAIR.fullmatch(words[0]):
        return {TEXT: " ".join(words)}
    values: dict[str, str] = {}
    for word in words:
        pair = _PAIR.fullmatch(word)
        if pair is None:
            raise ValueError(f"`{word}` is no key=value (blanks in a value are written %20)")
        key, value = pair.groups()
        if key in values:
            raise ValueError(f"key `{key}` comes twice")
        values[key] = _decode(value)
    return values


def merge_comments(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Two comments at the same place as one; plain words are joined.

    :raises ValueError: both have the same key.
    """
    twice = [key for key in second if key in first and key != TEXT]
    if twice:
        raise ValueError(f"key `{twice[0]}` comes twice")
    merged = {**first, **second}
    if TEXT in first and TEXT in second:
        merged[TEXT] = f"{first[TEXT]} {second[TEXT]}"
    return merged


def format_comments(comments: Mapping[str, str]) -> list[str]:
    """Write comments with their braces: the pairs in one, plain words in another; none for nothing.

    :raises LocalProtocolError: a key or plain words that would not be read back as given.
    """
    pairs = [_format_pair(key, value) for key, value in comments.items() if key != TEXT]
    written = ["{" + " ".join(pairs) + "}"] if pairs else []
    words = comments.get(TEXT, "").split()
    if words:
        if _PAIR.fullmatch(words[0]) or any("{" in word or "}" in word for word in words):
            raise LocalProtocolError(f"plain words that look like something else: {' '.join(words)!r}")
        written.append("{" + " ".join(words) + "}")
    return written


def _format_pair(key: str, value: str) -> str:
    if not _KEY.fullmatch(key):
        raise LocalProtocolError(f"no key of a comment: {key!r}")
    return f"{key}={value if _PLAIN.fullmatch(value) else ''.join(map(_encode, value))}"


def _encode(character: str) -> str:
    if character in _QUOTED or character.isspace() or not character.isprintable():
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "backslashreplace"))
    return character


def _decode(value: str) -> str:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(f"`{value}` is wrongly encoded (percent signs stand for bytes of UTF-8)") from None
