"""Messages to lines: strict, the exact inverse of parsing for everything our own side says."""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from typing import Any

from protocol.dvp.messages import (
    ERROR_CODES,
    GO_KEYS,
    ID_KINDS,
    INFO_KEYS,
    MOVE_KEYS,
    NEWGAME_KEYS,
    RESULT_KEYS,
    RESULTS,
    Board,
    BotError,
    Error,
    Feature,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    InfoString,
    Legal,
    Message,
    Move,
    NewGame,
    Option,
    Result,
    SetOption,
    Setup,
    is_key,
)
from protocol.errors import LocalProtocolError
from protocol.text import CONTROLS, escaped


def format(message: Message) -> str:
    r"""The line for ``message``, without its end.

    >>> format(Go({"ply": 51, "time": 58211}))
    'go ply 51 time 58211'
    >>> format(SetOption("Hash", "64\nquit"))
    Traceback (most recent call last):
    ...
    protocol.errors.LocalProtocolError: a control character in 'setoption Hash 64\nquit'

    Text for people (names, explanations) is made fit for a line. Anything else that would not be read
    back as it is raises `LocalProtocolError`: a line break in a value, a blank in a token, a key that
    the language does not have.
    """
    formatter = _FORMATTERS.get(type(message))
    line = message.word if formatter is None else formatter(message)
    if not line.isprintable() and CONTROLS.search(line):
        raise LocalProtocolError(f"a control character in {line!r}")
    return line


def _token(text: str) -> str:
    if not text or " " in text:
        raise LocalProtocolError(f"{text!r} is not one word")
    return text


def _key(text: str) -> str:
    if not is_key(text):
        raise LocalProtocolError(f"{text!r} is not made of letters, digits, _ and - only")
    return text


def _tokens(texts: Iterable[str]) -> str:
    return "".join([f" {_token(text)}" for text in texts])


def _value(text: str) -> str:
    """A value that takes the rest of its line, with the blank before it; nothing for an empty one."""
    if text.strip(" ") != text:
        raise LocalProtocolError(f"blanks at the ends of {text!r} would be lost")
    return f" {text}" if text else ""


def _prose(text: str) -> str:
    """Text for people, with the blank before it: control characters are escaped, blanks at the ends go."""
    text = escaped(text.replace("\t", " ")).strip(" ")
    return f" {text}" if text else ""


def _pairs(values: Mapping[str, str], known: Set[str]) -> str:
    _check_keys(values, known)
    return "".join([f" {key} {_token(value)}" for key, value in values.items()])


def _naturals(values: Mapping[str, int], known: Set[str]) -> str:
    _check_keys(values, known)
    if not all(0 <= value < 10**18 for value in values.values()):
        raise LocalProtocolError(f"integers >= 0 with at most 18 digits expected: {dict(values)}")
    return "".join([f" {key} {value:d}" for key, value in values.items()])


def _check_keys(values: Mapping[str, object], known: Set[str]) -> None:
    if not values.keys() <= known:
        raise LocalProtocolError(f"no such key: {', '.join(sorted(values.keys() - known))}")


def _one_of(text: str, choices: Collection[str]) -> str:
    if text not in choices:
        raise LocalProtocolError(f"{text!r} is none of {', '.join(choices)}")
    return text


def _newgame(message: NewGame) -> str:
    name = _prose(message.opponent)
    opponent = f" opponent{name}" if name else ""
    return f"newgame {message.side.word}{_pairs(message.values, NEWGAME_KEYS)}{opponent}"


def _setup(message: Setup) -> str:
    moves = f" moves {' '.join(message.plies)}" if message.plies else ""
    return f"position {message.start}{moves}"


def _legal(message: Legal) -> str:
    if not message.plies:
        raise LocalProtocolError("a legal line without plies")
    return f"legal {' '.join(message.plies)}"


def _error(message: Error) -> str:
    return f"error {_one_of(message.code, ERROR_CODES)}{_prose(message.text)}"


def _result(message: Result) -> str:
    return f"result {_one_of(message.result, RESULTS)}{_pairs(message.values, RESULT_KEYS)}"


def _id(message: Id) -> str:
    text = _prose(message.text)
    if not text:
        raise LocalProtocolError(f"an empty {message.kind}")
    return f"id {_one_of(message.kind, ID_KINDS)}{text}"


def _option(message: Option) -> str:
    head = f"option {_key(message.name)} {message.kind}"
    match message.kind:
        case "check":
            return f"{head} {_one_of(message.default, ('true', 'false'))}"
        case "spin":
            return f"{head} {_token(message.default)} {message.low} {message.high}"
        case "combo":
            return f"{head} {_token(message.default)}{_tokens(message.choices)}"
        case "string":
            return f"{head}{_value(message.default)}"
        case "button":
            return head


def _info(message: Info) -> str:
    metrics = [_key(key) for key in message.values if key.startswith("x-")]
    pv = f" pv{_tokens(message.pv)}" if message.pv else ""
    return f"info{_pairs(message.values, INFO_KEYS.union(metrics))}{pv}"


# The values are functions of the very class that is the key; the type system cannot say so.
_FORMATTERS: Mapping[type, Callable[[Any], str]] = {
    Hello: lambda m: f"dvp {m.version}",
    SetOption: lambda m: f"setoption {_key(m.name)}{_value(m.value)}",
    NewGame: _newgame,
    Setup: _setup,
    Board: lambda m: f"board {m.dpos}",
    Legal: _legal,
    Go: lambda m: f"go{_naturals(m.values, GO_KEYS)}",
    Error: _error,
    Result: _result,
    Id: _id,
    Option: _option,
    Feature: lambda m: f"feature {' '.join(map(_key, m.names))}",
    HelloOk: lambda m: f"dvpok {m.version}",
    Move: lambda m: f"move {_token(m.ply_text)}{_naturals(m.values, MOVE_KEYS)}",
    Info: _info,
    InfoString: lambda m: f"info string{_prose(m.text)}",
    BotError: lambda m: f"error{_prose(m.text)}",
}
