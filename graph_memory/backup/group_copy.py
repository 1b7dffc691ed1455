"""A copy of one group from a server to another: all nodes and relationships, read back, compared.

The group must take no writes. The format is that of backups; see `dump`. Keys of tombstones, keys
and records of receipts, and records of runs are of the whole server. They are copied beside those
of the target, and stay on the source.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graph_memory.backup import dump, restore
from graph_memory.backup.partial_copy import PartialCopy
from graph_memory.backup.restore import Progress
from graph_memory.database.graph import Graph, UniquenessError
from graph_memory.database.lease import Lease
from graph_memory.domain.batching import batched
from graph_memory.errors import GroupMoveError

#: Nodes per transaction of an erasure, and records per statement.
_BATCH = 500

_Rows = AsyncIterable[list[list[Any]]]

#: The values of a record of a run that stand on its own server, or would be counted twice.
_OF_SERVER = {
    "transitioned": "{}",
    "failed": "[]",
    "duration_seconds": 0.0,
    "truncated": False,
    "treated_to": "",
}


@dataclass(frozen=True, slots=True)
class Survey:
    """The numbers of nodes, memories and relationships of a group on a server."""

    nodes: int
    memories: int
    edges: int
    incoming: int


@dataclass(slots=True)
class Contents:
    """The contents of a group on a server: their checksum, and the numbers of nodes by label."""

    checksum: dump.Checksum = field(default_factory=dump.Checksum)
    labels: Counter[str] = field(default_factory=Counter[str])

    def add(self, record: Mapping[str, Any]) -> None:
        """Add a node or a relationship, nodes first."""
        if "labels" in record:
            self.checksum.node(record)
            self.labels.update(record["labels"])
        else:
            self.checksum.edge(record)

    def difference(self, other: "Contents") -> str | None:
        """Return in which respect other contents differ; None if they are the same."""
        for label in sorted(self.labels | other.labels):
            if self.labels[label] != other.labels[label]:
                return f"{label} {other.labels[label]} instead of {self.labels[label]}"
        if self.checksum.edges != other.checksum.edges:
            return f"relationships {other.checksum.edges} instead of {self.checksum.edges}"
        if self.checksum.hexdigest() != other.checksum.hexdigest():
            return "the values of properties"
        return None


@dataclass(slots=True)
class _Copy:
    """An attempt to copy a group: it completes what an interrupted call has copied."""

    source: Graph
    target: Lease
    group_id: str
    partial: PartialCopy
    on_progress: Progress
    read: Contents = field(default_factory=Contents)
    made: dict[int, str] = field(default_factory=dict[int, str])
    done: int = 0  #: records that the progress counts

    async def complete(self) -> bool:
        """Copy what the partial copy lacks, and return True if the source has all of it."""
        nodes, edges = _streams(self.source, self.group_id)
        async for block in nodes:
            await self._add_nodes([dump.node(*row) for row in block])
        if self.partial.nodes_left:
            return False
        async for block in edges:
            await self._add_edges([dump.edge(*row) for row in block])
        return not self.partial.edges_left

    async def _add_nodes(self, nodes: list[dict[str, Any]]) -> None:
        for each in nodes:
            self.read.add(each)
            if known := self.partial.take_node(each):
                self.made[each["id"]] = known
        await self._write([each for each in nodes if each["id"] not in self.made], len(nodes))

    async def _add_edges(self, edges: list[dict[str, Any]]) -> None:
        for each in edges:
            if each["to"] not in self.made:
                raise crossing(self.group_id, self.source)
            self.read.add(each)
        missing = [each for each in edges if not self.partial.take_edge(each, self.made)]
        await self._write(missing, len(edges))

    async def _write(self, missing: list[dict[str, Any]], read: int) -> None:
        """Write what a block of so many records lacks on the target, and count the block."""
        await restore.write(self.target.graph, missing, self.made, self.target)
        self.done += read
        self.on_progress(read, None)


@dataclass(frozen=True, slots=True)
class _Secret:
    kind: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Receipt:
    key: str
    at: str
    memory_ids: list[str]
    receipt: str


async def survey(graph: Graph, group_id: str) -> Survey:
    """Count what a server has of a group."""
    async for block in graph.stream("backup/group_copy/survey", group_id=group_id):
        return Survey(*block[0])
    return Survey(0, 0, 0, 0)


async def copy(source: Graph, target: Lease, group_id: str, on_progress: Progress) -> Contents:
    """Copy a group into a server, and return what was read.

    What an interrupted call has copied stays, unless the source does not have all of it.

    Args:
        source: The server that has the group.
        target: The other server, with its lease.
        group_id: The tenant.
        on_progress: Called with the number of nodes and relationships copied since the last call.

    Raises:
        LeaseLostError: Another call has taken the lease of the target.
        GroupMoveError: A relationship leads to or from a node of no group.
    """
    await _copy_records(source, target.graph, group_id)
    partial = await PartialCopy.read(*_streams(target.graph, group_id))
    attempt = _Copy(source, target, group_id, partial, on_progress)
    if not await _fits(attempt):
        await erase(target, group_id)
        on_progress(-attempt.done, None)
        attempt = _Copy(source, target, group_id, PartialCopy(), on_progress)
        await attempt.complete()
    return attempt.read


async def _fits(attempt: _Copy) -> bool:
    """Complete a partial copy; return False if the source lacks a part of it."""
    try:
        return await attempt.complete()
    except UniquenessError:  # the partial copy has another node with the same key
        return False


def crossing(group_id: str, source: Graph) -> GroupMoveError:
    """Return the error for a relationship between a group and what is not of it."""
    return GroupMoveError(
        f"Group '{group_id}' on server '{source.name}' has a relationship with a node of no group "
        "or of another one, so it cannot be moved whole. The group stays where it is. "
        "`graph-memory verify` and Neo4j Browser show such relationships; delete them."
    )


async def read(graph: Graph, group_id: str) -> Contents:
    """Read what a server has of a group."""
    found = Contents()
    nodes, edges = _streams(graph, group_id)
    async for block in nodes:
        for row in block:
            found.add(dump.node(*row))
    async for block in edges:
        for row in block:
            found.add(dump.edge(*row))
    return found


def _streams(graph: Graph, group_id: str) -> tuple[_Rows, _Rows]:
    """Return the nodes and the relationships of a group on a server, as blocks of rows."""
    nodes = graph.stream("backup/group_copy/nodes", group_id=group_id)
    return nodes, graph.stream("backup/group_copy/edges", group_id=group_id)


async def erase(server: Lease, group_id: str) -> None:
    """Erase what a server has of a group, and what an earlier move has set aside.

    Raises:
        LeaseLostError: Another call has taken the lease of the server.
    """
    await _by_holder(server, "backup/group_copy/erase", group_id)


async def set_aside(server: Lease, group_id: str) -> None:
    """Take a moved group out of all indexes and statements of a server, until it is erased.

    Raises:
        LeaseLostError: Another call has taken the lease of the server.
    """
    await _by_holder(server, "backup/group_copy/set_aside", group_id)


async def _by_holder(server: Lease, statement: str, group_id: str) -> None:
    """Run a statement that does nothing without the lease; raise if the lease was lost."""
    await server.graph.run(statement, group_id=group_id, batch=_BATCH, owner=server.owner)
    await server.require_held()


async def _copy_records(source: Graph, target: Graph, group_id: str) -> None:
    """Copy what is of the whole server and the group needs; records that are known stay."""
    await _copy_secrets(source, target)
    receipts = await source.rows("backup/group_copy/receipts", _Receipt, group_id=group_id)
    for batch in batched(receipts, _BATCH):
        rows = [
            {"key": each.key, "at": each.at, "memory_ids": each.memory_ids, "receipt": each.receipt}
            for each in batch
        ]
        await target.run("backup/group_copy/keep_receipts", group_id=group_id, receipts=rows)
    async for block in source.stream("backup/group_copy/runs", group_id=group_id):
        runs = [{"run_id": run_id, "properties": _of_target(run)} for run_id, run in block]
        await target.run("backup/group_copy/keep_runs", runs=sorted(runs, key=_run_id))


def _run_id(row: Mapping[str, Any]) -> str:
    return row["run_id"]


def _of_target(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run without its counts, which the source keeps, and as ended."""
    counted = {key: 0 for key, value in run.items() if type(value) is int and key != "canary"}
    ended = {"status": "done"} if run.get("status") == "running" else {}
    return {**run, **counted, **_OF_SERVER, **ended}


async def _copy_secrets(source: Graph, target: Graph) -> None:
    """Copy the keys of hashes and signatures, so that tombstones and receipts stay valid."""
    known = set(await target.rows("backup/group_copy/secrets", _Secret))
    missing = [
        {"key": f"{each.kind}|{_named(each.secret)}", "secret": each.secret}
        for each in await source.rows("backup/group_copy/secrets", _Secret)
        if each not in known
    ]
    if missing:
        await target.run("backup/group_copy/keep_secrets", secrets=missing)


def _named(secret: str) -> str:
    """Return a name of a key that shows nothing of it."""
    return hashlib.sha256(secret.encode()).hexdigest()[:16]
