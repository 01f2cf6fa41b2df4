"""What is kept of a failed game, so that its bot's author sees why and can make it happen again."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arbiter.isolation.environment import inherited
from arbiter.isolation.sandbox import Level, Sandbox
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import ClockKind, TimeControl
from arbiter.match.fault import as_json
from arbiter.match.game import BotReport, Competitor, GameSetup
from arbiter.match.termination import Termination
from arbiter.store import PlayedGame
from arbiter.store.drec import game_record
from arbiter.tournament import fingerprint
from arbiter.tournament.machine import describe_machine, describe_versions
from protocol.records import format_record
from protocol.rules import Side

FACTS = "bundle.json"
RECORD = "game.drec"
_KIND = 1
_TELLING = re.compile(r"PATH|LANG|LANGUAGE|LC_\w+|TZ|PYTHON\w*|LD_LIBRARY_PATH|JAVA_\w+|NODE_\w+")
"""Variables that decide how programs run; others may be nobody's business and are not copied."""


def is_failed(game: PlayedGame) -> bool:
    """Whether a game ended in a way that somebody will want to look into."""
    return game.outcome.termination not in (Termination.NORMAL, Termination.RESIGN)


def bundle_directory(results: Path, game: PlayedGame) -> Path:
    attempt = f"-attempt-{game.attempt}" if game.attempt > 1 else ""
    return results / "failures" / f"game-{game.number}{attempt}"


def write_bundle(results: Path, game: PlayedGame, setup: GameSetup, event: str) -> None:
    """Write record, facts, and for each bot what was said and its stderr; existing files are replaced."""
    directory = bundle_directory(results, game)
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        RECORD: format_record(game_record(game, event, describe_machine())),
        FACTS: json.dumps(_facts(game, setup, directory), indent=2, ensure_ascii=False) + "\n",
    }
    for side in Side:
        report = game.outcome.white if side is Side.WHITE else game.outcome.black
        texts |= _said(side, report)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def _said(side: Side, report: BotReport) -> dict[str, str]:
    notes = "".join(f"note: {note}\n" for note in report.notes)
    return {f"{side.word}.log": report.transcript + notes, f"{side.word}.stderr": report.stderr}


def _facts(game: PlayedGame, setup: GameSetup, directory: Path) -> dict[str, Any]:
    outcome = game.outcome
    return {
        "bundle": _KIND,
        "reproduce": shlex.join(["arbiter", "replay", str(directory)]),
        "number": game.number,
        "attempt": game.attempt,
        "termination": str(outcome.termination),
        "detail": outcome.detail,
        "fault": None if outcome.fault is None else as_json(outcome.fault),
        "offender": None if outcome.offender is None else outcome.offender.word,
        "answer": outcome.answer,
        "plies": len(outcome.plies),
        "position": outcome.final,
        "depth": setup.depth,
        "nodes": setup.nodes,
        "white": _bot_facts(setup.white, game.white_hash),
        "black": _bot_facts(setup.black, game.black_hash),
        "isolation": {
            side.word: {"applied": report.isolation, "means": list(report.means)}
            for side, report in zip(Side, (outcome.white, outcome.black), strict=True)
        },
        "lag_us": outcome.lag // 1000,
        "machine": describe_machine(),
        "versions": describe_versions(),
        "fingerprints": fingerprint.KIND,
        "environment": {key: value for key, value in inherited().items() if _TELLING.fullmatch(key)},
    }


def _bot_facts(competitor: Competitor, digest: str) -> dict[str, Any]:
    bot = competitor.bot
    return {
        "name": bot.name,
        "argv": list(bot.argv),
        "directory": str(bot.directory),
        "protocol": str(bot.dialect),
        "options": dict(bot.options),
        "env": dict(bot.env),
        "seed": competitor.seed,
        "hash": digest,
        "time": asdict(competitor.time),
        "sandbox": {
            "level": str(bot.sandbox.level),
            "memory": bot.sandbox.memory,
            "disk": bot.sandbox.disk,
            "processes": bot.sandbox.processes,
        },
    }


class BundleError(Exception):
    """A bundle that is damaged, or of a kind that is not known here."""


def read_facts(path: Path) -> dict[str, Any]:
    """The facts in this file, of which bots and time controls can be made.

    Raises:
        BundleError: when they cannot.
    """
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if facts["bundle"] != _KIND:
            raise ValueError(f"bundles of kind {facts['bundle']} are not known here")
        for side in Side:
            bot_of(facts[side.word])
            time_control(facts[side.word])
    except KeyError as error:
        raise BundleError(f"{path}: {error} is missing") from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BundleError(f"{path}: {error}") from None
    return facts


def bot_of(facts: dict[str, Any]) -> Bot:
    """The bot that a bundle tells of, with the level and the limits it had."""
    sandbox = facts["sandbox"]
    return Bot(
        facts["name"],
        tuple(_texts(facts["argv"])),
        Path(facts["directory"]),
        Dialect(facts["protocol"]),
        env=dict(zip(facts["env"], _texts(facts["env"].values()), strict=True)),
        options=dict(zip(facts["options"], _texts(facts["options"].values()), strict=True)),
        isolation=Level(sandbox["level"]),
        sandbox=Sandbox(memory=sandbox["memory"], disk=sandbox["disk"], processes=sandbox["processes"]),
    )


def change_of(facts: dict[str, Any], side: Side) -> str | None:
    """What became of a bot's program since the game, in words; None when it is as it was, as far as known."""
    then = facts[side.word].get("hash")
    now = fingerprint.fingerprint(bot_of(facts[side.word]))
    if not then or then == now or facts.get("fingerprints") != fingerprint.KIND:
        return None
    return f"the program of {facts[side.word]['name']} was {then[:8]} in the game and is now {now[:8]}"


def _texts(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is no text")
        yield value


def time_control(facts: dict[str, Any]) -> TimeControl:
    """The time control that a bundle's facts give for a bot."""
    return TimeControl(**{**facts["time"], "clock": ClockKind(facts["time"]["clock"])})
