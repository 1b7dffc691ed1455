"""A preview of an import: every line is read and checked without a database."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from graph_memory.errors import GraphMemoryError, LimitExceededError
from graph_memory.transfer.import_export import MAX_SHOWN_ERRORS, LineError
from graph_memory.transfer.line_format import ArchivedMemory, read_line


@dataclass(slots=True)
class Preview:
    """The counts of a preview; `errors` holds the first 20 errors, `refused` counts all.

    `states` counts memories with a lifecycle by the state that they would get.
    """

    memories: int = 0
    relations: int = 0
    repeated: int = 0
    refused: int = 0
    states: dict[str, int] = field(default_factory=dict[str, int])
    errors: list[LineError] = field(default_factory=list[LineError])

    def refuse(self, line: int, error: GraphMemoryError) -> None:
        """Count an error, and keep it if it is among the first 20."""
        self.refused += 1
        if self.refused <= MAX_SHOWN_ERRORS:
            self.errors.append(LineError(line, error.code, str(error)))


def preview(
    lines: Iterable[str],
    max_content_characters: int,
    stateless: list[ArchivedMemory] | None = None,
) -> Preview:
    """Check lines as an import does, except for memories that the group holds already.

    Args:
        lines: The lines.
        max_content_characters: The length of a content at most.
        stateless: Receives the memories whose state the import computes.
    """
    found = Preview()
    seen: set[int] = set()
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            memory = read_line(text)
            _check_length(memory, max_content_characters)
        except GraphMemoryError as error:
            found.refuse(number, error)
            continue
        found.relations += sum(1 + relation.bidirectional for relation in memory.relationships)
        keys = {hash((memory.group_id, memory.content)), hash(memory.memory_id or number)}
        found.repeated += not keys.isdisjoint(seen)
        if keys.isdisjoint(seen):
            found.memories += 1
            _count_state(found, memory, stateless)
        seen |= keys
    return found


def _count_state(
    found: Preview, memory: ArchivedMemory, stateless: list[ArchivedMemory] | None
) -> None:
    """Count the state of a memory with a lifecycle; other memories are ACTIVE, as new ones are."""
    if memory.lifecycle is None:
        return
    state = memory.lifecycle.lifecycle_state
    if state is not None:
        found.states[state] = found.states.get(state, 0) + 1
    elif stateless is not None:
        stateless.append(memory)


def _check_length(memory: ArchivedMemory, limit: int) -> None:
    if len(memory.content) > limit:
        raise LimitExceededError(
            "content", f"{len(memory.content)} characters", f"at most {limit} characters"
        )
