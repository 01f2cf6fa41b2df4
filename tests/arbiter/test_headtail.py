"""Keeping both ends of a stream, whatever the pieces in which it comes."""

from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.headtail import HeadTail


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_both_ends_are_kept_and_the_gap_is_told(pieces: list[bytes]) -> None:
    kept = HeadTail(head=30, tail=20)
    for piece in pieces:
        kept.feed(piece)
    stream = b"".join(pieces)
    assert kept.total == len(stream)
    if len(stream) <= 50:
        assert kept.text() == stream.decode(errors="backslashreplace")
    else:
        gap = f"\n... {len(stream) - 50} bytes left out ...\n".encode()
        assert kept.text() == (stream[:30] + gap + stream[-20:]).decode(errors="backslashreplace")


def test_the_last_line_can_stand_in_a_record_and_on_a_terminal() -> None:
    kept = HeadTail()
    kept.feed(b"fine\n\ta\x00b\x1b[1m\tc\xff\n \n")
    assert kept.last_line() == r"a\x00b\x1b[1m c\xff"
