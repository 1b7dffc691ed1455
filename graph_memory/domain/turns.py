"""Turns of long computations and calls, because Python runs one thread at a time.

A maintenance run computes in threads of the process that answers searches. Without pauses such a
thread takes half of the time of a search that is being computed.
"""

import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

#: Seconds of a turn of a computation, and of its pause while a call is being answered.
_TURN_SECONDS = 0.002
_PAUSE_SECONDS = 0.008

#: Calls that are being answered in this process.
_calls = 0


def first_in_turn(
    call: Callable[P, Coroutine[Any, Any, R]],
) -> Callable[P, Coroutine[Any, Any, R]]:
    """Decorate a call: loops in `giving_turns` pause until it has ended."""

    @wraps(call)
    async def counted(*args: P.args, **kwargs: P.kwargs) -> R:
        global _calls
        _calls += 1
        try:
            return await call(*args, **kwargs)
        finally:
            _calls -= 1

    return counted


def giving_turns(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and pause after each turn while a call is being answered.

    Only for loops in threads of their own: a pause stops the thread.
    """
    began = time.perf_counter()
    for item in items:
        yield item
        if _calls and time.perf_counter() - began > _TURN_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            began = time.perf_counter()
