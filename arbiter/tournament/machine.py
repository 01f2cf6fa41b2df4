"""On what, and with which versions, games are played: for the footer of tables and for records."""

import platform
from importlib.metadata import version
from pathlib import Path

from arbiter.isolation.affinity import usable_cores


def describe_machine() -> str:
    """System, processor and cores, such as ``Linux 6.1 x86_64, 8 cores, AMD EPYC 7763``."""
    parts = [f"{platform.system()} {platform.release()} {platform.machine()}", _cores(), _processor()]
    return ", ".join(part for part in parts if part)


def describe_versions() -> dict[str, str]:
    return {"arbiter": version("dvonn-arbiter"), "Python": platform.python_version()}


def _cores() -> str:
    cores = len(usable_cores())
    return f"{cores} core{'' if cores == 1 else 's'}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else ""
