"""What stands below a table, in words."""

import pytest

from arbiter.rating.sprt import Ending, Sprt, SprtProgress
from arbiter.tournament.remarks import verdict


def progress(counts: tuple[int, ...], spoilt: tuple[int, ...], ending: Ending) -> SprtProgress:
    test = Sprt(0, 200)
    return SprtProgress(test, sum(counts), counts, test.llr(counts), ending, sum(spoilt), spoilt)


@pytest.mark.parametrize(
    "counts, spoilt, ending, expected",
    [
        ((0, 0, 0, 0, 9), (0, 0, 0, 0, 1), "H1", "; by the 8 pairs without one it is decided, too."),
        ((0, 0, 0, 0, 9), (0, 0, 0, 0, 8), "H1", "by the 1 pair without one it is not decided (LLR +0.42)"),
        ((9, 0, 0, 0, 40), (0, 0, 0, 0, 40), "H1", "by the 9 pairs without one it is the other way round ("),
        ((0, 0, 1, 0, 0), (0, 0, 1, 0, 0), "continue", "1 of the 2 games of this test ended by forfeit."),
    ],
)  # fmt: skip
def test_a_verdict_tells_what_it_rests_on(
    counts: tuple[int, ...], spoilt: tuple[int, ...], ending: Ending, expected: str
) -> None:
    _, reservation = verdict(("a", "b"), progress(counts, spoilt, ending))
    assert expected in reservation
    assert reservation.startswith("Decided by forfeits: ") == (
        "it is not" in expected or "other way" in expected
    )


def test_a_verdict_of_games_that_were_played_needs_no_reservation() -> None:
    (line,) = verdict(("a", "b"), progress((0, 0, 0, 0, 9), (0,) * 5, "H1"))
    assert line.startswith("Test: a is better than b: by 200 Elo rather than by 0 (LLR +")
