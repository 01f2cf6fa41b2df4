"""Games in the formats of others, written with the liberties that their files take."""

import random
from collections.abc import Callable, Sequence

from protocol.rules import Position, Side, parse_ply

Game = tuple[str, ...]
Writer = Callable[[Sequence[str], random.Random], str]


def random_game(chance: random.Random, length: int | None = None) -> Game:
    """Plies of a game by the rules: played to its end, or so many of them, without a pass at the end."""
    position, plies = Position.start(), list[str]()
    while not position.is_over and len(plies) != length:
        ply = chance.choice(position.legal_plies())
        plies.append(ply.text)
        position = position.play(ply)
    while length is not None and plies and plies[-1] == "PASS":
        plies.pop()
    return tuple(plies)


def positions(plies: Sequence[str]) -> list[Position]:
    """The positions before each ply, and the last."""
    found = [Position.start()]
    for text in plies:
        found.append(found[-1].play(parse_ply(text)))
    return found


def headline(white: str = "Ann", black: str = "Bob", **properties: str) -> str:
    """The root of a Boardspace file; ``properties`` replace its own, and an empty one is left out."""
    facts = {"GM": "Dvonn", "VV": "1", "SU": "dvonn 12345", "DT": "Sat Mar 05 16:12:55 CET 2011", "GN": ""}
    facts |= {"P0": f'id "{white}"', "P1": f'id "{black}"', **properties}
    return "(;\n" + "\n".join(f"{name}[{value}]" for name, value in facts.items())


def sgf(deeds: Sequence[tuple[int, str]], head: str | None = None, end: str = "\n)\n") -> str:
    """A Boardspace file of what the players did, such as ``(0, "dropb D 3")``."""
    nodes = [(0, "Start P0"), *deeds]
    lines = [f"; P{player}[{number} {deed}]" for number, (player, deed) in enumerate(nodes)]
    return "\n".join([headline() if head is None else head, *lines]) + end


def deeds(plies: Sequence[str]) -> list[tuple[int, str]]:
    """The plainest way to say these plies: one deed for each, and ``done``."""
    found = []
    for text, position in zip(plies, positions(plies), strict=False):
        player = int(position.to_move)
        found += [(player, _plain(text)), (player, "done")]
    return found


def _plain(text: str) -> str:
    if text == "PASS":
        return "pass"
    spaces = " ".join(text)
    return f"move {spaces}" if len(text) == 4 else f"dropb {spaces}"


class Hands:
    """Writes a game as two people might have played it on Boardspace."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.deeds: list[tuple[int, str]] = []

    def maybe(self, share: float = 0.15) -> bool:
        return self.chance.random() < share

    def play(self, plies: Sequence[str]) -> list[tuple[int, str]]:
        reached = positions(plies)
        for index, (text, position) in enumerate(zip(plies, reached, strict=False)):
            player, free = int(position.to_move), position.legal_plies()
            if text == "PASS":
                self.say_pass(player)
                continue
            self.fumble(player, text, [ply.text for ply in free])
            following = [each for each in plies[index + 1 : index + 3] if each != "PASS"][:1]
            # What the same player does next on the same space would be a taking back.
            same = following and len(following[0]) == 4 and following[0][:2] == text[-2:]
            if same or self.maybe(0.85):
                self.say(player, "done")
        return self.deeds

    def say(self, player: int, words: str) -> None:
        self.deeds.append((player, self.chance.choice([words, words, words.capitalize()])))

    def say_pass(self, player: int) -> None:
        said = self.chance.choice([["pass", "done"], ["done"], ["pass"], []])
        for words in said:
            self.say(player, words)

    def fumble(self, player: int, text: str, legal: Sequence[str]) -> None:
        """Pick up and put back, drop and pick up again, and in the end do it."""
        source = text[:2] if len(text) == 4 else ""
        if self.maybe():
            self.pick(player, self.chance.choice(legal)[:2] if source else "")
            self.drop(player, self.deeds[-1][1].split(" ", 1)[1].replace(" ", "") if source else "")
        if self.maybe():
            self.pick(player, source)
            self.say(player, "reset")
        if self.maybe():
            wrong = self.chance.choice([each for each in legal if not source or each[:2] == source])
            self.do(player, wrong)
            self.pick(player, wrong[-2:])
            self.drop(player, text[-2:])
        else:
            self.do(player, text)

    def do(self, player: int, text: str) -> None:
        if len(text) == 4 and self.maybe(0.4):
            self.say(player, f"move {' '.join(text)}")
            return
        if len(text) == 4 or self.maybe(0.5):
            self.pick(player, text[:2] if len(text) == 4 else "")
        self.drop(player, text[-2:])

    def pick(self, player: int, space: str) -> None:
        reserve = f"pick {'wb'[player]}r {self.chance.randrange(3)}"
        verb = self.chance.choice(["pick", "pickb"])
        self.say(player, f"{verb} {' '.join(space)}" if space else reserve)

    def drop(self, player: int, space: str) -> None:
        verb = self.chance.choice(["drop", "dropb"])
        self.say(player, f"{verb} {' '.join(space)}" if space else f"drop {'wb'[player]}r 0")


def boardspace(plies: Sequence[str], chance: random.Random, head: str | None = None, end: str = "") -> str:
    """A whole file, with chat, times and other line ends."""
    chat = ["", "", "", "TM[4533]", "C[so far, so \\] good :)]", "C[two\nlines; P0[not a move\\]]"]
    parts = [headline() if head is None else head]
    nodes = [(0, "Start P0"), *Hands(chance).play(plies)]
    has_numbers = chance.random() < 0.9
    for number, (player, words) in enumerate(nodes):
        said = f"P{player}[{number} {words}]" if has_numbers else f"P{player}[{words}]"
        parts.append(f"{chance.choice(['; ', ';', '  ;  '])}{said}{chance.choice(chat)}")
    joint, line = chance.choice(["\n", "\n", "", " "]), chance.choice(["\n", "\n", "\r\n", "\r"])
    text = joint.join(parts) + end + "\n;\nP0[time 0:01:19 ]\nP1[time 0:01:36 ]\n)\n "
    return text.replace("\n", line)


def little_golem(plies: Sequence[str], chance: random.Random, end: str = "") -> str:
    """On one line or several, without the 49th placement, and perhaps without passes."""
    keeps, words, number = chance.random() < 0.5, list[str](), 0
    for index, (text, position) in enumerate(zip(plies, positions(plies), strict=False)):
        if (index == 48 and len(plies) > 49) or (text == "PASS" and not keeps):
            continue
        if position.to_move is Side.WHITE or not words:
            number += 1
            words.append(f"{number}.")
        words.append(text.lower())
    joint = chance.choice([" ", "\n", "  "])
    heads = ["Event [dvonn.mc.2009.oct.1.1]", "Site [www.littlegolem.net]", "White [Ann]", "Black [Bob]"]
    return joint.join([*heads, *words, *([end] if end else [])]) + "\n"


def codecup(plies: Sequence[str], chance: random.Random) -> str:
    """A ply a line or more, with comments."""
    lines, rest = ["# White: Ann", "# Black: Bob"], list(plies)
    size = chance.choice([1, 1, 2, 20])
    while rest:
        lines.append(" ".join(rest[:size]) + chance.choice(["", "", "  # thinking"]))
        del rest[:size]
        if chance.random() < 0.1:
            lines.append("# nothing to be seen here")
    return "\n".join(lines) + "\n"
