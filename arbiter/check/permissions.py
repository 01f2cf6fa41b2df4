"""What a bot does without isolation that it may not do in a tournament that sets nothing else."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from arbiter.check.excerpt import listed
from arbiter.check.probe import Probe
from arbiter.check.watch import TMPDIR
from arbiter.isolation import scratch
from arbiter.isolation.owner import new_marker
from arbiter.isolation.resources import needed_for
from arbiter.isolation.sandbox import USUAL, Level, Sandbox, shown
from arbiter.match.bot import Bot


def is_wide(sandbox: Sandbox) -> bool:
    """Whether a bot may do more there than usual."""
    return sandbox.level is Level.NONE


@contextmanager
def with_room(bot: Bot) -> Iterator[Bot]:
    """The bot with a $TMPDIR of its own also without isolation: what it writes elsewhere it chose itself."""
    room = _room() if is_wide(bot.sandbox) else None
    if room is None:
        yield bot
        return
    try:
        yield replace(bot, env={TMPDIR: str(room), **bot.env})
    finally:
        scratch.remove(room)


def _room() -> Path | None:
    """A fresh directory, if one can be made. Raises ResourceError when there is no room for it."""
    try:
        with needed_for("making a directory for temporary files"):
            return scratch.make(new_marker())
    except OSError:
        return None


def memory_denied(sandbox: Sandbox, probes: Sequence[Probe]) -> Iterator[str]:
    """The most memory that a bot held in these probes, if it is too much."""
    greatest = max(probes, key=lambda probe: probe.watch.peak, default=None)
    if greatest is None or not is_wide(sandbox) or greatest.watch.peak <= (USUAL.memory or 0):
        return
    yield (
        f"in {greatest.what} it held {shown(greatest.watch.peak)} of memory: a tournament that sets no other "
        f"`memory` allows {shown(USUAL.memory)}, and past that the game is lost"
    )


def files_denied(sandbox: Sandbox, files: Sequence[str], probes: Sequence[Probe]) -> Iterator[str]:
    """Files in the directory of the bot, or elsewhere, that it may not write."""
    if not is_wide(sandbox):
        return
    if files:
        yield (
            "if the bot wrote there, a tournament that sets no other `isolation` refuses it: write "
            "in the directory $TMPDIR, or not at all"
        )
    probe = next((probe for probe in probes if probe.watch.files), None)
    if probe is not None:
        yield (
            f"in {probe.what} it had files elsewhere open for writing: {listed(probe.watch.files)}; a "
            "tournament that sets no other `isolation` refuses that, or gives it an empty directory in the "
            "place of that one: write in the directory $TMPDIR, or not at all"
        )


def network_denied(sandbox: Sandbox, probes: Sequence[Probe]) -> Iterator[str]:
    """That the bot used the network."""
    probe = next((probe for probe in probes if probe.watch.sockets), None)
    if probe is not None and is_wide(sandbox):
        yield (
            f"in {probe.what} it used the network: {listed(probe.watch.sockets)}; a tournament that sets "
            "no other `isolation` refuses that: a pipe or `socketpair` leads to a program of your own"
        )
