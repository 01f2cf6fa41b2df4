"""Game records: the value, the text form DREC, and the check of a record against rules and itself."""

from protocol.records.drec import (
    decode_text,
    format_record,
    format_records,
    read_records,
    scan_lines,
    scan_records,
)
from protocol.records.record import (
    RESULTS,
    TERMINATIONS,
    TEXT,
    Fault,
    Reading,
    Record,
    RecordedPly,
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
    "decode_text",
    "format_record",
    "format_records",
    "read_records",
    "replay",
    "replay_until_fault",
    "result_by_score",
    "scan_lines",
    "scan_records",
    "verify_record",
]
