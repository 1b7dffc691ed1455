"""Errors of arguments that are outside their range."""

from collections.abc import Sequence

from graph_memory.errors.base import GraphMemoryError
from graph_memory.wording import shown


class InvalidArgumentError(GraphMemoryError):
    """An argument is outside its allowed range; nothing was written."""

    code = "invalid_argument"

    def __init__(self, argument: str, value: object, expected: str) -> None:
        self.argument, self.value, self.expected = argument, value, expected
        super().__init__(f"{argument}={shown(value)} is not allowed: {expected}.")


class ReservedFieldError(InvalidArgumentError):
    """A metadata key would collide with a property of Graphiti."""

    code = "reserved_field"


class LimitExceededError(InvalidArgumentError):
    """A call carries more items, characters or levels than allowed."""

    code = "limit_exceeded"


class AmbiguousIdError(InvalidArgumentError):
    """The beginning of an id is that of several ids; nothing was done."""

    code = "ambiguous_id"

    def __init__(
        self,
        given: str,
        candidates: Sequence[str],
        *,
        more: bool = False,
        argument: str = "memory_id",
    ) -> None:
        """Build the message from the candidates; `more` adds that there are others."""
        self.candidates = tuple(candidates)
        listed = f"{', '.join(candidates)}{' and others' if more else ''}"
        super().__init__(argument, given, f"it begins the ids {listed}; add characters")
