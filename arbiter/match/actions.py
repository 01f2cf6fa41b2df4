"""What a referee wants done; whoever drives it does it at once and in order."""

from typing import NamedTuple

from arbiter.match.fault import Fault
from arbiter.match.game import PlyRecord
from protocol.rules import Position, Side


class Write(NamedTuple):
    """Send these bytes to a bot; ``Referee.asked`` is to hear of it where they start a clock."""

    side: Side
    data: bytes
    starts_clock: bool = False


class Drain(NamedTuple):
    """Read all that these bots have written, the first one first, and call ``Referee.drained`` with the
    ticket.

    With ``thorough`` the ends of their programs are looked for as well.
    """

    ticket: int
    sides: tuple[Side, ...]
    thorough: bool


class Rest(NamedTuple):
    """Stop all processes of a bot, since its opponent's turn begins; or, with ``is_over``, let them go on."""

    side: Side
    is_over: bool = False


class Dismiss(NamedTuple):
    """End a bot's program at once."""

    side: Side


class Note(NamedTuple):
    """Something odd about a bot, for people."""

    side: Side
    text: str


class Played(NamedTuple):
    """A ply was played, and this is the position that it led to."""

    record: PlyRecord
    position: Position


Action = Write | Drain | Rest | Dismiss | Note | Played


class End(NamedTuple):
    """How a bot's program ended, as far as that is known: ``fault`` says it, ``has_exited`` whether it is
    final.
    """

    fault: Fault
    has_exited: bool
