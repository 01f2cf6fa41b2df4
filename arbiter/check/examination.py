"""What the steps of a check share: the bot, the time that is left, and what it did so far.

Each trial is a process of its own. Trials that several steps look at are done once.
"""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import trio

from arbiter.check import advice, answers
from arbiter.check.conformance import Dialogue
from arbiter.check.conversation import Conversation
from arbiter.check.departure import Patience
from arbiter.check.excerpt import excerpt
from arbiter.check.files import files_in
from arbiter.check.opponent import Aim, Opponent
from arbiter.check.outcome import Verdict, failed, passed
from arbiter.check.seats import SpokenDvpSeat, spoken_seat
from arbiter.check.sitting import Sitting
from arbiter.check.slip import Slip
from arbiter.match.bell import Bell
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import MS, TimeControl
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.termination import Termination
from protocol.dvp import Option
from protocol.rules import PASS, Position, Side

SHORT = 2_000
"""Milliseconds of a bot's clock in games that are not about time."""
SEED = 1
_SETTLES = 0.3
_SLOW_START = 4
_SLOW = 1.0
_LAST_PLACEMENT = 49
_SIGNS_OF_A_WRONG_SIDE = ("", "not-your-stack", "movement-phase", "may-not-pass")
"""Rules broken by a bot that takes ply 50 for Black's; without a rule: it did not answer at all."""
_SIGNS_OF_A_MISSED_PASS = ("", "not-your-stack", "may-not-pass")
"""The same for one that does not notice its opponent's pass."""
_ENDINGS = (Termination.CRASH, Termination.KILLED, Termination.MEMORY)


@dataclass(frozen=True, slots=True)
class Introduction:
    """How far a first trial came: ``stage`` is the step in which it failed, empty when it did not.

    ``took`` is in ms, from the greeting to the end of the introduction. ``held_back``: what it wrote
    came to light only when its input was closed. ``unasked`` is what a CodeCup bot wrote before it was
    told anything.
    """

    sitting: Sitting
    stage: str
    features: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()
    identity: tuple[tuple[str, str], ...] = ()
    took: float = 0
    held_back: bool = False
    unasked: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A game that is to be tried: ``what`` it is in words, the bot's side, clock and seed, where it starts.

    Without ``control`` the clock is a short one; without ``dialect`` the bot is spoken to in its own.
    """

    what: str
    side: Side = Side.WHITE
    start: Position = field(default_factory=Position.start)
    control: TimeControl | None = None
    seed: int = SEED
    depth: int | None = None
    nodes: int | None = None
    dialect: Dialect | None = None


class Examination:
    """One bot under examination until ``deadline`` (seconds, monotonic)."""

    def __init__(self, bot: Bot, control: TimeControl, deadline: float) -> None:
        self.bot = bot
        self.control = control
        self.sittings: list[Sitting] = []
        self._files = files_in(bot.directory)
        self._deadline = deadline
        self._patience = Patience()
        self.start_limit = control.start
        self._introduction: Introduction | None = None
        self._games: dict[Side, Sitting] = {}

    @property
    def is_dvp(self) -> bool:
        return self.bot.dialect is Dialect.DVP

    @property
    def quit_grace(self) -> float:
        """Seconds that it is given to end by itself; few once it did not use them."""
        return self._patience.end

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def start_seconds(self) -> float:
        """What the bot takes to start, as far as that is known."""
        known = (sitting.start_seconds for sitting in self.sittings)
        return min((seconds for seconds in known if seconds is not None), default=0.0)

    @property
    def is_pressed(self) -> bool:
        """Whether the bot starts so slowly that not all trials of a step can be afforded."""
        return self.start_seconds > _SLOW

    def new_files(self) -> list[str]:
        """Files in the bot's directory that are new or were written to."""
        now = files_in(self.bot.directory)
        return sorted(name for name, state in now.items() if self._files.get(name) != state)

    # Trials

    @asynccontextmanager
    async def sit(self, trial: Trial) -> AsyncIterator[Sitting]:
        """Start a process of the bot for one game; it is gone afterwards."""
        control = trial.control or replace(self.control, game=SHORT, increment=0)
        control = replace(control, start=self.start_limit)
        opponent = Bot("The arbiter itself", ("-",), self.bot.directory)
        # With another increment for the opponent the bot is told both.
        theirs = replace(control, increment=2 * control.increment)
        bot = replace(self.bot, dialect=trial.dialect or self.bot.dialect)
        own, other = Competitor(bot, control, trial.seed), Competitor(opponent, theirs)
        white, black = (own, other) if trial.side is Side.WHITE else (other, own)
        setup = GameSetup(white, black, trial.start, depth=trial.depth, nodes=trial.nodes)
        bell = Bell()
        sitting = Sitting(spoken_seat(trial.side, setup, bell), bell, trial.what, self._patience)
        self.sittings.append(sitting)
        async with trio.open_nursery() as nursery:
            try:
                sitting.spawn(nursery)
                yield sitting
            finally:
                await sitting.leave()
                nursery.cancel_scope.cancel()

    async def introduce(self) -> Introduction:
        """The first trial: as before a tournament, up to the first turn."""
        if self._introduction is None:
            async with self.sit(Trial("a first start")) as sitting:
                self._introduction = await self._introduce(sitting)
        return self._introduction

    async def _introduce(self, sitting: Sitting) -> Introduction:
        if sitting.slip is not None or not await sitting.stays_alive(_SETTLES):
            return Introduction(sitting, "starts")
        seat = sitting.seat
        if not isinstance(seat, SpokenDvpSeat):
            unasked = seat.take_answer().text or "" if seat.has_answer else ""
            sitting.say_end()
            await sitting.part()
            return Introduction(sitting, "", unasked=unasked)
        greeted = time.monotonic_ns()
        if not sitting.goes_on(await seat.greet(), "`dvpok`"):
            is_mute = seat.process.bytes_read == 0 and not seat.process.output_ended
            return Introduction(sitting, "handshake", held_back=is_mute and await sitting.is_holding_back())
        took = (time.monotonic_ns() - greeted) / MS
        self.start_limit = min(self.control.start, round(SHORT + _SLOW_START * 1_000 * self.start_seconds))
        known = (seat.features, tuple(seat.options.values()), tuple(seat.identity.items()), took)
        if not sitting.goes_on(await seat.begin_game(), "`readyok`"):
            return Introduction(sitting, "readiness", *known)
        sitting.say_end()
        await sitting.part()
        return Introduction(sitting, "", *known)

    async def game(self, side: Side) -> Sitting:
        """A whole game against the opponent, from the empty board, on the clock that was asked for."""
        if side not in self._games:
            aim = Aim.STIFLE if side is Side.WHITE else Aim.YIELD
            what = f"a game as {side.word.capitalize()} against a scripted opponent"
            trial = Trial(what, side, control=self.control)
            self._games[side] = await self.play(trial, Opponent(side, aim))
        return self._games[side]

    async def play(self, trial: Trial, opponent: Opponent, most: int | None = None) -> Sitting:
        """A game, or its first ``most`` plies of the bot."""
        async with self.sit(trial) as sitting:
            if await sitting.get_ready() and await sitting.play(opponent, most):
                sitting.say_end()
                await sitting.part()
        return sitting

    async def converse(self, dialogue: Dialogue, *, ends_by_itself: bool = False) -> Sitting:
        """A dialogue; ``ends_by_itself`` when its end is what it is about."""
        async with self.sit(Trial(f"the dialogue `{dialogue.name}`")) as sitting:
            if sitting.slip is None:
                went_well = await Conversation(sitting).go_through(dialogue, ends_by_itself=ends_by_itself)
                if went_well and not ends_by_itself:
                    await sitting.part()
        return sitting

    # Judging

    def verdict(self, slip: Slip, sitting: Sitting, change: str = "", notes: Sequence[str] = ()) -> Verdict:
        """The failure that a slip is.

        ``change`` is what the step is about. It goes before what can be said in general, unless that is
        nearer to what was seen: the end of a program, which may have any reason, an answer out of form, or
        words on standard error.
        Where a pass was missed, that is what it is about.
        """
        lines = excerpt(sitting.transcript)
        if slip.termination is Termination.ILLEGAL and slip.position is not None:
            lines = (*lines, f"position: {slip.position.dpos}")
        if slip.termination is Termination.TIMEOUT and sitting.uncalled:
            slip = replace(
                slip, detail=f"it wrote {sitting.uncalled[-1]}, and no answer to the open question"
            )
            general = advice.NUMBERS
        else:
            general = advice.change_for(slip, self.bot.dialect)
        if slip.termination in _ENDINGS or slip.last_words or answers.is_malformed(slip):
            words = [general, change]
        else:
            words = [change, general]
        if is_about_passes(sitting) and not answers.is_malformed(slip):
            words = [advice.about_pass(slip), general]
        words += _without(sitting)
        return failed(advice.problem_of(slip), " ".join(filter(None, words)), lines, notes)

    def judge(self, sitting: Sitting, change: str = "") -> Verdict:
        """Whether a trial went well, apart from time used up, which has a step of its own."""
        slip = sitting.slip
        if slip is None or slip.termination is Termination.RESIGN:
            return passed()
        if is_out_of_step(sitting):
            return passed()
        if ran_out_of_time(sitting) or self._is_just_slow(sitting):
            return passed(f"{sitting.what} was not finished in time")
        return self.verdict(slip, sitting, change)

    def _is_just_slow(self, sitting: Sitting) -> bool:
        """Whether it took as long in whole games, so that a short clock shows nothing else."""
        is_late = sitting.slip is not None and sitting.slip.termination is Termination.TIMEOUT
        slowest = max((game.seat.clock.use().worst for game in self._games.values()), default=0)
        return is_late and slowest > sitting.seat.clock.limit // 2


def _without(sitting: Sitting) -> Iterator[str]:
    """What a bot asked not to be told that failed at its first ply."""
    if isinstance(sitting.seat, SpokenDvpSeat) and sitting.slip is not None and len(sitting.plies) < 2:
        unwanted = sorted(sitting.seat.features & {"noboard", "nolegal"})
        if unwanted and sitting.slip.position is not None:
            names = " and ".join(f"`{name}`" for name in unwanted)
            words = " nor ".join(f"`{name[2:]}`" for name in unwanted)
            yield f"It announces {names}, so it is told no {words}."


def step_of(sitting: Sitting) -> str:
    """The title of the step that the slip of a game belongs to; empty without one."""
    slip = sitting.slip
    if slip is None or slip.termination is Termination.RESIGN:
        return ""
    side = sitting.seat.side.word.capitalize()
    if slip.position is None:
        return f"placement as {side}"
    if ran_out_of_time(sitting):
        return "clock use"
    if is_out_of_step(sitting):
        return "stray output"
    if is_about_passes(sitting):
        return "forced pass"
    if slip.number <= _LAST_PLACEMENT:
        return f"placement as {side}"
    is_first_move = slip.number == _LAST_PLACEMENT + 1 and sitting.seat.side is Side.WHITE
    if is_first_move and _is_one_of(slip, _SIGNS_OF_A_WRONG_SIDE):
        return "double turn"
    return f"movement as {side}"


def is_about_passes(sitting: Sitting) -> bool:
    """Whether the bot failed when it had to pass, or right after its opponent had passed."""
    slip = sitting.slip
    if slip is None or slip.position is None or slip.position.is_over or is_out_of_step(sitting):
        return False
    if slip.position.legal_plies() == [PASS]:
        return True
    return sitting.plies[-1:] == [PASS.text] and _is_one_of(slip, _SIGNS_OF_A_MISSED_PASS)


def _is_one_of(slip: Slip, rules: Sequence[str]) -> bool:
    """Whether it broke one of these rules; an answer out of form breaks none."""
    return answers.rule_of(slip) in rules and not answers.is_malformed(slip)


def is_out_of_step(sitting: Sitting) -> bool:
    """Whether a second answer to one question was taken for the answer to the next."""
    slip = sitting.slip
    return bool(sitting.uncalled) and slip is not None and slip.termination is Termination.ILLEGAL


def ran_out_of_time(sitting: Sitting) -> bool:
    """Whether a bot that does answer had used up its clock; one that is silent at once has another fault."""
    slip, clock = sitting.slip, sitting.seat.clock
    if slip is None or slip.termination is not Termination.TIMEOUT or clock.control.game is None:
        return False
    return clock.limit < clock.control.game * MS / 2
