"""Why a game ended: one token each, the same in records, tables, JSON and messages."""

from enum import StrEnum


class Termination(StrEnum):
    """The reason a game ended. Every value but the first two and the last is a forfeit."""

    NORMAL = "normal"
    """Neither side can move."""
    RESIGN = "resign"
    """A bot gave up; a loss, but no forfeit."""
    TIMEOUT = "timeout"
    """The clock and the grace ran out before an answer came."""
    ILLEGAL = "illegal"
    """The answer is a ply, but the rules forbid it here."""
    SYNTAX = "syntax"
    """The answer is no ply at all."""
    FLOOD = "flood"
    """More output than the protocol allows."""
    CRASH = "crash"
    """The process ended, or closed its output, while the game went on."""
    MEMORY = "memory"
    """The bot went past its memory limit."""
    START = "start"
    """The bot was not ready within the start limit."""
    KILLED = "killed"
    """A signal from outside that the arbiter did not send (SIGKILL, SIGTERM, SIGINT, SIGHUP)."""
    VOID = "void"
    """Nobody's fault: not a game, replayed."""

    @property
    def is_forfeit(self) -> bool:
        return self not in (Termination.NORMAL, Termination.RESIGN, Termination.VOID)


FORFEITS = tuple(t for t in Termination if t.is_forfeit)
