"""Positions of DVONN: whose turn it is, what may be played, and how it stands."""

from __future__ import annotations

from protocol.errors import IllegalPlyError
from protocol.rules.board import Board, allows, can_move, layers, moved, passed, placed, stack_moves
from protocol.rules.geometry import FULL_BOARD
from protocol.rules.notation import board_of, format_dpos, read_dpos, stacks_of
from protocol.rules.ply import PASS, PLACEMENTS, Ply
from protocol.rules.refusal import movement_fault, placement_fault
from protocol.rules.setup import check_setup
from protocol.rules.terms import Phase, Rules, Score, Side, Stack


class Position:
    """An immutable position; playing a ply gives a new one.

    Two are equal when board, side to move, phase and rule variant are. Get one from :meth:`start`,
    :func:`parse_dpos` or :meth:`play`; the constructor is for this package.

    >>> position = Position.start().play(parse_ply("D1"))
    >>> position.phase, position.to_move, position.is_over
    (<Phase.PLACEMENT: 'p'>, <Side.BLACK: 1>, False)
    >>> position == Position.start()
    False
    """

    __slots__ = ("_board", "_phase", "_rules")

    def __init__(self, board: Board, phase: Phase, rules: Rules) -> None:
        self._board = board
        self._phase = phase
        self._rules = rules

    @classmethod
    def start(cls, rules: Rules = Rules.STANDARD) -> Position:
        """The empty board.

        >>> Position.start().dpos
        '........./........../.........../........../......... w p'
        """
        return cls((0, 0, 0, 0, 0, Side.WHITE), Phase.PLACEMENT, Rules(rules))

    @property
    def rules(self) -> Rules:
        """The variant played."""
        return self._rules

    @property
    def phase(self) -> Phase:
        """Placement until the board is full, movement from then on."""
        return self._phase

    @property
    def to_move(self) -> Side:
        """Whose turn it is, also when that side can only pass."""
        return self._board[5]

    @property
    def is_over(self) -> bool:
        """Whether neither side has a stack move."""
        return self._phase is Phase.MOVEMENT and not (self._can_move() or self._opponent_can_move())

    @property
    def score(self) -> Score:
        """Layers topped by each side; a lone red counts for nobody.

        >>> parse_dpos(".....w.../.....b3*..../......w12..../........../......... b m").score
        Score(white=13, black=3)
        """
        _, own, opposing, _, _, mover = self._board
        mine, theirs = layers(self._board, own), layers(self._board, opposing)
        return Score(mine, theirs) if mover is Side.WHITE else Score(theirs, mine)

    @property
    def winner(self) -> Side | None:
        """Who leads by score, or has won when the game is over; ``None`` when equal."""
        white, black = self.score
        if white == black:
            return None
        return Side.WHITE if white > black else Side.BLACK

    @property
    def dpos(self) -> str:
        """The position on one line; :func:`parse_dpos` reads it.

        >>> Position.start().play(parse_ply("F4")).dpos
        '........./....r...../.........../........../......... b p'
        """
        return format_dpos(self.stacks(), self.to_move, self._phase)

    def stacks(self) -> dict[str, Stack]:
        """Space to stack, occupied spaces only, in the order of ``SPACES``.

        >>> parse_dpos("........./........../..r......../..w3......./......... w m").stacks()["C2"]
        Stack(height=3, top=<Side.WHITE: 0>, has_red=False)
        """
        return stacks_of(self._board)

    def legal_plies(self) -> list[Ply]:
        """All plies that may be played, by source and then target in the order of ``SPACES``.

        ``[PASS]`` when the side to move has none but its opponent has; empty when the game is over.

        >>> len(Position.start().legal_plies())
        49
        >>> parse_dpos("........./..w2......./...rw....../........../......... b m").legal_plies()
        [parse_ply('PASS')]
        """
        if self._phase is Phase.PLACEMENT:
            occupied = self._board[0]
            return [ply for ply in PLACEMENTS if not ply.landing & occupied]
        plies = stack_moves(self._board)
        return plies or ([PASS] if self._opponent_can_move() else [])

    def play(self, ply: Ply) -> Position:
        """The position after a ply.

        >>> Position.start().play(parse_ply("A1")).play(parse_ply("B1")).dpos
        '........./........../.........../........../rr....... w p'

        :raises IllegalPlyError: the rules forbid it; the error names the rule and the legal plies.
        """
        if self._phase is Phase.MOVEMENT and allows(self._board, ply):
            return Position(moved(self._board, ply), Phase.MOVEMENT, self._rules)
        if fault := self.check(ply):
            raise fault
        if ply is PASS:
            return Position(passed(self._board), Phase.MOVEMENT, self._rules)
        return self._placed(ply)

    def check(self, ply: Ply) -> IllegalPlyError | None:
        """Why a ply may not be played, as the error :meth:`play` would raise; ``None`` when it may.

        >>> position = parse_dpos("........./..b......./..wrw....../........../......... w m")
        >>> position.check(parse_ply("C3D4")) is None
        True
        >>> print(position.check(parse_ply("C3F3")))
        C3F3: a stack of height 1 moves exactly 1 space, F3 is 3 away; legal: C3D3 C3D4 E3D3
        """
        if self._is_legal(ply):
            return None
        if self._phase is Phase.PLACEMENT:
            rule, reason = placement_fault(self._board, ply)
        else:
            rule, reason = movement_fault(self._board, ply, self.is_over, not self._can_move())
        return IllegalPlyError(ply, rule, reason, tuple(sorted(self.legal_plies())))

    def _is_legal(self, ply: Ply) -> bool:
        if self._phase is Phase.PLACEMENT:
            return not ply.lifted and bool(ply.landing & ~self._board[0])
        if ply is PASS:
            return not self._can_move() and self._opponent_can_move()
        return allows(self._board, ply)

    def _can_move(self) -> bool:
        return can_move(self._board)

    def _opponent_can_move(self) -> bool:
        return can_move(passed(self._board))

    def _placed(self, ply: Ply) -> Position:
        board = placed(self._board, ply)
        if board[0] != FULL_BOARD:
            return Position(board, Phase.PLACEMENT, self._rules)
        # The turn has gone on to Black here; under the standard rules White places last and moves first.
        first = board if self._rules is Rules.BLACK_FIRST else passed(board)
        return Position(first, Phase.MOVEMENT, self._rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self._board, self._phase, self._rules) == (other._board, other._phase, other._rules)

    def __hash__(self) -> int:
        return hash((self._board, self._phase, self._rules))

    def __str__(self) -> str:
        return self.dpos

    def __repr__(self) -> str:
        variant = "" if self._rules is Rules.STANDARD else f", {self._rules}"
        return f"<Position {self.dpos}{variant}>"

    def __reduce__(self) -> tuple[object, tuple[str, Rules]]:
        """Pickle as text, which stays readable across versions."""
        return parse_dpos, (self.dpos, self._rules)


def parse_dpos(text: str, rules: Rules = Rules.STANDARD) -> Position:
    """Read a position and make sure that a game may go on from it.

    >>> parse_dpos("........./..b......./..wrw....../........../......... w m").to_move
    <Side.WHITE: 0>
    >>> parse_dpos("w......../..b......./..wrw....../........../......... w m")
    Traceback (most recent call last):
    ...
    protocol.errors.PositionError: C5: no chain of neighbours leads to a stack that holds a red [connection]

    :raises PositionError: the text is no DPOS, or describes no position of the game; the error names the cell
        and the rule.
    """
    stacks, to_move, phase = read_dpos(text)
    check_setup(stacks, to_move, phase)
    return Position(board_of(stacks, to_move), phase, Rules(rules))
