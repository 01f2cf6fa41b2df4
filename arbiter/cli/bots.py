"""``arbiter bots``: the reference players."""

import argparse
import textwrap

NAME = "bots"
HELP = "list the sample bots, what each is good for and what it needs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print (default: text)"
    )
    parser.epilog = "example: arbiter match sample:random sample:greedy"


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    from arbiter.tournament.bots import load_sample_catalogue

    samples = load_sample_catalogue().values()
    if arguments.format == "json":
        import json

        rows = [
            {
                "name": sample.name,
                "language": sample.language,
                "protocol": str(sample.dialect),
                "about": sample.about,
                "needs": list(sample.needs),
                "missing": list(sample.missing_tools),
            }
            for sample in samples
        ]
        print(json.dumps({"bots": rows}, indent=2, ensure_ascii=False))
        return 0
    for sample in samples:
        missing = f"; not here: install {', '.join(sample.missing_tools)}" if sample.missing_tools else ""
        print(f"sample:{sample.name} ({sample.language}, {sample.dialect}{missing})")
        print(textwrap.fill(sample.about, 78, initial_indent="    ", subsequent_indent="    "))
    return 0
