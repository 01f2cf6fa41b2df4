"""Kinds of argument that several subcommands take."""

import argparse


def natural(text: str) -> int:
    """A whole number from 0 up."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 up."""
    if natural(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is too small: at least 1")
    return int(text)
