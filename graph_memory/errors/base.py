"""The base of all errors of this package."""

from typing import ClassVar

from graph_memory.wording import put


class GraphMemoryError(Exception):
    """Base of every error this package raises on purpose."""

    code: ClassVar[str] = "failed"

    def __str__(self) -> str:
        """Return the fact, the value and the remedy, in the words of the current call."""
        return put(super().__str__())
