"""A tournament from its description to the last game, or onward from where it was stopped."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from arbiter.isolation import remains
from arbiter.isolation.affinity import share, usable_cores
from arbiter.isolation.tree import become_subreaper
from arbiter.match import usage
from arbiter.match.clock import ClockKind
from arbiter.store import League
from arbiter.tournament.config import Tournament, differences
from arbiter.tournament.events import Notice, Watcher
from arbiter.tournament.fingerprint import fingerprint
from arbiter.tournament.machine import describe_machine, describe_versions
from arbiter.tournament.prepare import Readiness, prepare
from arbiter.tournament.runner import Entry, Runner
from arbiter.tournament.sandboxes import sandboxed
from protocol.rules import Position


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
    """What is decided before bots are touched: ``seed`` for all chance, ``start`` for all games."""

    tournament: Tournament
    seed: int
    start: Position


def settle(tournament: Tournament, seed: int | None, league: League, start: Position | None = None) -> Plan:
    """Compare the tournament with what the results directory holds, and store what is new.

    Without a seed anywhere one is drawn, once.

    Raises:
        UnfitMachineError: when its clock cannot be kept here.
        ChangedTournamentError: when games played before would not belong to this tournament.
    """
    _require_counters(tournament)
    start = start or Position.start(tournament.rules)
    now = {**tournament.canonical(), "start": start.dpos}
    before = league.get("config")
    if before is not None:
        _compare(before, now, league)
    wanted = seed if seed is not None else tournament.seed
    stored = league.get("seed")
    if None not in (wanted, stored) and wanted != stored:
        raise ChangedTournamentError(
            f"{league.directory}: its games were played with seed {stored}, not {wanted}"
        )
    seed = stored if stored is not None else wanted if wanted is not None else secrets.randbelow(2**31)
    anchor = tournament.anchor
    for key, value in {
        "config": now,
        "seed": seed,
        "tournament": tournament.name,
        "time": str(tournament.time),
        "anchor": tuple(anchor) if anchor else None,
    }.items():
        league.put(key, value)
    return Plan(tournament, seed, start)


def _require_counters(tournament: Tournament) -> None:
    kinds = {control.clock for control in (tournament.time, *(b.time for b in tournament.bots if b.time))}
    if kinds != {ClockKind.WALL} and not usage.is_available():
        raise UnfitMachineError(
            "the clocks `cpu` and `fair` need counters that this system does not have (Linux's "
            "/proc/PID/schedstat); use `clock: wall`"
        )


def _compare(before: dict[str, Any], now: dict[str, Any], league: League) -> None:
    changes = differences(before, now)
    added = [line for line in changes.extending if line.startswith("bot added")]
    if changes.breaking or added:
        lines = "\n".join(f"  {line}" for line in (*changes.breaking, *added))
        raise ChangedTournamentError(
            f"{league.directory}: the games stored there were played under another description:\n{lines}\n"
            "undo the change, or give another --results directory for a new tournament"
        )


async def play_tournament(
    plan: Plan, league: League, watch: Watcher, games: int | None = None
) -> list[Readiness]:
    """Build and check the bots, then play; ``games`` bounds how many games of the schedule are played.

    Returns the optional bots that were left out.

    Raises:
        BotsNotReadyError: when a bot that is not optional cannot play, or fewer than two can.
        UnavailableError: when an isolation level was asked for by name and does not work here.
    """
    become_subreaper()
    tournament = sandboxed(plan.tournament, league.directory)
    if found := remains.clean():
        watch(Notice(f"removed what a run that was killed had left: {found}"))
    for warning in _warnings(tournament):
        watch(Notice(warning))
    readiness = await prepare(tournament, league.directory / "logs", lambda text: watch(Notice(text)))
    _require(readiness)
    left_out = [each for each in readiness if each.problem]
    for each in left_out:
        watch(Notice(f"{each.bot.name} is left out: {each.problem}"))
    entries = {r.bot.name: Entry(r.bot, fingerprint(r.bot)) for r in readiness if r.problem is None}
    league.set_bots(
        (
            each.bot.name,
            entries[each.bot.name].hash if each.problem is None else "",
            " ".join(each.bot.argv),
            each.problem,
        )
        for each in readiness
    )
    started_at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    league.start_session(started_at, describe_machine(), json.dumps(describe_versions()))
    await Runner(tournament, plan.seed, plan.start, entries, league, watch, games).run()
    return left_out


def _require(readiness: Sequence[Readiness]) -> None:
    missing = [f"{r.bot.name}: {r.problem}" for r in readiness if r.problem and not r.bot.optional]
    if missing:
        raise BotsNotReadyError(missing)
    if sum(each.problem is None for each in readiness) < 2:
        left = [f"{each.bot.name}: {each.problem}" for each in readiness if each.problem]
        raise BotsNotReadyError([*left, "fewer than two bots can play here"])


def _warnings(tournament: Tournament) -> list[str]:
    cores = len(usable_cores())
    games = f"{tournament.concurrency} games at a time on {cores} core{'' if cores == 1 else 's'}"
    warnings = []
    if tournament.concurrency > cores:
        warnings.append(f"{games}: bots will take time from each other")
    if tournament.affinity and not share(usable_cores(), tournament.concurrency):
        warnings.append(f"{games}: `affinity` needs a core for each and does nothing")
    return warnings
