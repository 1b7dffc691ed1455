"""Translation of driver errors into our errors, by their type and code, never by their text."""

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graph_memory.errors import (
    GraphMemoryError,
    GraphOverloadedError,
    GraphTimeoutError,
    GraphUnavailableError,
    SettingsError,
    StatementError,
)
from graph_memory.settings.base import Settings

#: Errors of a lost connection; Neo4j may still have executed the statement.
CONNECTION_LOST = (ServiceUnavailable, SessionExpired)

_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOut",
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
)
_NO_MEMORY = (
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
    "Neo.TransientError.General.TransactionOutOfMemoryError",
)
_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
#: Another transaction deleted an entity that the statement had matched; a retry does not match it.
_DELETED = "Neo.ClientError.Statement.EntityNotFound"


def is_transient(error: Neo4jError | DriverError) -> bool:
    """Check whether a retry of the statement may succeed."""
    return error.is_retryable() or _code(error) == _DELETED


def translate(
    error: Neo4jError | DriverError, name: str, address: str, settings: Settings
) -> GraphMemoryError:
    """Return our error for the failure of the statement `name` at `address`."""
    if isinstance(error, AuthError | ConfigurationError):
        return SettingsError(
            f"Neo4j at {address} refuses user '{settings.neo4j_user}' or the settings ({error}). "
            "Check GRAPH_MEMORY_NEO4J_USER and _PASSWORD."
        )
    code = _code(error)
    if code in _TIMED_OUT:
        return GraphTimeoutError(name, settings.query_timeout_seconds)
    if code in _NO_MEMORY:
        return GraphOverloadedError(address, name)
    if code == _NO_DATABASE:
        return SettingsError(
            f"Neo4j at {address} has no database '{settings.neo4j_database}'. "
            "Check GRAPH_MEMORY_NEO4J_DATABASE."
        )
    if isinstance(error, DriverError) or error.is_retryable():
        return GraphUnavailableError(address, type(error).__name__)
    return StatementError(f"'{name}' failed in Neo4j: {error}")


def _code(error: Neo4jError | DriverError) -> str | None:
    return error.code if isinstance(error, Neo4jError) else None
