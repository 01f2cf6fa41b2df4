"""Errors out of the groups that nurseries make of them."""

from collections.abc import Iterator
from contextlib import contextmanager


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, at any depth; another error is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


@contextmanager
def unwrapped(*kinds: type[BaseException]) -> Iterator[None]:
    """Let an error of these kinds out of its group, the first of several.

    A group with another error in it stays one, for that is a mistake of ours and has to be seen.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        errors = list(leaves(group))
        if all(isinstance(error, kinds) for error in errors):
            raise errors[0] from None
        raise
