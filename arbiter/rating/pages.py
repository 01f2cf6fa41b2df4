"""Views of a league beside its table: who did what against whom, with which colour, from where, how.

Each is a sheet. Its rows, in CSV and JSON, have these keys; a share is between 0 and 1, Elo and
margins are from the side of ``name``, and a value that does not exist is null (empty in CSV).

``crosstable``  ``name rank games points``; ``bye_points``: those of the points that no game shows;
                ``points_against`` and ``games_against``: by opponent, in the table's order; null for
                the bot itself and for who never met.
``pairing``     ``name opponent games wins draws losses score``; ``pairs``: complete pairs of distinct
                games by points, keys LL LD DD_WL DW WW; ``lone_games``: those without the other half
                of a pair, which count as well; ``elo elo_low elo_high``: 95 % bounds, null where
                there is none, as below a lost match; ``los``: the chance that ``name`` is
                the stronger; ``mean_margin margin_error``: its 95 % half width; ``repeats``: games that
                repeat an earlier one of the two ply by ply.
``colour``      ``name``, then each for white and for black: ``white_games white_wins white_draws
                white_losses white_score white_margin``.
``opening``     ``opening`` (a DPOS, null for the empty board), then White's ``games wins draws losses
                score score_low score_high mean_margin``; the bounds are those of 95 %.
``ending``      ``name games played_out resigned``, one count for each kind of forfeit, ``opponent``:
                games that the opponent resigned or forfeited, ``void``: games that do not count. Of void
                attempts at games, replayed or not: ``machine_late``, those in which the machine made the
                bot late, ``culprit``, those in which it computed in the turn of a bot that was late.
``clock``       ``name games plies mean_ms worst_ms worst_grace_ms game_ms idle_cpu_ms``: charges of a
                ply, the most grace used in a game, the mean charge of a game, and the CPU time taken
                in the opponent's turns of a game; ``waited_share``: the share of its time in which the
                machine gave it no core.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

from arbiter.match.clock import MS
from arbiter.match.termination import FORFEITS, Termination
from arbiter.rating.interval import match_interval, score_interval
from arbiter.rating.layout import signed
from arbiter.rating.notes import busy_notes, bye_notes, lateness_notes
from arbiter.rating.sheet import Column, Sheet, Values
from arbiter.rating.table import LeagueTable
from arbiter.rating.tally import Results, Standing, Tally

PageKind = Literal["crosstable", "pairing", "colour", "opening", "ending", "clock"]
PAGES: tuple[PageKind, ...] = get_args(PageKind)

CELLS = ("LL", "LD", "DD_WL", "DW", "WW")
_WIDEST_CROSSTABLE = 12  # bots up to which points fit in 100 columns
_EMPTY_BOARD = "the empty board"


def page(kind: PageKind, tally: Tally, table: LeagueTable) -> Sheet:
    """One of the views of the games that ``table`` was made from."""
    builders: Mapping[PageKind, Callable[[Tally, LeagueTable], Sheet]] = {
        "crosstable": _crosstable,
        "pairing": _pairing,
        "colour": _colour,
        "opening": _opening,
        "ending": _ending,
        "clock": _clock,
    }
    return builders[kind](tally, table)


def _sheet(
    kind: PageKind,
    table: LeagueTable,
    columns: Sequence[Column],
    rows: Sequence[Values],
    keys: str,
    notes: Sequence[str] = (),
) -> Sheet:
    return Sheet(kind, table.facts.title, tuple(keys.split()), tuple(columns), tuple(rows), tuple(notes))


def _names(table: LeagueTable) -> list[str]:
    return [row.bot for row in table.rows]


# The notes that concern games, not ratings: what every view of them has to be read with.
def _game_notes(tally: Tally) -> list[str]:
    if not tally.repeats:
        return []
    games = "1 game" if tally.repeats == 1 else f"{tally.repeats:,} games"
    return [f"{games} repeated an earlier one ply by ply: counted, but left out of intervals and pairs."]


def _crosstable(tally: Tally, table: LeagueTable) -> Sheet:
    bots = _names(table)
    rows = [
        {
            "name": row.bot,
            "rank": row.rank,
            "games": row.games,
            "points": row.points,
            "bye_points": row.bye_points,
            "points_against": {other: tally.points[row.bot].get(other) for other in bots},
            "games_against": {other: tally.meetings[row.bot].get(other) for other in bots},
        }
        for row in table.rows
    ]
    most = max((games for met in tally.meetings.values() for games in met.values()), default=0)
    percent = len(bots) > _WIDEST_CROSSTABLE or most >= 1000
    form = "percent" if percent else ".1f" if tally.draws else ".0f"
    byes = bye_notes((row.bot, row.bye_points) for row in table.rows)
    columns = [
        Column("#", lambda row: str(bots.index(row["name"]) + 1)),
        _text("Bot", "name"),
        _count("Games", "games"),
        Column("Points", lambda row: f"{row['points']:.1f}"),
        *([Column("Byes", lambda row: f"{row['bye_points']:.1f}")] if byes else []),
        *(Column(str(n), _against(other, form)) for n, other in enumerate(bots, start=1)),
    ]
    unit = "share of the points in %" if percent else "points"
    note = f"In each row the bot's {unit} against the bot with that number{_met(tally)}."
    keys = "name rank games points bye_points points_against games_against"
    notes = [note, *byes, *_game_notes(tally)]
    return _sheet("crosstable", table, columns, rows, keys, notes if rows else [])


def _against(other: str, form: str) -> Callable[[Values], str]:
    def cell(row: Values) -> str:
        points, games = row["points_against"][other], row["games_against"][other]
        if row["name"] == other:
            return "·"
        if not games:
            return ""
        return f"{100 * points / games:.0f}" if form == "percent" else f"{points:{form}}"

    return cell


def _met(tally: Tally) -> str:
    """How many games those who met have played."""
    counts = {games for met in tally.meetings.values() for games in met.values()}
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    games = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f", of {games} game{'' if most == 1 else 's'} each"


def _pairing(tally: Tally, table: LeagueTable) -> Sheet:
    rows = [
        _pairing_row(tally, bot, other)
        for bot, other in combinations(_names(table), 2)
        if other in tally.meetings[bot]
    ]
    columns = [
        _text("Bot", "name"),
        _text("Opponent", "opponent"),
        *_wdl(""),
        *([_count("Repeats", "repeats")] if tally.repeats else []),
        Column("LL LD  = DW WW", _pairs_cell),
        Column("Elo, 95 %", _elo_cell),
        Column("LOS %", lambda row: f"{100 * row['los']:.1f}"),
        Column("Margin ±", _margin_cell),
    ]
    notes = [
        "LL to WW: pairs with swapped colours by the bot's two results (= is a win and a loss or two "
        "draws). LOS: the chance that the bot is the stronger of the two.",
        *_lone_notes(rows),
        *_game_notes(tally),
    ]
    keys = (
        "name opponent games wins draws losses score pairs lone_games elo elo_low elo_high los "
        "mean_margin margin_error repeats"
    )
    return _sheet("pairing", table, columns, rows, keys, notes if rows else [])


def _lone_notes(rows: Sequence[Values]) -> list[str]:
    lone = sum(row["lone_games"] for row in rows)
    if not lone:
        return []
    games = "1 game" if lone == 1 else f"{lone:,} games"
    return [f"{games} without the other half of a pair: in the Elo and the LOS all the same."]


def _pairing_row(tally: Tally, bot: str, other: str) -> Values:
    results = tally.results(bot, other)
    pairs = tally.pairs_of(bot, other)
    rated = sum(results.rated)
    interval = match_interval(results.rated, pairs)
    return {
        "name": bot,
        "opponent": other,
        **_results(results),
        "pairs": dict(zip(CELLS, pairs, strict=True)),
        "lone_games": rated - 2 * sum(pairs),
        "elo": interval.elo,
        "elo_low": interval.elo_low,
        "elo_high": interval.elo_high,
        "los": interval.los,
        "mean_margin": results.mean_margin,
        "margin_error": tally.margin_error(bot, other),
        "repeats": results.games - rated,
    }


def _colour(tally: Tally, table: LeagueTable) -> Sheet:
    sides: dict[str, tuple[Results, Results]] = {bot: (Results(), Results()) for bot in _names(table)}
    for (white, black), results in tally.encounters.items():
        sides[white][0].merge(results)
        sides[black][1].merge(results.turned())
    rows = [
        {
            "name": bot,
            **{f"white_{key}": value for key, value in _side(as_white).items()},
            **{f"black_{key}": value for key, value in _side(as_black).items()},
        }
        for bot, (as_white, as_black) in sides.items()
    ]
    columns = [
        _text("Bot", "name"),
        *_wdl("white_", "White"),
        _percent("%", "white_score"),
        _signed("Margin", "white_margin"),
        *_wdl("black_", "Black"),
        _percent("%", "black_score"),
        _signed("Margin", "black_margin"),
    ]
    parts = ["games", "wins", "draws", "losses", "score", "margin"]
    keys = " ".join(("name", *(f"{side}_{part}" for side in ("white", "black") for part in parts)))
    notes = []
    if table.white_share is not None:
        played = f"{table.games:,} game{'' if table.games == 1 else 's'}"
        notes = [f"White scored {100 * table.white_share:.1f} % of {played}."]
    return _sheet("colour", table, columns, rows, keys, notes)


def _side(results: Results) -> dict[str, Any]:
    return {**_results(results), "margin": results.mean_margin}


def _opening(tally: Tally, table: LeagueTable) -> Sheet:
    rows = []
    for opening, results in sorted(tally.openings.items(), key=lambda each: (-each[1].games, each[0] or "")):
        interval = score_interval(results.rated)
        rows.append(
            {
                "opening": opening,
                **_results(results),
                "score_low": interval.low,
                "score_high": interval.high,
                "mean_margin": results.mean_margin,
            }
        )
    columns = [
        Column("Opening", lambda row: row["opening"] or _EMPTY_BOARD, "left"),
        *_wdl(""),
        Column("White's %, 95 %", _share_cell),
        _signed("Margin", "mean_margin"),
    ]
    notes = ["Results and margins are White's.", *_game_notes(tally)]
    keys = "opening games wins draws losses score score_low score_high mean_margin"
    return _sheet("opening", table, columns, rows, keys, notes if rows else [])


def _ending(tally: Tally, table: LeagueTable) -> Sheet:
    rows = [_ending_row(tally, row.bot, tally.standings[row.bot]) for row in table.rows]
    happened = [str(kind) for kind in FORFEITS if any(row[str(kind)] for row in rows)]
    columns = [
        _text("Bot", "name"),
        _count("Games", "games"),
        _count("Played out", "played_out"),
        _count("Resigned", "resigned"),
        *(_count(kind.capitalize(), kind) for kind in happened),
        _count("Opponent failed", "opponent"),
        _count("Void", "void"),
        *([_count("Machine late", "machine_late")] if tally.late else []),
        *([_count("Culprit", "culprit")] if tally.culprits else []),
    ]
    keys = " ".join(("name games played_out resigned", *FORFEITS, "opponent void machine_late culprit"))
    notes = [] if happened or not table.games else ["No game was forfeited."]
    return _sheet("ending", table, columns, rows, keys, [*notes, *lateness_notes(tally)])


def _ending_row(tally: Tally, bot: str, standing: Standing) -> Values:
    own = standing.resigned + standing.forfeits.total()
    return {
        "name": bot,
        "games": standing.games,
        "played_out": standing.margin_games,
        "resigned": standing.resigned,
        **{str(kind): standing.forfeits[Termination(kind)] for kind in FORFEITS},
        "opponent": standing.games - standing.margin_games - own,
        "void": sum(bot in (outcome.white, outcome.black) for outcome in tally.void),
        "machine_late": tally.late[bot],
        "culprit": tally.culprits[bot],
    }


def _clock(tally: Tally, table: LeagueTable) -> Sheet:
    rows = []
    for bot in _names(table):
        use = tally.standings[bot].clock
        if use.games:
            rows.append(
                {
                    "name": bot,
                    "games": use.games,
                    "plies": use.plies,
                    "mean_ms": use.mean_ms,
                    "worst_ms": use.worst_ms,
                    "worst_grace_ms": use.worst_grace_ms,
                    "game_ms": use.used / use.games / MS,
                    "idle_cpu_ms": use.idle_ms_a_game,
                    "waited_share": use.waited_share,
                }
            )
    columns = [
        _text("Bot", "name"),
        _count("Games", "games"),
        _count("Plies", "plies"),
        _milliseconds("Mean ms", "mean_ms", 1),
        _milliseconds("Worst ms", "worst_ms"),
        _milliseconds("Worst grace ms", "worst_grace_ms"),
        _milliseconds("A game ms", "game_ms"),
        _milliseconds("Idle CPU ms", "idle_cpu_ms"),
        *(
            [_percent("Waited %", "waited_share")]
            if any(row["waited_share"] is not None for row in rows)
            else []
        ),
    ]
    notes = ["Idle CPU: time taken on processors in the opponent's turns of a game."] if rows else []
    if table.lag_ms is not None:
        notes.append(f"The arbiter was late by {table.lag_ms:.0f} ms at most.")
    notes += busy_notes(tally)
    keys = "name games plies mean_ms worst_ms worst_grace_ms game_ms idle_cpu_ms waited_share"
    return _sheet("clock", table, columns, rows, keys, notes)


# Parts of rows


def _results(results: Results) -> dict[str, Any]:
    return {
        "games": results.games,
        "wins": results.wins,
        "draws": results.draws,
        "losses": results.losses,
        "score": results.score,
    }


# Columns


def _text(heading: str, key: str) -> Column:
    return Column(heading, lambda row: row[key], "left", name=True)


def _count(heading: str, key: str) -> Column:
    return Column(heading, lambda row: f"{row[key]:,}")


def _wdl(prefix: str, heading: str = "Games") -> Iterator[Column]:
    yield _count(heading, f"{prefix}games")
    for letter, key in (("W", "wins"), ("D", "draws"), ("L", "losses")):
        yield _count(letter, prefix + key)


def _percent(heading: str, key: str) -> Column:
    return Column(heading, lambda row: "-" if row[key] is None else f"{100 * row[key]:.1f}")


def _signed(heading: str, key: str) -> Column:
    return Column(heading, lambda row: "-" if row[key] is None else signed(row[key], 1))


def _milliseconds(heading: str, key: str, decimals: int = 0) -> Column:
    return Column(heading, lambda row: f"{row[key]:,.{decimals}f}")


# Cells


def _pairs_cell(row: Values) -> str:
    return " ".join(f"{row['pairs'][cell]:>2}" for cell in CELLS)


def _elo_cell(row: Values) -> str:
    """``+73 (-43, +190)``; one bound where the other is out of sight; ``-`` without either."""
    low, high = row["elo_low"], row["elo_high"]
    if low is None or high is None:
        return "-" if low is high else f"< {signed(high)}" if low is None else f"> {signed(low)}"
    return f"{signed(row['elo'])} ({signed(low)}, {signed(high)})"


def _margin_cell(row: Values) -> str:
    if row["mean_margin"] is None:
        return "-"
    error = "" if row["margin_error"] is None else f" ± {row['margin_error']:4.1f}"
    return signed(row["mean_margin"], 1) + error


def _share_cell(row: Values) -> str:
    if row["score"] is None:
        return "-"
    return f"{100 * row['score']:.1f} ({100 * row['score_low']:.0f} to {100 * row['score_high']:.0f})"
