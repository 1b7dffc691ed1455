"""Batches of items, as `itertools.batched` of Python 3.12 makes them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`; the last list may be shorter.

    Items are taken from an iterator as each list is asked for.
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
