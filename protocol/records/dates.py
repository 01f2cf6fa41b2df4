"""Dates of foreign records in the form of ours: ISO, with an offset from UTC or the day alone."""

import re
from datetime import date, datetime, timedelta, timezone

# Abbreviations with one meaning. EST is American or Australian, CST American or Chinese, IST Indian, Irish or
# Israeli, BST British or Bangladeshi: of such a date only the day is kept.
_HOURS = {
    **dict.fromkeys(("Z", "UTC", "UT", "GMT", "WET"), 0),
    **dict.fromkeys(("WEST", "CET"), 1),
    **dict.fromkeys(("CEST", "EET"), 2),
    **dict.fromkeys(("EEST", "MSK"), 3),
    **dict.fromkeys(("JST", "KST"), 9),
    "AEST": 10,
    "AEDT": 11,
    "NZST": 12,
    "NZDT": 13,
    "EDT": -4,
    "CDT": -5,
    "MDT": -6,
    "MST": -7,
    "PDT": -7,
    "PST": -8,
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_CLOCK = r"(?P<clock>\d\d:\d\d(?::\d\d)?)"
_FORMS = tuple(
    re.compile(form, re.ASCII | re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})([-./])(?P<month>\d\d?)\2(?P<day>\d\d?)"
        rf"(?:[T ]{_CLOCK}(?:\.\d+)? ?(?P<zone>\S+)?)?.*",
        # Tue Jul 07 10:05:21 NZST 2009, as Java prints a date
        rf"(?:[a-z]+\.?,? )?{_MONTH} (?P<day>\d\d?),? {_CLOCK} (?:(?P<zone>\S+) )?(?P<year>\d{{4}})",
        rf".*?\b(?P<day>\d\d?)\.? {_MONTH},? (?P<year>\d{{4}})\b.*",
        rf".*?\b{_MONTH} (?P<day>\d\d?),? (?P<year>\d{{4}})\b.*",
    )
)
_OFFSET = re.compile(r"(?:GMT|UTC)?([+-])(\d\d):?(\d\d)", re.ASCII)


def iso_date(text: str) -> str:
    """``2009-07-07T10:05:21+12:00``, the day alone where the offset is uncertain, or nothing."""
    words = " ".join(text.split())
    found = next(filter(None, (form.fullmatch(words) for form in _FORMS)), None)
    if found is None:
        return ""
    facts = found.groupdict()
    try:
        day = date(int(facts["year"]), _month(facts["month"]), int(facts["day"]))
        return _with_clock(day, facts.get("clock"), facts.get("zone")) or day.isoformat()
    except ValueError:
        return ""


def _month(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTHS.index(text.lower()) + 1


def _with_clock(day: date, clock: str | None, zone: str | None) -> str:
    offset = _offset(zone) if clock and zone else None
    if offset is None:
        return ""
    return datetime.fromisoformat(f"{day.isoformat()}T{clock}").replace(tzinfo=timezone(offset)).isoformat()


def _offset(zone: str) -> timedelta | None:
    if zone.upper() in _HOURS:
        return timedelta(hours=_HOURS[zone.upper()])
    if match := _OFFSET.fullmatch(zone):
        return (1 if match[1] == "+" else -1) * timedelta(hours=int(match[2]), minutes=int(match[3]))
    return None
