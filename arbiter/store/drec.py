"""Stored games as game records in the text form."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from arbiter.match.clock import MS
from arbiter.match.game import GameResult, PlyRecord
from arbiter.match.termination import Termination
from arbiter.store.league import League
from arbiter.store.played import PlayedGame
from protocol.records import Record, RecordedPly, format_record

_ANSWERED = (Termination.ILLEGAL, Termination.SYNTAX)


def records(league: League, first: int = 1) -> Iterator[Record]:
    """The last attempt at every game, in the order of the schedule, from the number ``first`` on.

    Raises StoreError for a damaged game.
    """
    return league.games_as(_recorder(league), first)


def texts(league: League) -> Iterator[str]:
    """The same in writing."""
    record = _recorder(league)
    return league.games_as(lambda game: format_record(record(game)))


def _recorder(league: League) -> Callable[[PlayedGame], Record]:
    event = league.get("tournament") or ""
    sessions = league.sessions()
    return partial(game_record, event=event, machine=sessions[-1]["machine"] if sessions else "")


def game_record(game: PlayedGame, event: str = "", machine: str = "") -> Record:
    """One game as a record; headers that would say nothing are left out."""
    outcome = game.outcome
    plies = [RecordedPly(record.ply, _comments(record)) for record in outcome.plies]
    opening: dict[str, str] = {}
    if outcome.termination in _ANSWERED and outcome.answer is not None:
        offence = {"illegal": outcome.answer}
        place = _place_of_offence(outcome.plies)
        if plies:
            plies[place] = RecordedPly(plies[place].text, {**plies[place].comments, **offence})
        else:
            opening = offence
    return Record(
        headers=_headers(game, event, machine),
        plies=tuple(plies),
        result=outcome.result,
        resigned=outcome.termination is Termination.RESIGN,
        opening_comments=opening,
    )


def _place_of_offence(plies: Sequence[PlyRecord]) -> int:
    """After the last ply; in a game that went on, with the first ply that was played instead."""
    return next((index for index, ply in enumerate(plies) if "substitute" in ply.info), len(plies) - 1)


def _headers(game: PlayedGame, event: str, machine: str) -> dict[str, str]:
    outcome = game.outcome
    same_time = game.white_time == game.black_time
    headers = {
        "Game": "DVONN",
        "Event": event,
        "Date": outcome.started_at,
        "Round": f"{game.round}.{game.game}",
        "White": game.white,
        "Black": game.black,
        "Result": outcome.result,
        "Score": f"{outcome.score.white}-{outcome.score.black}",
        "Termination": str(outcome.termination),
        "TimeControl": game.white_time if same_time else "",
        "WhiteTime": "" if same_time else game.white_time,
        "BlackTime": "" if same_time else game.black_time,
        "Detail": " ".join(outcome.detail.split()),
        "Fault": "" if outcome.fault is None else str(outcome.fault.code),
        "Number": str(game.number),
        "Rules": "" if game.rules == "standard" else game.rules,
        "Start": game.start or "",
        "Opening": game.opening or "",
        "Annulled": " ".join((game.annulled or "").split()),
        "Seed": str(game.seed),
        "WhiteHash": game.white_hash,
        "BlackHash": game.black_hash,
        "Clock": game.clock,
        "Isolation": _isolation(outcome),
        "Machine": machine,
    }
    return {key: value for key, value in headers.items() if value}


def _isolation(outcome: GameResult) -> str:
    """What held the two programs back; one that never started has nothing to say."""
    white, black = outcome.white.isolation, outcome.black.isolation
    if white and black and white != black:
        return f"white {white}, black {black}"
    return white or black


def _comments(record: PlyRecord) -> dict[str, str]:
    """What the bot said, what the ply cost in whole ms as told, and in ms to the µs as measured."""
    if "substitute" in record.info:
        return dict(record.info)
    comments = {**record.info, "used": str(-(-record.used // MS))}
    if record.left is not None:
        comments["left"] = str(record.left // MS)
    for name, ns in record.spent._asdict().items():
        comments[name] = f"{ns // MS}.{ns // 1000 % 1000:03}"
    return comments
