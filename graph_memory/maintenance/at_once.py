"""Work on several parts at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def at_once(parts: Sequence[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Do the work of all parts at once; raise the first error after all have ended."""
    done: list[R] = []
    for each in await asyncio.gather(*map(work, parts), return_exceptions=True):
        if isinstance(each, BaseException):
            raise each
        done.append(each)
    return done
