"""What stands below a table and only its tournament can tell: tests, ties, annulled games, bots that left."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from textwrap import shorten

from arbiter.rating.sprt import SprtProgress
from arbiter.rating.table import Annulment, Readmission
from arbiter.tournament.formats import Tie

_LONGEST_REASON = 160


def verdict(names: tuple[str, str], test: SprtProgress) -> Iterator[str]:
    """What a test says, and what it rests on if not on play alone."""
    yield _verdict(names, test)
    if test.forfeits:
        yield _reservation(test)


def _verdict(names: tuple[str, str], test: SprtProgress) -> str:
    one, other = names
    low, high = test.test.bounds
    elo0, elo1 = test.test.elo0, test.test.elo1
    unit = "Elo" if test.test.model == "logistic" else "normalized Elo"
    words = {
        "H1": f"{one} is better than {other}: by {elo1:g} {unit} rather than by {elo0:g}",
        "H0": f"{one} is not better than {other}: by {elo0:g} {unit} rather than by {elo1:g}",
        "continue": f"not decided between {elo0:g} and {elo1:g} {unit} for {one} against {other}",
        "repeats": f"not decided: {one} and {other} only repeat their games; they need other openings",
    }[test.ending]
    counted = f"after {test.pairs:,} pair{'' if test.pairs == 1 else 's'}"
    biased = (
        "" if test.ending in ("continue", "repeats") else " An Elo shown after a test has stopped is biased."
    )
    return f"Test: {words} (LLR {test.llr:+.2f}, bounds {low:.2f} and {high:.2f}, {counted}).{biased}"


def _reservation(test: SprtProgress) -> str:
    """How many games of a test were forfeited, and what the others say."""
    forfeits = f"{test.forfeits:,} of the {2 * test.pairs:,} games of this test ended by forfeit"
    if test.ending not in ("H0", "H1"):
        return f"{forfeits}."
    pairs = sum(test.played)
    others = f"by the {pairs:,} pair{'' if pairs == 1 else 's'} without one" if pairs else "without them"
    if not test.is_by_forfeit:
        return f"{forfeits}; {others} it is decided, too."
    alone = "it is not decided" if test.played_ending == "continue" else "it is the other way round"
    return (
        f"Decided by forfeits: {forfeits}; {others} {alone} (LLR {test.played_llr:+.2f}). "
        "This tells how often the programs fail, not how well they play."
    )


def ties(found: Iterable[Tie]) -> list[str]:
    """How the ties of a knockout ended, round by round."""
    rounds = groupby(found, key=lambda tie: tie.round)
    return [f"Round {number}: {'; '.join(map(str, each))}." for number, each in rounds]


def annulled(annulments: Iterable[Annulment]) -> list[str]:
    """What was taken out and why, and what becomes of it."""
    return [f"Game {each.number} was annulled{_sequel(each)}: {_sentence(each.why)}" for each in annulments]


def _sequel(annulment: Annulment) -> str:
    if annulment.missing:
        return f"; it cannot be played again, for {annulment.missing} left"
    if annulment.played_again:
        return " and played again"
    return ", to be played again" if annulment.replayed else ""


def retired(bots: Mapping[str, str]) -> list[str]:
    """Bots whose name another version has now."""
    return [f"{bot} plays no more: {_sentence(why)}" for bot, why in bots.items()]


def readmitted(readmissions: Iterable[Readmission]) -> list[str]:
    """Bots that had been withdrawn and play again."""
    return [
        f"{each.bot} was readmitted on {each.at[:10]}; until then it had {_brief(each.why)}"
        for each in readmissions
    ]


def _brief(reason: str) -> str:
    return _sentence(shorten(reason, _LONGEST_REASON, placeholder=" ..."))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
