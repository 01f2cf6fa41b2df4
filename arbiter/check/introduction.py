"""The steps before the first turn: start, handshake, options, readiness."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from arbiter.check import advice
from arbiter.check.check import SEED, Check, Introduction, Trial, ran_out_of_time
from arbiter.check.dialects import retold
from arbiter.check.excerpt import opening
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Verdict, failed, not_announced, passed, skipped
from arbiter.check.probe import Probe
from arbiter.check.seats import SpokenDvpSeat
from arbiter.isolation.environment import withheld
from arbiter.isolation.sandbox import Level
from protocol import dvp
from protocol.dvp import FEATURES, Option
from protocol.dvp.messages import is_integer, is_key
from protocol.rules import Side

_TYPES = ("check", "spin", "combo", "string", "button")
_FORMS = (
    "Write `option NAME check true|false`, `option NAME spin DEFAULT MIN MAX`, "
    "`option NAME combo DEFAULT CHOICE...`, `option NAME string [TEXT]` or `option NAME button`."
)
_ALONE = 8
"""Options at most that are tried one by one, to find the one at fault."""


async def starts(check: Check) -> Verdict:
    """The command starts a program, and the program stays."""
    found = await check.introduce()
    if found.stage != "starts" or found.probe.failure is None:
        return passed(*_withheld(check))
    change = ""
    if found.probe.seat.is_spawned:
        change = (
            f"Run the command by hand in {check.bot.directory}, where it is started: the program has to wait "
            "for lines on its standard input."
        )
    return check.verdict(found.probe, change)


def _withheld(check: Check) -> Iterator[str]:
    if check.bot.sandbox.level is Level.NONE and (names := withheld()):
        them = "it" if len(names) == 1 else "them"
        yield f"{' and '.join(names)}: set in this shell, not passed on; a bot has to flush without {them}"


async def handshake(check: Check) -> Verdict:
    """It answers the greeting."""
    found = await check.introduce()
    failure = found.probe.failure
    if found.stage == "handshake" and failure is not None:
        if not found.held_back:
            return await retold(check, check.verdict(found.probe))
        problem = "no output came until its input was closed; then the answer was there, kept in a buffer"
        return failed(problem, advice.FLUSH, opening(found.probe.transcript))
    return passed(*_introduced(found), *_misspelled_features(found.probe))


def _introduced(found: Introduction) -> Iterator[str]:
    ids = found.probe.seat.identity
    name = " ".join(ids[kind] for kind in ("name", "version") if kind in ids) or "it gives no name"
    known = sorted(found.probe.seat.features)
    features = f"features {' '.join(known)}" if known else "no features"
    yield f"{name}; {features}; answered after {found.took:.0f} ms"


def _misspelled_features(probe: Probe) -> Iterator[str]:
    for line in probe.seat.heard:
        message = dvp.parse(line.encode(), dvp.Role.BOT)
        if isinstance(message, dvp.Feature):
            for name in message.names:
                if name not in FEATURES:
                    close = get_close_matches(name, FEATURES, n=1)
                    meant = f": did you mean `{close[0]}`?" if close else " and has no effect"
                    yield f"feature `{name}` is not known{meant}"


async def readiness(check: Check) -> Verdict:
    """It says when it is ready, if it wants to be asked."""
    found = await check.introduce()
    if "ready" not in found.probe.seat.features:
        return not_announced("the feature `ready`")
    if found.stage == "readiness" and found.probe.failure is not None:
        return check.verdict(found.probe)
    return passed()


# --- options


async def options(check: Check) -> Verdict:
    """What it offers is well-formed, and it still plays when all of that was set."""
    found = await check.introduce()
    faults = list(_faults_of_options(found.probe.seat.heard))
    if faults:
        return failed("; ".join(faults), _FORMS, opening(found.probe.transcript, 12))
    if not found.options:
        return not_announced("any option")
    if found.stage:
        return skipped("it needs step 4, readiness")
    probe = await _set(check, found.options)
    if probe.failure is None or ran_out_of_time(probe):
        return passed(f"{len(found.options)} offered: {', '.join(each.name for each in found.options)}")
    game = await check.game(Side.WHITE)
    if game.failure is not None and game.failure.number <= 1:
        return skipped("its first ply fails without any options, too")
    return await _blame(check, found.options, probe)


async def _set(check: Check, options: tuple[Option, ...]) -> Probe:
    """Set these options to all values worth trying, then ask for one ply."""
    names = ", ".join(option.name for option in options)
    async with check.probe(Trial(f"setting {names}")) as probe:
        seat = probe.seat
        assert isinstance(seat, SpokenDvpSeat)
        if await probe.greet():
            for option in options:
                for value in _values(option):
                    await probe.do(partial(seat.say, f"setoption {option.name} {value}".rstrip(" ")))
            if await probe.do(seat.begin_game, lambda: seat.is_ready) and await probe.play(Opponent(SEED), 1):
                await probe.end()
    return probe


async def _blame(check: Check, options: tuple[Option, ...], probe: Probe) -> Verdict:
    """Find the option after which the bot fails, by setting each alone."""
    culprit: Option | None = None
    if len(options) <= _ALONE:
        for option in options:
            alone = await _set(check, (option,))
            if alone.failure is not None:
                probe, culprit = alone, option
                break
    assert probe.failure is not None
    which = "the options it offers had been set" if culprit is None else f"`setoption {culprit.name}`"
    verdict = check.verdict(probe)
    values = "Take every value that the `option` line allows, the least ones too."
    if culprit is not None and _is_seed(culprit):
        values = (
            f"Every game comes with another `Seed`: take every value up to the greatest, {culprit.high}, "
            "or announce a smaller range."
        )
    problem, change = f"after {which}: {verdict.problem}", f"{values} {verdict.change}"
    return replace(verdict, problem=problem, change=change)


def _is_seed(option: Option) -> bool:
    return option.name == "Seed" and option.kind == "spin"


def _values(option: Option) -> Iterator[str]:
    """The least or the other values first, the default last; never the most of something, such as memory.

    But the greatest `Seed`, which stays set: tournaments draw theirs from the whole range.
    """
    match option.kind:
        case "check":
            yield "false" if option.default == "true" else "true"
        case "spin":
            yield str(option.low)
        case "combo":
            yield from option.choices
        case "button":
            yield ""
    if option.kind != "button":
        yield option.default
    if _is_seed(option):
        yield str(option.high)


def _faults_of_options(lines: Iterable[str]) -> Iterator[str]:
    names: set[str] = set()
    for line in lines:
        if line.split()[:1] != ["option"]:
            continue
        message = dvp.parse(line.encode(), dvp.Role.BOT)
        if not isinstance(message, Option):
            yield f"`{line.strip()}` is malformed: {_fault_of_line(line.split())}"
        elif message.name in names:
            yield f"option {message.name} is offered twice"
        elif message.kind == "combo" and message.default not in message.choices:
            yield f"option {message.name}: {_fault_of_combo(message)}"
        elif fault := message.fault(message.default):
            yield f"option {message.name}: the default {message.default!r} cannot be set: {fault}"
        if isinstance(message, Option):
            names.add(message.name)


def _fault_of_combo(option: Option) -> str:
    default, choices = option.default, " ".join(option.choices)
    meant = f"option {option.name} combo {default} {default} {choices}"
    words = f"its default {default!r} is not among its choices ({choices})"
    return f"{words}; it stands first, and then again among all choices: `{meant}`"


def _fault_of_line(words: list[str]) -> str:
    if len(words) < 3:
        return "a name and a type are needed"
    name, kind, arguments = words[1], words[2], words[3:]
    if not is_key(name):
        return f"the name {name!r} is not made of letters, digits, `_` and `-`"
    if kind not in _TYPES:
        later = next((word for word in arguments if word in _TYPES), None)
        blank = f"; a name has no blanks, and `{later}` would be the type" if later else ""
        return f"the type {kind!r} is none of {', '.join(_TYPES)}{blank}"
    if kind == "spin":
        return _fault_of_spin(arguments)
    if kind == "check":
        return "the default is true or false"
    needed = "a default and at least one choice are needed; the default stands among the choices, too"
    return f"{needed}: `option {name} combo {arguments[0]} {arguments[0]}`" if arguments else needed


def _fault_of_spin(arguments: list[str]) -> str:
    if len(arguments) < 3 or not all(map(is_integer, arguments[:3])):
        return "three integers are needed: the default, the least, the greatest"
    default, low, high = map(int, arguments[:3])
    if low > high:
        return f"the least value {low} is above the greatest {high}; the order is default, least, greatest"
    return f"the default {default} is not from {low} to {high}; the order is default, least, greatest"
