"""What each format draws, with results made up by the test."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from arbiter.match.termination import Termination
from arbiter.rating.outcome import Colour, Outcome
from arbiter.rating.sprt import Sprt
from arbiter.tournament.formats.format import Format
from arbiter.tournament.formats.knockout import Knockout
from arbiter.tournament.formats.league import League
from arbiter.tournament.formats.sprt import SprtMatch
from arbiter.tournament.formats.swiss import Swiss, free_points, pair
from arbiter.tournament.schedule import Fixture, Schedule, Stage

Result = Callable[[Fixture], float]
EIGHT = [f"b{number}" for number in range(1, 9)]


def outcome(
    fixture: Fixture, points: float | None, fingerprint: int | None = None, margin: int = 4
) -> Outcome:
    """A game with White's points; None is a void one."""
    result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1", None: "*"}[points]
    lead = 0 if points is None else round(margin * (2 * points - 1))
    return Outcome(
        number=fixture.number,
        pair=fixture.pair,
        white=fixture.white,
        black=fixture.black,
        result=result,  # type: ignore[arg-type]
        termination=Termination.VOID if points is None else Termination.NORMAL,
        white_score=10 + lead,
        black_score=10,
        fingerprint=fingerprint,
    )


def stronger(fixture: Fixture) -> float:
    """The bot with the smaller number wins."""
    return float(fixture.white < fixture.black)


def play(plan: Format, result: Result, present: set[str], rounds: int = 99) -> list[Stage]:
    """Play what a format draws; results come in another order than the games."""
    stages: list[Stage] = []
    for _ in range(rounds):
        drawn = plan.draw(stages, present)
        if not drawn:
            break
        known = len(stages)
        stages += drawn
        games = list(Schedule(stages).fixtures(known))
        random.Random(known).shuffle(games)
        for game in games:
            if {game.white, game.black} <= present:
                plan.note(game.round, outcome(game, result(game)))
    return stages


# Gauntlet


def test_a_gauntlet_is_every_challenger_against_everybody_else() -> None:
    (stage,) = League.gauntlet(["a", "b", "c", "d"], ("a", "c"), 3).extend([])
    assert Counter(map(frozenset, stage.pairings)) == {
        frozenset(pair): 1 for pair in [("a", "b"), ("a", "d"), ("c", "b"), ("c", "d")]
    }
    assert (stage.first, stage.last) == (1, 3)


def test_a_bot_that_joins_a_gauntlet_meets_the_challengers_only() -> None:
    before = League.gauntlet(["a", "b"], ("a",), 2).extend([])
    (stage,) = League.gauntlet(["a", "b", "x"], ("a",), 2).extend(before)
    assert stage.pairings == (("a", "x"),)


# Swiss


def test_a_swiss_system_pairs_equals_and_never_twice() -> None:
    stages = play(Swiss(EIGHT, 3), stronger, set(EIGHT))
    assert len(stages) == 3
    assert stages[0].pairings == (("b1", "b5"), ("b2", "b6"), ("b3", "b7"), ("b4", "b8"))
    met = Counter(frozenset(pairing) for stage in stages for pairing in stage.pairings)
    assert set(met.values()) == {1}
    assert all(len(stage.bots) == 8 for stage in stages)
    # The two with full points meet in the last round.
    assert ("b1", "b2") in stages[2].pairings


def test_the_best_pairings_of_a_round_come_first() -> None:
    points = {bot: float(number) for number, bot in enumerate(EIGHT)}
    pairings, _ = pair(EIGHT, points, {}, {})
    assert pairings == [("b7", "b8"), ("b5", "b6"), ("b3", "b4"), ("b1", "b2")]


def test_a_swiss_system_of_two_is_a_match() -> None:
    stages = play(Swiss(["a", "b"], 2), stronger, {"a", "b"})
    assert [stage.pairings for stage in stages] == [(("a", "b"),)] * 2


@pytest.mark.parametrize(("gap", "again"), [(9.5, False), (10.5, True)])
def test_a_second_meeting_costs_as_much_as_ten_points_between_opponents(gap: float, again: bool) -> None:
    points = {"a": gap, "b": gap, "c": 0.0, "d": 0.0}
    pairings, _ = pair("abcd", points, {frozenset("ab"): 1, frozenset("cd"): 1}, {})
    assert (("a", "b") in pairings) == again


@pytest.mark.parametrize("bots", [5, 7, 9])
def test_with_an_odd_number_everybody_has_a_bye_at_most_once(bots: int) -> None:
    names = [f"b{number}" for number in range(bots)]
    stages = play(Swiss(names, bots), stronger, set(names))
    byes = Counter(bot for stage in stages for bot in stage.byes)
    assert len(stages) == bots
    assert byes == dict.fromkeys(names, 1)


def test_as_many_rounds_as_opponents_meet_everybody() -> None:
    names = list("abcdef")
    stages = play(Swiss(names, 5), stronger, set(names))
    met = Counter(frozenset(pairing) for stage in stages for pairing in stage.pairings)
    assert met == {frozenset(pair): 1 for pair in combinations(names, 2)}


def test_the_matching_is_the_cheapest_one() -> None:
    """Against all matchings of six bots, with the costs as they are written down."""
    chance = random.Random(5)
    names = list("abcdef")
    for _ in range(30):
        points = {name: chance.randrange(9) / 2 for name in names}
        met = {frozenset(p): chance.randrange(3) for p in combinations(names, 2)}

        def cost(
            pairings: list[tuple[str, str]],
            points: dict[str, float] = points,
            met: dict[frozenset[str], int] = met,
        ) -> float:
            return sum(1000 * met[frozenset(p)] + 10 * (points[p[0]] - points[p[1]]) ** 2 for p in pairings)

        drawn, byes = pair(names, points, met, {})
        assert byes == []
        assert cost(drawn) == min(map(cost, matchings(names)))


def matchings(names: list[str]) -> list[list[tuple[str, str]]]:
    if not names:
        return [[]]
    first, *rest = names
    return [
        [(first, other), *more]
        for other in rest
        for more in matchings([name for name in rest if name != other])
    ]


def test_a_swiss_round_that_is_asked_for_again_is_the_same() -> None:
    one = play(Swiss(EIGHT, 4), stronger, set(EIGHT))
    assert one == play(Swiss(EIGHT, 4), stronger, set(EIGHT))


def test_a_bot_that_joins_a_swiss_system_starts_without_points() -> None:
    plan = Swiss([*EIGHT, "x"], 4)
    stages = play(Swiss(EIGHT, 2), stronger, set(EIGHT))
    for game in Schedule(stages).fixtures():
        plan.note(game.round, outcome(game, stronger(game)))
    (third,) = plan.draw(stages, {*EIGHT, "x"})
    assert third.first == 3
    assert "x" in third.bots
    (opponent,) = [set(p) - {"x"} for p in third.pairings if "x" in p] or [{"-"}]
    assert opponent <= {"b7", "b8", "-"}


def test_points_without_a_game() -> None:
    stages = [Stage((("a", "b"),), 1, 1, ("c",)), Stage((("a", "c"),), 2, 2, ("b",))]
    played = {frozenset("ab"): 2, frozenset("ac"): 1}
    assert free_points(stages, played, gone={"c"}) == {"c": 2.0, "b": 2.0, "a": 1.0}
    assert free_points(stages, played, gone=()) == {"c": 2.0, "b": 2.0}


def test_a_withdrawn_bot_is_paired_no_more() -> None:
    plan = Swiss(EIGHT, 3)
    stages = plan.draw([], set(EIGHT))
    for game in Schedule(stages).fixtures():
        plan.note(1, outcome(game, stronger(game)))
    (second,) = plan.draw(stages, set(EIGHT) - {"b1", "b2"})
    assert second.bots == set(EIGHT[2:])
    assert plan.undrawn([*stages, second], set(EIGHT[2:])) == 6


def test_who_met_a_bot_that_is_no_more_has_the_points_it_did_not_play_for() -> None:
    """Also of one that goes by another name now, and so is none of the bots any more."""
    stages = [Stage((("a", "gone"), ("b", "former")), 1, 1)]
    plan = Swiss(list("abcd"), 2)
    for game in Schedule(stages).fixtures():
        if game.white in ("b", "former"):
            plan.note(1, outcome(game, float(game.white == "b")))
    (second,) = plan.draw(stages, set("abcd"))
    assert set(map(frozenset, second.pairings)) == {frozenset("ab"), frozenset("cd")}


def test_a_game_that_was_taken_out_is_no_point_without_a_game() -> None:
    """Though the opponent plays no more: both were there, and the game counts for nobody."""
    stages = [Stage((("a", "gone"), ("b", "c")), 1, 1)]
    plan = Swiss(list("abc"), 2)
    for game in Schedule(stages).fixtures():
        plan.note(1, outcome(game, None if "gone" in (game.white, game.black) else 0.5))
    assert plan.free(stages, {"gone"}) == {"a": 0.0}


# Knockout


def rounds_of(stages: list[Stage]) -> list[set[frozenset[str]]]:
    last = stages[-1].last
    return [
        {frozenset(pairing) for stage in stages if stage.last == number for pairing in stage.pairings}
        for number in range(1, last + 1)
    ]


def test_seeds_meet_as_late_as_they_can() -> None:
    stages = play(Knockout(EIGHT, 1), stronger, set(EIGHT))
    pairs = [{frozenset(p) for p in each} for each in (
        [("b1", "b8"), ("b4", "b5"), ("b2", "b7"), ("b3", "b6")],
        [("b1", "b4"), ("b2", "b3")],
        [("b1", "b2")],
    )]  # fmt: skip
    assert rounds_of(stages) == pairs
    survived = Knockout(EIGHT, 1).survived(stages[:2], set(EIGHT))
    assert survived["b8"] == 0
    assert survived["b1"] == 1


def test_the_first_seeds_have_the_byes() -> None:
    plan = Knockout(EIGHT[:5], 1)
    stages = play(plan, stronger, set(EIGHT[:5]))
    assert stages[0].pairings == (("b4", "b5"),)
    assert sorted(stages[0].byes) == ["b1", "b2", "b3"]
    assert rounds_of(stages)[1] == {frozenset(("b1", "b4")), frozenset(("b2", "b3"))}
    survived = plan.survived(stages, set(EIGHT))
    assert sorted(survived, key=lambda bot: -survived[bot])[:2] == ["b1", "b2"]
    assert survived == {"b1": 3, "b2": 2, "b3": 1, "b4": 1, "b5": 0}


def test_a_best_of_three_ends_when_it_is_decided() -> None:
    stages = play(Knockout(["b1", "b2"], 3), stronger, {"b1", "b2"})
    assert len(stages) == 2  # four points to none of six
    plan = Knockout(["b1", "b2"], 3)
    stages = play(plan, lambda game: 0.5 if game.meeting == 0 else stronger(game), {"b1", "b2"})
    assert len(stages) == 3
    assert plan.survived(stages, {"b1", "b2"}) == {"b1": 1, "b2": 0}


def test_a_level_tie_goes_on_for_three_pairs_and_then_margin_and_seed_decide() -> None:
    def white_wins(game: Fixture) -> float:
        return 1.0

    plan = Knockout(["b1", "b2"], 2)
    stages = play(plan, white_wins, {"b1", "b2"})
    assert len(stages) == 5
    assert plan.survived(stages, {"b1", "b2"}) == {"b1": 1, "b2": 0}
    plan = Knockout(["b1", "b2"], 1)
    stages = []
    while drawn := plan.draw(stages, {"b1", "b2"}):
        known = len(stages)
        stages += drawn
        for game in Schedule(stages).fixtures(known):
            plan.note(1, outcome(game, 1.0, margin=6 if game.white == "b2" else 2))
    assert len(stages) == 4
    assert plan.survived(stages, {"b1", "b2"}) == {"b1": 0, "b2": 1}


def test_who_is_withdrawn_loses_the_tie() -> None:
    plan = Knockout(EIGHT, 1)
    stages = plan.draw([], set(EIGHT))
    for game in Schedule(stages).fixtures():
        if "b1" not in (game.white, game.black):
            plan.note(1, outcome(game, stronger(game)))
    (second,) = plan.draw(stages, set(EIGHT) - {"b1"})
    assert set(map(frozenset, second.pairings)) == {frozenset(("b8", "b4")), frozenset(("b2", "b3"))}


def test_a_knockout_ends_when_one_is_left() -> None:
    plan = Knockout(EIGHT[:2], 1)
    stages = plan.draw([], set(EIGHT[:2]))
    assert plan.draw(stages, {"b2"}) == []
    assert plan.survived(stages, {"b2"}) == {"b1": 0, "b2": 1}
    assert Knockout(EIGHT, 1).draw([], {"b3"}) == []


@pytest.mark.parametrize(
    "best_of, result, expected",
    [
        (1, stronger, "b1 beats b2 2:0"),
        (1, lambda game: float(game.white > game.black), "b2 beats b1 2:0"),
        (3, lambda game: 0.5 if game.meeting == 0 else stronger(game), "b1 beats b2 5:1"),
        (1, lambda game: 1.0, "b1 beats b2 4:4 by seed"),
    ],
)
def test_a_tie_tells_how_it_ended(best_of: int, result: Result, expected: str) -> None:
    plan = Knockout(["b1", "b2"], best_of)
    stages = play(plan, result, {"b1", "b2"})
    assert [str(tie) for tie in plan.ties(stages, {"b1", "b2"})] == [expected]


def test_a_tie_tells_the_margin_that_decided_it() -> None:
    plan = Knockout(["b1", "b2"], 1)
    stages: list[Stage] = []
    told: list[str] = []
    while drawn := plan.draw(stages, {"b1", "b2"}):
        known = len(stages)
        stages += drawn
        for game in Schedule(stages).fixtures(known):
            told += map(str, plan.ties(stages, {"b1", "b2"}))
            plan.note(1, outcome(game, 1.0, margin=6 if game.white == "b2" else 2))
    assert told[:3] == ["b1 - b2 is open at 0:0", "b1 - b2 is open at 1:0", "b1 - b2 is open at 1:1"]
    assert [str(tie) for tie in plan.ties(stages, {"b1", "b2"})] == ["b2 beats b1 4:4 by margin (+16)"]


def test_ties_of_earlier_rounds_end_as_the_later_ones_were_drawn() -> None:
    """Whoever plays no more, and whatever was taken out since."""
    games: list[Outcome] = []

    class Kept(Knockout):
        def note(self, round_number: int, outcome: Outcome) -> None:
            games.append(outcome)
            super().note(round_number, outcome)

    stages = play(Kept(EIGHT[:4], 1), stronger, set(EIGHT[:4]), rounds=2)
    assert rounds_of(stages)[1] == {frozenset(("b1", "b2"))}
    without = Knockout(EIGHT[:4], 1)
    for each in games:
        first = stages[0].pairings[0] == ("b1", "b4") and "b4" in (each.white, each.black)
        without.note(1 if each.number <= 4 else 2, replace(each, result="0-1" if first else each.result))
    told = [str(tie) for tie in without.ties(stages, set(EIGHT[:4]))]
    assert told[0] == "b1 went on as it was drawn, though it is 1:1 against b4 now"
    assert told[1] == "b2 beats b3 2:0"
    # A bot that left later did win its tie; one that left in the middle did not.
    gone = [str(tie) for tie in without.ties(stages, {"b1", "b3"})]
    assert gone[0] == "b1 goes on at 1:1, for b4 plays no more"
    assert gone[1] == "b2 beats b3 2:0"


def test_who_left_in_the_middle_of_a_tie_lost_it() -> None:
    plan = Knockout(["b1", "b2"], 1)
    stages = plan.draw([], {"b1", "b2"})
    plan.note(1, outcome(next(Schedule(stages).fixtures()), 1.0))
    assert [str(tie) for tie in plan.ties(stages, {"b2"})] == ["b2 goes on at 0:1, for b1 plays no more"]
    assert [str(tie) for tie in plan.ties(stages, ())] == ["b1 - b2 ends without a winner at 1:0"]
    assert plan.survived(stages, {"b2"}) == {"b1": 0, "b2": 1}


@pytest.mark.parametrize("best_of", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_a_knockout_never_has_fewer_games_than_it_counts_on(best_of: int, seed: int) -> None:
    """After every game the least number is known better, and at the end it is the number of games."""
    chance = random.Random(seed)
    plan, present = Knockout(EIGHT[:6], best_of), set(EIGHT[:6])
    stages: list[Stage] = []
    least = [plan.undrawn([], present)]
    while drawn := plan.draw(stages, present):
        known = len(stages)
        stages += drawn
        for game in Schedule(stages).fixtures(known):
            least.append(Schedule(stages).games + plan.undrawn(stages, present))
            plan.note(game.round, outcome(game, chance.choice((0, 0.5, 1))))
    least.append(Schedule(stages).games + plan.undrawn(stages, present))
    assert least == sorted(least)
    assert least[0] == 10 * (best_of // 2 + 1)
    assert least[-1] == Schedule(stages).games


# SPRT


def sprt(results: list[tuple[float | None, float | None]], **more: int) -> SprtMatch:
    plan = SprtMatch(("a", "b"), Sprt(0, 200), more.get("max_pairs", 100))
    games = list(Schedule(plan.extend([])).fixtures())
    order = list(range(2 * len(results)))
    random.Random(more.get("order", 0)).shuffle(order)
    for index in order:
        points = results[index // 2][index % 2]
        game = games[index]
        mine = points if points is None or game.white == "a" else 1 - points
        fingerprint = index % 2 if more.get("repeating") else None
        plan.note(game.round, outcome(game, mine, fingerprint))
    return plan


def test_a_test_ends_when_it_knows_whatever_the_order_of_the_games() -> None:
    results: list[tuple[float | None, float | None]] = [(1, 1)] * 30
    decided = [sprt(results, order=order).progress for order in range(5)]
    assert {(test.ending, test.pairs) for test in decided} == {("H1", 8)}
    assert decided[0].llr >= decided[0].test.bounds[1]
    assert sprt([(0, 0)] * 30).progress.ending == "H0"
    assert sprt([(1, 0)] * 4).progress.ending == "continue"
    assert not sprt([(1, 0)] * 4).is_decided


def test_points_are_the_first_bots() -> None:
    assert sprt([(1, 0.5), (0, 0), (0.5, 0.5)]).progress.counts == (1, 0, 1, 1, 0)


def test_a_pair_with_a_void_game_is_passed_over() -> None:
    assert sprt([(1, None), (1, 1)]).progress.counts == (0, 0, 0, 0, 1)


def by_forfeit(game: Fixture, loser: str) -> Outcome:
    offender: Colour = "white" if game.white == loser else "black"
    played = outcome(game, 0.0 if offender == "white" else 1.0)
    return replace(played, termination=Termination.CRASH, offender=offender)


@pytest.mark.parametrize(
    "good, bad, expected",
    [
        ([1.0] * 2, 8, ("H1", "continue", True)),
        ([1.0] * 8, 0, ("H1", "H1", False)),
        ([0.5] * 2, 0, ("continue", "continue", False)),
    ],
)
def test_what_was_played_is_told_from_what_was_forfeited(
    good: list[float], bad: int, expected: tuple[str, str, bool]
) -> None:
    plan = SprtMatch(("a", "b"), Sprt(0, 200), 100)
    games = list(Schedule(plan.extend([])).fixtures())
    for index, points in enumerate(good):
        for game in games[2 * index : 2 * index + 2]:
            plan.note(game.round, outcome(game, points if game.white == "a" else 1 - points))
    for game in games[2 * len(good) : 2 * (len(good) + bad)]:
        plan.note(game.round, by_forfeit(game, "b"))
    test = plan.progress
    assert (test.ending, test.played_ending, test.is_by_forfeit) == expected
    assert sum(test.played) == len(good)
    assert test.forfeits == 2 * (test.pairs - len(good))


def test_a_pair_counts_when_all_before_it_are_over() -> None:
    plan = SprtMatch(("a", "b"), Sprt(0, 200), 10)
    games = list(Schedule(plan.extend([])).fixtures())
    for game in games[2:4]:
        plan.note(game.round, outcome(game, 0.5))
    assert plan.progress.pairs == 0
    for game in games[:2]:
        plan.note(game.round, outcome(game, 0.5))
    assert plan.progress.pairs == 2


def test_bots_that_only_repeat_their_games_end_the_test() -> None:
    test = sprt([(1, 1)] * 6, repeating=1).progress
    assert (test.ending, test.pairs) == ("repeats", 1)


def test_more_pairs_can_be_asked_for_later() -> None:
    stages = SprtMatch(("a", "b"), Sprt(), 10).extend([])
    assert stages == [Stage((("a", "b"),), 1, 10)]
    assert SprtMatch(("a", "b"), Sprt(), 10).extend(stages) == []
    assert SprtMatch(("a", "b"), Sprt(), 15).extend(stages) == [Stage((("a", "b"),), 11, 15)]
