"""The command line: one module a subcommand, exit statuses, and what people see when something is wrong.

Exit status: 0 fine; 1 a bot failed its start or was withdrawn, a check found something, or the machine
lacked something; 2 usage or configuration; 3 not all could be checked; 70 a fault of the arbiter itself; 130
interrupted; 141 nobody reads the output.
"""

from arbiter.cli.main import main

__all__ = ["main"]
