"""Stepping through recorded games with the keys of a terminal."""

from arbiter.cli.games import Games
from arbiter.cli.keys import Screen
from arbiter.cli.look import terminal_look
from arbiter.cli.scene import Film, Scene, scene_text
from protocol.records import Record

_HELP = "{arrows} p n plies  PgUp PgDn ten  Home End  g go to  l legal  {games}q quit"
_STEPS = {
    "left": -1, "p": -1, "up": -1, "backspace": -1,
    "right": 1, "n": 1, "down": 1, "space": 1, "enter": 1,
    "page up": -10, "page down": 10,
    "home": -10_000, "<": -10_000, "end": 10_000, ">": 10_000,
}  # fmt: skip


class Viewer:
    """What is to be seen, and what the keys change of it."""

    def __init__(self, games: Games, first: Record, *, legal: bool = False) -> None:
        """``games`` are those that can be gone to from the ``first`` one."""
        self._games = games
        self._index = games.numbers.index(first.game)
        self._film = Film(first)
        self._number = self._film.last
        self._legal = legal
        self._look = terminal_look()
        self._asked: str | None = None
        """The number of a ply as far as it has been typed."""

    def show(self) -> Scene:
        """Let the user look until that is enough; the scene that was seen last."""
        screen = Screen(self._draw)
        with screen.opened() as keys:
            for key in keys:
                if not self._take(key):
                    break
                screen.refresh()
        return self._film.scene(self._number)

    def _take(self, key: str) -> bool:
        """Do what a key means; False when it is the last one."""
        if self._asked is not None:
            self._take_digit(key, self._asked)
        elif key in ("q", "Q", "escape"):
            return False
        elif key == "g":
            self._asked = ""
        elif key == "l":
            self._legal = not self._legal
        elif key in ("N", "P"):
            self._change_game(1 if key == "N" else -1)
        elif key in _STEPS:
            self._go_to(self._number + _STEPS[key])
        return True

    def _take_digit(self, key: str, asked: str) -> None:
        if key.isascii() and key.isdigit():
            self._asked = (asked + key)[:4]
        elif key == "backspace":
            self._asked = asked[:-1]
        else:
            if key == "enter" and asked:
                self._go_to(int(asked))
            self._asked = None

    def _go_to(self, number: int) -> None:
        self._number = max(0, min(number, self._film.last))

    def _change_game(self, step: int) -> None:
        """To the next game that can be shown at all, if there is one."""
        index = self._index + step
        while 0 <= index < len(self._games):
            record = self._games.read(self._games.numbers[index]).record
            if record is not None and (film := Film(record)).last >= 0:
                self._index, self._film, self._number = index, film, film.last
                return
            index += step

    def _draw(self, rows: int, columns: int) -> list[str]:
        scene = self._film.scene(self._number)
        lines = scene_text(scene, self._look, legal=self._legal).splitlines()
        if self._film.fault is not None and self._number == self._film.last:
            lines.append(str(self._film.fault))
        lines = lines[: rows - 1]
        return [*lines, *[""] * (rows - 1 - len(lines)), self._bottom(columns)]

    def _bottom(self, columns: int) -> str:
        if self._asked is not None:
            return f"go to ply (0 to {self._film.last}): {self._asked}_"
        text = _HELP.format(
            arrows="←→" if self._look.unicode else "arrows",
            games="N P games  " if len(self._games) > 1 else "",
        )
        return self._look.paint("\x1b[7m", text[: columns - 1])
