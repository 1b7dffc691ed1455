"""The only access to Neo4j: takes the name of a statement, returns frozen values."""

# The driver leaves its keyword arguments untyped; no other module meets them.
# pyright: reportUnknownMemberType=false

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncSession,
    AsyncTransaction,
    NotificationMinimumSeverity,
    Query,
)
from neo4j.exceptions import ConstraintError, DriverError, Neo4jError
from pydantic import SecretStr

from graph_memory import metrics
from graph_memory.database.conversion import converter, to_driver
from graph_memory.database.driver_errors import CONNECTION_LOST, is_transient, translate
from graph_memory.database.read_limiter import ReadLimiter
from graph_memory.database.statements import Statement, statements
from graph_memory.errors import (
    GraphMemoryError,
    GraphOverloadedError,
    GraphTimeoutError,
    GraphUnavailableError,
    LockTimeoutError,
    SchemaError,
    StatementError,
)
from graph_memory.settings.base import Settings
from graph_memory.tracing import span

T = TypeVar("T")

_log = logging.getLogger(__name__)

#: The name of the server with the configured database.
HOME = "home"

#: A check of each write: the name of the server, and the parameters; it raises to refuse the write.
Guard = Callable[[str, Mapping[str, Any]], Awaitable[None]]

_BLOCK = 500  # rows of a stream at a time
_STALE_SECONDS = 1.0  # a read that fails within this time may have used a stale connection
_IDLE_SECONDS = 1.0  # the driver tests a connection that was idle for longer before it uses it
_GRACE_SECONDS = 5.0  # of a server to stop a query itself
_FIRST_PAUSE_SECONDS = 0.02
_SCHEMA_SECONDS = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)  # attempts of one statement


class UniquenessError(GraphMemoryError):
    """A concurrent writer stored a unique key first; the caller reads again and decides."""

    def __init__(self, statement: str, reason: str | None) -> None:
        self.statement = statement
        super().__init__(f"'{statement}' would store a unique key twice: {reason}")


@dataclass(frozen=True, slots=True)
class _LockHolder:
    statement: str | None  #: name of our statement; None for a transaction of another client
    seconds: float


class Graph:
    """A database and its driver; the only owner of both.

    The `access` of a statement determines its routing and its kind of transaction.

    Attributes:
        address: Address of the server.
        name: Name of the server in the placement file; `home` is the configured database.
        password: Password of the user.
    """

    name = HOME
    _guard: Guard | None = None

    def __init__(
        self,
        driver: AsyncDriver,
        settings: Settings,
        address: str,
        on_lost: Callable[[GraphUnavailableError], None],
        before_write: Callable[[], None] = lambda: None,
        password: SecretStr = SecretStr(""),  # noqa: B008 - immutable
        read_limiter: ReadLimiter | None = None,
    ) -> None:
        self._driver = driver
        self._settings = settings
        self._statements = statements(settings.policy_dir)
        self._on_lost = on_lost
        self._before_write = before_write
        self._read_limiter = read_limiter or ReadLimiter(settings)
        self.address = address
        self.password = password

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings,
        *,
        uri: str | None = None,
        password: str | None = None,
        on_lost: Callable[[GraphUnavailableError], None] = lambda _: None,
        before_write: Callable[[], None] = lambda: None,
    ) -> AsyncGenerator[Self]:
        """Open the database of `settings`, or the one at `uri` with `password`.

        Args:
            settings: Settings with address, timeouts and pool size.
            uri: Address in place of `settings.neo4j_uri`: `bolt://` or `neo4j://`, `+s` for TLS.
            password: Password in place of `settings.neo4j_password`.
            on_lost: Function to call when the database is lost; it must not block.
            before_write: Function to call before each write; it raises if none may be made.

        Raises:
            GraphUnavailableError: Neo4j does not answer at the address.
            SettingsError: Neo4j refuses the user, password or database.
        """
        async with cls.connect(
            settings, uri=uri, password=password, on_lost=on_lost, before_write=before_write
        ) as graph:
            await graph.one("database/graph/ping", int)
            yield graph

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        settings: Settings,
        *,
        uri: str | None = None,
        password: str | None = None,
        on_lost: Callable[[GraphUnavailableError], None] = lambda _: None,
        before_write: Callable[[], None] = lambda: None,
    ) -> AsyncGenerator[Self]:
        """Make the driver of a database that may not answer yet; arguments as in `open`."""
        address = uri or settings.neo4j_uri or ""
        secret = settings.neo4j_password.get_secret_value() if password is None else password
        async with AsyncGraphDatabase.driver(
            address,
            auth=(settings.neo4j_user, secret),
            max_connection_pool_size=settings.neo4j_pool_size,
            connection_timeout=settings.connect_timeout_seconds,
            connection_acquisition_timeout=settings.connect_timeout_seconds + 1,
            liveness_check_timeout=_IDLE_SECONDS,
            # `_retry` does this; the driver would hide a lost database for half a minute.
            max_transaction_retry_time=0,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            user_agent="graph-memory",
        ) as driver:
            yield cls(driver, settings, address, on_lost, before_write, SecretStr(secret))

    @property
    def settings(self) -> Settings:
        """The settings that the database was opened with."""
        return self._settings

    @property
    def servers(self) -> "Sequence[Graph]":
        """The databases that share the groups, the configured one first; without a file one."""
        return (self,)

    @property
    def shown(self) -> str:
        """The address in messages, with the name of a server of the placement file."""
        return self.address

    def of(self, group_id: str) -> "Graph":
        """Return the database that has a group."""
        return self

    def is_moving(self, group_id: str) -> bool:
        """Return whether a group takes no writes, because it is being moved to another server."""
        return False

    def old_copy(self, group_id: str) -> "Graph | None":
        """Return the database with a copy from before a move of a group; None if none waits."""
        return None

    def guard(self, guard: Guard) -> None:
        """Let a function check each write from now on."""
        self._guard = guard

    def unguarded(self) -> Self:
        """Return the same database without the check of each write."""
        changed = copy(self)
        changed._guard = None
        return changed

    def own(self, settings: Settings) -> Settings:
        """Return the settings of a service with the connection of this database."""
        return settings

    def with_settings(self, settings: Settings) -> Self:
        """Return the same database with other settings, and with their decay policies."""
        changed = copy(self)
        changed._settings = settings
        changed._statements = statements(settings.policy_dir)
        return changed

    async def rows(self, name: str, into: type[T], /, **parameters: Any) -> list[T]:
        """Run a statement and return its rows, each as an `into`.

        Args:
            name: Name of the statement, `folder/name`.
            into: Type of the only column, or a dataclass whose fields are the columns.
            parameters: The declared parameters, all of them; `numpy` arrays become Neo4j vectors.

        Raises:
            StatementError: The parameters or `into` do not fit the statement.
            GraphUnavailableError: Neo4j does not answer.
            GraphTimeoutError: The statement took longer than `query_timeout_seconds`.
            GraphOverloadedError: Neo4j has too little memory for the statement.
            DatabaseStoppedError: Neo4j closed the database after a failure of its own.
            DiskFullError: The disk of the local Neo4j has too little space for a write.
            UniquenessError: The statement would store a unique key twice.
            SchemaError: A stored value is missing or has another type than this service writes.
        """
        statement = self._statement(name)
        statement.check(parameters)
        convert, given = converter(into, statement), to_driver(parameters)
        try:
            return convert(await self._retry(statement, given))
        except SchemaError:
            if statement.access != "read":
                raise
            # A memory that is erased during the read is incomplete; a second read skips it.
            return convert(await self._retry(statement, given))

    async def one(self, name: str, into: type[T], /, **parameters: Any) -> T | None:
        """Run a statement like `rows` and return its first row, or None."""
        found = await self.rows(name, into, **parameters)
        return found[0] if found else None

    async def sound_rows(self, name: str, into: type[T], /, **parameters: Any) -> list[T]:
        """Run a read like `rows`, but leave out memories that another client has damaged.

        Properties of other types fail in Neo4j or in the conversion. Only then the slower variant
        `sound` of the statement runs, which checks the properties of each memory.
        """
        try:
            return await self.rows(name, into, **parameters)
        except SchemaError:
            found = await self.rows(f"{name}_sound", into, **parameters)
            _log.warning("'%s' leaves out damaged memories; run `graph-memory verify`.", name)
            return found

    async def readable_rows(self, name: str, into: type[T], /, **parameters: Any) -> list[T]:
        """Run a read like `rows`, but leave out rows with values of other types.

        The rows are relations or events. Another client of Neo4j has damaged those left out.
        """
        try:
            return await self.rows(name, into, **parameters)
        except SchemaError:
            statement = self._statement(name)
            convert = converter(into, statement)
            rows = await self._retry(statement, to_driver(parameters))
        found = [value for row in rows for value in _readable(convert, row)]
        _log.warning(
            "'%s' leaves out %d rows; run `graph-memory verify`.", name, len(rows) - len(found)
        )
        return found

    async def run_within(
        self, transaction: Any, name: str, /, **parameters: Any
    ) -> list[list[Any]]:
        """Run a statement in a transaction of the caller; return the values as the driver has them.

        The caller retries and translates errors.
        """
        statement = self._statement(name)
        statement.check(parameters)
        if self._guard:
            await self._guard(self.name, parameters)
        found = await transaction.run(statement.packed, statement.pack(to_driver(parameters)))
        rows = [record.values() async for record in found]
        return rows[0][0] if rows and statement.returns else rows

    async def run(self, name: str, /, **parameters: Any) -> None:
        """Run a statement like `rows`, without its result.

        A schema statement may wait for a lock that a batch keeps until its last transaction. That
        one would wait for the schema statement in turn, so the attempts are short at first, with
        pauses between. Long ones follow, because a constraint on many nodes takes its time.
        """
        statement = self._statement(name)
        statement.check(parameters)
        given = to_driver(parameters)
        if statement.access != "schema":
            await self._retry(statement, given)
            return
        for seconds in _SCHEMA_SECONDS:
            try:
                await self._retry(statement, given, seconds)
                return
            except GraphTimeoutError:
                if seconds == _SCHEMA_SECONDS[-1]:
                    raise
                await asyncio.sleep(seconds / 2)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[list[Any]]]:
        """Run a statement and yield its rows in blocks of 500, so that memory stays bounded.

        The values are those of the driver, temporal values included.

        Raises:
            StatementError: The parameters do not fit the statement.
            GraphUnavailableError: Neo4j does not answer any more.
        """
        statement = self._statement(name)
        statement.check(parameters)
        query = Query(statement.packed, metadata={"statement": name})
        try:
            async with self._session(READ_ACCESS) as session:
                result = await session.run(query, statement.pack(to_driver(parameters)))
                while block := await result.fetch(_BLOCK):
                    yield [record.values() for record in block]
        except (Neo4jError, DriverError) as error:
            raise self._translate(error, statement) from error

    @asynccontextmanager
    async def holding_schema_locks(self, *names: str, seconds: float) -> AsyncGenerator[None]:
        """Hold the locks of schema statements for the length of the context; commit nothing.

        Whatever needs these locks waits behind the call, so it gives up after some `seconds`. It
        must: a batch keeps a lock until its last transaction, which would wait for this call, and
        Neo4j does not find this circle.

        Raises:
            GraphUnavailableError: Neo4j does not answer, or a deadlock was found.
            LockTimeoutError: The locks were not free in time.
        """
        statement = self._statement(names[0])
        try:
            async with self._session(WRITE_ACCESS) as session:
                transaction = await session.begin_transaction()
                try:
                    await self._take_locks(transaction, names, seconds)
                    yield
                finally:
                    await transaction.close()
        except (Neo4jError, DriverError) as error:
            raise self._translate(error, statement) from error

    async def _take_locks(
        self, transaction: AsyncTransaction, names: Sequence[str], seconds: float
    ) -> None:
        try:
            async with asyncio.timeout(seconds):
                for name in names:
                    await (await transaction.run(self._statement(name).text)).consume()
        except TimeoutError as error:
            raise LockTimeoutError(names[0]) from error

    def _session(self, mode: str) -> AsyncSession:
        return self._driver.session(
            database=self._settings.neo4j_database,
            default_access_mode=mode,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        )

    def _statement(self, name: str) -> Statement:
        try:
            return self._statements[name]
        except KeyError:
            raise StatementError(f"Unknown statement '{name}': add cypher/{name}.cypher.") from None

    def _limit(self, statement: Statement) -> float | None:
        """Return the seconds that a statement may take; None for no limit."""
        bounded = statement.access in ("read", "write")
        return self._settings.query_timeout_seconds if bounded else None

    async def _retry(
        self, statement: Statement, parameters: dict[str, Any], seconds: float | None = None
    ) -> list[list[Any]]:
        """Run a statement; repeat it after a transient error or a lost connection.

        `seconds` is the limit of a schema statement; the others have one of their own.

        Transient errors, deadlocks for example, are retried for `retry_seconds` with exponential
        backoff and jitter. After a lost connection only a read is repeated, once: Neo4j may have
        committed a write.
        """
        started, limit = time.monotonic(), seconds or self._limit(statement)
        pause_seconds, reconnect = _FIRST_PAUSE_SECONDS, statement.access == "read"
        while True:
            try:
                return await self._measure(statement, parameters, limit)
            except ConstraintError as error:
                raise UniquenessError(statement.name, error.message) from error
            except TimeoutError as error:
                raise GraphTimeoutError(statement.name, limit or 0.0) from error
            except CONNECTION_LOST as error:
                # A stale connection of the pool fails at once; a silent host takes longer.
                if not reconnect or time.monotonic() - started > _STALE_SECONDS:
                    raise self._translate(error, statement) from error
                reconnect = False
            except (Neo4jError, DriverError) as error:
                spent = time.monotonic() - started
                if not is_transient(error) or spent > self._settings.retry_seconds:
                    raise await self._explain(error, statement) from error
                await asyncio.sleep(pause_seconds * random.uniform(0.5, 1.5))  # noqa: S311
                pause_seconds *= 2

    async def _measure(
        self, statement: Statement, parameters: dict[str, Any], seconds: float | None
    ) -> list[list[Any]]:
        if statement.access != "read":
            self._before_write()
            if self._guard:
                await self._guard(self.name, parameters)
        started, outcome = time.perf_counter(), "error"
        attributes = {"db.system.name": "neo4j", "db.query.summary": statement.name}
        slot = self._read_limiter.slot() if statement.access == "read" else nullcontext()
        try:
            async with slot:
                with span(statement.name, attributes):
                    records = await self._send(statement, parameters, seconds)
            outcome = "ok"
            return records
        finally:
            elapsed = time.perf_counter() - started
            metrics.statement_seconds.labels(statement.name, outcome).observe(elapsed)

    async def _send(
        self, statement: Statement, parameters: dict[str, Any], seconds: float | None
    ) -> list[list[Any]]:
        query = Query(statement.packed, metadata={"statement": statement.name}, timeout=seconds)
        # The server stops a slow query itself; this limit covers a server that hangs.
        async with asyncio.timeout(None if seconds is None else seconds + _GRACE_SECONDS):
            # An implicit transaction saves two round trips; CALL { } IN TRANSACTIONS and schema
            # changes require it.
            mode = READ_ACCESS if statement.access == "read" else WRITE_ACCESS
            async with self._session(mode) as session:
                found = await session.run(query, statement.pack(parameters))
                rows = [record.values() async for record in found]
                packed = statement.access in ("read", "write") and statement.returns
                return rows[0][0] if packed else rows

    async def _explain(
        self, error: Neo4jError | DriverError, statement: Statement
    ) -> GraphMemoryError:
        """Translate an error, and look up which transaction held a lock."""
        translated = self._translate(error, statement)
        if isinstance(translated, LockTimeoutError):
            return LockTimeoutError(statement.name, await self._lock_holder())
        return translated

    async def _lock_holder(self) -> str | None:
        """Describe the longest running transaction with locks; None if Neo4j shows none."""
        try:
            found = await self.one("database/graph/lock_holder", _LockHolder)
        except GraphMemoryError:
            return None  # the user may lack the privilege
        return found and f"'{found.statement or 'of another client'}', for {found.seconds:.0f} s"

    def _translate(self, error: Neo4jError | DriverError, statement: Statement) -> GraphMemoryError:
        translated = translate(error, statement.name, self.shown, self._settings)
        overloaded = isinstance(translated, GraphOverloadedError)
        if isinstance(translated, GraphUnavailableError) and not overloaded:
            _log.warning("Neo4j at %s is lost: %s", self.shown, error)
            self._on_lost(translated)
        return translated


def _readable(convert: Callable[[list[list[Any]]], list[T]], row: list[Any]) -> list[T]:
    """Return a row as a list of one value, or an empty list if it cannot be converted."""
    try:
        return convert([row])
    except SchemaError:
        return []
