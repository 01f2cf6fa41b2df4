"""What the steps of a check share: the bot, the time that is left, and what it did so far.

Each trial is a process of its own. Trials that several steps look at are done once.
"""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from arbiter.check import advice, answers
from arbiter.check.conformance import Dialogue
from arbiter.check.conversation import Conversation
from arbiter.check.excerpt import excerpt
from arbiter.check.failure import Failure
from arbiter.check.files import files_in
from arbiter.check.opponent import Aim, Opponent
from arbiter.check.outcome import Verdict, failed, passed
from arbiter.check.probe import Probe, open_probe
from arbiter.check.seats import SpokenDvpSeat
from arbiter.check.shutdown import Patience
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

    probe: Probe
    stage: str
    options: tuple[Option, ...] = ()
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


class Check:
    """The check of one bot until ``deadline`` (seconds, monotonic)."""

    def __init__(self, bot: Bot, control: TimeControl, deadline: float) -> None:
        self.bot = bot
        self.control = control
        self.probes: list[Probe] = []
        self._files = files_in(bot.directory)
        self._deadline = deadline
        self.patience = Patience()
        self.start_limit = control.start
        self._introduction: Introduction | None = None
        self._games: dict[Side, Probe] = {}

    @property
    def is_dvp(self) -> bool:
        return self.bot.dialect is Dialect.DVP

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def start_seconds(self) -> float:
        """What the bot takes to start, as far as that is known."""
        seats = [probe.seat for probe in self.probes if probe.seat.introduced_at]
        return min((seat.introduced_at - seat.spawned_at for seat in seats), default=0) / 1e9

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
    async def probe(self, trial: Trial) -> AsyncIterator[Probe]:
        """Start a process of the bot for one game; it is gone afterwards.

        Raises:
            MachineBusyError: when the machine spoils the trial.
        """
        control = trial.control or replace(self.control, game=SHORT, increment=0)
        control = replace(control, start=self.start_limit)
        opponent = Bot("The arbiter itself", ("-",), self.bot.directory)
        # With another increment for the opponent the bot is told both.
        theirs = replace(control, increment=2 * control.increment)
        bot = replace(self.bot, dialect=trial.dialect or self.bot.dialect)
        own, other = Competitor(bot, control, trial.seed), Competitor(opponent, theirs)
        white, black = (own, other) if trial.side is Side.WHITE else (other, own)
        setup = GameSetup(white, black, trial.start, depth=trial.depth, nodes=trial.nodes, quit_grace=0)
        async with open_probe(setup, trial.side, trial.what, self.patience) as probe:
            self.probes.append(probe)
            yield probe

    async def introduce(self) -> Introduction:
        """The first trial: as before a tournament, up to the first turn."""
        if self._introduction is None:
            async with self.probe(Trial("a first start")) as probe:
                self._introduction = await self._introduce(probe)
        return self._introduction

    async def _introduce(self, probe: Probe) -> Introduction:
        seat = probe.seat
        if not await probe.reaches(lambda: seat.early, _SETTLES):
            return Introduction(probe, "starts")
        if not isinstance(seat, SpokenDvpSeat):
            unasked = seat.pop_answer().text or "" if seat.early else ""
            await probe.end()
            return Introduction(probe, "", unasked=unasked)
        if not await probe.greet():
            is_mute = seat.bytes_read == 0 and not seat.has_ended
            return Introduction(probe, "handshake", held_back=is_mute and await probe.is_holding_back())
        took = (seat.introduced_at - seat.question.stamp) / MS
        self.start_limit = min(self.control.start, round(SHORT + _SLOW_START * 1_000 * self.start_seconds))
        known = (tuple(seat.options.values()), took)
        if not await probe.do(seat.begin_game, lambda: seat.is_ready):
            return Introduction(probe, "readiness", *known)
        await probe.end()
        return Introduction(probe, "", *known)

    async def game(self, side: Side) -> Probe:
        """A whole game against the opponent, from the empty board, on the clock that was asked for."""
        if side not in self._games:
            aim = Aim.STIFLE if side is Side.WHITE else Aim.YIELD
            what = f"a game as {side.word.capitalize()} against a scripted opponent"
            trial = Trial(what, side, control=self.control)
            self._games[side] = await self.play(trial, Opponent(side, aim))
        return self._games[side]

    async def play(self, trial: Trial, opponent: Opponent, most: int | None = None) -> Probe:
        """A game, or its first ``most`` plies of the bot."""
        async with self.probe(trial) as probe:
            if await probe.get_ready() and await probe.play(opponent, most):
                await probe.end()
        return probe

    async def converse(self, dialogue: Dialogue, *, ends_by_itself: bool = False) -> Probe:
        """A dialogue; ``ends_by_itself`` when its end is what it is about."""
        async with self.probe(Trial(f"the dialogue `{dialogue.name}`")) as probe:
            if probe.goes_on():
                went_well = await Conversation(probe).go_through(dialogue, ends_by_itself=ends_by_itself)
                if went_well and not ends_by_itself:
                    await probe.shutdown.part()
        return probe

    # Judging

    def verdict(self, probe: Probe, change: str = "") -> Verdict:
        """What its failure says about the bot.

        ``change`` is what the step is about. It goes before what can be said in general, unless that is
        nearer to what was seen: the end of a program, which may have any reason, an answer out of form, or
        words on standard error. Where a pass was missed, that is what it is about.
        """
        failure = probe.failure
        assert failure is not None
        lines = excerpt(probe.transcript)
        problem, general = advice.problem_of(failure), advice.change_for(failure, self.bot.dialect)
        if failure.termination is Termination.ILLEGAL and failure.position is not None:
            lines = (*lines, f"position: {failure.position.dpos}")
        if failure.termination is Termination.TIMEOUT and probe.seat.uncalled:
            said = f"it wrote {probe.seat.uncalled[-1]}, and no answer to the open question"
            problem, general = advice.about_ply(failure, said), advice.NUMBERS
        words = [change, general]
        if failure.termination in _ENDINGS or failure.last_words or answers.is_malformed(failure):
            words = [general, change]
        if is_about_passes(probe) and not answers.is_malformed(failure):
            words = [advice.about_pass(failure), general]
        words += _without(probe)
        return replace(failed(problem, " ".join(filter(None, words)), lines), cause=failure.cause)

    def judge(self, probe: Probe, change: str = "") -> Verdict:
        """Whether a trial went well, apart from time used up, which has a step of its own."""
        if probe.trouble is None or is_out_of_step(probe):
            return passed()
        if ran_out_of_time(probe) or self._is_just_slow(probe):
            return passed(f"{probe.what} was not finished in time")
        return self.verdict(probe, change)

    def _is_just_slow(self, probe: Probe) -> bool:
        """Whether it took as long in whole games, so that a short clock shows nothing else."""
        is_late = probe.failure is not None and probe.failure.termination is Termination.TIMEOUT
        slowest = max((game.seat.clock.use().worst for game in self._games.values()), default=0)
        return is_late and slowest > probe.seat.clock.limit // 2


def _without(probe: Probe) -> Iterator[str]:
    """What a bot asked not to be told that failed at its first ply."""
    if probe.failure is not None and len(probe.plies) < 2:
        unwanted = sorted(probe.seat.features & {"noboard", "nolegal"})
        if unwanted and probe.failure.position is not None:
            names = " and ".join(f"`{name}`" for name in unwanted)
            words = " nor ".join(f"`{name[2:]}`" for name in unwanted)
            yield f"It announces {names}, so it is told no {words}."


def step_of(probe: Probe) -> str:
    """The title of the step that the failure of a game belongs to; empty without one."""
    failure = probe.trouble
    if failure is None:
        return ""
    side = probe.seat.side.word.capitalize()
    if failure.position is None:
        return f"placement as {side}"
    if ran_out_of_time(probe):
        return "clock use"
    if is_out_of_step(probe):
        return "stray output"
    if is_about_passes(probe):
        return "forced pass"
    if failure.number <= _LAST_PLACEMENT:
        return f"placement as {side}"
    is_first_move = failure.number == _LAST_PLACEMENT + 1 and probe.seat.side is Side.WHITE
    if is_first_move and _is_one_of(failure, _SIGNS_OF_A_WRONG_SIDE):
        return "double turn"
    return f"movement as {side}"


def is_about_passes(probe: Probe) -> bool:
    """Whether the bot failed when it had to pass, or right after its opponent had passed."""
    failure = probe.failure
    if failure is None or failure.position is None or failure.position.is_over or is_out_of_step(probe):
        return False
    if failure.must_pass:
        return True
    return probe.plies[-1:] == [PASS.text] and _is_one_of(failure, _SIGNS_OF_A_MISSED_PASS)


def _is_one_of(failure: Failure, rules: Sequence[str]) -> bool:
    """Whether it broke one of these rules; an answer out of form breaks none."""
    return failure.fact("rule") in rules and not answers.is_malformed(failure)


def is_out_of_step(probe: Probe) -> bool:
    """Whether a second answer to one question was taken for the answer to the next."""
    failure = probe.failure
    return bool(probe.seat.uncalled) and failure is not None and failure.termination is Termination.ILLEGAL


def ran_out_of_time(probe: Probe) -> bool:
    """Whether a bot that does answer had used up its clock; one that is silent at once has another fault."""
    failure, clock = probe.failure, probe.seat.clock
    if failure is None or failure.termination is not Termination.TIMEOUT or clock.control.game is None:
        return False
    return clock.limit < clock.control.game * MS / 2
