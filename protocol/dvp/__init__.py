"""DVP/1, the language between the arbiter and its bots: messages, their lines, and who may say what when.

`Connection` is what a program needs; `parse` and `format` work on single lines.

>>> arbiter, bot = Connection(Role.ARBITER), Connection(Role.BOT)
>>> bot.receive(arbiter.send(Hello()))
[Hello(version=1)]
>>> arbiter.receive(bot.send(Id("name", "Clumsy"), HelloOk()))
[Id(kind='name', text='Clumsy'), HelloOk(version=1)]
>>> arbiter.state, arbiter.ids["name"]
(<State.IDLE: 'idle'>, 'Clumsy')
"""

from protocol.dvp.connection import Connection, Event, Ignored, Unexpected
from protocol.dvp.formatting import format
from protocol.dvp.messages import (
    FEATURES,
    VERSION,
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
)
from protocol.dvp.parsing import parse
from protocol.states import Role, State

__all__ = [
    "FEATURES",
    "VERSION",
    "Board",
    "BotError",
    "Connection",
    "Error",
    "Event",
    "Feature",
    "Go",
    "Hello",
    "HelloOk",
    "Id",
    "Ignored",
    "Info",
    "InfoString",
    "IsReady",
    "Legal",
    "Message",
    "Move",
    "NewGame",
    "Option",
    "Quit",
    "ReadyOk",
    "Resign",
    "Result",
    "Role",
    "SetOption",
    "Setup",
    "State",
    "Stop",
    "Unexpected",
    "Unknown",
    "format",
    "parse",
]
