"""One game's points, margin and CodeCup points; what a tally makes of many."""

import random

import pytest

from arbiter.match.termination import FORFEITS, Termination
from arbiter.rating.outcome import Colour, Outcome, Result
from arbiter.rating.tally import Tally

NORMAL, RESIGN, VOID = Termination.NORMAL, Termination.RESIGN, Termination.VOID


def game(
    result: Result = "1-0",
    termination: Termination = NORMAL,
    offender: Colour | None = None,
    scores: tuple[int, int] = (20, 12),
    number: int = 1,
    pair: int | None = None,
    bots: tuple[str, str] = ("A", "B"),
    weight: int = 1,
) -> Outcome:
    return Outcome(number, pair, *bots, result, termination, offender, *scores, weight)


@pytest.mark.parametrize(
    "outcome, points, margin, codecup",
    [
        (game("1-0", scores=(20, 12)), 1, 8, (110, 12)),
        (game("0-1", scores=(3, 30)), 0, -27, (3, 120)),
        (game("1/2-1/2", scores=(9, 9)), 0.5, 0, (54, 54)),
        (game("1/2-1/2", scores=(0, 0)), 0.5, 0, (45, 45)),
        (game("1-0", RESIGN, scores=(20, 12)), 1, None, (110, 12)),
        (game("0-1", Termination.CRASH, "white", scores=(25, 5)), 0, None, (0, 95)),
        (game("1-0", Termination.START, "black", scores=(0, 0)), 1, None, (90, 0)),
    ],
    ids=["win", "loss", "draw", "0-0", "resign", "crash while ahead", "failed start"],
)
def test_points_margin_and_codecup(
    outcome: Outcome, points: float, margin: int | None, codecup: tuple[int, int]
) -> None:
    assert outcome.white_points == points
    assert outcome.margin == margin
    assert outcome.codecup_points == codecup


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"bots": ("A", "A")}, "plays itself"),
        ({"result": "2-0"}, "unknown result"),
        ({"termination": Termination.CRASH}, "offender None"),
        ({"termination": Termination.CRASH, "offender": "white"}, "offender white"),
        ({"result": "1/2-1/2", "termination": Termination.FLOOD, "offender": "white"}, "is a loss"),
    ],
)
def test_impossible_games_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        game(**wrong)  # type: ignore[arg-type]


def test_tally_sums_by_bot() -> None:
    tally = Tally(
        ["B", "A", "C"],
        [
            game("1-0", scores=(20, 12)),
            game("1-0", scores=(10, 7), bots=("B", "A")),
            game("1/2-1/2", scores=(9, 9), bots=("C", "A")),
            game("1-0", RESIGN, scores=(30, 2), bots=("C", "A")),
            game("*", VOID, number=8),
        ],
    )
    assert list(tally.standings) == ["B", "A", "C"]
    a = tally.standings["A"]
    assert (a.games, a.wins, a.draws, a.losses, a.points) == (4, 1, 1, 2, 1.5)
    assert a.mean_margin == pytest.approx((8 - 3 + 0) / 3)
    assert a.codecup_points == pytest.approx((110 + 7 + 54 + 2) / 4)
    assert (tally.games, tally.draws, tally.white_points) == (4, 1, 3.5)
    assert tally.points["A"] == {"B": 1, "C": 0.5}
    assert tally.meetings["C"] == {"A": 2}
    assert tally.rated == {("A", "B"): [1, 0, 0], ("B", "A"): [1, 0, 0], ("C", "A"): [1, 1, 0]}
    assert [outcome.number for outcome in tally.void] == [8]


@pytest.mark.parametrize("kind", FORFEITS)
def test_every_forfeit_counts_for_its_offender_alone(kind: Termination) -> None:
    tally = Tally(["A", "B"], [game("0-1", kind, "white"), game("1-0", kind, "black", bots=("B", "A"))])
    assert tally.standings["A"].forfeits == {kind: 2}
    assert not tally.standings["B"].forfeits
    assert tally.standings["A"].mean_margin is None
    assert tally.standings["A"].codecup_points == 0


@pytest.mark.parametrize(
    "first, second, cell",
    [("1-0", "0-1", 4), ("1-0", "1-0", 2), ("1/2-1/2", "0-1", 3), ("0-1", "1/2-1/2", 1), ("0-1", "1-0", 0)],
)
def test_pairs_count_by_the_points_of_the_first_bot(first: Result, second: Result, cell: int) -> None:
    games = [game(first, pair=7), game(second, pair=7, bots=("B", "A"))]
    for order in (games, games[::-1]):
        tally = Tally((), order)
        assert tally.pairs == {("A", "B"): [int(i == cell) for i in range(5)]}
        assert tally.half_pairs == 0


def test_half_pairs_and_repeats() -> None:
    tally = Tally(
        (),
        [
            game(pair=1),
            game(pair=1, bots=("C", "D")),  # the same number in another pairing
            game(pair=2),
            game(pair=2),  # the same colours twice
            game(pair=3),
            game(pair=3, bots=("B", "A"), weight=0),
            game(pair=None),
        ],
    )
    assert tally.half_pairs == 4
    assert tally.pairs == {}
    assert tally.repeats == 1
    assert tally.games == 7
    assert tally.standings["A"].games == 6
    assert tally.rated == {("A", "B"): [5, 0, 0], ("C", "D"): [1, 0, 0]}


def test_order_of_games_does_not_matter() -> None:
    chance = random.Random(5)
    results: tuple[Result, ...] = ("1-0", "0-1", "1/2-1/2")
    games = [
        game(chance.choice(results), number=number, pair=number // 2, bots=bots, scores=(number, 3))
        for number, bots in enumerate([("A", "B"), ("B", "A"), ("A", "C"), ("C", "A")] * 5)
    ]
    shuffled = chance.sample(games, len(games))
    one, other = Tally("ABC", games), Tally("ABC", shuffled)
    for sums in ("standings", "points", "meetings", "rated", "pairs", "half_pairs", "white_points"):
        assert getattr(one, sums) == getattr(other, sums), sums
