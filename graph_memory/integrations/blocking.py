"""A `GraphMemory` for scripts without an event loop, such as a notebook or a thread of workers."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from anyio.from_thread import start_blocking_portal

from graph_memory.api.service import GraphMemory
from graph_memory.settings.base import Settings

P = ParamSpec("P")
T = TypeVar("T")


class Call(Protocol):
    """A function that calls a method of the memory, and waits for its result."""

    def __call__(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of a method, or raise its error."""
        ...


@contextmanager
def open_blocking(
    settings: Settings | None = None, **overrides: Any
) -> Generator[tuple[GraphMemory, Call]]:
    """Open a memory whose event loop runs in a thread of its own.

    The arguments and the errors are those of `GraphMemory.open`.

    Returns:
        The memory, and a function that calls its methods: `call(memory.search, "tea", limit=3)`.
        Several threads may call at once. After the context, a call raises RuntimeError.
    """
    opened = GraphMemory.open(settings, **overrides)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened) as memory:

        def call(method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
            return portal.call(partial(method, *args, **kwargs))

        yield memory, call
