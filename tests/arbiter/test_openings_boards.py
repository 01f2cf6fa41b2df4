"""Boards set up by chance: what each kind promises, and that they are the same for ever."""

from collections import Counter
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.tournament.openings import BOARD_KINDS, BoardKind, set_up_board
from arbiter.tournament.openings.chance import Chance
from protocol.rules import SPACES, Phase, Position, Rules, Side
from tests.protocol.oracle import COLUMNS, neighbours

KINDS = st.sampled_from(BOARD_KINDS)
SEEDS = st.integers(0, 2**63 - 1)
INDICES = st.integers(0, 10**12)
MANY = 1_000

EDGE = [space for space in SPACES if space[1] in "15"]
EDGE += ["A2", "J2", "A3", "K3", "B4", "K4"]
LEFT = ["A1", "B1", "C1", "D1", "A2", "B2", "C2", "D2", "E2", "A3", "B3", "C3", "D3", "E3"]
LEFT += ["B4", "C4", "D4", "E4", "F4", "C5", "D5", "E5", "F5"]
FRONT = [space for space in SPACES if space[1] in "12"]


def mirrored(space: str) -> str:
    """Left and right exchanged, as the board is drawn: F3 stays, A1 and I1 change places."""
    row = int(space[1])
    return COLUMNS[(5 + row - 3) + 5 - COLUMNS.index(space[0])] + space[1]


def turned(space: str) -> str:
    """The image by half a turn round F3."""
    return COLUMNS[10 - COLUMNS.index(space[0])] + str(6 - int(space[1]))


def colours(position: Position) -> dict[str, str]:
    return {space: "R" if s.top is None else s.top.letter.upper() for space, s in position.stacks().items()}


def excess(board: dict[str, str], spaces: list[str]) -> int:
    """White pieces more than black ones."""
    return sum((board[space] == "W") - (board[space] == "B") for space in spaces)


def walled_in(board: dict[str, str]) -> list[str]:
    return [
        space
        for space, colour in board.items()
        if colour != "R" and all(board[near] == colour for near in neighbours(space))
    ]


@cache
def many(kind: BoardKind) -> tuple[dict[str, str], ...]:
    return tuple(colours(set_up_board(kind, 2026, index)) for index in range(MANY))


# --- every kind --------------------------------------------------------------------------------------------


@given(kind=KINDS, seed=SEEDS, index=INDICES, rules=st.sampled_from(Rules))
def test_every_board_is_full_and_ready_for_the_first_stack_move(
    kind: BoardKind, seed: int, index: int, rules: Rules
) -> None:
    position = set_up_board(kind, seed, index, rules)
    board = colours(position)
    assert list(board) == list(SPACES)
    assert Counter(board.values()) == {"R": 3, "W": 23, "B": 23}
    assert {stack.height for stack in position.stacks().values()} == {1}
    assert position.phase is Phase.MOVEMENT
    assert position.rules is rules
    assert position.to_move is (Side.BLACK if rules is Rules.BLACK_FIRST else Side.WHITE)
    own = position.to_move.letter.upper()
    movable = {ply.source for ply in position.legal_plies()}
    assert movable == {space for space in EDGE if board[space] == own}


@given(kind=KINDS, seed=SEEDS, index=INDICES)
def test_both_rules_have_the_same_boards(kind: BoardKind, seed: int, index: int) -> None:
    boards = [set_up_board(kind, seed, index, rules).stacks() for rules in Rules]
    assert boards[0] == boards[1]


@pytest.mark.parametrize("kind", BOARD_KINDS)
def test_boards_differ(kind: BoardKind) -> None:
    assert len({tuple(board.values()) for board in many(kind)}) == MANY
    assert len({set_up_board(kind, seed, 0) for seed in range(100)}) == 100


def test_kinds_share_no_chance() -> None:
    balanced = {tuple(board.values()) for board in many("balanced")}
    assert balanced.isdisjoint(tuple(board.values()) for board in many("random"))


# --- what a kind promises ----------------------------------------------------------------------------------


def test_the_halves_are_images_of_each_other() -> None:
    """What the next test goes by is right: 24 spaces of the edge, halves of 23 and of 19 spaces."""
    assert sorted(EDGE) == sorted(space for space in SPACES if len(neighbours(space)) < 6)
    assert len(EDGE) == 24
    right = [mirrored(space) for space in LEFT]
    assert sorted([*LEFT, *right, "E1", "F3", "G5"]) == sorted(SPACES)
    for space in SPACES:
        assert sorted(map(mirrored, neighbours(space))) == sorted(neighbours(mirrored(space)))
    assert len(FRONT) == 19


@given(seed=SEEDS, index=INDICES)
@settings(max_examples=200)
def test_balanced(seed: int, index: int) -> None:
    board = colours(set_up_board("balanced", seed, index))
    back = [space for space in SPACES if space[1] in "45"]
    for part in (EDGE, LEFT, [mirrored(space) for space in LEFT], FRONT, back):
        assert abs(excess(board, part)) <= 1, part
    assert walled_in(board) == []


def test_random_boards_are_not_balanced() -> None:
    """Else the test before would prove little: each of its conditions fails somewhere."""
    boards = many("random")
    for part in (EDGE, LEFT, FRONT):
        assert any(abs(excess(board, part)) > 1 for board in boards)
    assert any(map(walled_in, boards))


@given(seed=SEEDS, index=INDICES)
def test_symmetric(seed: int, index: int) -> None:
    board = colours(set_up_board("symmetric", seed, index))
    assert board["F3"] == "R"
    exchanged = {"R": "R", "W": "B", "B": "W"}
    assert all(board[turned(space)] == exchanged[colour] for space, colour in board.items())


# --- chance ------------------------------------------------------------------------------------------------

PINNED: dict[tuple[BoardKind, int, int], str] = {
    ("random", 0, 0): "wbbwbbwwb/wwbwwwwwrb/wwwwbrwwbbb/wbrbbwbbbw/bbbbwwwbb w m",
    ("random", 2026, 999_999): "wwwbbbrbw/bbwwwbwbwb/bwbwbbwwwbb/wbwbwbbbrb/brwwbwwww w m",
    ("random", 2**63 - 1, 16): "wwrbbbwbb/wbbbwrwbwb/bwwbbwwbbww/bwbwwwbbww/wwbwbbrwb w m",
    ("balanced", 0, 0): "bbbbbbbwb/wwwwrbwwww/bwwbwwwbrbb/wbbbbbbbwb/bwwwrwwww w m",
    ("balanced", 2026, 999_999): "wbbwwbwbw/wrwbbwbbwb/wbbbwwrwwbb/bbwwbbbwww/wbwwbbwrb w m",
    ("balanced", 2**63 - 1, 16): "wbbbwbwwb/wbwbbbbwww/wwbbwbwbwwb/bwwbwwwbbb/wrrwbbbrw w m",
    ("symmetric", 0, 0): "rbwwbbwww/bbwwwbbwbw/wbbbwrbwwwb/bwbwwbbbww/bbbwwbbwr w m",
    ("symmetric", 2026, 999_999): "bwbbwwbbb/bwwwwbbbrb/wwwbwrbwbbb/wrwwwbbbbw/wwwbbwwbw w m",
    ("symmetric", 2**63 - 1, 16): "bwbwwbwrw/wwwbbwwbbw/bbbwwrbbwww/bwwbbwwbbb/brbwbbwbw w m",
}
DIGEST = "84708f10629293a6dd9e8d2594050625919ccf5d6697c7351c0f6364977825f9"


@pytest.mark.parametrize("kind, seed, index", PINNED)
def test_boards_stay_the_same_for_ever(kind: BoardKind, seed: int, index: int) -> None:
    """A stored tournament would go on with other boards if one of these changed: never renew them."""
    assert set_up_board(kind, seed, index).dpos == PINNED[kind, seed, index]


def test_a_thousand_boards_stay_the_same_for_ever() -> None:
    text = "\n".join("".join(board.values()) for kind in BOARD_KINDS for board in many(kind))
    assert sha256(text.encode()).hexdigest() == DIGEST


@pytest.mark.parametrize("kind", ["random", "balanced"])
def test_no_space_is_favoured(kind: BoardKind) -> None:
    """Each colour is on each space as often as it should be, within 4.5 standard errors."""
    for colour, share in (("R", 3 / 49), ("W", 23 / 49), ("B", 23 / 49)):
        error = (MANY * share * (1 - share)) ** 0.5
        for space in SPACES:
            found = sum(board[space] == colour for board in many(kind))
            assert abs(found - MANY * share) < 4.5 * error, (space, colour, found)


def test_no_pair_is_favoured_on_symmetric_boards() -> None:
    for space in SPACES:
        if space != "F3":
            found = Counter(board[space] for board in many("symmetric"))
            assert abs(found["R"] - MANY / 24) < 4.5 * (MANY / 24) ** 0.5, (space, found)
            assert abs(found["W"] - found["B"]) < 4.5 * MANY**0.5, (space, found)


def test_numbers_below_a_bound() -> None:
    chance = Chance("test")
    found = Counter(chance.below(6) for _ in range(6_000))
    assert sorted(found) == [0, 1, 2, 3, 4, 5]
    assert all(abs(count - 1_000) < 4.5 * 1_000**0.5 for count in found.values())
    assert {chance.below(1) for _ in range(10)} == {0}
    assert chance.below(2**64) > 2**32


def test_shuffles_are_all_possible_and_equally_likely() -> None:
    found = Counter("".join(Chance("test", number).shuffled("abc")) for number in range(6_000))
    assert len(found) == 6
    assert all(abs(count - 1_000) < 4.5 * 1_000**0.5 for count in found.values())
