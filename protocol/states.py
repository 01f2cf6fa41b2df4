"""Who may say what, and when: the state tables of both dialects, as literal data.

One table serves both ends of a conversation: it does not know which side reads it. A row says, for
a state, which words each role may utter and the state that follows. Everything that depends on
more than the state (announced features, messages that crossed in the pipe) stands below the table
as data, too. ``python -m protocol.diagram`` draws the tables for SPEC.md.
"""

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """The two ends of a conversation."""

    ARBITER = "arbiter"
    BOT = "bot"

    @property
    def other(self) -> "Role":
        return Role.BOT if self is Role.ARBITER else Role.ARBITER


class State(StrEnum):
    """Where a DVP conversation stands."""

    START = "start"
    HANDSHAKE = "handshake"
    REFUSED = "refused"
    IDLE = "idle"
    GAME = "game"
    SYNC = "sync"
    SETUP = "setup"
    THINKING = "thinking"
    STOPPING = "stopping"
    OVER = "over"
    SPENT = "spent"
    CLOSED = "closed"


MEANING: Mapping[State, str] = {
    State.START: "the bot has been started, nothing was said",
    State.HANDSHAKE: "the bot introduces itself and owes `dvpok`",
    State.REFUSED: "the bot reported during the handshake that it cannot play",
    State.IDLE: "ready, no game yet",
    State.GAME: "in a game, nothing is owed",
    State.SYNC: "the bot owes `readyok`",
    State.SETUP: "the arbiter is describing a turn",
    State.THINKING: "the bot owes a move, its clock runs",
    State.STOPPING: "told to stop, the bot owes its move now",
    State.OVER: "the game is over, nothing is owed",
    State.SPENT: "the game is over but an answer is still owed: never asked again",
    State.CLOSED: "goodbye was said",
}

_ARBITER, _BOT = Role.ARBITER, Role.BOT

# `error` and `info string` of a bot are free text for the log and change nothing, so they stand in every row;
# only during the handshake an error means "cannot play".
DVP: Mapping[State, Mapping[Role, Mapping[str, State]]] = {
    State.START: {
        _ARBITER: {"dvp": State.HANDSHAKE, "quit": State.CLOSED},
        _BOT: {"error": State.START, "info string": State.START},
    },
    State.HANDSHAKE: {
        _ARBITER: {"error": State.HANDSHAKE, "quit": State.CLOSED},
        _BOT: {
            "id": State.HANDSHAKE,
            "option": State.HANDSHAKE,
            "feature": State.HANDSHAKE,
            "dvpok": State.IDLE,
            "error": State.REFUSED,
            "info string": State.HANDSHAKE,
        },
    },
    State.REFUSED: {
        _ARBITER: {"error": State.REFUSED, "quit": State.CLOSED},
        _BOT: {"error": State.REFUSED, "info string": State.REFUSED},
    },
    State.IDLE: {
        _ARBITER: {
            "setoption": State.IDLE,
            "newgame": State.GAME,
            "error": State.IDLE,
            "quit": State.CLOSED,
        },
        _BOT: {"error": State.IDLE, "info string": State.IDLE},
    },
    State.GAME: {
        _ARBITER: {
            "isready": State.SYNC,
            "position": State.SETUP,
            "error": State.GAME,
            "result": State.OVER,
            "quit": State.CLOSED,
        },
        _BOT: {"error": State.GAME, "info string": State.GAME},
    },
    State.SYNC: {
        _ARBITER: {"error": State.SYNC, "result": State.SPENT, "quit": State.CLOSED},
        _BOT: {"readyok": State.GAME, "error": State.SYNC, "info string": State.SYNC},
    },
    State.SETUP: {
        _ARBITER: {
            "board": State.SETUP,
            "legal": State.SETUP,
            "go": State.THINKING,
            "error": State.SETUP,
            "result": State.OVER,
            "quit": State.CLOSED,
        },
        _BOT: {"error": State.SETUP, "info string": State.SETUP},
    },
    State.THINKING: {
        _ARBITER: {
            "stop": State.STOPPING,
            "error": State.THINKING,
            "result": State.SPENT,
            "quit": State.CLOSED,
        },
        _BOT: {
            "info": State.THINKING,
            "move": State.GAME,
            "resign": State.GAME,
            "error": State.THINKING,
            "info string": State.THINKING,
        },
    },
    State.STOPPING: {
        _ARBITER: {"error": State.STOPPING, "result": State.SPENT, "quit": State.CLOSED},
        _BOT: {
            "info": State.STOPPING,
            "move": State.GAME,
            "resign": State.GAME,
            "error": State.STOPPING,
            "info string": State.STOPPING,
        },
    },
    State.OVER: {
        _ARBITER: {
            "setoption": State.OVER,
            "newgame": State.GAME,
            "error": State.OVER,
            "quit": State.CLOSED,
        },
        _BOT: {"error": State.OVER, "info string": State.OVER},
    },
    State.SPENT: {
        _ARBITER: {"error": State.SPENT, "quit": State.CLOSED},
        _BOT: {"error": State.SPENT, "info string": State.SPENT},
    },
    State.CLOSED: {
        _ARBITER: {},
        _BOT: {"error": State.CLOSED, "info string": State.CLOSED},
    },
}

# A word that needs a feature the bot announced, in the states where it does.
NEEDED_FEATURE: Mapping[tuple[StrEnum, str], str] = {
    (State.GAME, "isready"): "ready",
    (State.THINKING, "stop"): "stop",
    (State.OVER, "newgame"): "reuse",
}

# A word that the bot asked to be spared.
UNWANTED_BY_FEATURE: Mapping[str, str] = {"board": "noboard", "legal": "nolegal"}

# What may arrive late without being a fault: this `stop` was written before the move that it met on its way.
CROSSING: frozenset[tuple[State, str]] = frozenset({(State.GAME, "stop")})

# A bot's answers. One that nobody asked for is reported back; any other word out of place is only skipped.
ANSWERS = frozenset({"move", "resign"})


class Turn(StrEnum):
    """Where a CodeCup conversation stands, as seen between the arbiter and one bot."""

    OPENING = "opening"
    OWN = "own"
    OTHER = "other"
    ENDED = "ended"


TURN_MEANING: Mapping[Turn, str] = {
    Turn.OPENING: "White's bot waits for `Start`",
    Turn.OWN: "the bot owes its ply",
    Turn.OTHER: "the opponent is to move",
    Turn.ENDED: "`Quit` was said",
}

FIRST_TURN: Mapping[str, Turn] = {"white": Turn.OPENING, "black": Turn.OTHER}

# "ply 49" is the last placement, the one ply after which White is to move again.
CODECUP: Mapping[Turn, Mapping[Role, Mapping[str, Turn]]] = {
    Turn.OPENING: {_ARBITER: {"Start": Turn.OWN, "Quit": Turn.ENDED}, _BOT: {}},
    Turn.OWN: {_ARBITER: {"Quit": Turn.ENDED}, _BOT: {"ply": Turn.OTHER, "ply 49": Turn.OWN}},
    Turn.OTHER: {_ARBITER: {"ply": Turn.OWN, "ply 49": Turn.OTHER, "Quit": Turn.ENDED}, _BOT: {}},
    Turn.ENDED: {_ARBITER: {}, _BOT: {}},
}
