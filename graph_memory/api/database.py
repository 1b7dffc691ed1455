"""The database of a `GraphMemory`: schema, checks, repairs and restores.

`GraphMemory.open` migrates a database, and refuses an incomplete restore; these operations do
neither.
"""

import dataclasses
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from graph_memory.backup import folders as backups_of
from graph_memory.backup import restore
from graph_memory.backup import rewrite as rewriting
from graph_memory.backup.restore import Progress, Restored
from graph_memory.backup.rewrite import Rewritten
from graph_memory.backup.until import Rewind
from graph_memory.database import embedding_record, indexes, schema
from graph_memory.database.connection import open_database
from graph_memory.database.graph import Graph
from graph_memory.database.losses import Loss, find_losses, require_confirmation
from graph_memory.database.schema import MigrationStatus
from graph_memory.diagnostics import doctor, repair, verify
from graph_memory.diagnostics.doctor import Check
from graph_memory.diagnostics.repair import RepairCount
from graph_memory.diagnostics.verify import OnChecked, Problem
from graph_memory.domain.inputs import GroupId, validate_value
from graph_memory.domain.timestamps import EndMoment
from graph_memory.errors import ConfirmationRequiredError
from graph_memory.maintenance.rewind import take_back
from graph_memory.memories.embeddings import groups
from graph_memory.settings.base import Settings

#: The text that confirms a rewrite.
REWRITE = "REWRITE"


async def examine(settings: Settings) -> list[Check]:
    """Check folders, disk, Java, database, schema, vectors, models and ports, without a change."""
    return await doctor.examine(settings)


async def rewrite(
    settings: Settings, *, confirm: str, on_progress: Progress = lambda done, of: None
) -> Rewritten:
    """Write the local database into new files without what was deleted, and delete the old ones.

    Every node, relation and token stays. Nothing else may use the database at the same time.

    Args:
        settings: The data root.
        confirm: The text `REWRITE`.
        on_progress: Called with the number of nodes and relations copied since the last call, and
            once with the total.

    Raises:
        BackupError: A restore is unfinished, or the copy differs; the database stays as it is.
        ConfirmationRequiredError: `confirm` is not `REWRITE`.
        LocalNeo4jError: The settings name another database, or other processes use the local one.
    """
    if confirm != REWRITE:
        raise ConfirmationRequiredError("Rewriting the files of the database", REWRITE)
    return await rewriting.rewrite(settings, on_progress)


class Database:
    """An open database, with its schema as it is."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings) -> AsyncGenerator["Database"]:
        """Open the configured database, or the local one, with its schema as it is.

        Raises:
            GraphUnavailableError: Nothing answers at the configured address.
            LocalNeo4jError: The local Neo4j cannot be started.
        """
        async with open_database(settings) as graph:
            yield cls(graph, settings)

    async def groups(self) -> list[str]:
        """List the groups that have memories, deleted ones included."""
        return sorted({one for each in self._graph.servers for one in await groups(each)})

    async def verify(
        self, group_id: str | None = None, *, on_progress: OnChecked = lambda done: None
    ) -> dict[str, list[Problem]]:
        """Check memories and relations, and return the violations of the schema by group.

        Problems of the schema itself are under the empty group id.

        Args:
            group_id: The tenant to check; None for all.
            on_progress: Called with the number of memories that were checked since the last call.
        """
        return await verify.verify_all(self._graph, self._settings, _group(group_id), on_progress)

    async def repair(self, group_id: str | None = None) -> list[RepairCount]:
        """Restore properties and relations that another writer has erased.

        Args:
            group_id: The tenant to repair; None for all.
        """
        group, now = _group(group_id), datetime.now(UTC)
        servers = self._graph.servers if group is None else [self._graph.of(group)]
        done = [await repair.repair(each, self._settings, now, group) for each in servers]
        return [count for counts in done for count in counts]

    async def restore(
        self,
        path: Path,
        *,
        replace: bool = False,
        until: datetime | str | None = None,
        on_progress: Progress = lambda done, of: None,
    ) -> Restored:
        """Replace the database by a backup; nothing else may use it at the same time.

        With a placement file, the folder in which the backup is decides the server.

        Args:
            path: Folder of the backup.
            replace: True to replace existing memories, after a backup of them.
            until: Instant to restore to, at which the backup was made or before: what is dated
                later is taken back. A date means the end of that day. By default nothing is.
            on_progress: Called with the number of nodes and relations written since the last call,
                and of all.

        Raises:
            BackupError: The backup is damaged, was made before `until`, memories exist without
                `replace`, or the result differs from the backup; or its folder is not that of a
                server.
            InvalidArgumentError: `until` is not an instant.
            RunLockedError: A maintenance run is in progress.
        """
        rewind = None
        if until is not None:
            moment = validate_value(EndMoment, cast(Any, until), "until")
            rewind = Rewind(moment, take_back)
        graph = backups_of.server_of(self._graph, self._settings, path)
        await schema.check_server(graph)
        await schema.migrate_up(graph, self._settings)
        settings = graph.own(self._settings)
        return await restore.restore(
            graph, settings, path, replace=replace, rewind=rewind, on_progress=on_progress
        )

    async def migrate(self) -> list[int]:
        """Apply every migration that is missing, and return their versions.

        Raises:
            SchemaError: The server is too old, or a migration is unknown or was edited.
        """
        done = set[int]()
        for each in self._graph.servers:
            await schema.check_server(each)
            done.update(await schema.migrate_up(each, self._settings))
        return sorted(done)

    async def migrate_down(self, to: int, *, confirm: str = "") -> list[int]:
        """Revert the migrations above version `to`, and return their versions.

        Memories and relations stay. Data that only these migrations know is deleted. If some of it
        is lost permanently, as `losses` counts, the call needs a confirmation.

        Args:
            to: The version to keep as the last.
            confirm: The text `DELETE`; needed only if something is lost.

        Raises:
            ConfirmationRequiredError: Something would be lost, and `confirm` is another text. No
                server was changed.
            InvalidArgumentError: `to` is below 0 or above the last version.
        """
        require_confirmation(await self.losses(to), to, confirm)
        done = {
            one for each in self._graph.servers for one in await schema.migrate_down(each, to=to)
        }
        return sorted(done, reverse=True)

    async def losses(self, to: int) -> list[Loss]:
        """Count what a migration down to version `to` would delete permanently, by kind.

        With a placement file the counts are those of all servers.

        Raises:
            InvalidArgumentError: `to` is below 0 or above the last version.
        """
        return await find_losses(self._graph.servers, to)

    async def migrations(self) -> list[MigrationStatus]:
        """List the migrations, each with the instant at which it was applied.

        With a placement file it is the instant on the last server, or None if one lacks it.
        """
        found = [await schema.migration_status(each) for each in self._graph.servers]
        return [_latest(steps) for steps in zip(*found, strict=True)]

    async def repair_indexes(self) -> list[str]:
        """Create missing indexes and constraints, and return their names."""
        done = [await schema.repair_indexes(each, self._settings) for each in self._graph.servers]
        return list(dict.fromkeys(name for names in done for name in names))

    async def reindex(self) -> list[str]:
        """Create missing search indexes and those of other settings again, and return their names.

        Searches fail until the indexes are ready.

        Raises:
            DimensionMismatchError: The stored vectors are of another model than the configured.
        """
        for each in self._graph.servers:
            await embedding_record.check_embedding(each, self._settings)
        done = await self.repair_indexes()
        for each in self._graph.servers:
            outdated = await indexes.outdated_indexes(each, self._settings)
            await indexes.recreate_indexes(each, self._settings, outdated)
            done += outdated
        return list(dict.fromkeys(done))


def _latest(steps: Sequence[MigrationStatus]) -> MigrationStatus:
    """Return a migration with the instant on the last server; None if one lacks it."""
    instants = [each.applied_at for each in steps]
    known = [each for each in instants if each is not None]
    return dataclasses.replace(
        steps[0], applied_at=max(known) if len(known) == len(instants) else None
    )


def _group(group_id: str | None) -> str | None:
    return None if group_id is None else validate_value(GroupId, group_id, "group_id")
