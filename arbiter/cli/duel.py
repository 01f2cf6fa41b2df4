"""A game between a person at the keyboard and a bot."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

import trio

from arbiter.bench.sheet import Sheet
from arbiter.bench.stand import Stand
from arbiter.cli.board import Look, board_key, draw_board, removed_stacks, stack_text
from arbiter.cli.input_lines import InputLines
from arbiter.cli.records import printable, say
from arbiter.cli.scene import legal_lines, turn_text
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Clock, Spent
from arbiter.match.game import GameSetup, PlyRecord
from arbiter.match.seat import Turn
from arbiter.match.sitting import NotReadyError, Reply, Sitting
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure
from protocol.errors import PlySyntaxError
from protocol.rules import PASS, Ply, Side, parse_ply

HELP = """\
  d1          places a piece on D1
  h1g1        moves the stack on H1 onto G1; h1 g1 and h1-g1 mean the same
  legal [H1]  the plies that can be played, or those from a space
  hint        what {adviser} would play
  undo        takes back your last ply, and what was played after it
  board       draws the board again
  plies       all plies so far
  resign      gives the game up
  quit        ends the game and keeps it, unfinished"""
NOT_BEGUN = "before the first ply: no game is kept"
_ALIASES = {"?": "help", "h": "help", "exit": "quit", "q": "quit", "u": "undo", "b": "board"}


@dataclass(frozen=True, slots=True)
class Parties:
    """Who plays and who advises: ``setup`` is the game's, ``advice`` the same with the adviser at the
    person's side.
    """

    setup: GameSetup
    advice: GameSetup
    person: Side

    @property
    def bot(self) -> str:
        """The bot's name."""
        return self.setup.competitor(self.person.other).bot.name

    @property
    def adviser(self) -> str:
        return self.advice.competitor(self.person).bot.name


class Duel:
    """Plays the game on its sheet until it is over or the person has had enough."""

    def __init__(self, parties: Parties, sheet: Sheet, stand: Stand, lines: InputLines, look: Look) -> None:
        self._parties = parties
        self._sheet = sheet
        self._stand = stand
        self._lines = lines
        self._look = look
        self._clock = Clock(parties.setup.competitor(parties.person).time)
        self._turn_began = 0
        self._adviser: Sitting | None = None
        self._opponent: Sitting
        self._commands = {
            "help": self._help,
            "legal": self._legal,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._board,
            "plies": self._plies,
            "resign": self._resign,
        }

    async def play(self) -> None:
        """Play; the sheet tells how it ended.

        Raises:
            NotReadyError: when the bot cannot be seated.
        """
        person = self._parties.person
        self._opponent = await self._stand.seat(person.other, self._parties.setup)
        say(f"You are {person.word} against {printable(self._parties.bot)}. `help` lists what can be typed.")
        goes_on = True
        while goes_on and not self._sheet.is_over:
            if self._sheet.position.to_move is person:
                goes_on = await self._person_turn()
            else:
                await self._bot_turn()
        self._say_end()

    # The bot

    async def _bot_turn(self) -> None:
        sheet, seat = self._sheet, self._opponent.seat
        reply = await self._opponent.ask(self._turn(len(sheet.plies), self._clock))
        if reply.failure is not None:
            sheet.lose(seat.side, reply.failure, reply.answer)
            return
        assert reply.ply is not None
        left = seat.clock.left
        spent = Spent(wall=reply.used)
        sheet.play(PlyRecord(reply.ply.text, seat.clock.last_charge, left, spent, dict(reply.info)))
        words = f"{self._parties.bot} plays {reply.ply}{self._removal()}"
        say(printable(f"{words}  ({reply.used / 1e9:.1f} s{_thoughts(reply.info)})"))

    def _turn(self, count: int, opponent_clock: Clock) -> Turn:
        """The question for the ply after so many."""
        return Turn(count + 1, self._sheet.position_after(count), self._sheet.texts[:count], opponent_clock)

    def _removal(self) -> str:
        """What the last ply took off the board."""
        last = self._sheet.last
        gone = removed_stacks(last[1], last[0], self._sheet.position) if last else {}
        stacks = ", ".join(f"{space} {stack_text(stack)}" for space, stack in gone.items())
        return f", removed {stacks}" if stacks else ""

    # The person

    async def _person_turn(self) -> bool:
        """Let the person play a ply; False when there will be none."""
        if self._sheet.position.legal_plies() == [PASS]:
            say("You have no stack move and pass.")
            self._person_plays(PASS, 0)
            return True
        self._turn_began = time.monotonic_ns()
        count = len(self._sheet.plies)
        self._board()
        while len(self._sheet.plies) == count and not self._sheet.is_over:
            line = await self._next_line()
            if self._has_flagged():
                detail = f"no ply within {self._clock.limit // MS} ms"
                self._sheet.lose(self._parties.person, Failure(Termination.TIMEOUT, detail))
                return True
            if line is None or _ALIASES.get(line.strip().lower(), line.strip().lower()) == "quit":
                return False
            await self._take(line.strip())
            count = min(count, len(self._sheet.plies))
        return True

    def _has_flagged(self) -> bool:
        return time.monotonic_ns() - self._turn_began > self._clock.limit

    async def _next_line(self) -> str | None:
        """What is typed next; an empty line when the clock has run out, None at the end of the input."""
        left = "" if self._clock.left is None else f" {_shown(self._clock.left - self._taken())}"
        prompt = f"{self._parties.person.word}{left}> "
        print(prompt, end="", flush=True)
        rest = (self._clock.limit - self._taken()) / 1e9
        with trio.move_on_after(max(0, rest)):
            line = await self._lines.next()
            if not self._lines.is_typed or line is None:
                say(printable(line or ""))
            return line
        say("")
        return ""

    def _taken(self) -> int:
        return time.monotonic_ns() - self._turn_began

    async def _take(self, line: str) -> None:
        """Do what a line says: a command, or a ply."""
        word, _, rest = line.lower().partition(" ")
        command = self._commands.get(_ALIASES.get(word, word))
        if command is not None:
            done = command(rest.strip())
            if done is not None:
                await done
        elif line:
            self._take_ply(line)

    def _take_ply(self, line: str) -> None:
        try:
            ply = parse_ply(re.sub(r"[\s>-]+", "", line))
        except PlySyntaxError as error:
            say(f"{printable(line)[:60]}: neither a ply nor a command; {error.reason}. `help` lists them.")
            return
        illegal = self._sheet.position.check(ply)
        if illegal is not None:
            say(f"{ply}: {illegal.reason}. `legal` lists what can be played.")
            return
        self._person_plays(ply, self._taken())

    def _person_plays(self, ply: Ply, taken: int) -> None:
        used = self._clock.control.clock.charge(Spent(wall=taken))
        self._clock.charge(used)
        self._sheet.play(PlyRecord(ply.text, used, self._clock.left, Spent(wall=taken)))
        if removal := self._removal():
            say(f"You play {ply}{removal}")
        if not self._sheet.position.is_over:
            self._opponent.seat.tell(ply.text)

    # Commands

    def _help(self, _: str) -> None:
        say(HELP.format(adviser=printable(self._parties.adviser)))

    def _legal(self, space: str) -> None:
        lines = legal_lines(self._sheet.position, start=space)
        if space and lines == ["legal: none"]:
            lines = [f"no legal ply begins with {printable(space.upper())[:60]}"]
        for line in lines:
            say(line)

    def _board(self, _: str = "") -> None:
        sheet, last = self._sheet, self._sheet.last
        ply, before = last if last else (None, None)
        gone = bool(ply and before and removed_stacks(before, ply, sheet.position))
        white, black = sheet.position.score
        board = draw_board(sheet.position, self._look, ply=ply, before=before)
        key = board_key(self._look, marked=ply is not None, gone=gone)
        say(f"\n{board}\n\n{key}\n\nscore: white {white}, black {black}; {turn_text(sheet.position)}")

    def _plies(self, _: str) -> None:
        texts = self._sheet.texts
        say(" ".join(texts) if texts else "none so far")

    def _resign(self, _: str) -> None:
        self._sheet.lose(self._parties.person, Failure(Termination.RESIGN, ""))

    async def _hint(self, _: str) -> None:
        person = self._parties.person
        try:
            if self._adviser is None:
                self._adviser = await self._stand.seat(person, self._parties.advice)
            reply = await self._adviser.ask(self._turn(len(self._sheet.plies), self._opponent.seat.clock))
        except NotReadyError as error:
            say(printable(f"no hint: {error}"))
            return
        if reply.failure is not None:
            self._stand.dismiss(self._adviser)
            self._adviser = None
        say(printable(self._advice(reply)))

    def _advice(self, reply: Reply) -> str:
        if reply.failure is not None:
            return f"no hint: {reply.failure.termination} {reply.failure.detail}".rstrip()
        thoughts = _thoughts(reply.info).removeprefix("; ")
        return f"{self._parties.adviser} would play {reply.ply}" + (f"  ({thoughts})" if thoughts else "")

    async def _undo(self, _: str) -> None:
        sheet = self._sheet
        choices = sheet.choices(self._parties.person)
        if not choices:
            say("there is nothing to take back")
            return
        count = choices[-1]
        if self._opponent.seat.bot.dialect is Dialect.CODECUP and not await self._lead_anew(count):
            return
        say(f"taken back: {' '.join(sheet.texts[count:])}")
        sheet.take_back_to(count)
        self._board()

    async def _lead_anew(self, count: int) -> bool:
        """Bring a bot that only knows its own game back to where it was after so many plies.

        It is started anew and has to play the same plies again; if it does not, the game stays as it is.
        """
        say(f"{printable(self._parties.bot)} is started anew and led back ...")
        try:
            sitting = await self._stand.seat(self._parties.person.other, self._parties.setup)
        except NotReadyError as error:
            say(printable(f"it cannot be taken back: {error}"))
            return False
        for number, text in enumerate(self._sheet.texts[:count]):
            if self._sheet.position_after(number).to_move is self._parties.person:
                sitting.seat.tell(text)
                continue
            reply = await sitting.ask(self._turn(number, self._clock))
            if reply.ply is None or reply.ply.text != text:
                self._stand.dismiss(sitting)
                now = reply.ply or (reply.failure and reply.failure.termination)
                say(f"it cannot be taken back: where it played {text} the bot now plays {now}")
                return False
        sitting.seat.clock.left = self._opponent.seat.clock.left
        self._stand.dismiss(self._opponent)
        self._opponent = sitting
        return True

    # The end

    def _say_end(self) -> None:
        sheet, seat = self._sheet, self._opponent.seat
        if sheet.is_over:
            self._board()
        failure = sheet.failure if sheet.offender is seat.side else None
        termination = Termination.NORMAL if sheet.failure is None else sheet.failure.termination
        if not sheet.is_over:
            termination = Termination.VOID
        seat.say_end(sheet.result, sheet.position.score, termination, failure)
        for line in self._verdict():
            say(printable(line))

    def _verdict(self) -> list[str]:
        sheet, parties = self._sheet, self._parties
        white, black = sheet.position.score
        if sheet.failure is None:
            if not sheet.is_over:
                return [f"broken off {f'at {white}:{black}' if sheet.has_begun else NOT_BEGUN}"]
            winner = sheet.position.winner
            who = "a draw" if winner is None else "you win" if winner is parties.person else "you lose"
            return [f"the game is over, {white}:{black}: {who}"]
        if sheet.offender is parties.person:
            what = "you resign" if sheet.failure.termination is Termination.RESIGN else "your time is up"
            return [f"{what}: {parties.bot} wins"]
        if sheet.failure.termination is Termination.RESIGN:
            return [f"{parties.bot} resigns: you win"]
        stderr = self._opponent.report().stderr.splitlines()[-5:]
        words = [f"{parties.bot} forfeits, {sheet.failure.termination}: {sheet.failure.detail}"]
        return [*words, *(f"  its stderr: {line}" for line in stderr)]


def _thoughts(info: Mapping[str, str]) -> str:
    """What a bot said of its answer, as far as people want to know."""
    said = [f"{key} {info[key]}" for key in ("score", "depth") if key in info]
    if "pv" in info:
        said.append(f"line {info['pv'].replace(',', ' ')[:60]}")
    return "".join(f"; {each}" for each in said)


def _shown(ns: int) -> str:
    """Time left as on a chess clock; tenths when there is little."""
    seconds = max(0, ns) / 1e9
    if seconds < 20:
        return f"{seconds:.1f}"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
