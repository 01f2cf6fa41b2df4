"""Lines that are nearly right: valid ones of each grammar, and ways to spoil them."""

import random
from collections.abc import Sequence

FROM_BOT = [
    b"id name Clumsy",
    b"id author Zo\xc3\xab Example",
    b"id version 1.2",
    b"option Hash spin 64 1 1024",
    b"option OwnBook check true",
    b"option Style combo solid solid wild",
    b"option Book string my book.txt",
    b"option Clear button",
    b"feature ready nolegal noboard stop reuse",
    b"dvpok",
    b"dvpok 1",
    b"readyok",
    b"info depth 8 score 3.5 nodes 120034 x-cutoffs 0.93 pv C3D4 PASS",
    b"info string book exhausted",
    b"info score -1e5 exact 1 currmove A1 hashfull 3 nps 4 time 5",
    b"move C3D4",
    b"move c3d4 ply 50",
    b"move PASS",
    b"move A1",
    b"resign",
    b"error cannot open my book",
]
FROM_ARBITER = [
    b"dvp 1",
    b"setoption Hash 64",
    b"isready",
    b"position start",
    b"position start moves D1 F4",
    b"legal PASS A1",
    b"newgame white time 60000 inc 100 grace 50 clock wall ponder off rules standard game 12 opponent A B",
    b"position ........./..b......./..wrw....../........../......... w m moves C3D4",
    b"stop",
    b"quit",
    b"board ........./..w2......./...rw....../........../......... b m",
    b"error illegal A1K5: no straight line",
    b"go ply 51 time 58211 opptime 60000 used 412 inc 1 oppinc 2 movetime 3 depth 4 nodes 5 infinite 1",
    b"result 1-0 white 20 black 3 reason normal",
    b"result 1/2-1/2",
    b"result *",
]
PLIES = [b"D1", b"F4", b"G5", b"H1G1", b"PASS", b"Start", b"Quit", b"k5", b"a1b2"]
POSITIONS = [
    b"........./........../.........../........../......... w p",
    b"....r..../....r...../..b......../........../...r..... w p",
    b"........./..b......./..wrw....../........../......... w m",
    b"........./..w2......./...rw....../........../......... b m",
    b".....w.../.....b3*..../......w12..../........../......... b m",
]
RECORD = [
    b'[Game "DVONN"]',
    b'[White "Clumsy"]',
    b'[Black "Serious 0.3"]',
    b'[Result "1-0"]',
    b'[Score "3-0"]',
    b'[Start "........./..b......./..wrw....../........../......... w m"]',
    b'[Event "a \\"b\\" \\\\"]',
    b'[Date "2026-11-29T21:10:03+00:00"]',
    b'[Date "2026-02-29"]',
    b'[Round "1.2"]',
    b'[Number "7"]',
    b'[Termination "timeout"]',
    b'[Termination "illegal"]',
    b'[Termination "resign"]',
    b'[Termination "normal"]',
    b'[TimeControl "5000+100 movetime:200"]',
    b'[WhiteTime "-"]',
    b'[Rules "black-first"]',
    b'[Score "15-6"]',
    b"",
    b"1. C3D4 {used=412 left=58211 depth=8 score=3.5 pv=C3D4,PASS}",
    b"1... D4C3",
    b"1. D1 F4 2. G1 {hello}",
    b"{illegal=A1K5}",
    b"{substitute=1}",
    b"{substitute=1 illegal=what%20now%3F}",
    b"resign",
    b"resign {x=1}",
    b"1-0",
    b"0-1",
    b"1/2-1/2",
    b"*",
    b"2. PASS",
    b"{a comment",
    b"that ends}",
    b"{}",
    b"[Result",
    b'[Result "*"]',
]
HEADERS = [line for line in RECORD[4:] if line.startswith(b"[") and line.endswith(b'"]')]
_START = b'[Start "........./..b......./..wrw....../........../......... w m"]'
_TWICE = b'[Start "........./..b......./..www....../........../......... w p"]'
GAMES = [
    [],
    [b"resign {x=1}"],
    [b"1. D1 F4 {used=412 left=58211 score=3.5 pv=A1B1,B2C2} 2. G1 D5 3. A1"],
    [b"1. D1 F4 {illegal=D1}"],
    [b"{illegal=A1K5}"],
    [_START, b"1. C3D4", b"{ the", b"end }"],
    [_START, b"1. C3D4 {substitute=1 illegal=what%20now%3F}"],
    [_START, b"1. E3D3 {substitute=1}", b"resign"],
    [_TWICE, b"1. A1"],
]
"""Headers and plies that fit; whether the result does is another matter."""
_BYTES = b'\0\t\n\x0b\r\x1b "%*+,-./019:=ABKMPRZ[\\]abkmprwz{}\x7f\x80\xa0\xc3\xe2\xef\xf0\xff'
_WORDS = [
    b"9" * 18,
    b"9" * 19,
    b"1" * 5_000,
    b"-1",
    b"1.5",
    b"\xef\xbb\xbf",
    b"\xd9\xa3",
    b"\xc2\xb2",
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xc3\x9f",
    b"\xef\xac\x81",
    b"\xc2\xa0",
    b"x" * 300,
    b"ply",
    b"moves",
    b"pv",
    b"string",
    b"opponent",
    b"=",
    b"%zz",
    b"%ff",
    b"%C3%A9",
    b"{}",
    b"\\u",
    b"A1",
    b"K5",
    b"PASS",
    b"1-0",
    b"w49",
    b"b50",
    b"w1",
    b"w4*",
    b"r2",
    b"//",
    b"\r\r",
]


def spoiled(line: bytes, chance: random.Random) -> bytes:
    """The line after zero to four small accidents."""
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        line = _ACCIDENTS[int(chance.random() * len(_ACCIDENTS))](line, chance)
    return line


def any_line(known: Sequence[bytes], chance: random.Random) -> bytes:
    """Mostly a near-miss of a known line, at times only noise."""
    if chance.random() < 0.1:
        return chance.randbytes(int(chance.random() * 30))
    return spoiled(chance.choice(known), chance)


def _cut(line: bytes, chance: random.Random) -> tuple[bytes, bytes]:
    at = int(chance.random() * (len(line) + 1))
    return line[:at], line[at:]


def _insert_byte(line: bytes, chance: random.Random) -> bytes:
    before, after = _cut(line, chance)
    return before + bytes([chance.choice(_BYTES)]) + after


def _replace_byte(line: bytes, chance: random.Random) -> bytes:
    before, after = _cut(line, chance)
    return before + bytes([chance.choice(_BYTES)]) + after[1:]


def _drop_byte(line: bytes, chance: random.Random) -> bytes:
    before, after = _cut(line, chance)
    return before + after[1:]


def _truncate(line: bytes, chance: random.Random) -> bytes:
    return _cut(line, chance)[0]


def _insert_word(line: bytes, chance: random.Random) -> bytes:
    words = line.split(b" ")
    words.insert(int(chance.random() * (len(words) + 1)), chance.choice(_WORDS))
    return b" ".join(words)


def _replace_word(line: bytes, chance: random.Random) -> bytes:
    words = line.split(b" ")
    words[int(chance.random() * len(words))] = chance.choice(_WORDS)
    return b" ".join(words)


def _drop_word(line: bytes, chance: random.Random) -> bytes:
    words = line.split(b" ")
    del words[int(chance.random() * len(words))]
    return b" ".join(words)


def _double_word(line: bytes, chance: random.Random) -> bytes:
    words = line.split(b" ")
    at = int(chance.random() * len(words))
    return b" ".join([*words[: at + 1], *words[at:]])


def _stretch_number(line: bytes, chance: random.Random) -> bytes:
    """Digits grow where there are some."""
    at = next((i for i in range(len(line)) if line[i : i + 1].isdigit() and chance.random() < 0.4), None)
    return line if at is None else line[:at] + chance.choice((b"0", b"9" * 17, b"7" * 5_000)) + line[at:]


def _change_case(line: bytes, chance: random.Random) -> bytes:
    return line.swapcase()


def _double_blanks(line: bytes, chance: random.Random) -> bytes:
    return b" \t" + line.replace(b" ", b"\t  ") + b" "


_ACCIDENTS = (
    _insert_byte,
    _replace_byte,
    _drop_byte,
    _truncate,
    _insert_word,
    _replace_word,
    _drop_word,
    _double_word,
    _stretch_number,
    _change_case,
    _double_blanks,
)
