"""Errors of Neo4j, of its schema and statements, and of moves between servers."""

from graph_memory.errors.base import GraphMemoryError


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


class LocalNeo4jError(GraphMemoryError):
    """The managed local Neo4j cannot be provided; the message holds the remedy."""

    code = "local_neo4j"


class GroupMoveError(GraphMemoryError):
    """A group cannot be moved to another server; the message holds the remedy."""

    code = "move"
