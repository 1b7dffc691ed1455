"""Translation of driver errors into our errors, by their type and code, never by their text."""

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graph_memory.database.error_codes import Meaning, meaning
from graph_memory.errors import (
    DatabaseStoppedError,
    GraphMemoryError,
    GraphOverloadedError,
    GraphTimeoutError,
    GraphUnavailableError,
    LockTimeoutError,
    SchemaError,
    SettingsError,
    StatementError,
)
from graph_memory.settings.base import Settings

#: Errors of a lost connection; Neo4j may still have executed the statement.
CONNECTION_LOST = (ServiceUnavailable, SessionExpired)

#: Errors of a race with another client: it deleted an entity that the statement had matched, or
#: created the same index, which IF NOT EXISTS does not see. A retry finds the new state.
_RACES = (
    "Neo.ClientError.Statement.EntityNotFound",
    "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists",
)

_NAME_TAKEN = "Neo.ClientError.Schema.IndexWithNameAlreadyExists"

#: Class of status codes in the GQL standard for a wrong value, such as a text that is not a date.
_DATA_EXCEPTION = "22"

#: The problem and the remedy of a meaning that the settings can mend.
_SETTINGS = {
    Meaning.REFUSED: (
        "refuses user '{user}' or the settings ({error}). "
        "Check GRAPH_MEMORY_NEO4J_USER and _PASSWORD."
    ),
    Meaning.NO_DATABASE: "has no database '{database}'. Check GRAPH_MEMORY_NEO4J_DATABASE.",
    Meaning.READ_ONLY: (
        "accepts no writes to the database '{database}'. Make it writable, or set "
        "GRAPH_MEMORY_NEO4J_URI to neo4j://, which finds the leader of a cluster."
    ),
}


def is_transient(error: Neo4jError | DriverError) -> bool:
    """Check whether a retry of the statement may succeed."""
    return error.is_retryable() or _code(error) in _RACES


def is_name_taken(error: GraphMemoryError) -> bool:
    """Check whether Neo4j refused a constraint because an index has its name."""
    cause = error.__cause__
    return isinstance(cause, Neo4jError) and cause.code == _NAME_TAKEN


def translate(
    error: Neo4jError | DriverError, name: str, address: str, settings: Settings
) -> GraphMemoryError:
    """Return our error for the failure of the statement `name` at `address`."""
    kind = _meaning(error)
    if kind in _SETTINGS:
        problem = _SETTINGS[kind].format(
            user=settings.neo4j_user, database=settings.neo4j_database, error=error
        )
        return SettingsError(f"Neo4j at {address} {problem}")
    if kind is Meaning.TIMEOUT:
        return GraphTimeoutError(name, settings.query_timeout_seconds)
    if kind is Meaning.LOCKED:
        return LockTimeoutError(name)
    if kind is Meaning.OVERLOADED:
        return GraphOverloadedError(address, name)
    if kind is Meaning.STOPPED:
        return DatabaseStoppedError(address, _code(error) or name)
    if kind is Meaning.UNAVAILABLE:
        return GraphUnavailableError(address, _reason(error))
    if kind is Meaning.VALUE:
        problem = error.message if isinstance(error, Neo4jError) else error
        return SchemaError(
            f"'{name}' read a value that this service does not write ({problem}). Another "
            "writer may have changed it; run `graph-memory verify --repair`. Otherwise a policy "
            "of your own (policy_dir) computes with a wrong type."
        )
    return StatementError(f"'{name}' failed in Neo4j: {error}")


def _meaning(error: Neo4jError | DriverError) -> Meaning:
    if isinstance(error, AuthError | ConfigurationError):
        return Meaning.REFUSED
    if isinstance(error, DriverError):
        return Meaning.UNAVAILABLE
    kind = meaning(error.code)
    if kind is Meaning.DEFECT and error.gql_status.startswith(_DATA_EXCEPTION):
        return Meaning.VALUE
    return Meaning.UNAVAILABLE if kind is Meaning.DEFECT and error.is_retryable() else kind


def _reason(error: BaseException) -> str:
    """Return the error of the system behind an error, such as a refused connection, or its type."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__
    return type(error).__name__


def _code(error: Neo4jError | DriverError) -> str | None:
    return error.code if isinstance(error, Neo4jError) else None
