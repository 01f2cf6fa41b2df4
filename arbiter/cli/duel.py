"""A game between a person at the keyboard and a bot."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import trio

from arbiter.bench.stand import Stand
from arbiter.cli.board import Look, board_key, draw_board, removed_stacks, stack_text
from arbiter.cli.input_lines import InputLines
from arbiter.cli.records import printable, say
from arbiter.cli.scene import legal_lines, turn_text
from arbiter.match.bot import Dialect
from arbiter.match.fault import Code, Fault
from arbiter.match.game import GameSetup, PlyRecord
from arbiter.match.judging import Reply
from arbiter.match.referee import Referee
from arbiter.match.session import NotReadyError, Session
from arbiter.match.wording import describe
from protocol.errors import PlySyntaxError
from protocol.rules import PASS, Ply, Position, Side, parse_ply

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
    """Plays the game until it is over or the person has had enough."""

    def __init__(self, parties: Parties, lines: InputLines, look: Look) -> None:
        self._parties = parties
        self._lines = lines
        self._look = look
        self._stand: Stand
        self._seated: Session | None = None
        self._adviser: Session | None = None
        self._commands = {
            "help": self._help,
            "legal": self._legal,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._board,
            "plies": self._plies,
            "resign": self._resign,
        }

    async def play(self, stand: Stand) -> None:
        """Play with bots that are seated at this stand; ``game`` tells how it ended.

        Raises:
            NotReadyError: when the bot cannot be seated.
        """
        person = self._parties.person
        self._stand = stand
        self._seated = await stand.seat(person.other, self._parties.setup)
        say(f"You are {person.word} against {printable(self._parties.bot)}. `help` lists what can be typed.")
        goes_on = True
        while goes_on and not (self.game.is_over or self.game.position.is_over):
            if self.game.position.to_move is person:
                goes_on = await self._person_turn()
            else:
                await self._bot_turn()
        self._say_end()

    @property
    def _session(self) -> Session:
        """The bot's."""
        assert self._seated is not None
        return self._seated

    @property
    def game(self) -> Referee:
        """The game under way, with its plies and clocks."""
        return self._session.referee

    @property
    def has_begun(self) -> bool:
        """Whether there is anything to be kept: a ply, or a failure in place of the first."""
        return self._seated is not None and bool(self.game.records or self.game.fault)

    def _positions(self) -> list[Position]:
        """Every position of the game so far."""
        plies = map(parse_ply, self.game.texts)
        return list(accumulate(plies, Position.play, initial=self.game.start))

    def _last(self) -> tuple[Ply, Position] | None:
        """The last ply and the position it was played in."""
        texts = self.game.texts
        return (parse_ply(texts[-1]), self._positions()[-2]) if texts else None

    def _enter(self, ply: Ply, reply: Reply) -> None:
        """Play what the side to move answered."""
        clock = self.game.seats[self.game.position.to_move].clock
        self._session.play(ply, PlyRecord(ply.text, clock.last_charge, clock.left, reply.spent, reply.info))

    def _removal(self) -> str:
        """What the last ply took off the board."""
        last = self._last()
        gone = removed_stacks(last[1], last[0], self.game.position) if last else {}
        stacks = ", ".join(f"{space} {stack_text(stack)}" for space, stack in gone.items())
        return f", removed {stacks}" if stacks else ""

    # The bot

    async def _bot_turn(self) -> None:
        reply = await self._session.ask()
        if reply.ply is None:
            return
        self._enter(reply.ply, reply)
        words = f"{self._parties.bot} plays {reply.ply}{self._removal()}"
        say(printable(f"{words}  ({reply.spent.wall / 1e9:.1f} s{_thoughts(reply.info)})"))

    # The person

    async def _person_turn(self) -> bool:
        """Let the person play a ply, as long as the game is not lost meanwhile; False when there will be
        none.
        """
        self._session.begin_asking()
        if self.game.position.legal_plies() == [PASS]:
            say("You have no stack move and pass.")
            self._answer(PASS)
            return True
        self._board()
        while self.game.reply is None and not self.game.is_over:
            line = await self._next_line()
            if line is None or _ALIASES.get(line.strip().lower(), line.strip().lower()) == "quit":
                return False
            await self._take(line.strip())
        return True

    async def _next_line(self) -> str | None:
        """What is typed next; an empty line when the game has ended meanwhile, None at the end of the
        input.
        """
        clock, began = self._session.guest.clock, self._session.guest.question.stamp
        left = "" if clock.left is None else f" {_shown(clock.left - (time.monotonic_ns() - began))}"
        print(f"{self._parties.person.word}{left}> ", end="", flush=True)
        line: str | None = ""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._cancel_when_over, nursery.cancel_scope)
            line = await self._lines.next()
            nursery.cancel_scope.cancel()
        if self.game.is_over:
            say("")
            return ""
        if not self._lines.is_typed or line is None:
            say(printable(line or ""))
        return line

    async def _cancel_when_over(self, scope: trio.CancelScope) -> None:
        await self._session.table.until(lambda: self.game.is_over)
        scope.cancel()

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
        illegal = self.game.position.check(ply)
        if illegal is not None:
            say(f"{ply}: {illegal.reason}. `legal` lists what can be played.")
            return
        self._answer(ply)

    def _answer(self, ply: Ply) -> None:
        """Play a legal ply of the person's, unless it comes too late."""
        self._session.table.answer(self._parties.person, ply.text)
        reply = self.game.reply
        if reply is None or reply.ply is None:
            return
        self._enter(ply, reply)
        if removal := self._removal():
            say(f"You play {ply}{removal}")

    # Commands

    def _help(self, _: str) -> None:
        say(HELP.format(adviser=printable(self._parties.adviser)))

    def _legal(self, space: str) -> None:
        lines = legal_lines(self.game.position, start=space)
        if space and lines == ["legal: none"]:
            lines = [f"no legal ply begins with {printable(space.upper())[:60]}"]
        for line in lines:
            say(line)

    def _board(self, _: str = "") -> None:
        position, last = self.game.position, self._last()
        ply, before = last if last else (None, None)
        gone = bool(ply and before and removed_stacks(before, ply, position))
        white, black = position.score
        board = draw_board(position, self._look, ply=ply, before=before)
        key = board_key(self._look, marked=ply is not None, gone=gone)
        say(f"\n{board}\n\n{key}\n\nscore: white {white}, black {black}; {turn_text(position)}")

    def _plies(self, _: str) -> None:
        say(" ".join(self.game.texts) or "none so far")

    def _resign(self, _: str) -> None:
        game, person = self.game, self._parties.person
        self._session.table.perform(lambda: game.lose(person, Fault(Code.RESIGNED)))

    async def _hint(self, _: str) -> None:
        try:
            if self._adviser is None:
                self._adviser = await self._stand.seat(self._parties.person, self._parties.advice)
        except NotReadyError as error:
            say(printable(f"no hint: {error}"))
            return
        self._adviser.referee.set_up(self.game.start, self.game.texts)
        self._adviser.guest.clock = self._session.seat.clock
        reply = await self._adviser.ask()
        if reply.failure is not None:
            self._stand.dismiss(self._adviser)
            self._adviser = None
        say(printable(self._advice(reply)))

    def _advice(self, reply: Reply) -> str:
        if reply.failure is not None:
            return f"no hint: {reply.failure.termination} {describe(reply.failure)}".rstrip()
        thoughts = _thoughts(reply.info).removeprefix("; ")
        return f"{self._parties.adviser} would play {reply.ply}" + (f"  ({thoughts})" if thoughts else "")

    async def _undo(self, _: str) -> None:
        choices = self._choices()
        if not choices:
            say("there is nothing to take back")
            return
        count = choices[-1]
        taken = self.game.texts[count:]
        if self._session.seat.bot.dialect is not Dialect.CODECUP:
            self.game.take_back(count)
        elif not await self._lead_anew(count):
            return
        say(f"taken back: {' '.join(taken)}")
        self._board()

    def _choices(self) -> list[int]:
        """How many plies there were each time the person had more than one to choose from."""
        positions = enumerate(self._positions()[:-1])
        own = ((count, each) for count, each in positions if each.to_move is self._parties.person)
        return [count for count, each in own if len(each.legal_plies()) > 1]

    async def _lead_anew(self, count: int) -> bool:
        """Bring a bot that only knows its own game back to where it was after so many plies.

        It is started anew and has to play the same plies again; if it does not, the game stays as it is.
        """
        say(f"{printable(self._parties.bot)} is started anew and led back ...")
        try:
            fresh = await self._stand.seat(self._parties.person.other, self._parties.setup)
        except NotReadyError as error:
            say(printable(f"it cannot be taken back: {error}"))
            return False
        slip = await _lead(fresh, self.game.texts[:count])
        if slip is not None:
            self._stand.dismiss(fresh)
            say(f"it cannot be taken back: {slip}")
            return False
        self._change_to(fresh, count)
        return True

    def _change_to(self, fresh: Session, count: int) -> None:
        """Let the game go on with a bot that was led to where it stood after so many plies.

        The clocks are those of the game, and the person's runs on.
        """
        former = self._session
        fresh.referee.records = former.referee.records[:count]
        fresh.seat.clock, fresh.guest.clock = former.seat.clock, former.guest.clock
        fresh.begin_asking()
        fresh.guest.question = former.guest.question
        fresh.table.perform(fresh.guest.start_waiting)
        self._stand.dismiss(former)
        self._seated = fresh

    # The end

    def _say_end(self) -> None:
        if self.game.fault is not None or self.game.position.is_over:
            self._board()
        for line in self._verdict():
            say(printable(line))

    def _verdict(self) -> list[str]:
        game, bot, person = self.game, self._parties.bot, self._parties.person
        white, black = game.position.score
        if (own := game.faults.get(person)) is not None:
            return [f"{'you resign' if own.code is Code.RESIGNED else 'your time is up'}: {bot} wins"]
        if (fault := game.faults.get(person.other)) is not None:
            return self._loss(fault)
        if game.void is None and game.position.is_over:
            winner = game.position.winner
            who = "a draw" if winner is None else "you win" if winner is person else "you lose"
            return [f"the game is over, {white}:{black}: {who}"]
        why = f", void: {describe(game.void)}" if game.void is not None else ""
        return [f"broken off {f'at {white}:{black}' if self.has_begun else NOT_BEGUN}{why}"]

    def _loss(self, fault: Fault) -> list[str]:
        """How the bot lost."""
        if fault.code is Code.RESIGNED:
            return [f"{self._parties.bot} resigns: you win"]
        stderr = self._session.report().stderr.splitlines()[-5:]
        words = f"{self._parties.bot} forfeits, {fault.termination}: {describe(fault)}"
        return [words, *(f"  its stderr: {line}" for line in stderr)]


async def _lead(session: Session, plies: Sequence[str]) -> str | None:
    """Have a bot play the plies of its side again; in words where it does not."""
    for ply in map(parse_ply, plies):
        if session.referee.position.to_move is session.side:
            reply = await session.ask()
            if reply.ply != ply:
                now = reply.ply or (reply.failure and reply.failure.termination)
                return f"where it played {ply} the bot now plays {now}"
        session.play(ply)
    return None


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
