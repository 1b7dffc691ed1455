"""The one door to Neo4j: statements by name in, frozen values out."""

# The driver leaves its keyword arguments untyped; that stays in this module.
# pyright: reportUnknownMemberType=false

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Any, TypeVar

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncSession,
    NotificationMinimumSeverity,
    Query,
)
from neo4j.exceptions import ConstraintError, DriverError, Neo4jError
from pydantic import SecretStr

from graph_memory import metrics
from graph_memory.database.conversion import converter, to_driver
from graph_memory.database.driver_errors import LOST, may_pass, translated
from graph_memory.database.read_limiter import ReadLimiter
from graph_memory.database.statements import Statement, statements
from graph_memory.errors import (
    GraphMemoryError,
    GraphTimeoutError,
    GraphUnavailableError,
    SchemaError,
    StatementError,
)
from graph_memory.settings.base import Settings

T = TypeVar("T")

_log = logging.getLogger(__name__)

_BLOCK = 500  # rows of a stream at a time
_STALE_SECONDS = 1.0
_IDLE_SECONDS = 1.0  # a connection unused for longer is asked first whether it still lives
_GRACE_SECONDS = 5.0


class UniquenessError(GraphMemoryError):
    """A concurrent writer took a unique key first; the caller looks again and decides."""


class Graph:
    """A database and its driver; the only owner of both.

    Routing and the kind of transaction follow from the statement's `access`; no caller names them.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        settings: Settings,
        address: str,
        on_lost: Callable[[], None],
        password: SecretStr = SecretStr(""),  # noqa: B008 - never changed
        turns: ReadLimiter | None = None,
    ) -> None:
        self._driver = driver
        self._settings = settings
        self._statements = statements(settings.policy_dir)
        self._on_lost = on_lost
        self._turns = turns or ReadLimiter(settings)
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
        on_lost: Callable[[], None] = lambda: None,
    ) -> AsyncGenerator["Graph"]:
        """Open the database of `settings`, or the one at `uri` with `password`.

        Args:
            settings: Addresses, time-outs and pool size.
            uri: Overrides `settings.neo4j_uri`; `bolt://` and `neo4j://`, with `+s` for TLS.
            password: Overrides `settings.neo4j_password`.
            on_lost: Called, without blocking, each time the database is found gone.

        Raises:
            GraphUnavailableError: Nothing answers at the address.
            SettingsError: User, password or database are refused.
        """
        address = uri or settings.neo4j_uri or ""
        secret = settings.neo4j_password.get_secret_value() if password is None else password
        async with AsyncGraphDatabase.driver(
            address,
            auth=(settings.neo4j_user, secret),
            max_connection_pool_size=settings.neo4j_pool_size,
            connection_timeout=settings.connect_timeout_seconds,
            connection_acquisition_timeout=settings.connect_timeout_seconds + 1,
            liveness_check_timeout=_IDLE_SECONDS,
            # Retries are ours: the driver's own would hide a lost database for half a minute.
            max_transaction_retry_time=0,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            user_agent="graph-memory",
        ) as driver:
            graph = cls(driver, settings, address, on_lost, SecretStr(secret))
            await graph.one("database/graph/ping", int)
            yield graph

    def with_settings(self, settings: Settings) -> "Graph":
        """Return the same database under other settings, whose policies may be others."""
        return Graph(
            self._driver, settings, self.address, self._on_lost, self.password, self._turns
        )

    async def rows(self, name: str, into: type[T], /, **parameters: Any) -> list[T]:
        """Run a statement and return its rows, each as an `into`.

        Args:
            name: The statement, `folder/name`.
            into: The type of the only column, or a dataclass whose fields are the columns.
            parameters: Exactly the declared ones. `numpy` vectors travel as Neo4j vectors.

        Raises:
            StatementError: The parameters or `into` do not fit the statement.
            GraphUnavailableError: Neo4j does not answer.
            GraphTimeoutError: It took longer than `query_timeout_seconds`.
            GraphOverloadedError: Neo4j has no memory left for it.
            UniquenessError: A unique key is taken.
            SchemaError: What it found is not as this service writes it.
        """
        statement = self._statement(name)
        statement.check(parameters)
        convert, given = converter(into, statement), to_driver(parameters)
        try:
            return convert(await self._retried(statement, given))
        except SchemaError:
            if statement.access != "read":
                raise
            # What is erased while it is read comes in parts; once more, it is not there.
            return convert(await self._retried(statement, given))

    async def one(self, name: str, into: type[T], /, **parameters: Any) -> T | None:
        """Run a statement of at most one row; like `rows` otherwise."""
        found = await self.rows(name, into, **parameters)
        return found[0] if found else None

    async def within(self, transaction: Any, name: str, /, **parameters: Any) -> list[list[Any]]:
        """Run a statement in a transaction that another has begun; return its rows as they are.

        Whoever began it retries and translates errors.
        """
        statement = self._statement(name)
        statement.check(parameters)
        found = await transaction.run(statement.text, to_driver(parameters))
        rows = [record.values() async for record in found]
        return rows[0][0] if rows and statement.returns else rows

    async def run(self, name: str, /, **parameters: Any) -> None:
        """Run a statement for its effect; like `rows` otherwise."""
        statement = self._statement(name)
        statement.check(parameters)
        await self._retried(statement, to_driver(parameters))

    async def stream(self, name: str, /) -> AsyncGenerator[list[list[Any]]]:
        """Run a statement and yield its rows in blocks, so that memory stays bounded.

        Values are as the driver has them, temporal ones as well.

        Raises:
            GraphUnavailableError: Neo4j went away.
        """
        statement = self._statement(name)
        try:
            async with self._session(READ_ACCESS) as session:
                result = await session.run(Query(statement.text, metadata={"statement": name}))
                while block := await result.fetch(_BLOCK):
                    yield [record.values() for record in block]
        except (Neo4jError, DriverError) as error:
            raise self._translated(error, statement) from error

    @asynccontextmanager
    async def holding(self, *names: str) -> AsyncGenerator[None]:
        """Hold the locks that schema statements take, while this lasts; none of them is committed.

        Raises:
            GraphUnavailableError: Neo4j went away, or a writer was in the way at the same time.
        """
        statement = self._statement(names[0])
        try:
            async with self._session(WRITE_ACCESS) as session:
                transaction = await session.begin_transaction()
                for name in names:
                    await (await transaction.run(self._statement(name).text)).consume()
                try:
                    yield
                finally:
                    await transaction.close()
        except (Neo4jError, DriverError) as error:
            raise self._translated(error, statement) from error

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
            raise StatementError(f"There is no statement '{name}' below cypher/.") from None

    async def _retried(self, statement: Statement, parameters: dict[str, Any]) -> list[list[Any]]:
        """Run once, and again for what may pass.

        That is deadlocks and what others erase meanwhile for a while, and a lost connection once if
        it is a read: a write may have been done.
        """
        started = time.monotonic()
        pause_seconds, again = 0.02, statement.access == "read"
        while True:
            try:
                return await self._measured(statement, parameters)
            except ConstraintError as error:
                raise UniquenessError(f"'{statement.name}': {error.message}") from error
            except TimeoutError as error:
                seconds = self._settings.query_timeout_seconds
                raise GraphTimeoutError(statement.name, seconds) from error
            except LOST as error:
                # A connection that went stale in the pool fails at once; a silent host does not.
                if not again or time.monotonic() - started > _STALE_SECONDS:
                    raise self._translated(error, statement) from error
                again = False
            except (Neo4jError, DriverError) as error:
                spent = time.monotonic() - started
                if not may_pass(error) or spent > self._settings.retry_seconds:
                    raise self._translated(error, statement) from error
                await asyncio.sleep(pause_seconds * random.uniform(0.5, 1.5))  # noqa: S311
                pause_seconds *= 2

    async def _measured(self, statement: Statement, parameters: dict[str, Any]) -> list[list[Any]]:
        started, outcome = time.perf_counter(), "error"
        turn = self._turns.turn() if statement.access == "read" else nullcontext()
        try:
            async with turn:
                records = await self._sent(statement, parameters)
            outcome = "ok"
            return records
        finally:
            elapsed = time.perf_counter() - started
            metrics.statement_seconds.labels(statement.name, outcome).observe(elapsed)

    async def _sent(self, statement: Statement, parameters: dict[str, Any]) -> list[list[Any]]:
        bounded = statement.access in ("read", "write")
        seconds = self._settings.query_timeout_seconds if bounded else None
        query = Query(statement.text, metadata={"statement": statement.name}, timeout=seconds)
        # The server stops a slow query itself; this is for a server that has stopped as well.
        async with asyncio.timeout(None if seconds is None else seconds + _GRACE_SECONDS):
            # An implicit transaction: it saves two round trips, and CALL { } IN TRANSACTIONS and
            # schema changes run in no other.
            mode = READ_ACCESS if statement.access == "read" else WRITE_ACCESS
            async with self._session(mode) as session:
                found = await session.run(query, parameters)
                rows = [record.values() async for record in found]
                return rows[0][0] if bounded and statement.returns else rows

    def _translated(
        self, error: Neo4jError | DriverError, statement: Statement
    ) -> GraphMemoryError:
        meant = translated(error, statement.name, self.address, self._settings)
        if type(meant) is GraphUnavailableError:  # one that is overloaded is there
            _log.warning("Neo4j at %s is lost: %s", self.address, error)
            self._on_lost()
        return meant
