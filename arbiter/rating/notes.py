"""What stands below a table: what its numbers are relative to, and what one must know of its games."""

from collections import Counter
from collections.abc import Iterable, Mapping
from textwrap import shorten
from typing import TYPE_CHECKING

from arbiter.rating.clock_use import STARVED_SHARE
from arbiter.rating.outcome import Outcome
from arbiter.rating.tally import Tally

if TYPE_CHECKING:
    from arbiter.rating.table import Anchor

_LONGEST_REASON = 160
_NAMED_GAMES = 10  # void games that a note lists before it says "and N more"


def scale_notes(tally: Tally, components: int, groups: int, anchor: "Anchor | None") -> list[str]:
    """What the Elo numbers are relative to."""
    if not components:
        return []
    if components > groups:
        return [f"No Elo: the bots are {components} groups that have not met, directly or through others."]
    whole = "each group" if components > 1 else "all bots"
    notes = [f"Elo with its 95 % interval; the mean of {whole} is 0."]
    if anchor is not None and tally.meetings.get(anchor.bot):
        notes = [f"Elo with the 95 % interval of the difference to {anchor.bot}, set to {anchor.elo:g}."]
    elif anchor is not None:
        notes.append(f"{anchor.bot}, the anchor, has played no game: not used.")
    if components > 1:
        notes.append(f"{components} groups of bots never met: their ranks and ratings are not comparable.")
    return notes


def bye_notes(points: Iterable[tuple[str, float]]) -> list[str]:
    """Points that no game shows, by bot."""
    given = [f"{bot} {bye:g}" for bot, bye in points if bye]
    if not given:
        return []
    return [f"Points include those for byes and for games that an opponent did not play: {', '.join(given)}."]


def game_notes(tally: Tally) -> list[str]:
    """Games that count less than others."""
    notes = []
    if tally.half_pairs:
        notes.append(f"{_games(tally.half_pairs)} without the other half of the pair: counted all the same.")
    if tally.repeats:
        notes.append(
            f"{_games(tally.repeats)} repeated an earlier one ply by ply: counted in the points, "
            "not in the ratings."
        )
    if tally.void:
        notes.append(f"{_games(len(tally.void))} void and not counted: {_void_list(tally.void)}.")
    return notes + lateness_notes(tally)


def lateness_notes(tally: Tally) -> list[str]:
    """Void attempts that are the machine's fault, or of a bot that computed in its opponent's turn."""
    if not tally.late:
        return []
    count = tally.late.total()
    attempts = "1 attempt at a game was" if count == 1 else f"{count:,} attempts at games were"
    note = f"{attempts} void because the machine made a bot late ({_counts(tally.late)})."
    if tally.culprits:
        place = "Its opponent" if count == 1 else f"In {tally.culprits.total():,} of them the opponent"
        note += f" {place} computed meanwhile, though it was not its turn ({_counts(tally.culprits)})."
    return [note]


def _counts(by_bot: Counter[str]) -> str:
    return ", ".join(f"{bot} {count:,}" for bot, count in by_bot.most_common())


def busy_notes(tally: Tally) -> list[str]:
    """A warning of results that a busy machine has changed."""
    shares = {
        bot: standing.clock.waited_share or 0.0
        for bot, standing in tally.standings.items()
        if standing.clock.is_starved
    }
    if not shares:
        return []
    worst = max(shares, key=shares.__getitem__)
    who = f"{worst} waited for a core for {100 * shares[worst]:.0f} % of its time"
    others = len(shares) - 1
    if others:
        who += f", {others} other bot{'' if others == 1 else 's'} for more than {100 * STARVED_SHARE:.0f} %"
    return [
        f"Warning: the machine was too busy for reliable results: {who}. Lower `concurrency` or stop other "
        "programs."
    ]


def bot_notes(withdrawn: Mapping[str, str], left_out: Mapping[str, str]) -> list[str]:
    """Bots that left, and bots that never played; of a long reason the first line."""
    notes = [f"{bot} was withdrawn: {_brief(reason)}" for bot, reason in withdrawn.items()]
    notes += [f"{bot} was left out: {_brief(reason)}" for bot, reason in left_out.items()]
    return [note if note.endswith((".", "!", "?")) else note + "." for note in notes]


def _brief(reason: str) -> str:
    return shorten(reason.splitlines()[0], _LONGEST_REASON, placeholder=" ...")


def _games(count: int) -> str:
    return f"{count:,} game{'' if count == 1 else 's'}"


def _void_list(void: Iterable[Outcome]) -> str:
    named = [
        f"{outcome.number} ({outcome.detail})" if outcome.detail else str(outcome.number)
        for outcome in sorted(void, key=lambda o: o.number)
    ]
    more = len(named) - _NAMED_GAMES
    return ", ".join(named[:_NAMED_GAMES]) + (f" and {more} more" if more > 0 else "")
