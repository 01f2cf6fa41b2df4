"""``arbiter diff``: do two versions of a bot answer differently, and where?"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import INTERRUPTED, UsageError
from arbiter.cli.games import load_games
from arbiter.cli.given import BOT_HELP, OPENINGS_HELP, bots_of, openings_of, told_apart
from arbiter.cli.records import say, source_name
from arbiter.match.bot import Bot, Dialect
from arbiter.match.termination import Termination

if TYPE_CHECKING:
    from arbiter.bench.comparison import Comparison, Pair, Progress
    from arbiter.bench.interview import Limits
    from arbiter.bench.positions import Question

NAME = "diff"
HELP = "find the positions in which two versions of a bot answer differently"

_NODES = 10_000
_SHOWN = 20
_DETAIL = 160


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("new", metavar="NEW", help=f"one version: {BOT_HELP}")
    parser.add_argument("old", metavar="OLD", help="the other version, given in the same way")
    parser.add_argument(
        "--positions", type=positive, default=200, metavar="N", help="how many positions (default: 200)"
    )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument(
        "--nodes", type=positive, metavar="N", help=f"the limit told with each position (default: {_NODES})"
    )
    limit.add_argument("--depth", type=positive, metavar="N", help="a limit of depth instead")
    limit.add_argument(
        "--time",
        metavar="T",
        help="a time for each position instead, such as 100ms",
    )
    parser.add_argument(
        "--seed",
        type=natural,
        default=1,
        metavar="N",
        help="draws the positions, and the bots' Seed (default: 1)",
    )
    parser.add_argument(
        "--openings",
        metavar="KIND",
        help=f"{OPENINGS_HELP}: the positions come from games played on from there (default: balanced, and a "
        "fifth of the positions from the placement)",
    )
    parser.add_argument(
        "--from",
        dest="record",
        metavar="RECORD",
        help="take the positions from recorded games: a file or a results directory",
    )
    parser.add_argument(
        "--concurrency",
        type=positive,
        metavar="N",
        help="bots that think at a time (default: one a core)",
    )
    parser.add_argument(
        "--all", action="store_true", help=f"show all differing positions (default: the first {_SHOWN})"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people or programs")
    parser.epilog = (
        "examples:\n"
        '  arbiter diff ./mybot "git-old/mybot" --nodes 20000\n'
        "  arbiter diff ./mybot ./mybot-old --depth 4 --from results/league --positions 1000\n"
        "When no answer differs, the versions play alike; else `arbiter ab` tells which is the better.\n"
        "Ctrl-C ends it with what was found so far.\n"
        "exit status: 0 no answer differs, 1 some do, or a bot failed, 130 interrupted"
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask both; 0 when all answers are the same."""
    from arbiter.bench.comparison import Survey
    from arbiter.cli.building import build_all
    from arbiter.cli.failures import require_room
    from arbiter.cli.interruptible import run_interruptible
    from arbiter.isolation.affinity import usable_cores

    require_room(4)  # each bot is asked as White and as Black at once
    bots = told_apart(bots_of([arguments.new, arguments.old]))
    _require_dvp(bots)
    limits = _limits(arguments)
    questions = _questions(arguments, bots)
    pair = (bots[0], bots[1])
    survey = Survey(pair, questions, limits, arguments.seed, arguments.concurrency or len(usable_cores()))

    async def work() -> None:
        await build_all(pair)
        with _progress(len(questions)) as tell:
            await survey.hold(tell)

    status = _hold(partial(run_interruptible, work), limits)
    found = survey.findings
    if status and not found.pairs:
        return status
    if arguments.format == "json":
        say(json.dumps(_as_json(found, bots), ensure_ascii=False, indent=2))
    else:
        for line in _text(found, bots, arguments):
            say(line)
    return status or (1 if found.differing or found.failures(0) or found.failures(1) else 0)


def _hold(work: Callable[[], None], limits: "Limits") -> int:
    """Do the work; the exit status when it could not be done to its end, which is told."""
    from arbiter.bench.interview import InterviewError

    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except InterviewError as error:
        print(f"arbiter: {error}", file=sys.stderr)
        if error.termination is Termination.TIMEOUT and limits.time is None:
            print(f"  does it heed `{limits}`? Else try --depth N, or --time 100ms", file=sys.stderr)
        return 1
    return 0


def _require_dvp(bots: Sequence[Bot]) -> None:
    for bot in bots:
        if bot.dialect is Dialect.CODECUP:
            raise UsageError(
                f"{bot.name} speaks the CodeCup dialect, in which no position can be told",
                "compare such versions by games: arbiter ab NEW OLD",
            )


def _limits(arguments: argparse.Namespace) -> "Limits":
    from arbiter.bench.interview import Limits
    from arbiter.tournament.durations import parse_positive_duration
    from arbiter.tournament.problems import ConfigurationError

    if arguments.time is not None:
        try:
            return Limits(time=parse_positive_duration(arguments.time))
        except ConfigurationError as error:
            raise UsageError(f"--time: {error}", "example: --time 100ms") from None
    if arguments.depth is not None:
        return Limits(depth=arguments.depth)
    return Limits(nodes=arguments.nodes or _NODES)


def _questions(arguments: argparse.Namespace, bots: list[Bot]) -> "list[Question]":
    from arbiter.bench.positions import made_positions, recorded_positions
    from arbiter.tournament.openings import OpeningsError, open_openings

    amount, seed = arguments.positions, arguments.seed
    if arguments.record is None:
        if arguments.openings is None:
            return made_positions(amount, seed)
        try:
            openings = open_openings(openings_of(arguments.openings, bots), seed)
        except OpeningsError as error:
            raise UsageError(f"--openings: {error}") from None
        return made_positions(amount, seed, openings)
    if arguments.openings is not None:
        raise UsageError("--openings and --from both say where positions come from", "leave one of them out")
    records = load_games(arguments.record).records
    questions = recorded_positions(records, amount, seed)
    if not questions:
        raise UsageError(f"{source_name(arguments.record)}: no position with a choice in it")
    return questions


@contextmanager
def _progress(total: int) -> "Iterator[Progress]":
    """A line that is written over and over, for people who wait at a terminal."""
    last = -1

    def tell(done: int, differing: int) -> None:
        nonlocal last
        percent = 100 * done // total
        if percent != last:
            last = percent
            _write(f"\r{done} of {total} positions, {differing} differ ")

    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    try:
        yield tell
    finally:
        _write("\r\x1b[K")


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


# --- what came of it -------------------------------------------------------------------------------------


def _text(comparison: "Comparison", bots: Sequence[Bot], arguments: argparse.Namespace) -> list[str]:
    asked, wanted, differing = len(comparison.pairs), comparison.wanted, comparison.differing
    fewer = f" (there are no more than {wanted} different ones)" if wanted < arguments.positions else ""
    positions = f"{wanted} positions" if comparison.is_complete else f"{asked} of {wanted} positions so far"
    limits = comparison.limits
    head = f"{positions}{fewer}, seed {arguments.seed}, {limits}: {len(differing)} answers differ"
    times = ", ".join(f"{bot.name} {comparison.mean_ms(i):.1f} ms" for i, bot in enumerate(bots))
    return [
        head,
        *(f"  {phase:<9}  {count} of {of}" for phase, count, of in comparison.by_phase()),
        f"a position took {times} on average",
        *_remarks(comparison, bots),
        *([] if not differing else ["", *_table(differing, bots, everything=arguments.all), ""]),
        _conclusion(comparison, bots, arguments),
    ]


def _remarks(comparison: "Comparison", bots: Sequence[Bot]) -> list[str]:
    remarks = list(_failures(comparison, bots))
    if comparison.other_scores:
        remarks.append(f"{comparison.other_scores} of the same answers came with another score")
    for index, bot in enumerate(bots):
        if (excess := comparison.heeds_limits(index)) is not None:
            remarks.append(f"{bot.name} does not keep to the limit: {excess}")
        if count := comparison.unsteady[index]:
            remarks.append(
                f"{bot.name}, asked again, answered {count} of {comparison.asked_again} positions otherwise: "
                "chance, time or earlier positions decide, so differences may mean nothing"
            )
    return remarks


def _failures(comparison: "Comparison", bots: "Sequence[Bot]") -> "Iterator[str]":
    from arbiter.match.wording import describe

    for index, bot in enumerate(bots):
        if failed := comparison.failures(index):
            count, failure = len(failed), failed[0].replies[index].failure
            assert failure is not None
            why = f"{failure.termination}: {shorten(describe(failure), _DETAIL, placeholder=' ...')}"
            yield f"{bot.name} failed at {count} of {len(comparison.pairs)} positions, first by {why}"


def _table(differing: "Sequence[Pair]", bots: Sequence[Bot], *, everything: bool) -> list[str]:
    from tabulate import tabulate

    from arbiter.bench.positions import Phase

    has_scores = any(scores != (None, None) for scores in (pair.scores for pair in differing))
    has_places = any(pair.question.place for pair in differing)
    score = ["score"] if has_scores else []
    heads = ["ply", "phase", bots[0].name, *score, bots[1].name, *score, *(["from"] if has_places else [])]
    rows = []
    phases = list(Phase)
    in_order = sorted(differing, key=lambda p: (phases.index(p.question.phase), p.question.number))
    for pair in in_order if everything else in_order[:_SHOWN]:
        cells: list[str] = [str(pair.question.number), pair.question.phase]
        for words, value in zip(_answers(pair), pair.scores, strict=True):
            cells += [words, *([value or "-"] if has_scores else [])]
        rows.append([*cells, *([pair.question.place] if has_places else []), pair.question.position.dpos])
    aligned = ["right", "left", *(["left", *(["right"] if has_scores else [])] * 2)]
    aligned += ["left"] * (len(heads) + 1 - len(aligned))
    lines = tabulate(rows, [*heads, "position"], disable_numparse=True, colalign=aligned).splitlines()
    if len(rows) < len(differing):
        lines.append(f"... and {len(differing) - len(rows)} more: --all shows them")
    return lines


def _answers(pair: "Pair") -> tuple[str, str]:
    from arbiter.bench.comparison import words_of

    one, other = map(words_of, pair.replies)
    return one, other


def _conclusion(comparison: "Comparison", bots: Sequence[Bot], arguments: argparse.Namespace) -> str:
    import shlex

    for index, bot in enumerate((arguments.new, arguments.old)):
        if comparison.failures(index):
            return f"what failed comes first: {shlex.join(['arbiter', 'check', bot])}"
    if comparison.differing and replace(bots[0], name=bots[1].name) == bots[1]:
        return "both are the same program: none is the better"
    if comparison.differing:
        return f"which is the better: {shlex.join(['arbiter', 'ab', arguments.new, arguments.old])}"
    if not comparison.is_complete:
        return "no difference so far; not all positions were asked"
    return "the two answer alike: no test is needed"


def _as_json(comparison: "Comparison", bots: Sequence[Bot]) -> dict[str, Any]:
    limits = comparison.limits
    return {
        "bots": [bot.name for bot in bots],
        "limits": {"nodes": limits.nodes, "depth": limits.depth, "movetime": limits.time},
        "wanted": comparison.wanted,
        "positions": len(comparison.pairs),
        "differ": len(comparison.differing),
        "failed": [len(comparison.failures(index)) for index in range(2)],
        "other_scores": comparison.other_scores,
        "phases": {phase: {"asked": of, "differ": count} for phase, count, of in comparison.by_phase()},
        "mean_ms": [round(comparison.mean_ms(index), 3) for index in range(2)],
        "asked_again": comparison.asked_again,
        "unsteady": list(comparison.unsteady),
        "differing": [_pair_json(pair) for pair in comparison.differing],
    }


def _pair_json(pair: "Pair") -> dict[str, Any]:
    from arbiter.match.wording import describe

    return {
        "position": pair.question.position.dpos,
        "start": pair.question.start.dpos,
        "plies": list(pair.question.plies),
        "ply": pair.question.number,
        "phase": pair.question.phase,
        "from": pair.question.place or None,
        "answers": list(_answers(pair)),
        "scores": list(pair.scores),
        "details": [reply.failure and describe(reply.failure) for reply in pair.replies],
        "ms": [round(reply.spent.wall / 1e6, 3) for reply in pair.replies],
    }
