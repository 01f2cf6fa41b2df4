"""Lines to messages: tolerant, never raising, whatever another program wrote.

Blanks and tabs are alike, unknown keys are skipped with their value, trailing words are ignored. A
line that is no message becomes `Unknown`, with a hint where the intention can be guessed.
"""

import re
from collections.abc import Callable, Collection, Mapping

from protocol.dvp.messages import (
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
    IsReady,
    Legal,
    Message,
    Move,
    NewGame,
    Option,
    Quit,
    ReadyOk,
    Resign,
    Result,
    SetOption,
    Setup,
    Stop,
    Unknown,
    is_integer,
    is_key,
    is_natural,
)
from protocol.rules import Side
from protocol.states import Role
from protocol.text import escaped, readable

MAX_METRICS = 32
"""How many ``x-NAME`` keys of one `info` line are kept: they go into records, one line a ply."""

MAX_PV = 98
"""How many plies of a line of play are kept: no game is longer than the placements and the stack moves."""

_METRIC = re.compile(r"x-[A-Za-z0-9_-]{1,32}", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?", re.ASCII
)
_PLY_SHAPE = re.compile(r"(?:[A-K][1-5]){1,2}|PASS", re.IGNORECASE | re.ASCII)

_NAMED_SIDES: Mapping[str, Side] = {side.word: side for side in Side}

# A parser gets the words of a line and the line itself, and returns None when the line is malformed.
_Parser = Callable[[list[str], str], Message | None]


def parse(line: bytes, sender: Role) -> Message | Unknown:
    """The message that ``sender`` wrote as ``line`` (without its end).

    >>> parse(b"move c3d4 ply 50", Role.BOT)
    Move(ply_text='c3d4', values={'ply': 50})
    >>> parse(b"bestmove C3D4", Role.BOT).hint
    'did you mean `move C3D4`?'
    """
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return Unknown(readable(line), "a command must be UTF-8", "encoding")
    text = text.replace("\t", " ").strip(" \r")
    if not text.isprintable():
        text = escaped(text)
    # str.split() alone would take more kinds of white space than the language knows.
    words = text.split() if text.isascii() else [word for word in text.split(" ") if word]
    if not words:
        return Unknown("", kind="blank")
    entry = _PARSERS[sender].get(words[0])
    if entry is None:
        return _unknown(words, text, sender)
    parser, usage = entry
    return parser(words, text) or Unknown(text, f"expected `{usage}`", f"malformed {words[0]}")


def _unknown(words: list[str], text: str, sender: Role) -> Unknown:
    """A line whose first word says nothing, with a guess at what was meant."""
    first = words[0]
    if sender is Role.BOT:
        if len(words) == 1 and _PLY_SHAPE.fullmatch(first):
            return Unknown(text, f"did you mean `move {first.upper()}`?", "ply")
        if first.lower() == "bestmove" and len(words) > 1:
            return Unknown(text, f"did you mean `move {words[1]}`?", "bestmove")
    if first.lower() in _PARSERS[sender]:
        meant = " ".join([first.lower(), *words[1:3]])
        return Unknown(text, f"keywords are lower case: did you mean `{meant}`?", "case")
    return Unknown(text, kind="word " + re.sub(r"\d+", "0", first[:24]))


def _rest(text: str, words: int) -> str:
    """What follows the first ``words`` words, as it was written."""
    for _ in range(words):
        _, _, text = text.partition(" ")
        text = text.lstrip(" ")
    return text


def _pairs(words: list[str], start: int, known: Collection[str]) -> dict[str, str]:
    """The known keys among ``key value`` pairs; the last of equal ones counts."""
    keys, values = words[start::2], words[start + 1 :: 2]
    return {key: value for key, value in zip(keys, values, strict=False) if key in known}


def _naturals(words: list[str], start: int, known: Collection[str]) -> dict[str, int]:
    """Like `_pairs`, for keys whose value is an integer >= 0; others are skipped."""
    keys, values = words[start::2], words[start + 1 :: 2]
    return {
        key: int(value)
        for key, value in zip(keys, values, strict=False)
        if key in known and is_natural(value)
    }


# From the arbiter.


def _hello(words: list[str], text: str) -> Message | None:
    return Hello(int(words[1])) if len(words) > 1 and is_natural(words[1]) else None


def _setoption(words: list[str], text: str) -> Message | None:
    if len(words) < 2 or not is_key(words[1]):
        return None
    return SetOption(words[1], _rest(text, 2))


def _newgame(words: list[str], text: str) -> Message | None:
    side = _NAMED_SIDES.get(words[1]) if len(words) > 1 else None
    if side is None:
        return None
    end = next((i for i in range(2, len(words), 2) if words[i] == "opponent"), len(words))
    return NewGame(side, _pairs(words[:end], 2, NEWGAME_KEYS), _rest(text, end + 1))


def _position(words: list[str], text: str) -> Message | None:
    length = 1 if words[1:2] == ["start"] else 3
    start = " ".join(words[1 : 1 + length])
    rest = words[1 + length :]
    if len(words) <= length or (rest and (rest[0] != "moves" or len(rest) == 1)):
        return None
    return Setup(start, tuple(rest[1:]))


def _board(words: list[str], text: str) -> Message | None:
    return Board(" ".join(words[1:4])) if len(words) > 3 else None


def _legal(words: list[str], text: str) -> Message | None:
    return Legal(tuple(words[1:])) if len(words) > 1 else None


def _go(words: list[str], text: str) -> Message | None:
    return Go(_naturals(words, 1, GO_KEYS))


def _error(words: list[str], text: str) -> Message | None:
    return Error(words[1], _rest(text, 2)) if len(words) > 1 else None


def _result(words: list[str], text: str) -> Message | None:
    if len(words) < 2 or words[1] not in RESULTS:
        return None
    return Result(words[1], _pairs(words, 2, RESULT_KEYS))


# From the bot.


def _id(words: list[str], text: str) -> Message | None:
    return Id(words[1], _rest(text, 2)) if len(words) > 2 and words[1] in ID_KINDS else None


def _option(words: list[str], text: str) -> Message | None:
    if len(words) < 3 or not is_key(words[1]):
        return None
    name, arguments = words[1], words[3:]
    match words[2]:
        case "check" if arguments[:1] in (["true"], ["false"]):
            return Option(name, "check", arguments[0])
        case "spin" if len(arguments) >= 3 and all(map(is_integer, arguments[:3])):
            default, low, high = map(int, arguments[:3])
            return Option(name, "spin", str(default), low, high) if low <= default <= high else None
        case "combo" if len(arguments) >= 2:
            return Option(name, "combo", arguments[0], choices=tuple(arguments[1:]))
        case "string":
            return Option(name, "string", _rest(text, 3))
        case "button":
            return Option(name, "button")
    return None


def _feature(words: list[str], text: str) -> Message | None:
    names = tuple(name for name in words[1:] if is_key(name))
    return Feature(names) if names else None


def _dvpok(words: list[str], text: str) -> Message | None:
    if len(words) == 1:
        return HelloOk()
    return HelloOk(int(words[1])) if is_natural(words[1]) else None


def _move(words: list[str], text: str) -> Message | None:
    if len(words) == 2:
        return Move(words[1])
    return Move(words[1], _naturals(words, 2, MOVE_KEYS)) if len(words) > 2 else Move("")


def _info(words: list[str], text: str) -> Message | None:
    if words[1:2] == ["string"]:
        return InfoString(_rest(text, 2))
    end = next((i for i in range(1, len(words), 2) if words[i] == "pv"), len(words))
    values: dict[str, str] = {}
    metrics = 0
    for i in range(1, end - 1, 2):
        key, value = words[i], words[i + 1]
        if key.startswith("x-") and _METRIC.fullmatch(key) and _NUMBER.fullmatch(value):
            metrics += 1
            if metrics > MAX_METRICS:
                continue
        elif key not in INFO_KEYS or not _is_info_value(key, value):
            continue
        values[key] = value
    return Info(values, _line_of_play(words[end + 1 :]))


def _is_info_value(key: str, value: str) -> bool:
    if key == "score":
        return _NUMBER.fullmatch(value) is not None
    if key == "exact":
        return value == "1"
    if key == "currmove":
        return _PLY_SHAPE.fullmatch(value) is not None
    return is_natural(value)


def _line_of_play(words: list[str]) -> tuple[str, ...]:
    """The words up to the first that is not shaped like a ply."""
    plies: list[str] = []
    for word in words[:MAX_PV]:
        if not _PLY_SHAPE.fullmatch(word):
            break
        plies.append(word.upper())
    return tuple(plies)


def _bot_error(words: list[str], text: str) -> Message | None:
    return BotError(_rest(text, 1))


def _constant(message: Message) -> _Parser:
    return lambda words, text: message


_PARSERS: Mapping[Role, Mapping[str, tuple[_Parser, str]]] = {
    Role.ARBITER: {
        "dvp": (_hello, "dvp VERSION"),
        "setoption": (_setoption, "setoption NAME [VALUE]"),
        "newgame": (_newgame, "newgame white|black [KEY VALUE]... [opponent NAME]"),
        "isready": (_constant(IsReady()), "isready"),
        "position": (_position, "position start|DPOS [moves PLY...]"),
        "board": (_board, "board DPOS"),
        "legal": (_legal, "legal PLY..."),
        "go": (_go, "go [KEY NUMBER]..."),
        "stop": (_constant(Stop()), "stop"),
        "error": (_error, "error CODE [TEXT]"),
        "result": (_result, "result 1-0|0-1|1/2-1/2|* [KEY VALUE]..."),
        "quit": (_constant(Quit()), "quit"),
    },
    Role.BOT: {
        "id": (_id, "id name|author|version TEXT"),
        "option": (
            _option,
            "option NAME check true|false, spin DEFAULT MIN MAX, combo DEFAULT CHOICE..., string TEXT",
        ),
        "feature": (_feature, "feature NAME..."),
        "dvpok": (_dvpok, "dvpok [VERSION]"),
        "readyok": (_constant(ReadyOk()), "readyok"),
        "move": (_move, "move PLY"),
        "resign": (_constant(Resign()), "resign"),
        "info": (_info, "info [KEY VALUE]... [pv PLY...]"),
        "error": (_bot_error, "error TEXT"),
    },
}
