"""A game from a foreign record, re-played ply by ply while it is read.

Foreign formats leave out what follows by itself: forced passes, the last placement. Both are put in
where the next ply makes sense only with them; beyond that nothing is guessed.
"""

from collections.abc import Mapping, Sequence

from protocol.records.claims import Claim
from protocol.records.record import BY, Fault, Reading, Record, RecordedPly, result_by_score
from protocol.rules import PASS, Phase, Ply, Position, Side

_LONGEST = 400
"""Characters of a message."""


class BrokenOffError(Exception):
    """The rest of this game cannot be made sense of; the fault has been noted."""


class Transcript:
    """Collects the plies, faults and warnings of one game, and knows the position reached.

    ``fills`` says whether the format leaves out the 49th placement.
    """

    def __init__(self, source: str, game: int, line: int, *, fills: bool = True) -> None:
        self._source, self._game, self._line, self._fills = source, game, line, fills
        self._faults: list[Fault] = []
        self._warnings: list[Fault] = []
        self._plies: list[RecordedPly] = []
        self._position = Position.start()
        self._resigned: Side | None = None
        self._agreed = False

    @property
    def position(self) -> Position:
        """The position after the plies so far."""
        return self._position

    @property
    def is_decided(self) -> bool:
        """Whether the game was played to its end, given up, or agreed to be a draw."""
        return self._position.is_over or self._resigned is not None or self._agreed

    def warn(self, line: int, message: str) -> None:
        """Note something odd."""
        self._warnings.append(self._fault(line, message, len(self._plies) or None))

    def broken(self, line: int, message: str, ply: int | None = None) -> BrokenOffError:
        """Note what makes the game useless; the exception to raise."""
        self._faults.append(self._fault(line, message, ply))
        return BrokenOffError()

    def play(self, ply: Ply, line: int, side: Side | None = None, place: str = "") -> None:
        """Play a ply, and before it what the record leaves out. A pass after the end is ignored.

        ``side`` is who played it by the record, None where the format does not tell; ``place`` goes
        before messages.

        :raises BrokenOffError: the rules do not allow it, or it was the other side's turn.
        """
        left_out, position = self._approach(self._position, ply, side)
        if error := position.check(ply):
            if ply is PASS and position.is_over:
                return
            message = f"{place}{ply}: illegal ({error.rule}): {error.reason}"
            raise self.broken(line, message, len(self._plies) + len(left_out) + 1)
        if ply is not PASS and side not in (None, position.to_move):  # a forced pass is one, whoever says it
            named, mover = (each.word.title() for each in (position.to_move.other, position.to_move))
            message = f"{place}{ply} is said to be {named}'s, but it was {mover}'s turn"
            raise self.broken(line, message, len(self._plies) + len(left_out) + 1)
        self._take_back_end(line, place)
        self._plies += [RecordedPly(each.text, {}, line) for each in (*left_out, ply)]
        self._position = position.play(ply)

    def allows(self, plies: Sequence[Ply], side: Side | None) -> bool:
        """Whether this side could play these plies next, with nothing but what is left out between them."""
        position = self._position
        for ply in plies:
            _, position = self._approach(position, ply, side)
            if side not in (None, position.to_move) or position.check(ply) is not None:
                return False
            position = position.play(ply)
        return True

    def resign(self, side: Side | None, line: int) -> None:
        """A side gives up: the one to move where the format does not tell, after a placement left out."""
        last = None if side is not None else self._left_out(self._position, None)
        if last is not None and last is not PASS:
            self.play(last, line)
        if self._resigned is None:
            self._resigned = self._position.to_move if side is None else side

    def agree(self) -> None:
        """Both sides agree to a draw."""
        self._agreed = True

    def finish(self, headers: Mapping[str, str], claim: Claim | None = None) -> Reading:
        """The game as a record, unless it is broken.

        The result is the board's when the game is over, else that of a resignation or an agreed
        draw, else what the record claims, else ``*``. A claim that says otherwise is a warning.
        """
        if self._faults:
            return Reading(None, tuple(self._faults), tuple(self._warnings))
        result, termination = self._ending(claim)
        if claim is not None and claim.result != result:
            self._contradict(claim, result)
        score = self._position.score
        added = {"Result": result, "Score": f"{score.white}-{score.black}", "Termination": termination}
        record = Record(
            headers=_UNKNOWN | {name: value for name, value in {**headers, **added}.items() if value},
            plies=tuple(self._plies),
            result=result,
            resigned=termination == "resign",
            closing_comments=self._resigner() if termination == "resign" else {},
            source=self._source,
            line=self._line,
            game=self._game,
            result_line=self._plies[-1].line if self._plies else self._line,
        )
        return Reading(record, (), tuple(self._warnings))

    def _fault(self, line: int, message: str, ply: int | None) -> Fault:
        # What is quoted from a file may be as long as the file.
        shown = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
        return Fault(self._source, line, self._game, ply, shown)

    def _approach(self, position: Position, ply: Ply, side: Side | None) -> tuple[list[Ply], Position]:
        """What the record leaves out before a ply, and the position in which to judge it."""
        left_out: list[Ply] = []
        while side not in (None, position.to_move) or position.check(ply) is not None:
            omitted = self._left_out(position, ply)
            if omitted is None:
                break
            left_out.append(omitted)
            position = position.play(omitted)
        return left_out, position

    def _left_out(self, position: Position, ply: Ply | None) -> Ply | None:
        """The ply that must have come before this one (None: a resignation), if one follows by itself."""
        if position.phase is Phase.PLACEMENT:
            is_placement = ply is not None and ply.source is None and ply is not PASS
            if is_placement or not self._fills:
                return None
        elif ply is PASS:
            return None
        legal = position.legal_plies()
        is_only = len(legal) == 1 and (position.phase is Phase.PLACEMENT or legal[0] is PASS)
        return legal[0] if is_only else None

    def _take_back_end(self, line: int, place: str) -> None:
        if self._resigned is not None or self._agreed:
            what = "an agreed draw" if self._resigned is None else "a resignation"
            self.warn(line, f"{place}the game goes on after {what}, which is left out")
        self._resigned, self._agreed = None, False

    def _ending(self, claim: Claim | None) -> tuple[str, str]:
        """Result and termination (empty where it is not known)."""
        if self._position.is_over:
            return result_by_score(self._position.score), "normal"
        if self._resigned is not None:
            return _LOST_BY[self._resigned], "resign"
        if self._agreed:
            return "1/2-1/2", ""
        if claim is None or claim.result is None:
            return "*", ""
        # Only the side to move can run out of time.
        on_time = claim.on_time and claim.result == _LOST_BY[self._position.to_move]
        return claim.result, "timeout" if on_time else ""

    def _contradict(self, claim: Claim, result: str) -> None:
        line = claim.line or self._line
        if claim.result is not None:
            reason = "by the board it is" if self._position.is_over else "by how it ended it is"
            self.warn(line, f"result `{claim.text}` means {claim.result}, but {reason} {result}")
        elif not self.is_decided:
            self.warn(line, f"result `{claim.text}` is not understood; recorded as *")

    def _resigner(self) -> dict[str, str]:
        assert self._resigned is not None
        out_of_turn = self._resigned is not self._position.to_move
        return {BY: self._resigned.word} if out_of_turn else {}


_UNKNOWN = {"Game": "DVONN", "White": "?", "Black": "?"}
"""Headers that are always there; players without a name are ``?``."""

_LOST_BY = {Side.WHITE: "0-1", Side.BLACK: "1-0"}
