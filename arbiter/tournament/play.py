"""A tournament from its description to the last game, or onward from where it was stopped."""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from textwrap import shorten
from typing import Any

from arbiter.isolation import remains
from arbiter.isolation.affinity import share, usable_cores
from arbiter.isolation.tree import become_subreaper
from arbiter.match import meter
from arbiter.match.bot import Bot
from arbiter.match.clock import ClockKind
from arbiter.store import League
from arbiter.tournament.agenda import Agenda
from arbiter.tournament.config import GROWING, Tournament, differences
from arbiter.tournament.events import Notice, Watcher
from arbiter.tournament.fingerprint import KIND as FINGERPRINTS
from arbiter.tournament.fingerprint import fingerprint, fingerprinted
from arbiter.tournament.formats.knockout import EXTRA_PAIRS
from arbiter.tournament.formats.league import League as RoundRobin
from arbiter.tournament.machine import describe_machine, describe_versions
from arbiter.tournament.openings import FixedPosition, Openings, open_openings
from arbiter.tournament.prepare import Readiness, prepare
from arbiter.tournament.runner import Entry, Runner
from arbiter.tournament.sandboxes import sandboxed
from arbiter.tournament.versions import Change, changed_programs, enter_versions
from arbiter.tournament.withdrawals import ways_back, withdrawn
from protocol.rules import Position

_LONGEST_REASON = 160


class BotsNotReadyError(Exception):
    """Bots that were to play cannot; ``problems`` has a text for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class UnfitMachineError(Exception):
    """This machine cannot play the tournament as it is described; the text says what is missing."""


class ChangedTournamentError(Exception):
    """The stored games belong to another tournament than the one now described; the text says how."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided before bots are touched: ``seed`` for all chance, ``openings`` for all games."""

    tournament: Tournament
    seed: int
    openings: Openings


def settle(tournament: Tournament, seed: int | None, league: League, start: Position | None = None) -> Plan:
    """Compare the tournament with what the results directory holds, and store what is new.

    Before the first game nothing is binding. All else is as for ``foresee``.
    """
    if not league.has_games():
        league.clear()
    plan = foresee(tournament, seed, league, start)
    anchor = tournament.anchor
    league.put(
        config=_described(tournament, plan.openings, start),
        seed=plan.seed,
        tournament=tournament.name,
        time=str(tournament.time),
        anchor=tuple(anchor) if anchor else None,
        stages=_stages(league.get("config"), league),
    )
    return plan


def foresee(
    tournament: Tournament, seed: int | None, league: League | None, start: Position | None = None
) -> Plan:
    """Compare the tournament with what the results directory holds, if there is any, and store nothing.

    Without a seed anywhere one is drawn, once. ``start``: where all games start, instead of the
    tournament's openings.

    Raises:
        UnfitMachineError: when its clock cannot be kept here.
        ChangedTournamentError: when games played before would not belong to this tournament.
        OpeningsError: when the file of openings cannot be used.
    """
    _require_counters(tournament)
    seed = _seed(tournament, seed, league)
    openings: Openings = (
        open_openings(tournament.openings, seed, tournament.rules, tournament.path.parent)
        if start is None
        else FixedPosition(start)
    )
    before = league.get("config") if league else None
    if league is not None and before is not None:
        _compare(before, _described(tournament, openings, start), league)
    return Plan(_bounded(tournament, openings), seed, openings)


def _described(tournament: Tournament, openings: Openings, start: Position | None) -> dict[str, Any]:
    """What must stay the same from run to run."""
    return {
        **tournament.canonical(),
        "openings": openings.canonical() if start is None else "empty",
        "start": (start or Position.start(tournament.rules)).dpos,
    }


def _bounded(tournament: Tournament, openings: Openings) -> Tournament:
    """A test never repeats an opening: deterministic bots would only repeat their games."""
    count, sprt = openings.count, tournament.sprt
    if tournament.openings.kind != "file" or count is None or count >= sprt.max_pairs:
        return tournament
    return replace(tournament, sprt=sprt._replace(max_pairs=count))


def _seed(tournament: Tournament, seed: int | None, league: League | None) -> int:
    """The seed of all chance: as asked for, as before, or drawn."""
    wanted = seed if seed is not None else tournament.seed
    stored: int | None = league.get("seed") if league else None
    if league and stored is not None and wanted not in (None, stored):
        raise ChangedTournamentError(
            f"{league.directory}: its games were played with seed {stored}, not {wanted}"
        )
    if stored is not None:
        return stored
    return wanted if wanted is not None else secrets.randbelow(2**31)


def _stages(before: dict[str, Any] | None, league: League) -> list[dict[str, Any]]:
    """The stages so far; games from before stages were stored make up the first one."""
    stored: list[dict[str, Any]] | None = league.get("stages")
    if stored is not None or before is None:
        return stored or []
    names = [bot["name"] for bot in before["bots"]]
    return [stage.as_json() for stage in RoundRobin.round_robin(names, before["rounds"]).extend([])]


def _require_counters(tournament: Tournament) -> None:
    kinds = {control.clock for control in (tournament.time, *(b.time for b in tournament.bots if b.time))}
    if kinds & {ClockKind.CPU, ClockKind.FAIR} and not meter.is_available():
        raise UnfitMachineError(
            "the clocks `cpu` and `fair` need counters that this system does not have (Linux's "
            "/proc/PID/schedstat); use `clock: wall`"
        )


def _compare(before: dict[str, Any], now: dict[str, Any], league: League) -> None:
    changes = differences(before, now)
    if changes.breaking:
        lines = "\n".join(f"  {line}" for line in changes.breaking)
        raise ChangedTournamentError(
            f"{league.directory}: the games stored there were played under another description:\n{lines}\n"
            "undo the change, or give another --results directory for a new tournament"
        )


def changed_bots(plan: Plan, league: League, new_versions: Collection[str] | None) -> list[Change]:
    """The bots that the next run enters as other ones, as far as that is known without building any.

    Raises:
        ChangedProgramError: as ``play_tournament`` does.
    """
    away = withdrawn(league, back=new_versions or ())
    files = {
        bot.name: (bot, found)
        for bot in plan.tournament.bots
        if bot.name not in away and bot.build is None and (found := fingerprinted(bot))
    }
    return changed_programs(
        league,
        {name: fingerprint(bot) for name, (bot, _) in files.items()},
        {name: found for name, (_, found) in files.items()},
        new_versions if plan.tournament.format in GROWING else None,
    )


async def play_tournament(
    plan: Plan,
    league: League,
    watch: Watcher,
    games: int | None = None,
    new_versions: Collection[str] | None = None,
    readmitted: Collection[str] = (),
    *,
    overhear: bool = False,
) -> None:
    """Build and check the bots, then play; ``games`` bounds how many games of the schedule are played.

    ``new_versions`` are bots whose changed programs enter as new ones, or as those they were before, None
    where none can; ``readmitted`` are bots that were withdrawn and play again; with ``overhear`` all that is
    said in the games is told as well. Other bots that were withdrawn are not touched, and none is where no
    game is left.

    Raises:
        BotsNotReadyError: when a bot that is not optional cannot play, or fewer than two can.
        ChangedProgramError: when another program plays under a name than before.
        UnavailableError: when an isolation level was asked for by name and does not work here.
    """
    become_subreaper()
    tournament = sandboxed(plan.tournament, league.directory)
    if found := remains.clean():
        watch(Notice(f"removed what a run that was killed had left: {found}"))
    for warning in _warnings(plan):
        watch(Notice(warning))
    if tournament.format not in GROWING:
        new_versions = None
    away = withdrawn(league, back={*(new_versions or ()), *readmitted})
    ways = ways_back(tournament, league)
    for name, why in away.items():
        reason = shorten(why, _LONGEST_REASON, placeholder=" ...")
        remedy = f"; `{ways[name]}` lets it play again" if name in ways else ""
        watch(Notice(f"{name} stays withdrawn: {reason}{remedy}"))
    bots = [bot for bot in tournament.bots if bot.name not in away]
    if (
        is_through(tournament, bots, league, games)
        and not new_versions
        and not changed_bots(plan, league, new_versions)
    ):
        watch(Notice("no game is left to play, so no bot is built or started"))
        entries = {bot.name: Entry(bot, "") for bot in bots}
    else:
        readiness = await prepare(
            bots, tournament, league.directory / "logs", lambda text: watch(Notice(text))
        )
        _require(readiness, len(away))
        entries = _enter(tournament, readiness, league, watch, new_versions)
    for name in withdrawn(league).keys() & entries.keys() & set(readmitted):
        league.readmit(name, _now())
        watch(Notice(f"{name} is readmitted: what it failed so far counts no more against it"))
    await Runner(tournament, plan.seed, plan.openings, entries, league, watch, games, overhear=overhear).run()


def is_through(tournament: Tournament, bots: Sequence[Bot], league: League, games: int | None = None) -> bool:
    """Whether no game is left, whichever of these bots can play."""
    if not league.has_games():
        return False
    agenda = Agenda(tournament, {bot.name for bot in bots}, league, games)
    return next(agenda.coming(), None) is None


def _enter(
    tournament: Tournament,
    readiness: Sequence[Readiness],
    league: League,
    watch: Watcher,
    new_versions: Collection[str] | None,
) -> dict[str, Entry]:
    """Put on record who plays and who is left out."""
    for each in readiness:
        if each.problem:
            watch(Notice(f"{each.bot.name} is left out: {each.problem}", is_warning=True))
    entries = {r.bot.name: Entry(r.bot, fingerprint(r.bot)) for r in readiness if r.problem is None}
    if tournament.format == "sprt" and (words := _sameness(*entries.values())):
        watch(Notice(words, is_warning=True))
    for notice in enter_versions(
        league,
        {name: entry.hash for name, entry in entries.items()},
        {name: fingerprinted(entry.bot) for name, entry in entries.items()},
        new_versions,
    ):
        watch(Notice(notice))
    league.set_bots(
        (
            each.bot.name,
            entries[each.bot.name].hash if each.problem is None else "",
            " ".join(each.bot.argv),
            each.problem,
        )
        for each in readiness
    )
    league.put(fingerprints=FINGERPRINTS)
    league.start_session(_now(), describe_machine(), json.dumps(describe_versions()))
    return entries


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


def _require(readiness: Sequence[Readiness], withdrawn: int) -> None:
    """Refuse what nobody would call this tournament; bots that were withdrawn have had their part in it."""
    missing = [f"{r.bot.name}: {r.problem}" for r in readiness if r.problem and not r.bot.optional]
    if missing:
        raise BotsNotReadyError(missing)
    if sum(each.problem is None for each in readiness) + withdrawn < 2:
        left = [f"{each.bot.name}: {each.problem}" for each in readiness if each.problem]
        raise BotsNotReadyError([*left, "fewer than two bots can play here"])


def _sameness(one: Entry, other: Entry) -> str | None:
    """What to say of two bots that nothing tells apart but their names: it may be meant, to see how often
    a test errs, but mostly it is a slip.
    """
    twin = replace(
        one.bot, **{key: getattr(other.bot, key) for key in ("name", "argv", "directory", "build")}
    )
    if one.hash != other.hash or twin != other.bot:
        return None
    files = dict.fromkeys(str(path) for each in (one, other) for path in fingerprinted(each.bot))
    what = f"the content of {' and '.join(files)}" if files else "their commands"
    return (
        f"{one.bot.name} and {other.bot.name} are the same program, by {what} "
        "(files that it loads are not compared): was another version meant?"
    )


def _warnings(plan: Plan) -> list[str]:
    tournament = plan.tournament
    cores = len(usable_cores())
    games = f"{tournament.concurrency} games at a time on {cores} core{'' if cores == 1 else 's'}"
    warnings = []
    if tournament.concurrency > cores:
        warnings.append(f"{games}: bots will take time from each other")
    if tournament.affinity and not share(usable_cores(), tournament.concurrency):
        warnings.append(f"{games}: `affinity` needs a core for each and does nothing")
    return [*warnings, *_openings_notices(plan)]


def _openings_notices(plan: Plan) -> list[str]:
    """What must be known of a list of openings: what it lacks, how long it is, and whether that will do."""
    notices, count = list(plan.openings.notices), plan.openings.count
    if count is None or plan.tournament.openings.kind != "file":
        return notices
    source = plan.openings.description
    if plan.tournament.format == "sprt":
        if plan.tournament.sprt.max_pairs < count:
            return notices
        return [*notices, f"{source}, so that the test ends after as many pairs at the latest"]
    pairs, words = _longest_meeting(plan.tournament)
    if pairs > count:
        notices.append(f"{source} for {words}: after the last one comes the first again")
    return notices


def _longest_meeting(tournament: Tournament) -> tuple[int, str]:
    """The most pairs that two bots can play, and where they come from."""
    if tournament.format == "knockout":
        pairs = tournament.best_of + EXTRA_PAIRS
        return pairs, f"ties of up to {pairs} pairs"
    rounds = f"{tournament.rounds:,} rounds"
    if tournament.format == "swiss":
        return -(
            -tournament.rounds // max(1, len(tournament.bots) - 1)
        ), f"{rounds} of {len(tournament.bots)} bots"
    return tournament.rounds, rounds
