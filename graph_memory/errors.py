"""What can go wrong, as types that carry the values and the remedy.

    GraphMemoryError
    ├── InvalidArgumentError        an argument is outside its range
    │   ├── ReservedFieldError      a metadata key that Graphiti owns
    │   └── LimitExceededError      longer or deeper than allowed
    ├── NotFoundError               no such memory in this group
    ├── NotSoftDeletedError         nothing to recover
    ├── OutsideRecoveryWindowError  a deletion that is final by now
    ├── DuplicateError              the same content is stored already
    ├── ForbiddenError              a token does not allow this
    ├── RateLimitedError            a caller calls too often
    ├── TokenNotFoundError          no such token
    ├── ConfirmationRequiredError   a destructive call without its confirmation
    ├── RunsPausedError             maintenance is paused
    ├── RunLockedError              another maintenance run is on its way
    ├── UndoRefusedError            a run that cannot be undone
    ├── DimensionMismatchError      vectors of another model or width
    ├── EmbeddingError              the model cannot be loaded or reached
    ├── LlmError                    the language model does not answer as it should
    ├── GraphUnavailableError       Neo4j does not answer
    │   └── GraphOverloadedError    Neo4j has too little memory
    ├── GraphTimeoutError           Neo4j answered too late
    ├── SchemaError                 the database is too old, or its schema is not ours
    ├── StatementError              a file below `cypher/` is malformed or misused
    ├── SourceFormatError           a file or folder to import is not what it was said to be
    ├── BackupError                 a backup cannot be made, read or restored
    ├── LocalNeo4jError             the managed local Neo4j cannot be provided
    └── SettingsError               a setting is malformed

The message of each states the fact, the value and what to do; `code` is what MCP tools and `--json`
report.
"""

from datetime import datetime
from enum import Enum
from typing import Any, ClassVar, cast


class GraphMemoryError(Exception):
    """Base of every error this package raises on purpose."""

    code: ClassVar[str] = "failed"


class InvalidArgumentError(GraphMemoryError):
    """An argument is outside its allowed range; nothing was written."""

    code = "invalid_argument"

    def __init__(self, argument: str, value: object, expected: str) -> None:
        self.argument = argument
        self.value = value
        self.expected = expected
        super().__init__(f"{argument}={shown(value)} is not allowed: {expected}.")


class ReservedFieldError(InvalidArgumentError):
    """A metadata key that would collide with a property of Graphiti."""

    code = "reserved_field"


class LimitExceededError(InvalidArgumentError):
    """More items, characters or levels than one call may carry."""

    code = "limit_exceeded"


class NotFoundError(GraphMemoryError):
    """No memory with this id exists in this group."""

    code = "not_found"

    def __init__(self, memory_id: str, group_id: str) -> None:
        self.memory_id = memory_id
        self.group_id = group_id
        super().__init__(
            f"No memory {shown(memory_id, 400)} in group '{group_id}'. "
            "Check the id and the group; search_memory and list_memories return ids."
        )


class NotSoftDeletedError(GraphMemoryError):
    """What is to be recovered was never deleted."""

    code = "not_soft_deleted"

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"Memory '{memory_id}' is not deleted; there is nothing to recover.")


class OutsideRecoveryWindowError(GraphMemoryError):
    """A deletion can be taken back no more; it could until an instant, ISO 8601."""

    code = "outside_recovery_window"

    def __init__(self, memory_id: str, until: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' could be recovered until {until}. Import it from an export or a "
            "backup; GRAPH_MEMORY_SOFT_DELETE_RETENTION_DAYS sets how long deletions are kept."
        )


class DuplicateError(GraphMemoryError):
    """The group holds a memory with exactly this content."""

    code = "duplicate"

    def __init__(self, existing_id: str, remedy: str = "Update that memory to change it.") -> None:
        """Name the memory that has the content, and what to do."""
        self.existing_id = existing_id
        super().__init__(
            f"The same content is already stored as memory '{existing_id}'. Nothing was stored. "
            f"{remedy}"
        )


class ForbiddenError(GraphMemoryError):
    """The caller's token does not allow this; nothing was done."""

    code = "forbidden"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"Not allowed: {reason}. `graph-memory token create` makes one that may; ask whoever "
            "runs the service."
        )


class RateLimitedError(GraphMemoryError):
    """The caller has called too often; the call can be repeated in a while."""

    code = "rate_limited"

    def __init__(self, limit: int, seconds: int) -> None:
        self.limit = limit
        self.seconds = seconds
        super().__init__(f"More than {limit} calls in this minute. Try again in {seconds} s.")


class TokenNotFoundError(GraphMemoryError):
    """No such token, or it is revoked."""

    code = "not_found"

    def __init__(self, token_id: str) -> None:
        self.token_id = token_id
        super().__init__(f"No valid token {shown(token_id)}; `graph-memory token list` names them.")


class ConfirmationRequiredError(GraphMemoryError):
    """A destructive call lacks its confirmation."""

    code = "confirmation_required"

    def __init__(self, action: str, confirmation: str) -> None:
        self.action = action
        self.confirmation = confirmation
        super().__init__(f"{action} needs confirm='{confirmation}'. Nothing was changed.")


class RunsPausedError(GraphMemoryError):
    """Somebody has paused maintenance; nothing was done."""

    code = "paused"

    def __init__(self, reason: str, since: str) -> None:
        self.reason = reason
        self.since = since
        super().__init__(
            f"Maintenance is paused since {since}: {shown(reason)}. "
            "`graph-memory resume` lets it run again."
        )


class RunLockedError(GraphMemoryError):
    """Another maintenance run is on its way; nothing was done."""

    code = "locked"

    def __init__(self) -> None:
        super().__init__(
            "Another maintenance run is on its way. Wait until it has ended; `graph-memory status` "
            "tells whose it is."
        )


class UndoRefusedError(GraphMemoryError):
    """A maintenance run that cannot be undone; nothing was changed."""

    code = "undo_refused"

    def __init__(self, run_id: str, reason: str) -> None:
        self.run_id = run_id
        self.reason = reason
        super().__init__(
            f"Run {shown(run_id)} cannot be undone: {reason}. "
            "`graph-memory status` lists the latest runs."
        )


class DimensionMismatchError(GraphMemoryError):
    """Stored vectors and the configured model do not fit together."""

    code = "dimension_mismatch"

    def __init__(self, stored: str, configured: str, back: str) -> None:
        """Name both, and the settings that bring back what is stored."""
        self.stored = stored
        self.configured = configured
        super().__init__(
            f"Memories hold vectors of {stored}, but {configured} is configured. Set "
            f"{back}, or run `graph-memory embeddings rebuild`."
        )


class EmbeddingError(GraphMemoryError):
    """The embedding model cannot be loaded or reached."""

    code = "embedding_failed"


class LlmError(GraphMemoryError):
    """The language model cannot be reached, or does not answer as it should."""

    code = "llm_failed"


class GraphUnavailableError(GraphMemoryError):
    """Neo4j does not answer; the call can be repeated when it is back."""

    code = "unavailable"
    trouble = "does not answer"
    remedy = "Try again shortly; `graph-memory doctor` says what is wrong."

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(f"Neo4j at {address} {self.trouble} ({reason}). {self.remedy}")


class GraphOverloadedError(GraphUnavailableError):
    """Neo4j has no memory left for a statement; the call can be repeated when less goes on."""

    code = "overloaded"
    trouble = "has too little memory"
    remedy = (
        "Try again when less goes on, or ask for less; if it stays so, give Neo4j a larger heap "
        "(GRAPH_MEMORY_LOCAL_HEAP_MEBIBYTES for a local one)."
    )


class GraphTimeoutError(GraphMemoryError):
    """A statement took longer than it may."""

    code = "timeout"

    def __init__(self, statement: str, seconds: float) -> None:
        self.statement = statement
        self.seconds = seconds
        super().__init__(
            f"'{statement}' took longer than {seconds:g} s and was stopped. Ask for less, or "
            "raise GRAPH_MEMORY_QUERY_TIMEOUT_SECONDS."
        )


class SchemaError(GraphMemoryError):
    """The database cannot hold this schema, or does not hold it."""

    code = "schema"


class StatementError(GraphMemoryError):
    """A file below `cypher/` is malformed, or was called with undeclared parameters."""

    code = "statement"


class SourceFormatError(GraphMemoryError):
    """A file or folder to import is not of the format it was said to be; nothing was written."""

    code = "format"

    def __init__(self, path: object, expected: str, found: str) -> None:
        self.path = path
        self.expected = expected
        self.found = found
        super().__init__(f"{path} is not {expected}: found {found}.")


class BackupError(GraphMemoryError):
    """A backup cannot be made, read or restored; the message says what to do."""

    code = "backup"


class LocalNeo4jError(GraphMemoryError):
    """The managed local Neo4j cannot be provided; the message holds the remedy."""

    code = "local_neo4j"


class SettingsError(GraphMemoryError):
    """A setting is malformed; the message names the variable."""

    code = "settings"


def shown(value: object, limit: int = 80) -> str:
    """Return `value` as a caller would write it: short, and in one line."""
    try:
        text = repr(_plain(value))
    except RecursionError:
        text = f"<a deeply nested {type(value).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _plain(value: Any) -> Any:
    """Return a word of a vocabulary, or an instant, as the text it stands for."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    items = cast(list[Any], value)
    return [_plain(item) for item in items] if isinstance(value, list | tuple) else value
