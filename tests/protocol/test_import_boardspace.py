"""What people do on Boardspace, and what their files look like."""

import random

import pytest

from protocol.records import Reading, Record, verify_record
from protocol.records.boardspace import scan_boardspace
from protocol.records.formats import Format, decode_foreign, recognise
from tests.protocol.foreign_samples import deeds, headline, positions, random_game, sgf

GAME = next(game for game in map(random_game, map(random.Random, range(99))) if game.count("PASS") > 3)
DEEDS = deeds(GAME)
Deeds = list[tuple[int, str]]


def scan(text: str | bytes) -> list[Reading]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(scan_boardspace(decode_foreign(data, "f"), "f"))


def read(text: str | bytes, *warnings: str) -> Record:
    """The one game of a text, which has just these warnings."""
    (reading,) = scan(text)
    assert [str(fault) for fault in reading.faults] == []
    assert [str(warning) for warning in reading.warnings] == list(warnings)
    assert reading.record is not None
    assert verify_record(reading.record) == []
    return reading.record


def fault(text: str | bytes) -> str:
    (reading,) = scan(text)
    assert reading.record is None
    return " | ".join(map(str, reading.faults))


def texts(record: Record) -> list[str]:
    return [ply.text for ply in record.plies]


def ending(record: Record) -> tuple[str, str | None]:
    return record.result, record.headers.get("Termination")


# --- hands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, plies",
    [
        ("0 dropb D 3, 0 done, 1 dropb E 4, 1 done", "D3 E4"),
        ("0 dropb D 3, 1 dropb E 4", "D3 E4"),
        ("0 DROPB d 3, 0 Done, 1 dropb E4", "D3 E4"),
        ("0 pick wr 2, 0 drop D 3, 0 done, 1 pick br 1, 1 dropb E 4, 1 done", "D3 E4"),
        ("0 pick wr 2, 0 drop wr 2, 0 pick wr 0, 0 dropb D 3, 0 done", "D3"),
        ("0 dropb D 3, 0 pickb D 3, 0 dropb E 4, 0 done", "E4"),
        ("0 dropb D 3, 0 pickb D 3, 0 drop wr 0, 0 pick wr 1, 0 dropb F 1", "F1"),
        ("0 dropb D 3, 0 pickb D 3, 0 dropb D 3, 0 done", "D3"),
        ("0 dropb D 3, 0 pickb D 3, 0 dropb E 4, 0 pickb E 4, 0 dropb C 1", "C1"),
        ("0 dropb D 3, 0 reset, 0 dropb E 4, 0 done", "E4"),
        ("0 dropb D 3, 0 undo, 0 dropb E 4, 0 done", "E4"),
        ("0 pick wr 2, 0 reset, 0 dropb E 4, 0 done", "E4"),
        ("0 dropb D 3, 0 dropb D 3, 0 done", "D3"),
        ("0 move wr 2 D 3, 0 done, 1 move E 4 E 4, 1 dropb F 1, 1 done", "D3 F1"),
        ("0 dropb D 3, 0 done, 0 edit, 0 start P1, 1 dropb E 4", "D3 E4"),
        ("0 dropb D 3, 1 pick br 1, 0 done, 1 dropb E 4, 1 done", "D3 E4"),
        ("0 dropb D 03, 0 done, 1 dropb br E 4, 1 done", "D3 E4"),
        ("0 dropb D 3, 0 offerdraw, 1 declinedraw, 1 dropb E 4", "D3 E4"),
    ],
)
def test_pieces_are_picked_up_and_dropped(words: str, plies: str) -> None:
    said = [(int(each[0]), each[2:]) for each in words.split(", ")]
    assert texts(read(sgf(said))) == plies.split()


def test_a_stack_can_be_taken_back_like_a_piece() -> None:
    before, ply = GAME[:49], GAME[49]
    player, (source, target) = 0, (ply[:2], ply[2:])
    other = next(p.text for p in positions(before)[-1].legal_plies() if p.source == source and p.text != ply)
    for words in (
        [f"pickb {source}", f"dropb {source}", f"move {other[:2]} {other[2:]}", f"move {other[2:]} {source}"],
        [f"pickb {source}", f"dropb {other[2:]}", f"pickb {other[2:]}", f"dropb {source}"],
        [f"pick {source}", f"drop {other[2:]}", "reset"],
        [f"move {other[:2]} {other[2:]}", f"pickb {other[2:]}", f"dropb {target}", "reset"],
    ):
        said = [*deeds(before), *((player, each) for each in words), (0, f"move {source} {target}")]
        assert texts(read(sgf(said))) == [*before, ply]


def test_a_node_told_twice_is_read_once() -> None:
    lines = sgf(DEEDS).split("\n")
    doubled = "\n".join(f"{line}\n{line}" if line.startswith("; P") else line for line in lines)
    assert texts(read(doubled)) == list(GAME)


def test_white_goes_on_after_placement_49_without_a_word() -> None:
    """Picking up what was just dropped is the first stack move here: the board has no other empty space."""
    for seed in range(30):
        plies = random_game(random.Random(seed), 49)
        last = plies[48]
        moves = [p for p in positions(plies)[-1].legal_plies() if p.source == last]
        if moves:
            break
    said = [*deeds(plies)[:-1], (0, f"pickb {last}"), (0, f"dropb {moves[0].target}"), (0, "done")]
    assert texts(read(sgf(said))) == [*plies, moves[0].text]
    said = [*deeds(plies)[:-1], (0, f"move {last} {moves[0].target}"), (0, "done")]
    assert texts(read(sgf(said))) == [*plies, moves[0].text]


# --- passes and the last placement -------------------------------------------------------------------------


def test_forced_passes_may_be_left_out_or_be_no_more_than_done() -> None:
    assert GAME.count("PASS") > 3
    for kept in ("", "done", "pass", "both"):
        said = [(player, words) for player, words in DEEDS if words != "pass" or kept in ("pass", "both")]
        if kept == "":
            passing = {index for index, (_, words) in enumerate(DEEDS) if words == "pass"}
            said = [each for index, each in enumerate(DEEDS) if not {index, index - 1} & passing]
        assert texts(read(sgf(said))) == list(GAME), kept


def test_a_forced_pass_is_one_whoever_is_said_to_have_made_it() -> None:
    said = [(1 - player if words == "pass" else player, words) for player, words in DEEDS[:-6]]
    assert "pass" in [words for _, words in said]
    assert texts(read(sgf([*said, (0, "resign"), (0, "done")]))) == list(GAME[:-3])


def test_passes_after_the_end_are_nothing() -> None:
    said = [*DEEDS, (0, "pass"), (0, "done"), (1, "pass"), (1, "done"), (1, "done")]
    assert texts(read(sgf(said))) == list(GAME)


def test_a_pass_that_is_not_forced_is_a_fault() -> None:
    said = [*deeds(GAME[:49]), (0, "pass"), (0, "done")]
    assert fault(sgf(said)).startswith("f:108: game 1, ply 50: node 99: PASS: illegal (")


def test_the_last_placement_is_played_when_nothing_else_can_be_meant() -> None:
    said = [*deeds(GAME[:48]), *deeds(GAME)[2 * 49 :]]
    assert texts(read(sgf(said))) == list(GAME)


# --- faults ------------------------------------------------------------------------------------------------


def test_a_ply_against_the_rules_is_named_with_line_ply_and_node() -> None:
    said = [*deeds(GAME[:5]), (1, f"dropb {GAME[2]}"), (1, "done"), *DEEDS[10:]]
    message = fault(sgf(said))
    assert message.startswith(f"f:20: game 1, ply 6: node 11: {GAME[2]}: illegal (occupied): ")
    assert "legal:" not in message


@pytest.mark.parametrize(
    "words, expected",
    [
        ("dropb L 3", "f:10: game 1: node 1: `dropb L 3`: L3 is not a space"),
        ("dropb A 5", "f:10: game 1: node 1: `dropb A 5`: A5 is not a space"),
        ("pickb", "f:10: game 1: node 1: `pickb`: names no space"),
        ("move D 3", "f:10: game 1: node 1: `move D 3`: "),
        ("undo", "f:10: game 1: node 1: `undo`: it is uncertain what is taken back"),
        ("move A 1 A 2", "f:10: game 1, ply 1: node 1: A1A2: illegal ("),
    ],
)
def test_deeds_that_make_no_sense(words: str, expected: str) -> None:
    if words == "move D 3":  # without a source it is a placement
        assert texts(read(sgf([(0, words)]))) == ["D3"]
    else:
        assert fault(sgf([(0, words), (0, "done")])).startswith(expected)


def test_a_stack_cannot_go_to_a_reserve() -> None:
    said = [*deeds(GAME[:49]), (0, f"pickb {GAME[49][:2]}"), (0, "drop wr 0")]
    assert "a stack of the board cannot be dropped there" in fault(sgf(said))


def test_other_games_are_named() -> None:
    assert fault("(;GM[Zertz]\n;P0[0 Start P0])") == "f:1: game 1: GM[Zertz]: not a game of DVONN"
    assert fault("(;DT[2009-01-01])") == "f:1: game 1: no property GM: not a game of DVONN"
    for name in (" DVONN ", "37"):  # 37 is the number of this game in the list of the format
        assert texts(read(sgf(DEEDS, headline(GM=name), "\n)"))) == list(GAME)
    assert texts(read(sgf(DEEDS, headline().replace("GM[Dvonn]\n", "")))) == list(GAME)


def test_a_file_that_ends_in_the_middle() -> None:
    whole = sgf(DEEDS, end="")
    place = f"f:{9 + len(DEEDS)}: game 1, ply {len(GAME)}"
    assert texts(read(whole, f"{place}: the closing parenthesis is missing")) == list(GAME)
    half = sgf(deeds(GAME[:60]), end="\n; P0[")
    assert fault(half) == "f:129: game 1: the file ends in the middle of the game"


def test_faulty_games_do_not_hide_the_others() -> None:
    good, bad = sgf(DEEDS), sgf([(0, "dropb A 5")])
    found = scan(good + bad + good.removesuffix(")\n") + good + "(;GM[Go])" + good)
    assert [bool(reading.record) for reading in found] == [True, False, True, True, False, True]
    assert [fault.game for reading in found for fault in reading.faults] == [2, 5]


# --- odd but clear -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [range(len(GAME)), range(7, 8), range(60, 61), range(1, len(GAME), 2)])
def test_a_game_to_its_end_is_read_whoever_is_said_to_have_played_it(wrong: range) -> None:
    said, mislabelled = [], set[int]()
    for index, (player, words) in enumerate(DEEDS):
        is_wrong = index // 2 in wrong
        mislabelled |= {index // 2} if is_wrong else set()
        said.append((player ^ is_wrong, words))
    first = min(mislabelled)
    named, other = ("White", "Black") if said[2 * first][0] == 0 else ("Black", "White")
    place = f"f:{10 + 2 * first}: game 1: node {1 + 2 * first}"
    warning = f"{place}: {GAME[first]} is said to be {named}'s, but it was {other}'s turn"
    flipped = ["f:1: game 1: P1 begins, and is recorded as White"] if said[0][0] else []
    record = read(sgf(said), warning, *flipped)
    assert texts(record) == list(GAME)
    assert record.headers["White"] == ("Bob" if said[0][0] else "Ann")


@pytest.mark.parametrize("ply", [3, 20, 47, 60])
@pytest.mark.parametrize("ending", [[], [(0, "resign"), (0, "done")]])
def test_a_turn_that_is_missing_is_a_fault_where_the_other_player_goes_on(ply: int, ending: Deeds) -> None:
    """Played on by the rules alone, the colours of all that follows would be others."""
    said = [*DEEDS[: 2 * ply], *DEEDS[2 * ply + 2 : 128], *ending]
    assert fault(sgf(said)).startswith(f"f:{10 + 2 * ply}: game 1, ply {ply + 1}: node {1 + 2 * ply}: ")
    early = [*DEEDS[: 2 * ply], *DEEDS[2 * ply + 2 : 2 * ply + 6], *ending]
    assert fault(sgf(early)).startswith(f"f:{10 + 2 * ply}: game 1, ply {ply + 1}: node {1 + 2 * ply}: ")


def test_the_player_who_begins_is_white() -> None:
    said = [(0, "Start P1"), *((1 - player, words) for player, words in DEEDS)]
    text = sgf(said).replace("[0 Start P0]", "[0 done]")
    record = read(text, "f:1: game 1: P1 begins, and is recorded as White")
    assert texts(record) == list(GAME)
    assert (record.headers["White"], record.headers["Black"]) == ("Bob", "Ann")


def test_a_game_that_begins_anew() -> None:
    lost = [*deeds(GAME[:7]), (0, "reset"), (0, "edit"), (0, "start P0")]
    warning = "f:26: game 1: node 17: the game begins anew; what came before is left out"
    assert texts(read(sgf([*lost, *DEEDS]), warning)) == list(GAME)
    # Only a whole game is worth that: this one does not end.
    assert ", ply 8: " in fault(sgf([*lost, *deeds(GAME[:50])]))


def test_unknown_words_are_skipped_aloud() -> None:
    said = [*DEEDS[:4], (1, "juggle D 3"), *DEEDS[4:]]
    warning = "f:14: game 1, ply 2: node 5: `juggle D 3` is not known and is skipped"
    assert texts(read(sgf(said), warning)) == list(GAME)


def test_the_same_oddity_is_told_once_a_game() -> None:
    said = [*DEEDS[:4], *[(1, "juggle D 3"), (1, "juggle E 4"), (0, "sing")] * 3, *DEEDS[4:]]
    told = [
        "f:14: game 1, ply 2: node 5: `juggle D 3` is not known and is skipped",
        "f:16: game 1, ply 2: node 7: `sing` is not known and is skipped",
    ]
    assert texts(read(sgf(said), *told)) == list(GAME)
    text = sgf(DEEDS).replace("]\n;", "]\\par\n;")
    lines = text.count("]\\par")
    warning = f"text outside of brackets is skipped, here and in {lines - 1} more places"
    assert texts(read(text, f"f:8: game 1: {warning}")) == list(GAME)


def test_an_unknown_set_up_is_told() -> None:
    head = headline(SU="dvonn-mini 7")
    assert texts(read(sgf(DEEDS, head))) == list(GAME)
    told = read(sgf(DEEDS, headline(SU="zertz")), "f:4: game 1: the set-up SU[zertz] is not known")
    assert texts(told) == list(GAME)


def test_only_the_main_line_counts() -> None:
    main, other = sgf(deeds(GAME[:20]), end=""), deeds(random_game(random.Random(2)))[40:50]
    variation = "".join(f"\n;P{player}[{words}]" for player, words in other)
    rest = "".join(f"\n;P{player}[{words}]" for player, words in DEEDS[40:])
    assert texts(read(f"{main}\n({rest}\n)({variation}\n))\n")) == list(GAME)


@pytest.mark.parametrize(
    "name, expected",
    [
        ('id "Zoë \\"Z\\""', 'Zoë "Z"'),
        ('id "a]b"', "a]b"),
        ('id "a\\]b \\\\ c"', "a]b \\ c"),
        ("id plain", "plain"),
        ('id "tab\there\x07"', "tab here\\x07"),
        ('id ""', "?"),
        ("ranking 1500", "?"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert read(sgf(DEEDS, headline(P0=name))).headers["White"] == expected


def test_bytes_of_every_age() -> None:
    text = sgf(DEEDS, headline(white="Zoë"))
    for data in (
        text.encode(),
        text.encode("latin-1"),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("utf-16"),
        text.encode().replace(b"\n", b"\r\n"),
        text.encode().replace(b"\n", b"\r"),
        text.encode().replace(b"GN[]", b"GN[]C[\xe9t\xe9 \x81]"),
        text.replace("\n", " ").encode(),
        text.replace("\n", "").encode(),
        text.replace("; P", ";\n\n p").encode(),
        text.encode() + b"\x1a",
    ):
        record = read(data)
        assert (texts(record), record.headers["White"]) == (list(GAME), "Zoë")


def test_a_comment_with_an_open_bracket_costs_only_itself() -> None:
    text = sgf(DEEDS).replace("\n; P1[3 ", "\nC[see [1] (there); so] what]\n; P1[3 ", 1)
    assert texts(read(text, "f:12: game 1: text outside of brackets is skipped")) == list(GAME)


def test_headers() -> None:
    record = read(sgf(DEEDS, headline(GN="DV-Ann-Bob-2011-03-05-1512")))
    assert list(record.headers) == [
        "Game",
        "White",
        "Black",
        "Event",
        "Date",
        "Result",
        "Score",
        "Termination",
    ]
    assert record.headers["Event"] == "DV-Ann-Bob-2011-03-05-1512"
    assert record.headers["Date"] == "2011-03-05T16:12:55+01:00"
    assert "Date" not in read(sgf(DEEDS, headline(DT="a fine day"))).headers


@pytest.mark.parametrize(
    "before, after",
    [
        ("A game of DVONN (see [1]; it is fine)\n\n", ""),
        ("HTTP/1.1 200 OK\nContent-Type: text/plain\n\n", "\n-- \nsent (from; my) [phone] (;\n"),
        ("<html><body><pre>\n", "\n</pre></body></html>"),
        ("(;", ""),
        ("", "\0\0\0\0"),
    ],
)
def test_text_around_a_game_costs_nothing(before: str, after: str) -> None:
    data = (before + sgf(DEEDS) + after).encode()
    text = decode_foreign(data, "f")
    assert recognise(text) is Format.BOARDSPACE
    record = read(data)
    assert texts(record) == list(GAME)
    assert record.line == before.count("\n") + 1
    twice = scan(data.rstrip(b"\0") + data)
    assert [bool(reading.record) for reading in twice] == [True, True]


@pytest.mark.parametrize("begin", ["", ";", "("])
def test_a_beginning_without_its_marks(begin: str) -> None:
    text = begin + sgf(DEEDS).removeprefix("(;\n")
    assert recognise(text) is Format.BOARDSPACE
    assert texts(read(text)) == list(GAME)


# --- results -----------------------------------------------------------------------------------------------

OPEN = deeds(GAME[:60])


@pytest.mark.parametrize(
    "stated, expected",
    [
        ("", ("*", None)),
        ("?", ("*", None)),
        ("Game won by Ann", ("1-0", None)),
        ("Game won by Bob", ("0-1", None)),
        ("Partie gagnée par Bob", ("0-1", None)),
        ("Ann a abandonné", ("0-1", None)),
        ("Draw", ("1/2-1/2", None)),
        ("W+Resign", ("1-0", None)),
        ("Bob lost on time", ("1-0", "timeout")),
        ("Ann lost on time", ("0-1", None)),
        ("0-1", ("0-1", None)),
    ],
)
def test_the_result_of_an_open_game_is_what_the_file_states(
    stated: str, expected: tuple[str, str | None]
) -> None:
    assert ending(read(sgf(OPEN, headline(RE=stated)))) == expected


@pytest.mark.parametrize("stated", ["Game won by Eve", "Ann and Bob", "who knows", "Ann"])
def test_a_result_that_is_not_clear_is_none(stated: str) -> None:
    warning = f"f:9: game 1, ply 60: result `{stated}` is not understood; recorded as *"
    assert ending(read(sgf(OPEN, headline(RE=stated)), warning)) == ("*", None)
    assert ending(read(sgf(DEEDS, headline(RE=stated))))[1] == "normal"


def test_players_with_one_name_cannot_be_told_apart() -> None:
    head = headline("guest", "guest", RE="Game won by guest")
    warning = "f:9: game 1, ply 60: result `Game won by guest` is not understood; recorded as *"
    assert ending(read(sgf(OPEN, head), warning)) == ("*", None)
    assert ending(read(sgf([*OPEN, (1, "resign"), (1, "done")], head))) == ("1-0", "resign")


def test_the_board_is_right_and_the_file_is_warned_of() -> None:
    record = read(sgf(DEEDS))
    winner, loser = ("Ann", "Bob") if record.result == "1-0" else ("Bob", "Ann")
    assert read(sgf(DEEDS, headline(RE=f"Game won by {winner}"))) == record
    claimed = "0-1" if record.result == "1-0" else "1-0"
    warning = f"result `Game won by {loser}` means {claimed}, but by the board it is {record.result}"
    place = f"f:9: game 1, ply {len(GAME)}"
    assert read(sgf(DEEDS, headline(RE=f"Game won by {loser}")), f"{place}: {warning}") == record


def test_a_resignation_goes_before_the_stated_result() -> None:
    said = [*OPEN, (0, "resign"), (0, "done")]
    warning = "result `Game won by Ann` means 1-0, but by how it ended it is 0-1"
    record = read(sgf(said, headline(RE="Game won by Ann")), f"f:9: game 1, ply 60: {warning}")
    assert ending(record) == ("0-1", "resign")


def test_a_resignation_after_the_end_is_nothing() -> None:
    for player in (0, 1):
        assert ending(read(sgf([*DEEDS, (player, "resign"), (player, "done")])))[1] == "normal"


def test_a_resignation_that_was_taken_back() -> None:
    said = [*OPEN, (0, "resign"), (0, "done"), *DEEDS[len(OPEN) :]]
    warning = "f:132: game 1, ply 60: node 123: the game goes on after a resignation, which is left out"
    assert texts(read(sgf(said), warning)) == list(GAME)


@pytest.mark.parametrize("words", ["resign", "reset", "undo"])
def test_a_resignation_is_only_meant_when_it_is_done(words: str) -> None:
    """On Boardspace the same button takes it back."""
    for after in ([], DEEDS[len(OPEN) :]):
        record = read(sgf([*OPEN, (0, "resign"), (0, words), *after]))
        assert texts(record) == list(GAME)[: 60 if not after else None]
        assert ending(record) == (("*", None) if not after else (record.result, "normal"))
    again = [*OPEN, (0, "resign"), (0, words), (0, "resign"), (0, "done"), (1, "done")]
    assert ending(read(sgf(again))) == ("0-1", "resign")


def test_a_piece_can_be_taken_back_after_talk_about_a_draw() -> None:
    talk = [(0, "offerdraw"), (1, "declinedraw"), (1, "null")]
    said = [(0, "dropb D 3"), *talk, (0, "pickb D 3"), (0, "dropb E 4"), (0, "done"), (1, "dropb F 1")]
    assert texts(read(sgf(said))) == ["E4", "F1"]


def test_draws_by_agreement() -> None:
    said = [*OPEN, (0, "offerdraw"), (1, "acceptdraw"), (1, "done")]
    assert ending(read(sgf(said))) == ("1/2-1/2", None)


def test_losses_on_time() -> None:
    said = [*OPEN, (1, "gameoverontime")]
    assert ending(read(sgf(said, headline(RE="Game won by Ann")))) == ("1-0", "timeout")
    warning = "f:130: game 1, ply 60: node 121: a loss on time, but no property RE says whose"
    assert ending(read(sgf(said), warning)) == ("*", None)


def test_a_game_without_plies_is_a_game() -> None:
    assert ending(read(sgf([]))) == ("*", None)
    assert ending(read(sgf([(0, "resign"), (0, "done")]))) == ("0-1", "resign")
