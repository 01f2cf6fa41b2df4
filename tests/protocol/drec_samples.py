"""Records to test with: made from games whose plies and scores are known to be right."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from protocol.records import Record, RecordedPly, result_by_score
from protocol.rules import Position, Score, parse_ply

GAMES = Path(__file__).parents[1] / "data" / "games.jsonl"

EXAMPLE = """\
[Game "DVONN"]
[Event "demo"]
[Date "2026-11-29T21:10:03+00:00"]
[Round "1.2"]
[White "Clumsy"]
[Black "Serious 0.3"]
[Result "1-0"]
[Score "1-1"]
[Termination "timeout"]
[TimeControl "1500+0"]
1. D1 F4 {used=412 left=58211 score=3.5 pv=A1B1,B2C2} 2. G1 D5 3. A1
1-0
"""
"""Black, to place its second piece, lost on time."""


@cache
def golden_games() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in GAMES.read_text().splitlines())


def finished(index: int) -> Record:
    """A game played to its end."""
    game = golden_games()[index]
    score = Score(game["white"], game["black"])
    headers = {"Game": "DVONN", "Event": "test", "Date": "2026-11-29T21:10:03+00:00", "Round": "1.1"}
    headers |= {"White": "Ann", "Black": "Bob", "Result": result_by_score(score)}
    headers |= {"Score": f"{score.white}-{score.black}", "Termination": "normal", "TimeControl": "5000+100"}
    return Record(headers, tuple(map(RecordedPly, game["moves"])), headers["Result"])


def broken_off(index: int, count: int, result: str, termination: str) -> Record:
    """The same game, ended by a failure after some plies."""
    whole = finished(index)
    position = Position.start()
    for ply in whole.plies[:count]:
        position = position.play(parse_ply(ply.text))
    score = f"{position.score.white}-{position.score.black}"
    headers = {**whole.headers, "Result": result, "Score": score, "Termination": termination}
    return replace(whole, headers=headers, plies=whole.plies[:count], result=result)


def with_comment(record: Record, index: int, **comments: str) -> Record:
    """The same record with a comment after the ply of this index."""
    plies = list(record.plies)
    plies[index] = RecordedPly(plies[index].text, {**plies[index].comments, **comments})
    return replace(record, plies=tuple(plies))


def with_header(record: Record, **headers: str) -> Record:
    return replace(record, headers={**record.headers, **headers})


def substituted(index: int, count: int) -> Record:
    """A game in which the side to move failed after ``count`` plies and was played for to the end."""
    record = broken_off(index, count, "*", "crash")
    position = Position.start()
    for ply in record.plies:
        position = position.play(parse_ply(ply.text))
    failed, plies = position.to_move, list(record.plies)
    while not position.is_over:
        chosen = min(position.legal_plies()) if position.to_move is failed else max(position.legal_plies())
        marks = {"substitute": "1"} if position.to_move is failed else {}
        plies.append(RecordedPly(chosen.text, marks))
        position = position.play(chosen)
    result = ("0-1", "1-0")[failed]
    headers = {**record.headers, "Result": result, "Score": f"{position.score.white}-{position.score.black}"}
    return replace(record, headers=headers, plies=tuple(plies), result=result)
