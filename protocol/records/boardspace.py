"""Records of boardspace.net: SGF with ``GM[Dvonn]``, whose nodes tell what each player did by hand.

``; P0[17 dropb D 3]``: player, number of the node, deed. A piece is picked up, from the player's
reserve (``pick wr 2``), often without saying so, or from the board (``pickb D 5``), and dropped
(``dropb E 5``); ``move D 5 E 5`` is both. Until ``done`` it can be taken back: by picking up what was
just dropped, by dropping it where it came from or on a reserve (``drop wr 0``), by ``reset``. Files
without ``done`` exist, so a deed of the other player, or one that makes sense only afterwards,
confirms as well. Forced passes may be left out. P0 is White; where P1 begins, P1 is. A ply of the
player whose turn it is not means that one is missing, unless the game re-plays to its end in spite of it.

Times, rankings, chat and variations are skipped. A resignation counts when it is done, and not when
somebody moves afterwards. A file that starts anew in its middle is read from there when it makes no
sense as a whole.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from protocol.errors import PlySyntaxError
from protocol.records.claims import Claim, read_claim
from protocol.records.dates import iso_date
from protocol.records.record import Fault, Reading
from protocol.records.sgf import Tree, read_trees
from protocol.records.transcript import BrokenOffError, Transcript
from protocol.rules import PASS, Ply, Side, parse_ply
from protocol.text import one_line

_DEED = re.compile(r"(?:(?P<node>\d{1,9})\s+)?(?P<verb>[A-Za-z]+)(?P<rest>.*)", re.DOTALL | re.ASCII)
_SPACE = re.compile(r"(?:.*\s)?([A-Za-z])\s*0?([1-9])", re.DOTALL | re.ASCII)
_TWO_SPACES = re.compile(r"([A-Za-z])\s*0?([1-9])[\s-]+([A-Za-z])\s*0?([1-9])", re.ASCII)
_NAME = re.compile(r"id\s+(.*)", re.DOTALL | re.IGNORECASE)
_RESERVE = ""
"""Stands for any reserve where a space could stand."""
_NAMES = ("dvonn", "37")
"""The game, and its number in the list of SGF."""
_ANEW = ("start", "reset", "edit")
"""Verbs with which a game may begin once more."""


@dataclass(frozen=True, slots=True)
class _Deed:
    """What a player did by the record: player 0 or 1, verb in lower case, the words after it."""

    player: int
    verb: str
    rest: str
    place: str
    line: int

    @property
    def words(self) -> str:
        return one_line(f"{self.verb} {self.rest}".strip())


def scan_boardspace(text: str, source: str) -> Iterator[Reading]:
    """The games of a file, each with what is wrong with it; lines have to end with a single LF."""
    for number, tree in enumerate(read_trees(text), 1):
        yield _read_game(tree, source, number)


def _read_game(tree: Tree, source: str, number: int) -> Reading:
    kind = tree.first("GM")
    named = kind or tree.first("SU")
    if named is None or not named.value.strip().casefold().startswith(_NAMES):
        what = "no property GM" if kind is None else f"GM[{one_line(kind.value)}]"
        transcript = Transcript(source, number, tree.line)
        transcript.broken(tree.line, f"{what}: not a game of DVONN")
        return transcript.finish({})
    deeds = list(_deeds(tree))
    whole = _Game(tree, deeds, source, number).read()
    if whole.record is not None:
        return whole
    unlabelled = _read_unlabelled(tree, deeds, source, number, whole.faults[0])
    return unlabelled or _read_anew(tree, deeds, source, number) or whole


def _read_unlabelled(
    tree: Tree, deeds: list[_Deed], source: str, number: int, fault: Fault
) -> Reading | None:
    """The game by the rules alone, who is said to have done what left aside.

    It is believed when it was played to its end: were a deed missing, the colours after it would not fit.
    """
    game = _Game(tree, deeds, source, number, trusts_labels=False)
    game.transcript.warn(fault.line, fault.message)
    reading = game.read()
    return reading if reading.record is not None and game.transcript.position.is_over else None


def _read_anew(tree: Tree, deeds: list[_Deed], source: str, number: int) -> Reading | None:
    """The last part of a file that is a whole game by itself; only the last few beginnings are tried."""
    beginnings = [index for index, deed in enumerate(deeds) if index and deed.verb in _ANEW]
    for index in reversed(beginnings[-10:]):
        deed, game = deeds[index], _Game(tree, deeds[index:], source, number)
        game.transcript.warn(deed.line, f"{deed.place}the game begins anew; what came before is left out")
        reading = game.read()
        if reading.record is not None and game.transcript.is_decided:
            return reading
    return None


def _deeds(tree: Tree) -> Iterator[_Deed]:
    """What was done, without what only tells about a player (``P0[ranking 1500]``, ``P1[time 0:01:36 ]``).

    A node that comes twice is read once.
    """
    before = ""
    for each in tree.properties:
        if each.name not in ("P0", "P1") or (match := _DEED.fullmatch(each.value.strip())) is None:
            continue
        if match["node"] and before == f"{each.name} {each.value}":
            continue
        before = f"{each.name} {each.value}"
        node, verb = match["node"], match["verb"].lower()
        if node or verb in _DEEDS:
            place = f"node {node}: " if node else ""
            yield _Deed(int(each.name[1]), verb, " ".join(match["rest"].split()), place, each.line)


class _Pending(NamedTuple):
    """What counts only when it is confirmed; without a ply it is a resignation."""

    ply: Ply | None
    deed: _Deed


class _Game:
    """Follows the hands of both players."""

    def __init__(
        self, tree: Tree, deeds: list[_Deed], source: str, number: int, *, trusts_labels: bool = True
    ) -> None:
        self.tree, self.deeds, self.trusts_labels = tree, deeds, trusts_labels
        self.transcript = Transcript(source, number, tree.line)
        self.white = _first_player(deeds, trusts_start=trusts_labels)
        self.held: list[str | None] = [None, None]
        """What each player has in hand: a space whose stack was picked up, a reserve, or nothing."""
        self.pending: _Pending | None = None
        """What was done and may still be taken back."""
        self.taken_back: _Pending | None = None
        """What was pending when the piece in the hand was picked up again."""
        self.on_time = False
        self.unknown = set[str]()
        """Verbs that were told to be skipped."""

    def read(self) -> Reading:
        headers = self.headers()
        self.look_at_the_form()
        with suppress(BrokenOffError):
            for deed in self.deeds:
                self.follow(deed)
            self.confirm()
            self.look_at_the_end()
        return self.transcript.finish(headers, self.claim(headers))

    def headers(self) -> dict[str, str]:
        names = ["", ""]
        for each in self.tree.properties:
            if each.name in ("P0", "P1") and (match := _NAME.fullmatch(each.value.strip())) is not None:
                names[int(each.name[1])] = one_line(match[1].strip().removeprefix('"').removesuffix('"'))
        facts = {each.name: each.value for each in reversed(self.tree.properties)}
        return {
            "Event": one_line(facts.get("GN", "")),
            "Date": iso_date(facts.get("DT", "")),
            "White": names[self.white],
            "Black": names[1 - self.white],
        }

    def claim(self, headers: Mapping[str, str]) -> Claim | None:
        stated = self.tree.first("RE")
        if stated is None:
            return None
        claim = read_claim(one_line(stated.value), headers["White"], headers["Black"], stated.line)
        return claim._replace(on_time=True) if claim and self.on_time else claim

    def look_at_the_form(self) -> None:
        for what, (line, *others) in self.tree.oddities.items():
            more = f", here and in {len(others)} more places" if others else ""
            self.transcript.warn(line, f"{what} is skipped{more}")
        setup = self.tree.first("SU")
        if setup is not None and not setup.value.strip().casefold().startswith("dvonn"):
            self.transcript.warn(setup.line, f"the set-up SU[{one_line(setup.value)}] is not known")
        if self.white:
            self.transcript.warn(self.tree.line, "P1 begins, and is recorded as White")

    def look_at_the_end(self) -> None:
        last = self.tree.properties[-1].line
        if not self.tree.is_cut_off:
            return
        if not self.transcript.is_decided:
            raise self.transcript.broken(last, "the file ends in the middle of the game")
        self.transcript.warn(last, "the closing parenthesis is missing")

    def side(self, deed: _Deed) -> Side | None:
        if not self.trusts_labels:
            return None
        return Side.WHITE if deed.player == self.white else Side.BLACK

    def follow(self, deed: _Deed) -> None:
        """Take one step. What the other player does confirms what is pending."""
        if deed.verb in _TALK:
            return
        if self.pending is not None and self.pending.deed.player != deed.player:
            self.confirm()
        if deed.verb in _DEEDS:
            _DEEDS[deed.verb](self, deed)
        elif deed.verb not in self.unknown:
            self.unknown.add(deed.verb)
            self.transcript.warn(deed.line, f"{deed.place}`{deed.words}` is not known and is skipped")

    def confirm(self) -> None:
        if self.pending is None:
            return
        (ply, deed), self.pending = self.pending, None
        if ply is None:
            self.transcript.resign(self.side(deed), deed.line)
        else:
            self.transcript.play(ply, deed.line, self.side(deed), deed.place)

    def broken(self, deed: _Deed, reason: str) -> BrokenOffError:
        return self.transcript.broken(deed.line, f"{deed.place}`{deed.words}`: {reason}")

    # --- the verbs -----------------------------------------------------------------------------------------

    def pick(self, deed: _Deed) -> None:
        self.pick_up(self.space(deed, or_reserve=True), deed)

    def pick_from_board(self, deed: _Deed) -> None:
        self.pick_up(self.space(deed), deed)

    def drop(self, deed: _Deed) -> None:
        self.put_down(self.space(deed, or_reserve=True), deed)

    def drop_on_board(self, deed: _Deed) -> None:
        self.put_down(self.space(deed), deed)

    def move(self, deed: _Deed) -> None:
        spaces = _TWO_SPACES.fullmatch(deed.rest)
        self.pick_up(self.named(deed, spaces[1] + spaces[2]) if spaces else _RESERVE, deed)
        self.put_down(self.named(deed, spaces[3] + spaces[4]) if spaces else self.space(deed), deed)

    def pass_on(self, deed: _Deed) -> None:
        if self.pending is None or self.pending.ply is not PASS:
            self.confirm()
        self.pending = _Pending(PASS, deed)

    def resign(self, deed: _Deed) -> None:
        """Give up, or, before it is done, take that back by the same button."""
        if self.pending is not None and self.pending.ply is None:
            self.pending = None
        else:
            self.confirm()
            self.pending = _Pending(None, deed)

    def accept_draw(self, deed: _Deed) -> None:
        self.confirm()
        self.transcript.agree()

    def end_on_time(self, deed: _Deed) -> None:
        self.confirm()
        self.on_time = True
        if self.tree.first("RE") is None:
            self.transcript.warn(deed.line, f"{deed.place}a loss on time, but no property RE says whose")

    def reset(self, deed: _Deed) -> None:
        self.pending = self.taken_back = self.held[deed.player] = None

    def undo(self, deed: _Deed) -> None:
        if self.pending is None and self.held[deed.player] is None:
            raise self.broken(deed, "it is uncertain what is taken back")
        self.reset(deed)

    def done(self, deed: _Deed) -> None:
        self.confirm()
        self.taken_back = self.held[deed.player] = None

    # --- the hand ------------------------------------------------------------------------------------------

    @property
    def dropped(self) -> Ply | None:
        """The ply that may still be taken back."""
        return self.pending.ply if self.pending is not None else None

    def pick_up(self, source: str, deed: _Deed) -> None:
        self.taken_back = None
        if (ply := self.dropped) is not None and ply.target == source:
            self.taken_back, self.pending = self.pending, None
            self.held[deed.player] = ply.source or _RESERVE
        else:
            self.confirm()
            self.held[deed.player] = source

    def put_down(self, target: str, deed: _Deed) -> None:
        held, self.held[deed.player] = self.held[deed.player], None
        taken, self.taken_back = self.taken_back, None
        if held == target or (held is None and target == _RESERVE):
            return  # put back
        if target == _RESERVE:
            raise self.broken(deed, "a stack of the board cannot be dropped there")
        if held is None and self.dropped is not None and self.dropped.target == target:
            return  # told twice
        self.confirm()
        ply, side = parse_ply(f"{held or ''}{target}"), self.side(deed)
        if taken is not None and taken.ply is not None and not self.transcript.allows([ply], side):
            # Nothing was taken back: it had been confirmed without a word, and this is the next ply.
            following = parse_ply(f"{taken.ply.target}{target}")
            if self.transcript.allows([taken.ply, following], side):
                self.pending, ply = taken, following
                self.confirm()
        self.pending = _Pending(ply, deed)

    def space(self, deed: _Deed, *, or_reserve: bool = False) -> str:
        """The space a deed names; a reserve has two letters, or one that no column has."""
        match = _SPACE.fullmatch(deed.rest)
        if or_reserve and (match is None or match[1].upper() not in "ABCDEFGHIJK"):
            return _RESERVE
        if match is None:
            raise self.broken(deed, "names no space")
        return self.named(deed, match[1] + match[2])

    def named(self, deed: _Deed, name: str) -> str:
        try:
            return parse_ply(name).text
        except PlySyntaxError as error:
            raise self.broken(deed, error.reason) from None


def _first_player(deeds: list[_Deed], *, trusts_start: bool) -> int:
    """Who plays White: P0, unless P1 is said to begin, or nobody is, and does."""
    start = next((deed.rest.upper() for deed in deeds if deed.verb == "start"), "P1")
    first = next((deed for deed in deeds if deed.verb in _WITH_PIECES), None)
    return int(first is not None and first.player == 1 and (start == "P1" or not trusts_start))


_WITH_PIECES: Mapping[str, Callable[[_Game, _Deed], None]] = {
    "pick": _Game.pick,
    "pickb": _Game.pick_from_board,
    "drop": _Game.drop,
    "dropb": _Game.drop_on_board,
    "move": _Game.move,
}
_DEEDS: Mapping[str, Callable[[_Game, _Deed], None]] = {
    **_WITH_PIECES,
    "done": _Game.done,
    "pass": _Game.pass_on,
    "resign": _Game.resign,
    "acceptdraw": _Game.accept_draw,
    "gameoverontime": _Game.end_on_time,
    "reset": _Game.reset,
    "undo": _Game.undo,
    "start": _Game.done,
    "edit": _Game.done,
}
_TALK = ("offerdraw", "declinedraw", "null", "gameover")
"""Verbs that change nothing; the last move can still be taken back after them."""
