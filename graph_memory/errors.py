"""Every error that this package raises on purpose, as types that carry the values and the remedy.

    GraphMemoryError
    ├── InvalidArgumentError        an argument is outside its range
    │   ├── ReservedFieldError      a metadata key is reserved by Graphiti
    │   ├── LimitExceededError      a text, list or nesting is larger than allowed
    │   └── AmbiguousIdError        several memories have ids that begin so
    ├── NotFoundError               the group does not hold this memory
    │   ├── JobNotFoundError        the group does not hold this episode
    │   └── LinkError               a memory is stored without a relation or its parent
    ├── UnknownToolError            the server does not have the tool
    ├── NotSoftDeletedError         the memory to recover is not deleted
    ├── OutsideRecoveryWindowError  the deletion is final
    ├── DuplicateError              the same content is already stored
    ├── RejectedBeforeError         the statement was rejected or erased before
    ├── PendingReviewError          the write waits for a review
    ├── TombstoneNotFoundError      the group does not hold this tombstone
    ├── ForbiddenError              the token does not allow the call
    ├── RateLimitedError            the token has used up its calls of this minute
    ├── TokenNotFoundError          the token does not exist or is revoked
    ├── ConfirmationRequiredError   a destructive call lacks its confirmation
    ├── RunsPausedError             maintenance is paused
    ├── RunLockedError              another maintenance run is in progress
    │   └── LeaseLostError          another run took over what this call was doing
    ├── UndoRefusedError            the run cannot be undone
    ├── DimensionMismatchError      stored vectors are of another model or width
    ├── EmbeddingError              the embedding model cannot be loaded or reached
    │   └── OnnxRuntimeError        ONNX Runtime cannot run on this machine
    ├── LlmError                    the language model fails or answers incorrectly
    ├── GraphUnavailableError       Neo4j does not answer
    │   ├── GraphOverloadedError    Neo4j has too little memory
    │   ├── DatabaseStoppedError    Neo4j closed the database after a failure of its own
    │   ├── GroupMovingError        the group is being moved to another server
    │   └── StartError              the database could not be opened for this call
    ├── GraphTimeoutError           Neo4j answers too late
    │   └── LockTimeoutError        another transaction holds a lock
    ├── SchemaError                 the database is too old, or a stored value is not ours
    ├── StatementError              a file below `cypher/` is malformed or misused
    ├── SourceFormatError           a file or folder to import is not in the given format
    ├── BackupError                 a backup cannot be made, read or restored
    ├── GroupMoveError              a group cannot be moved to another server
    ├── DiskFullError               the disk of the local Neo4j is too full for a write
    ├── LocalNeo4jError             the managed local Neo4j cannot be provided
    └── SettingsError               a setting is malformed

Each message states the fact, the value and the remedy. `code` is the word that MCP tools and
`--json` report.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from graph_memory.wording import argument, install_command, operation, put, shown


class GraphMemoryError(Exception):
    """Base of every error this package raises on purpose."""

    code: ClassVar[str] = "failed"

    def __str__(self) -> str:
        """Return the fact, the value and the remedy, in the words of the current call."""
        return put(super().__str__())


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
    """The beginning of an id is that of several memories; nothing was done."""

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


class NotFoundError(GraphMemoryError):
    """The group does not hold a memory with this id."""

    code = "not_found"

    def __init__(self, memory_id: str, group_id: str, reason: str | None = None) -> None:
        """Build the message; `reason` is a predicate on a memory that exists, with a remedy."""
        self.memory_id, self.group_id, self.reason = memory_id, group_id, reason
        name = shown(memory_id, 400)
        super().__init__(
            f"No memory {name} in group '{group_id}'. "
            "Check the id and the group; a search and a list return ids."
            if reason is None
            else f"Memory {name} in group '{group_id}' {reason}."
        )


class JobNotFoundError(NotFoundError):
    """The group does not hold an episode with this job id."""

    def __init__(self, job_id: str, group_id: str) -> None:
        self.job_id, self.group_id = job_id, group_id
        GraphMemoryError.__init__(
            self,
            f"No episode with the job {job_id!r:.80} in group '{group_id}'. Check the id and the "
            "group; `graph-memory episodes status` lists the latest.",
        )


class LinkError(NotFoundError):
    """A new memory is stored, but its parent or targets of its relations do not exist."""

    def __init__(
        self, stored_id: str, group_id: str, missing: Mapping[str, str], reason: str
    ) -> None:
        """Build the message from the missing ids by argument, and a sentence on the first."""
        self.stored_id, self.group_id = stored_id, group_id
        self.missing = dict(missing)
        self.argument, self.memory_id = next(iter(missing.items()))
        self.reason = reason
        named = ", ".join(f"{name}={shown(end)}" for name, end in missing.items())
        GraphMemoryError.__init__(
            self,
            f"Memory '{stored_id}' is stored without {named}. {reason} "
            f"{operation('relate')} makes a relation later, {operation('update')} sets a parent.",
        )


class UnknownToolError(GraphMemoryError):
    """The server has no tool of this name, or its toolset is off."""

    code = "unknown_tool"

    def __init__(self, name: str, remedy: str) -> None:
        """Build the message from the name and a sentence on what to do."""
        self.name = name
        super().__init__(f"No tool {shown(name)}. {remedy}")


class NotSoftDeletedError(GraphMemoryError):
    """The memory to recover is not deleted."""

    code = "not_soft_deleted"

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"Memory '{memory_id}' is not deleted; there is nothing to recover.")


class OutsideRecoveryWindowError(GraphMemoryError):
    """The deletion is final; `until` was the last instant to recover, ISO 8601 in UTC."""

    code = "outside_recovery_window"

    def __init__(self, memory_id: str, until: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' could be recovered until {until}. Import it from an export or a "
            "backup; GRAPH_MEMORY_SOFT_DELETE_RETENTION_DAYS sets the days in which it can be."
        )


class DuplicateError(GraphMemoryError):
    """The group already holds a memory with exactly this content."""

    code = "duplicate"

    def __init__(self, existing_id: str, remedy: str = "Update that memory to change it.") -> None:
        """Build the message from the id of the stored memory and a sentence on what to do."""
        self.existing_id = existing_id
        super().__init__(
            f"The same content is already stored as memory '{existing_id}'. Nothing was stored. "
            f"{remedy}"
        )


class RejectedBeforeError(GraphMemoryError):
    """The group has rejected or erased this statement; nothing was stored."""

    code = "rejected_before"

    def __init__(
        self, tombstone_id: str, reason: str, at: str, by: str, note: str | None = None
    ) -> None:
        """Build the message from the fields of the tombstone; it never contains the statement."""
        self.tombstone_id, self.note = tombstone_id, note
        self.reason, self.at, self.by = reason, at, by
        because = f", because of {shown(note, 200)}" if note else ""
        super().__init__(
            f"This statement was {reason} at {at} by {by}{because}. Nothing was stored. "
            f"{operation('tombstone_lift')} {tombstone_id} allows it again."
        )


class PendingReviewError(GraphMemoryError):
    """The write waits for a review; nothing was stored as a memory yet."""

    code = "pending_review"

    def __init__(self, pending_id: str, rule: str) -> None:
        """Build the message from the id of the waiting write and the rule by which it waits."""
        self.pending_id, self.rule = pending_id, rule
        super().__init__(
            f"The write waits for a review as {pending_id}, by the rule '{rule}'. It succeeded: "
            "do not repeat it. A person accepts or rejects it; until then nothing finds it."
        )


class TombstoneNotFoundError(GraphMemoryError):
    """The group does not hold a tombstone with this id."""

    code = "not_found"

    def __init__(self, tombstone_id: str, group_id: str) -> None:
        self.tombstone_id, self.group_id = tombstone_id, group_id
        super().__init__(
            f"No tombstone {shown(tombstone_id)} in group '{group_id}'; "
            f"{operation('tombstone_list')} lists them."
        )


class ForbiddenError(GraphMemoryError):
    """The caller's token does not allow the call; nothing was done."""

    code = "forbidden"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"Not allowed: {reason}. {operation('token_create')} makes a token that allows it; ask "
            "the operator of the service."
        )


class RateLimitedError(GraphMemoryError):
    """The token has used up its calls of this minute; the call can be repeated later."""

    code = "rate_limited"

    def __init__(self, limit: int, seconds: int) -> None:
        self.limit, self.seconds = limit, seconds
        super().__init__(f"More than {limit} calls in this minute. Try again in {seconds} s.")


class TokenNotFoundError(GraphMemoryError):
    """The token does not exist, or it is revoked."""

    code = "not_found"

    def __init__(self, token_id: str) -> None:
        self.token_id = token_id
        super().__init__(f"No valid token {shown(token_id)}; {operation('token_list')} lists them.")


class ConfirmationRequiredError(GraphMemoryError):
    """A destructive call lacks its confirmation."""

    code = "confirmation_required"

    def __init__(self, action: str, confirmation: str) -> None:
        self.action, self.confirmation = action, confirmation
        needed = argument("confirm", confirmation)
        super().__init__(f"{action} needs {needed}. Nothing was changed.")


class RunsPausedError(GraphMemoryError):
    """Maintenance is paused; nothing was done."""

    code = "paused"

    def __init__(self, reason: str, since: str) -> None:
        self.reason, self.since = reason, since
        super().__init__(
            f"Maintenance is paused since {since}: {shown(reason)}. "
            f"{operation('resume')} starts it again."
        )


class RunLockedError(GraphMemoryError):
    """Another maintenance run is in progress; nothing was done."""

    code = "locked"

    def __init__(self) -> None:
        super().__init__(
            "Another maintenance run is in progress. Wait until it has ended; "
            f"{operation('status')} shows its owner."
        )


class LeaseLostError(RunLockedError):
    """Another run took over while this call was held up; repeat the call if something is left."""

    def __init__(self) -> None:
        GraphMemoryError.__init__(
            self,
            "This call was held up for longer than GRAPH_MEMORY_MAINTENANCE_LEASE_SECONDS, and "
            f"another run took over. {operation('status')} shows what has been done; repeat the "
            "call if something is left.",
        )


class UndoRefusedError(GraphMemoryError):
    """The maintenance run cannot be undone; nothing was changed."""

    code = "undo_refused"

    def __init__(self, run_id: str, reason: str) -> None:
        self.run_id, self.reason = run_id, reason
        super().__init__(
            f"Run {shown(run_id)} cannot be undone: {reason}. "
            f"{operation('status')} lists the latest runs."
        )


class DimensionMismatchError(GraphMemoryError):
    """The stored vectors are not of the configured model or width."""

    code = "dimension_mismatch"

    def __init__(self, stored: str, configured: str, back: str) -> None:
        """Build the message from both models and the settings that match the stored one."""
        self.stored, self.configured = stored, configured
        super().__init__(
            f"Memories hold vectors of {stored}, but {configured} is configured. Set "
            f"{back}, or run `graph-memory embeddings rebuild`."
        )


class EmbeddingError(GraphMemoryError):
    """The embedding model cannot be loaded or reached."""

    code = "embedding_failed"


class OnnxRuntimeError(EmbeddingError):
    """ONNX Runtime cannot be loaded, or refuses the processor or the graph."""

    def __init__(self, reason: object) -> None:
        fact = str(reason).rstrip(".")
        super().__init__(
            f"ONNX Runtime cannot run the default embedding model on this machine: {fact}. "
            "sentence-transformers runs the same model, and is used if it is installed: "
            f"{install_command('sentence-transformers')}"
        )


class LlmError(GraphMemoryError):
    """The language model cannot be reached, or its answer is not valid."""

    code = "llm_failed"


class GraphUnavailableError(GraphMemoryError):
    """Neo4j does not answer; the call can be repeated once it does."""

    code = "unavailable"
    problem = "does not answer"
    remedy = "Try again shortly; `graph-memory doctor` names the cause."

    def __init__(self, address: str, reason: str) -> None:
        self.address, self.reason = address, reason
        super().__init__(f"Neo4j at {address} {self.problem} ({reason}). {self.remedy}")


class GraphOverloadedError(GraphUnavailableError):
    """Neo4j has too little memory for a statement; the call can be repeated under less load."""

    code = "overloaded"
    problem = "has too little memory"
    remedy = (
        "Try again under less load, or ask for less. If it persists, give Neo4j a larger heap "
        "(GRAPH_MEMORY_LOCAL_HEAP_MEBIBYTES for a local one)."
    )


class DatabaseStoppedError(GraphUnavailableError):
    """Neo4j closed the database after a failure; a failed write is stored whole or not at all."""

    problem = "has closed the database after a failure"
    remedy = (
        "Its log names the cause, which is often a full disk (`graph-memory db logs` for a local "
        "one). A local Neo4j is restarted automatically; restart any other one. Then try again."
    )


class GroupMovingError(GraphUnavailableError):
    """The group is being moved to another server and takes no writes; nothing was written."""

    def __init__(self, group_id: str, from_server: str, to_server: str) -> None:
        moving = f"Group '{group_id}' is being moved from server '{from_server}' to '{to_server}'"
        self.group_id, self.address, self.reason = group_id, from_server, moving
        waits = "It takes no writes until then; reads go on. Try again in some seconds"
        shows = "`graph-memory groups moves` shows the move."
        GraphMemoryError.__init__(self, f"{moving}. {waits}; {shows}")


class StartError(GraphUnavailableError):
    """The server could not open its database for this call; the next call tries again."""

    def __init__(self, reason: str) -> None:
        self.address = self.reason = reason
        GraphMemoryError.__init__(self, f"{reason} The next call tries again.")


class GraphTimeoutError(GraphMemoryError):
    """A statement took longer than `query_timeout_seconds`."""

    code = "timeout"

    def __init__(self, statement: str, seconds: float) -> None:
        self.statement, self.seconds = statement, seconds
        super().__init__(
            f"'{statement}' took longer than {seconds:g} s and was stopped. Ask for less, or "
            "raise GRAPH_MEMORY_QUERY_TIMEOUT_SECONDS."
        )


class LockTimeoutError(GraphTimeoutError):
    """A statement waited too long for a lock of another transaction; nothing was written."""

    def __init__(self, statement: str, holder: str | None = None) -> None:
        self.statement, self.holder = statement, holder
        held = f"The longest transaction is {holder}" if holder else "Another transaction holds it"
        GraphMemoryError.__init__(
            self,
            f"'{statement}' waited too long for a lock and was stopped. {held}. Try again when "
            "it has ended; SHOW TRANSACTIONS in Neo4j lists it, TERMINATE TRANSACTIONS ends it.",
        )


class SchemaError(GraphMemoryError):
    """The database is too old for this schema, or a stored value has another type."""

    code = "schema"


class StatementError(GraphMemoryError):
    """A file below `cypher/` is malformed, or its parameters are not the declared ones."""

    code = "statement"


class SourceFormatError(GraphMemoryError):
    """A file or folder to import is not in the given format; nothing was written."""

    code = "format"

    def __init__(self, path: object, expected: str, found: str) -> None:
        self.path, self.expected, self.found = path, expected, found
        super().__init__(f"{path} is not {expected}: found {found}.")


class BackupError(GraphMemoryError):
    """A backup cannot be made, read or restored; the message holds the remedy."""

    code = "backup"


class GroupMoveError(GraphMemoryError):
    """A group cannot be moved to another server; the message holds the remedy."""

    code = "move"


class DiskFullError(GraphMemoryError):
    """The disk of the local Neo4j has too little space for a write; nothing was written."""

    code = "disk_full"

    def __init__(self, folder: object, free: int, needed: int) -> None:
        self.folder, self.free, self.needed = folder, free, needed
        super().__init__(
            f"Only {free >> 20} MiB are free at {folder}, and a write needs {needed >> 20} MiB. "
            "Nothing was written; reads go on. Free some space, or move the data to a larger disk "
            "(GRAPH_MEMORY_DATA_DIR)."
        )


class LocalNeo4jError(GraphMemoryError):
    """The managed local Neo4j cannot be provided; the message holds the remedy."""

    code = "local_neo4j"


class SettingsError(GraphMemoryError):
    """A setting is malformed; the message names the variable."""

    code = "settings"
