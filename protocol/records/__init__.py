"""Game records: the value, the text form DREC, and the check of a record against rules and itself.

>>> text = '''
... [Game "DVONN"]
... [White "Clumsy"]
... [Black "Serious 0.3"]
... [Result "1-0"]
... [Start "........./..b......./..wrw....../........../......... w m"]
...
... 1. C3D4 {used=412 left=58211}
... 1-0
... '''
>>> (record,) = read_records(text, "games.drec")
>>> record.headers["White"], record.result, record.plies[0].text, record.plies[0].comments["used"]
('Clumsy', '1-0', 'C3D4', '412')
>>> replay(record)[-1].score, verify_record(record)
(Score(white=3, black=0), [])
"""

from protocol.records.drec import (
    Unread,
    decode_text,
    format_record,
    format_records,
    lines_of,
    read_records,
    scan_lines,
    scan_records,
    split_lines,
)
from protocol.records.record import (
    RESULTS,
    TERMINATIONS,
    TEXT,
    Fault,
    Reading,
    Record,
    RecordedPly,
    loser,
    result_by_score,
)
from protocol.records.replay import replay, replay_until_fault
from protocol.records.verify import verify_record

__all__ = [
    "RESULTS",
    "TERMINATIONS",
    "TEXT",
    "Fault",
    "Reading",
    "Record",
    "RecordedPly",
    "Unread",
    "decode_text",
    "format_record",
    "format_records",
    "lines_of",
    "loser",
    "read_records",
    "replay",
    "replay_until_fault",
    "result_by_score",
    "scan_lines",
    "scan_records",
    "split_lines",
    "verify_record",
]
