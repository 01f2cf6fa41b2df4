"""YAML as text with places: every trap of YAML 1.1, slips of the hand, and files that are none."""

from pathlib import Path

import pytest

from arbiter.tournament.nodes import UnreadableFileError, parse, read_text


def problems(
    text: str, words: tuple[str, ...] = ("tournament", "rounds", "seed", "name", "bots", "run")
) -> list[str]:
    found = sorted(parse(text, words).problems)
    return [f"{problem.line}:{problem.column}: {problem.message}" for problem in found]


@pytest.mark.parametrize(
    "text",
    [
        "1:30",
        "no",
        "Yes",
        "on",
        "010",
        "0x1F",
        "1_000",
        "1e3",
        "1.10",
        "007",
        "2026-11-29",
        "~",
        "null",
        ".inf",
        "=",
    ],
)
def test_every_value_stays_text(text: str) -> None:
    document = parse(f"key: {text}\nlist: [{text}]\n{text}: key\n")
    assert document.problems == []
    assert document.data == {"key": text, "list": [text], text: "key"}


def test_every_part_has_its_place() -> None:
    document = parse("a: 1\nb:\n  - c: x\n    d: y\n  - z\n")
    assert document.data == {"a": "1", "b": [{"c": "x", "d": "y"}, "z"]}
    assert document.place(("b", 0, "d")) == (4, 8)
    assert document.key_place(("b", 0, "d")) == (4, 5)
    assert document.place(("b", 1)) == document.key_place(("b", 1)) == (5, 5)
    assert document.place(("b", 0, "missing")) == (3, 5)
    assert document.place(("missing",)) == (1, 1)


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: x\r\n")
    document = parse(read_text(file))
    assert document.data == {"a": "1", "b": "x"}
    assert document.key_place(("b",)) == (2, 1)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a: 1\nb: 2\na: 3\n", ["3:1: `a` stands here a second time; the first is in line 1"]),
        (
            "a:\n  b: 1\n  b: 2\nc: 1\nc: 1\n",
            [
                "3:3: `b` stands here a second time; the first is in line 2",
                "5:1: `c` stands here a second time; the first is in line 4",
            ],
        ),
        ("", ["1:1: the file is empty"]),
        ("# nothing\n", ["1:1: the file is empty"]),
        ("- a\n- b\n", ["1:1: the file must consist of `key: value` lines, but holds a list"]),
        ("hello", ["1:1: the file must consist of `key: value` lines, but holds a text"]),
        ("a: 1\n---\nb: 2\n", ["2:1: a second document begins here; a file holds one tournament"]),
        ("a:\nb: [x, ]\nc:\n", ["1:1: `a` has no value", "3:1: `c` has no value"]),
        ("a: 1\nc:\n  - x\n  -\n", ["4:4: this entry is empty"]),
        (
            "a: &x 1\nb: *x\n",
            [
                "1:4: anchors and aliases are not supported; write the value out, or "
                + "put `&x` in quotes if it is a text"
            ],
        ),
        (
            "a: *x\n",
            [
                "1:4: anchors and aliases are not supported; write the value out, or "
                + "put `*x` in quotes if it is a text"
            ],
        ),
        ("<<: {a: 1}\n", ["1:1: merging with `<<` is not supported; write the keys out"]),
        ("a: !!int 4\n", ["1:4: the tag `!!int` is not supported; a text that begins with `!` needs quotes"]),
        (
            "a: !!python/object:os.system x\n",
            [
                "1:4: the tag `!!python/object:os.system` is not supported; "
                + "a text that begins with `!` needs quotes"
            ],
        ),
        ("[a]: 1\n", ["1:1: a key must be a word, not a list or a mapping"]),
        (": 1\n", ["1:1: a key is missing before the colon"]),
        ("a: @x\n", ["1:4: a text that begins with `@` needs quotes"]),
        ("a: %x\n", ["1:4: a text that begins with `%` needs quotes"]),
        ("a: *\n", ["1:5: a text that begins with `*`, `&` or `%` needs quotes"]),
        ("a: |x\n", ["1:5: a text that begins with `|` or `>` needs quotes"]),
        ('a: "x\nb: y\n', ["1:4: the quote opened here is never closed"]),
        ('a: "\\q"\n', ["1:6: an unknown escape in double quotes; single quotes take `\\` as it is"]),
        ("a: [x, y\nb: z\n", ["2:2: the list opened with `[` in line 1 needs a `,` or its `]` here"]),
        ("a: {x: y\nb: z}\n", ["2:2: the mapping opened with `{` in line 1 needs a `,` or its `}` here"]),
        ("a: x\nb\nc: z\n", ["2:1: this is neither `key: value` nor `- entry`; is a colon missing?"]),
        ("tournament x\nbots: y\n", ["1:1: this is neither `key: value` nor `- entry`; is a colon missing?"]),
        ("a:\n  - x\n - y\n", ["3:2: the indentation does not fit the lines above"]),
        (
            "a: b: c\n",
            [
                "1:5: no colon is expected here: the indentation does not fit the lines above, "
                + "or a text that holds `: ` needs quotes"
            ],
        ),
        (
            "a: x\0\n",
            ["1:5: the control character U+0000 cannot stand in a file of text; take it out"],
        ),
        ('a: "\\0"\n', ["1:4: the text holds an escape that stands for no character"]),
        ('a: "\\ud800"\n', ["1:4: the text holds an escape that stands for no character"]),
        ('a: "\\UFFFFFFFF"\n', ["1:7: an escape or a number is out of range here; leave it out"]),
        ("%YAML 1." + "1" * 5000 + "\n", ["1:9: an escape or a number is out of range here; leave it out"]),
        ("%YAML 2.0\n---\n", ["1:1: a file is written in YAML 1; leave the line with `%YAML` out"]),
        ("...\n", ["1:1: the file ends here (`...`) before it holds anything"]),
        ("---\n# nothing\n", ["1:1: the file is empty"]),
        ("[" * 5000, ["1:21: nested more than 20 levels deep"]),
    ],
)
def test_what_no_tournament_file_holds(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


def test_a_billion_laughs_are_refused_at_the_first() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    assert len(problems("\n".join(lines))) == 1


def test_more_values_than_a_tournament_can_have() -> None:
    """Reading is slow; who gives the wrong file is not to wait for the end of it."""
    text = "".join(f"key{number}: x\n" for number in range(30_000))
    assert problems(text) == ["20000:11: more than 40,000 keys and values; that is no tournament file"]
    assert problems("rounds:4\n" + text) == [
        "1:8: a blank is missing after the colon: `rounds: 4`",
        "20000:11: more than 40,000 keys and values; that is no tournament file",
    ]


@pytest.mark.parametrize(
    "text, expected, data",
    [
        (
            "tournament: x\nrounds:4\nseed: 2\n",
            ["2:8: a blank is missing after the colon: `rounds: 4`"],
            {"tournament": "x", "rounds": "4", "seed": "2"},
        ),
        (
            "tournament:x\nrounds: 4\n",
            ["1:12: a blank is missing after the colon: `tournament: x`"],
            {"tournament": "x", "rounds": "4"},
        ),
        ("rounds:4", ["1:8: a blank is missing after the colon: `rounds: 4`"], {"rounds": "4"}),
        (
            "seed:1\nbots:\n  - name:Mine\n    run: ./x\nrounds:4",
            [
                "1:6: a blank is missing after the colon: `seed: 1`",
                "3:10: a blank is missing after the colon: `name: Mine`",
                "5:8: a blank is missing after the colon: `rounds: 4`",
            ],
            {"seed": "1", "bots": [{"name": "Mine", "run": "./x"}], "rounds": "4"},
        ),
        (
            "bots:\n\t- a\n\t- name: b\n\t  run: ./x\n",
            ["2:1: a tab stands here; use blanks (also in lines 3, 4)"],
            {"bots": ["a", {"name": "b", "run": "./x"}]},
        ),
        ("rounds:\t4\n", ["1:8: a tab stands here; use blanks"], {"rounds": "4"}),
        ("bots:\n  - a\n\trounds: 4\n", ["3:1: a tab stands here; use blanks"], None),
        ("a: {b:1}\n", ["1:5: a blank is missing after the colon: `b: 1`"], {"a": {}}),
    ],
)
def test_slips_are_reported_and_the_rest_is_still_read(text: str, expected: list[str], data: object) -> None:
    assert problems(text) == expected
    assert parse(text, ("tournament", "rounds", "seed", "name", "bots", "run")).data == data


def test_a_mended_line_keeps_the_columns_of_the_file() -> None:
    document = parse("rounds:{a: b, c: d}\nseed: 1\n", ("rounds", "seed"))
    assert document.key_place(("rounds", "c")) == (1, 15)


def test_many_tabs_make_one_message() -> None:
    text = "bots:\n" + "\t- x\n" * 9
    assert problems(text) == ["2:1: a tab stands here; use blanks (also in lines 3, 4, 5, 6, 7 and 3 more)"]


def unreadable(path: Path) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        read_text(path)
    line, column, message = caught.value.problem
    return f"{line}:{column}: {message}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "spring.yaml").write_text("a: b")
    (tmp_path / "latin.yaml").write_bytes("a: x\nb: Frühling\n".encode("latin-1"))
    (tmp_path / "wide.yaml").write_text("a: b", encoding="utf-16")
    (tmp_path / "huge.yaml").write_bytes(b"#" * (2**20 + 1))
    assert unreadable(tmp_path) == "0:0: this is a directory; a YAML file is wanted"
    assert unreadable(tmp_path / "sprng.yaml") == "0:0: there is no such file; did you mean `spring.yaml`?"
    assert unreadable(tmp_path / "spring") == "0:0: there is no such file; did you mean `spring.yaml`?"
    assert unreadable(tmp_path / "no" / "other.yaml") == "0:0: there is no such file"
    assert unreadable(tmp_path / "spring.yaml" / "x") == "0:0: there is no such file"
    assert unreadable(tmp_path / ("x" * 300)) == "0:0: cannot be read: File name too long"
    assert unreadable(Path("/dev/zero")) == "0:0: this is not a regular file"
    assert unreadable(tmp_path / "latin.yaml") == "2:6: the byte 0xfc is not UTF-8; save the file as UTF-8"
    assert unreadable(tmp_path / "wide.yaml") == "0:0: is written in UTF-16; save it as UTF-8"
    assert unreadable(tmp_path / "huge.yaml") == "0:0: is larger than 1 MiB; that is no tournament file"
