"""Who meets whom: one module for each kind of format."""

from arbiter.tournament.config import Tournament
from arbiter.tournament.formats.format import Format
from arbiter.tournament.formats.knockout import Knockout
from arbiter.tournament.formats.league import League
from arbiter.tournament.formats.sprt import SprtMatch
from arbiter.tournament.formats.swiss import Swiss
from arbiter.tournament.formats.tie import Tie

__all__ = ["Format", "Knockout", "SprtMatch", "Swiss", "Tie", "format_of"]


def format_of(tournament: Tournament) -> Format:
    """The format that a tournament names, before its first game."""
    names = [bot.name for bot in tournament.bots]
    match tournament.format:
        case "swiss":
            return Swiss(names, tournament.rounds)
        case "knockout":
            return Knockout(tournament.seeds, tournament.best_of)
        case "sprt":
            return SprtMatch((names[0], names[1]), tournament.sprt.test, tournament.sprt.max_pairs)
        case "gauntlet":
            return League.gauntlet(names, tournament.challengers, tournament.rounds)
    return League.round_robin(names, tournament.rounds)
