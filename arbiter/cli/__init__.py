"""The command line: one module a subcommand, exit statuses, and what people see when something is wrong.

Exit status: 0 fine, 1 a bot failed its start or was withdrawn or a check found something, 2 usage or
configuration, 130 interrupted.
"""

from arbiter.cli.main import main

__all__ = ["main"]
