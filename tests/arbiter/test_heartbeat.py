"""Whether the arbiter knows that it was late, or stood still."""

import pytest
import trio
from arbiter.match.bell import Bell
from arbiter.match.heartbeat import Heartbeat

from arbiter.match import heartbeat


@pytest.mark.trio
async def test_a_standstill_is_known_before_the_next_beat_and_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever wakes up before the heart does may judge nothing."""
    heart, real = Heartbeat(Bell()), heartbeat._now
    async with trio.open_nursery() as nursery:
        nursery.start_soon(heart.run)
        await trio.sleep(0.05)
        assert heart.standstill is None
        monkeypatch.setattr(heartbeat, "_now", lambda: real() + 100 * 10**9)
        assert heart.standstill == pytest.approx(100, abs=30)
        await trio.sleep(0.1)
        assert heart.standstill == pytest.approx(100, abs=30)
        nursery.cancel_scope.cancel()
