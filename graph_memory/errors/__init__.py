"""Every error that this package raises on purpose, as types that carry the values and the remedy.

    GraphMemoryError
    ├── InvalidArgumentError        an argument is outside its range
    │   ├── ReservedFieldError      a metadata key is reserved by Graphiti
    │   ├── LimitExceededError      a text, list or nesting is larger than allowed
    │   └── AmbiguousIdError        several ids begin so
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
    ├── TooManyCallsError           the server is busy with other calls
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

from graph_memory.errors.access import (
    ConfirmationRequiredError,
    ForbiddenError,
    RateLimitedError,
    TokenNotFoundError,
    TooManyCallsError,
    UnknownToolError,
)
from graph_memory.errors.arguments import (
    AmbiguousIdError,
    InvalidArgumentError,
    LimitExceededError,
    ReservedFieldError,
)
from graph_memory.errors.base import GraphMemoryError
from graph_memory.errors.database import (
    DatabaseStoppedError,
    GraphOverloadedError,
    GraphTimeoutError,
    GraphUnavailableError,
    GroupMoveError,
    GroupMovingError,
    LocalNeo4jError,
    LockTimeoutError,
    SchemaError,
    StartError,
    StatementError,
)
from graph_memory.errors.files import (
    BackupError,
    DiskFullError,
    SettingsError,
    SourceFormatError,
)
from graph_memory.errors.memories import (
    DuplicateError,
    JobNotFoundError,
    LinkError,
    NotFoundError,
    NotSoftDeletedError,
    OutsideRecoveryWindowError,
    PendingReviewError,
    RejectedBeforeError,
    TombstoneNotFoundError,
)
from graph_memory.errors.models import (
    DimensionMismatchError,
    EmbeddingError,
    LlmError,
    OnnxRuntimeError,
)
from graph_memory.errors.runs import (
    LeaseLostError,
    RunLockedError,
    RunsPausedError,
    UndoRefusedError,
)

__all__ = [
    "AmbiguousIdError",
    "BackupError",
    "ConfirmationRequiredError",
    "DatabaseStoppedError",
    "DimensionMismatchError",
    "DiskFullError",
    "DuplicateError",
    "EmbeddingError",
    "ForbiddenError",
    "GraphMemoryError",
    "GraphOverloadedError",
    "GraphTimeoutError",
    "GraphUnavailableError",
    "GroupMoveError",
    "GroupMovingError",
    "InvalidArgumentError",
    "JobNotFoundError",
    "LeaseLostError",
    "LimitExceededError",
    "LinkError",
    "LlmError",
    "LocalNeo4jError",
    "LockTimeoutError",
    "NotFoundError",
    "NotSoftDeletedError",
    "OnnxRuntimeError",
    "OutsideRecoveryWindowError",
    "PendingReviewError",
    "RateLimitedError",
    "RejectedBeforeError",
    "ReservedFieldError",
    "RunLockedError",
    "RunsPausedError",
    "SchemaError",
    "SettingsError",
    "SourceFormatError",
    "StartError",
    "StatementError",
    "TokenNotFoundError",
    "TombstoneNotFoundError",
    "TooManyCallsError",
    "UndoRefusedError",
    "UnknownToolError",
]
