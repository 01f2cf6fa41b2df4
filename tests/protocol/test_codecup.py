"""The CodeCup dialect: whose turn it is by counting, early lines, and limits from own ply to own ply."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codecup import LAST_PLACEMENT, Connection, Role, Turn
from protocol.errors import LocalProtocolError
from protocol.rules import Position, Side
from protocol.states import CODECUP, FIRST_TURN, TURN_MEANING


def game() -> list[tuple[Side, str]]:
    """A whole game by the rules: who plays which ply."""
    position = Position.start()
    plies: list[tuple[Side, str]] = []
    while not position.is_over:
        ply = position.legal_plies()[len(plies) % 3 % len(position.legal_plies())]
        plies.append((position.to_move, ply.text))
        position = position.play(ply)
    return plies


def test_two_linked_pairs_play_a_whole_game() -> None:
    arbiter = {side: Connection(side) for side in Side}
    bot = {side: Connection(side, Role.BOT) for side in Side}
    assert bot[Side.WHITE].receive(arbiter[Side.WHITE].start()) == ["Start"]
    plies = game()
    assert plies[LAST_PLACEMENT - 1][0] is plies[LAST_PLACEMENT][0] is Side.WHITE
    for number, (side, ply) in enumerate(plies, 1):
        for end in (arbiter[side], bot[side]):
            assert end.state is Turn.OWN
        for end in (arbiter[side.other], bot[side.other]):
            assert end.state is Turn.OTHER
        assert arbiter[side].receive(bot[side].ply(ply)) == [ply]
        if number < len(plies):
            assert bot[side.other].receive(arbiter[side.other].ply(ply)) == [ply]
    for side in Side:
        assert bot[side].receive(arbiter[side].quit()) == ["Quit"]
        assert bot[side].state is arbiter[side].state is Turn.ENDED


def test_start_is_for_white_and_for_once() -> None:
    white = Connection(Side.WHITE)
    assert white.start() == b"Start\n"
    with pytest.raises(LocalProtocolError):
        white.start()
    black = Connection(Side.BLACK)
    with pytest.raises(LocalProtocolError, match="the opponent is to move"):
        black.start()
    assert black.ply("D1") == b"D1\n"


def test_nothing_is_told_to_a_bot_that_owes_its_ply() -> None:
    black = Connection(Side.BLACK)
    black.ply("D1")
    with pytest.raises(LocalProtocolError, match="the bot owes its ply"):
        black.ply("D2")
    assert black.plies == 1


def test_quit_comes_at_any_time_and_only_once() -> None:
    for side in Side:
        end = Connection(side)
        assert end.quit() == b"Quit\n"
        with pytest.raises(LocalProtocolError):
            end.quit()
        with pytest.raises(LocalProtocolError):
            end.ply("A1")


@pytest.mark.parametrize("text", ["", "A1 B1", "A1\nQuit", "Ä1"])
def test_only_plies_are_passed_on(text: str) -> None:
    with pytest.raises(LocalProtocolError, match="not a ply"):
        Connection(Side.BLACK).ply(text)


@pytest.mark.parametrize(
    "data, answers",
    [
        (b"A1\n", ["A1"]),
        (b"A1\r\n", ["A1"]),
        (b" A1\t\n", ["A1"]),
        (b"\n \t\nA1\n\r\n", ["A1"]),
        (b"\xef\xbb\xbfA1\n", ["A1"]),
        (b"a1\n", ["a1"]),
        (b"hello there\n", ["hello there"]),
        (b"A1\rB1\n", ["A1\\x0dB1"]),
        (b"A1\0\n", ["A1\\x00"]),
        (b"A1\xff\n", ["A1\\xff"]),
        (b"Quit\n", ["Quit"]),
        (b"A1", []),
    ],
)
def test_every_line_that_is_not_blank_is_an_answer(data: bytes, answers: list[str]) -> None:
    white = Connection(Side.WHITE)
    white.start()
    assert white.receive(data) == answers
    assert white.state is (Turn.OTHER if answers else Turn.OWN)


def test_early_lines_are_taken_when_their_turn_comes() -> None:
    white = Connection(Side.WHITE)
    white.start()
    assert white.receive(b"A1\nA2\nA3\n") == ["A1", "A2", "A3"]
    assert (white.early, white.plies) == (2, 1)
    white.ply("B1")
    assert (white.early, white.plies, white.state) == (1, 3, Turn.OTHER)
    white.ply("B2")
    assert (white.early, white.plies, white.state) == (0, 5, Turn.OTHER)
    white.ply("B3")
    assert (white.plies, white.state) == (6, Turn.OWN)


def test_a_line_before_start_waits_for_it() -> None:
    white = Connection(Side.WHITE)
    assert white.receive(b"A1\n") == ["A1"]
    assert white.early == 1
    white.start()
    assert (white.early, white.plies) == (0, 1)


def test_white_writes_two_plies_running_after_the_placements() -> None:
    white, black = Connection(Side.WHITE), Connection(Side.BLACK)
    white.start()
    for _ in range(24):
        white.receive(b"A1\n")
        white.ply("A1")
        black.ply("A1")
        black.receive(b"A1\n")
    assert white.receive(b"A1\nA1B1\n") == ["A1", "A1B1"]
    assert (white.early, white.plies, white.state) == (0, 50, Turn.OTHER)
    black.ply("A1")
    states = [black.state]
    black.ply("A1B1")
    assert [*states, black.state] == [Turn.OTHER, Turn.OWN]


def test_the_limits_count_from_own_ply_to_own_ply() -> None:
    white = Connection(Side.WHITE)
    white.start()
    for _ in range(5):
        assert white.receive(b"\n" * 9_000 + b"A1\n") == ["A1"]
        white.ply("B1")
    before = white.flood
    white.receive(b"\n" * 10_000 + b"A1\n")
    assert (before, str(white.flood)) == (None, "more than 10,000 lines in one turn")


def test_a_backlog_of_early_lines_stays_counted() -> None:
    white = Connection(Side.WHITE)
    white.start()
    white.receive(b"A1\n" * 9_000)
    white.ply("B1")
    assert white.receive(b"A1\n" * 2_000)
    assert str(white.flood) == "more than 10,000 lines in one turn"
    assert white.early <= 10_000


def test_what_has_no_line_end_can_be_seen() -> None:
    white = Connection(Side.WHITE)
    white.start()
    white.receive(b"A1")
    assert (white.unfinished, white.bytes_received) == ("A1", 2)


def test_the_bots_end_is_bound_to_the_same_table() -> None:
    bot = Connection(Side.WHITE, Role.BOT)
    with pytest.raises(LocalProtocolError, match="waits for `Start`"):
        bot.ply("A1")
    bot.receive(b"Start\n")
    assert bot.ply("A1") == b"A1\n"
    with pytest.raises(LocalProtocolError):
        bot.quit()


def test_the_table_by_hand() -> None:
    assert set(CODECUP) == set(TURN_MEANING) == set(Turn)
    assert FIRST_TURN == {"white": "opening", "black": "other"}
    steps = {
        (state, role, word, following)
        for state, rows in CODECUP.items()
        for role, row in rows.items()
        for word, following in row.items()
    }
    assert steps == {
        ("opening", "arbiter", "Start", "own"),
        ("opening", "arbiter", "Quit", "ended"),
        ("own", "arbiter", "Quit", "ended"),
        ("own", "bot", "ply", "other"),
        ("own", "bot", "ply 49", "own"),
        ("other", "arbiter", "ply", "own"),
        ("other", "arbiter", "ply 49", "other"),
        ("other", "arbiter", "Quit", "ended"),
    }


@given(
    st.one_of(
        st.binary(max_size=40),
        st.lists(st.sampled_from([b"A1\n", b"\r\n", b"\r", b"\xff", b" "])).map(b"".join),
    ),
    st.lists(st.integers(0, 100), max_size=5),
    st.sampled_from(Role),
)
def test_nothing_received_ever_raises_and_chunks_make_no_difference(
    data: bytes, cuts: list[int], role: Role
) -> None:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    whole, cut_up = Connection(Side.WHITE, role), Connection(Side.WHITE, role)
    expected = whole.receive(data)
    assert [text for start, end in pairwise(edges) for text in cut_up.receive(data[start:end])] == expected
    assert (cut_up.state, cut_up.plies, cut_up.early) == (whole.state, whole.plies, whole.early)
