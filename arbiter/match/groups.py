"""Errors out of the groups that nurseries make of them."""

from collections.abc import Iterator


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, at any depth; another error is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error
