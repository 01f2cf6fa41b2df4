"""JSON Schemas (draft 2020-12) of all that commands print as JSON, one file each.

They promise what is there; later versions may add keys. The schema of a tournament file is made from
its model, see ``arbiter.tournament.model``.
"""

import json
from importlib.resources import files
from typing import Any

OUTPUTS = (
    "table", "crosstable", "pairing", "colour", "opening", "ending", "clock", "games", "position", "records",
    "bots", "doctor",
)  # fmt: skip


def load(name: str) -> dict[str, Any]:
    """One of ``OUTPUTS``."""
    schema: dict[str, Any] = json.loads((files(__name__) / f"{name}.json").read_text(encoding="utf-8"))
    return schema
