"""One bot alone with the referee: what comes of questions that have no answer, or a late one."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot
from arbiter.match.clock import MS, TimeControl
from arbiter.match.fault import Code
from arbiter.match.game import Competitor, GameSetup, PlyRecord
from arbiter.match.referee import Referee
from arbiter.match.seat import Guest
from arbiter.match.session import NotReadyError, Session, open_session
from protocol.rules import Position, Side, parse_ply
from tests.e2e.table import AMPLE, Table

Talk = Callable[[Session], Awaitable[None]]


def hold(bot: Bot, talk: Talk, time: TimeControl = AMPLE) -> None:
    """Seat a bot as White and talk with it."""
    competitor = Competitor(bot, time)

    async def main() -> None:
        with trio.fail_after(60):
            async with open_session(
                Side.WHITE, GameSetup(competitor, competitor, Position.start())
            ) as session:
                await talk(session)

    become_subreaper()
    trio.run(main)


def test_a_question_after_the_end_has_the_end_as_its_reply(table: Table) -> None:
    async def talk(session: Session) -> None:
        assert (await session.ask()).ply is not None
        fault = await session.fails_within(30)
        assert fault is not None
        assert fault.code is Code.EXITED
        reply = await session.ask()
        assert (reply.ply, reply.failure) == (None, fault)

    hold(table.odd("move-then-exit", "--at", "1"), talk)


def test_a_stall_is_the_reply_to_an_open_question(table: Table) -> None:
    async def talk(session: Session) -> None:
        session.begin_asking()
        session.table.perform(lambda: session.referee.stalled(7_000 * MS, {Side.WHITE: 7_000 * MS}))
        reply = await session.reply()
        assert reply.failure is not None
        assert reply.failure.code is Code.STALLED

    hold(table.odd("silent", "--at", "1"), talk)


def test_a_bot_that_the_machine_keeps_from_getting_ready_is_not_waited_for(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(session: Session) -> None:
        raise AssertionError("it is not ready")

    monkeypatch.setattr("arbiter.match.referee.MOST_WAITING", -1)
    with pytest.raises(NotReadyError) as caught:
        hold(table.bot("sleep", "60"), talk, TimeControl(start=200))
    assert caught.value.fault.code is Code.STARVED


def test_a_ply_that_only_the_machine_made_late_is_a_ply(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(session: Session) -> None:
        for _ in range(2):
            reply = await session.ask()
            assert reply.fault is not None
            assert (reply.fault.code, reply.failure) == (Code.MACHINE_LATE, None)
            assert reply.ply is not None
            session.play(reply.ply)
            session.play(session.referee.position.legal_plies()[0])

    monkeypatch.setattr("arbiter.match.clock.Overrun.is_machines", property(lambda overrun: overrun.is_late))
    hold(table.odd("late", "0.3", "--at", "1", "--always"), talk, TimeControl(game=None, move=50, grace=0))


def test_plies_are_taken_back_and_the_others_keep_their_records() -> None:
    nobody = Competitor(Bot("nobody", (sys.executable,), Path()), TimeControl())
    setup = GameSetup(nobody, nobody, Position.start())
    game = Referee(setup, dict.fromkeys(Side, Guest), leads=False)
    records = [PlyRecord(text, number, 5) for number, text in enumerate(("A1", "B1", "C1"))]
    for record in records:
        game.play(parse_ply(record.ply), record)
    game.take_back(1)
    assert (game.records, game.texts) == (records[:1], ["A1"])
    assert game.position == Position.start().play(parse_ply("A1"))
