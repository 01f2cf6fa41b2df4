"""The league table: who played, who won, how strong each bot is, and what one must know to read it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arbiter.match.clock import MS
from arbiter.match.termination import FORFEITS
from arbiter.rating.clock_use import ClockSums
from arbiter.rating.notes import bot_notes, busy_notes, bye_notes, game_notes, scale_notes
from arbiter.rating.outcome import Outcome
from arbiter.rating.sprt import SprtProgress
from arbiter.rating.tally import Tally
from arbiter.rating.tiebreaks import Ranking, rank


@dataclass(frozen=True, slots=True)
class Anchor:
    """The bot whose rating is set, and the Elo it is set to."""

    bot: str
    elo: float


@dataclass(frozen=True, slots=True)
class Facts:
    """Under which conditions the games were played; None or empty where it is not known."""

    title: str | None = None
    seed: int | None = None
    time_control: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: str | None = None


@dataclass(frozen=True, slots=True)
class Annulment:
    """One try at a game that the organiser took out, perhaps to have the game ``replayed``.

    ``played_again``: whether that was done since; ``missing``: the bot for which it cannot be done.
    """

    number: int
    attempt: int
    white: str
    black: str
    why: str
    at: str
    replayed: bool
    played_again: bool = False
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Readmission:
    """A bot that was withdrawn and let play again: when, why it had been withdrawn, and which games it is
    forgiven to have failed, by number and attempt.
    """

    bot: str
    at: str
    why: str
    forgiven: tuple[tuple[int, int], ...]

    def as_json(self) -> dict[str, Any]:
        """As programs are told."""
        games = [{"number": number, "attempt": attempt} for number, attempt in self.forgiven]
        return {"name": self.bot, "at": self.at, "why": self.why, "forgiven": games}


@dataclass(frozen=True, slots=True)
class Row:
    """One bot. Ratings in Elo with the bounds of their 95 % interval; None for a bot without games.

    The anchor has no bounds. ``points`` include ``bye_points``: those without a game, for byes and for
    games that an opponent did not play. ``mean_margin``: own pieces minus the
    opponent's, per game played to its end; ``margin_error`` half the width of its 95 % interval.
    ``codecup_points``: per game. ``forfeits``: by kind, those that happened.
    """

    rank: int
    bot: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    mean_margin: float | None
    codecup_points: float | None
    forfeits: Mapping[str, int]
    clock: ClockSums | None = None
    margin_error: float | None = None
    bye_points: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """Bots that met, directly or through others. ``advantage``: of the first move, in Elo."""

    rows: tuple[Row, ...]
    advantage: float | None


@dataclass(frozen=True, slots=True)
class LeagueTable:
    """Groups of bots, best first, and what stands below them.

    Ranks and ratings compare within a group only. ``draw_share`` and ``white_share`` (White's points
    per game) are None without games. ``void``: numbers of the games that do not count, and why.
    ``withdrawn`` bots failed too often, ``retired`` ones gave their name to a new version, both with the
    reason. ``readmitted``: bots that came back. ``annulled``: games that were taken out. ``test``: where a
    sequential test stands. ``ties`` of a knockout, as programs are told.
    """

    groups: tuple[Group, ...]
    games: int
    draw_share: float | None
    white_share: float | None
    anchor: Anchor | None
    void: Mapping[int, str]
    withdrawn: Mapping[str, str]
    notes: tuple[str, ...]
    facts: Facts
    lag_ms: float | None = None
    retired: Mapping[str, str] = field(default_factory=dict)
    annulled: tuple[Annulment, ...] = ()
    test: SprtProgress | None = None
    readmitted: tuple[Readmission, ...] = ()
    ties: tuple[Mapping[str, Any], ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def advantage(self) -> float | None:
        """Of the first move in Elo, where there is one group and so one number."""
        return self.groups[0].advantage if len(self.groups) == 1 else None


def build_table(
    bots: Sequence[str],
    outcomes: Iterable[Outcome],
    *,
    anchor: Anchor | None = None,
    withdrawn: Mapping[str, str] | None = None,
    left_out: Mapping[str, str] | None = None,
    facts: Facts | None = None,
    ranking: Ranking | None = None,
    remarks: Sequence[str] = (),
) -> LeagueTable:
    """The table of these games, ``bots`` in the order that decides where nothing else does.

    ``withdrawn`` and ``left_out`` give the reason by bot. An anchor without a game is ignored, with a
    note. ``remarks`` stand before all notes.
    """
    return table_of(
        Tally(bots, outcomes),
        anchor=anchor,
        withdrawn=withdrawn,
        left_out=left_out,
        facts=facts,
        ranking=ranking,
        remarks=remarks,
    )


def table_of(
    tally: Tally,
    *,
    anchor: Anchor | None = None,
    withdrawn: Mapping[str, str] | None = None,
    left_out: Mapping[str, str] | None = None,
    facts: Facts | None = None,
    ranking: Ranking | None = None,
    remarks: Sequence[str] = (),
) -> LeagueTable:
    """The same from sums, for a tournament under way."""
    withdrawn = dict(withdrawn or {})
    ranking = ranking or Ranking()
    components = _components(tally)
    groups: list[Group] = []
    doubts: list[str] = []
    if ranking.kind != "round-robin" and len(components) != 1:
        groups = [_unrated_group(tally, ranking)]
    else:
        groups, doubts = _rated_groups(components, tally, anchor, ranking)
    _append_idle(groups, tally, ranking)
    games = tally.games
    return LeagueTable(
        groups=tuple(groups),
        games=games,
        draw_share=tally.draws / games if games else None,
        white_share=tally.white_points / games if games else None,
        anchor=anchor,
        void={outcome.number: outcome.detail for outcome in sorted(tally.void, key=lambda o: o.number)},
        withdrawn=withdrawn,
        notes=(
            *remarks,
            *busy_notes(tally),
            *scale_notes(tally, len(components), len(groups), anchor),
            *doubts,
            *bye_notes((row.bot, row.bye_points) for group in groups for row in group.rows),
            *game_notes(tally),
            *bot_notes(withdrawn, left_out or {}),
        ),
        facts=facts or Facts(),
        lag_ms=tally.lag / MS if tally.lag else None,
    )


def _components(tally: Tally) -> list[list[str]]:
    """The bots that have played, by groups that met; all in the tally's order."""
    components: list[list[str]] = []
    seen: set[str] = set()
    for bot in tally.standings:
        if bot in seen or not tally.meetings[bot]:
            continue
        found, front = {bot}, [bot]
        while front:
            fresh = tally.meetings[front.pop()].keys() - found
            found |= fresh
            front += fresh
        seen |= found
        components.append([name for name in tally.standings if name in found])
    return components


def _rated_groups(
    components: Collection[Sequence[str]], tally: Tally, anchor: Anchor | None, ranking: Ranking
) -> tuple[list[Group], list[str]]:
    groups: list[Group] = []
    doubts: list[str] = []
    for members in components:
        group, doubt = _rate_group(members, tally, anchor, ranking)
        groups.append(group)
        doubts += [f"Group {len(groups)}: {each}" if len(components) > 1 else each for each in doubt]
    return groups, doubts


def _unrated_group(tally: Tally, ranking: Ranking) -> Group:
    """Bots that a Swiss system or a knockout ranks, though they have not all met yet."""
    members = [bot for bot in tally.standings if tally.meetings[bot] or ranking.knows(bot)]
    order = rank(members, tally.standings, tally.points, tally.meetings, ranking)
    rows = (_row(place, bot, tally, ranking) for place, bot in order)
    return Group(tuple(rows), None)


def _rate_group(
    members: Sequence[str], tally: Tally, anchor: Anchor | None, ranking: Ranking
) -> tuple[Group, list[str]]:
    from arbiter.rating.davidson import Games, rate  # NumPy: only when there is something to rate

    inside = anchor is not None and anchor.bot in members
    ratings = rate(
        Games.of(members, tally.rated, tally.pairs),
        (anchor.bot, anchor.elo) if anchor is not None and inside else None,
    )
    elo = {
        bot: (float(value), *(ratings.interval(bot) or (None, None)))
        for bot, value in zip(ratings.bots, ratings.elo, strict=True)
    }
    idle = [bot for bot in tally.standings if not tally.meetings[bot] and ranking.knows(bot)]
    order = rank([*members, *idle], tally.standings, tally.points, tally.meetings, ranking)
    rows = tuple(_row(place, bot, tally, ranking, *elo.get(bot, ())) for place, bot in order)
    remarks = []
    if not ratings.decisive:
        remarks.append("No game was won, so all ratings are equal; the intervals show how little is known.")
    elif ratings.phantoms:
        remarks.append(
            "Ratings rest on one extra draw for each bot against a bot rated 0, because some bots never "
            "lost to some others."
        )
    return Group(rows, ratings.advantage), remarks


def _append_idle(groups: list[Group], tally: Tally, ranking: Ranking) -> None:
    """Bots without a game stand at the end of the last group, sharing its last rank, but for those
    that have a rank without one.
    """
    ranked = {row.bot for group in groups for row in group.rows}
    idle = [bot for bot in tally.standings if bot not in ranked]
    if not idle and groups:
        return
    last = groups.pop() if groups else Group((), None)
    place = len(last.rows) + 1
    rows = tuple(_row(place, bot, tally, ranking) for bot in idle)
    groups.append(Group(last.rows + rows, last.advantage))


def _row(
    place: int,
    bot: str,
    tally: Tally,
    ranking: Ranking,
    elo: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Row:
    standing = tally.standings[bot]
    return Row(
        rank=place,
        bot=bot,
        games=standing.games,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        points=standing.points + ranking.free.get(bot, 0.0),
        elo=elo,
        elo_low=low,
        elo_high=high,
        mean_margin=standing.mean_margin,
        codecup_points=standing.codecup_points,
        clock=standing.clock if standing.clock.games else None,
        forfeits={str(kind): standing.forfeits[kind] for kind in FORFEITS if standing.forfeits[kind]},
        margin_error=tally.margin_error(bot),
        bye_points=ranking.free.get(bot, 0.0),
    )
