"""Starter bots as their authors get them: written by ``arbiter new``, and built by the command it names."""

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.commands import arbiter
from tests.sample_bots.referee import HERE

LANGUAGES: dict[str, dict[str, Any]] = yaml.safe_load(
    (HERE / "starters" / "starters.yaml").read_text("utf-8")
)


def languages(*keys: str) -> list[Any]:
    """Parameters for a test: all languages, or some, each skipped where its tools are missing."""
    marks = {key: pytest.mark.needs(*LANGUAGES[key]["needs"]) for key in keys or LANGUAGES}
    return [pytest.param(key, marks=mark) for key, mark in marks.items()]


class Workshop:
    """A directory of starters, each of them made when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def starter(self, language: str) -> Path:
        """The directory of a starter that is ready to play."""
        path = self._directory / f"mine-{LANGUAGES[language].get('directory', language)}"
        if not path.exists():
            assert arbiter(self._directory, "new", language, str(path)).returncode == 0
            if build := LANGUAGES[language].get("build"):
                done = subprocess.run(
                    shlex.split(build), cwd=path, check=True, text=True, stdout=-1, stderr=subprocess.STDOUT
                )
                assert "warning" not in done.stdout
        return path

    def command(self, language: str) -> list[str]:
        """The command that starts it from anywhere."""
        return ["sh", "-c", f"cd {self.starter(language)} && exec {LANGUAGES[language]['run']}"]
