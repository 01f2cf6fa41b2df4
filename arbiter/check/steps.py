"""The steps of the conformance check, in the order and with the numbers in which they are told."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from arbiter.check import clocks, endings, games, introduction, repetition
from arbiter.check.check import Check
from arbiter.check.outcome import Verdict
from arbiter.match.bot import Dialect


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``tries`` says what is tried; it makes no sense when a step it comes ``after`` failed."""

    title: str
    tries: str
    run: Callable[[Check], Awaitable[Verdict]]
    after: tuple[str, ...] = ()
    dialects: tuple[Dialect, ...] = (Dialect.DVP, Dialect.CODECUP)


_DVP = (Dialect.DVP,)
_INTRODUCTION = ("starts", "handshake")
_READY = (*_INTRODUCTION, "readiness")
_PLACEMENT = ("placement as White",)
_MOVEMENT = ("movement as White", "movement as Black")
_SET_UPS = (*_MOVEMENT, "set-up positions")

STEPS = (
    Step("starts", "the command starts a program, which waits for its first line", introduction.starts),
    Step("handshake", "`dvp 1` is answered with `dvpok`", introduction.handshake, ("starts",), _DVP),
    Step(
        "options",
        "options are well-formed, and set to their least values, choices and defaults; the greatest `Seed`",
        introduction.options,
        _INTRODUCTION,
        _DVP,
    ),
    Step(
        "readiness",
        "`isready` after `newgame` is answered with `readyok`",
        introduction.readiness,
        _INTRODUCTION,
        _DVP,
    ),
    Step(
        "placement as White",
        "25 placements of a game from the empty board",
        games.placement_as_white,
        _READY,
    ),
    Step(
        "double turn",
        "White's last placement, then at once the first stack move",
        games.double_turn,
        _PLACEMENT,
    ),
    Step(
        "movement as White",
        "the stack moves of that game, to its end",
        games.movement_as_white,
        ("double turn",),
    ),
    Step(
        "placement as Black",
        "24 placements of a game from the empty board",
        games.placement_as_black,
        (*_READY, *_PLACEMENT),
    ),
    Step(
        "movement as Black",
        "the stack moves of that game, to its end",
        games.movement_as_black,
        ("placement as Black",),
    ),
    Step("set-up positions", "games from set-up positions, every ply judged", games.set_ups, _MOVEMENT, _DVP),
    Step(
        "forced pass",
        "it has no move and passes, plays on when it has one again; its opponent passes",
        games.forced_pass,
        _SET_UPS,
    ),
    Step(
        "long game",
        "the longest `position` and `legal` lines",
        games.long_game,
        (*_SET_UPS, "forced pass"),
        _DVP,
    ),
    Step(
        "unusual lines",
        "unknown words and keys, odd names, an `error`, blanks, a game without a clock",
        games.unusual_lines,
        _PLACEMENT,
        _DVP,
    ),
    Step("clock use", "whole games within the time allowed", clocks.clock_use, _PLACEMENT),
    Step(
        "little time",
        "late in a game with 100 ms left and with none; 100 ms for each ply",
        clocks.little_time,
        (*_SET_UPS, "clock use"),
        _DVP,
    ),
    Step("stop", "an endless search ends at `stop`", clocks.stop, _SET_UPS, _DVP),
    Step("quit", "told to quit during a game, it ends within two seconds", endings.quit_, _PLACEMENT),
    Step(
        "end of input",
        "its input ends during a game, and it ends within two seconds",
        endings.end_of_input,
        _PLACEMENT,
    ),
    Step(
        "stray output",
        "nothing but answers on standard output, each to a question",
        endings.stray_output,
        _PLACEMENT,
    ),
    Step("reuse", "five games in one process, as either side", repetition.reuse, _SET_UPS, _DVP),
    Step(
        "two copies at once",
        "a game of the bot against itself",
        repetition.two_copies,
        (*_MOVEMENT, "forced pass", "stray output"),
    ),
    Step(
        "same seed, same plies",
        "the same questions with the same `Seed`, twice",
        repetition.same_again,
        _SET_UPS,
        _DVP,
    ),
    Step(
        "leaves nothing behind",
        "processes that go on and files that are new after it ended",
        endings.leaves_nothing,
        _READY,
    ),
)
