"""The clusters of memories, as callers see them."""

from collections.abc import Mapping
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.models import LifecycleState
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import AmbiguousIdError, InvalidArgumentError

#: Ids that an error about an ambiguous beginning names.
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster: memories that relations and meaning connect. Deleted ones do not count."""

    cluster_id: str
    label: str | None  #: words that its memories share and others lack; None until the next run
    size: int  #: memories
    central_id: str | None  #: the most central memory; None if it was deleted
    central: str | None  #: title of the most central memory, or the beginning of its content
    states: Mapping[LifecycleState, int]  #: memories by state
    oldest: Instant  #: creation of the oldest memory
    newest: Instant  #: creation of the newest memory


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters of a list, the largest first, and the number of all."""

    clusters: list[Cluster]
    total: int


@dataclass(frozen=True, slots=True)
class ClusterMemory:
    """A memory of a cluster."""

    memory_id: str
    lead: str  #: title of the memory, or the beginning of its content
    state: LifecycleState
    created_at: Instant


@dataclass(frozen=True, slots=True)
class ClusterMemories:
    """A cluster with its memories, the newest first."""

    cluster: Cluster
    memories: list[ClusterMemory]


async def list_clusters(graph: Graph, group_id: str, limit: int) -> Clusters:
    """List the clusters of a group, the largest first."""
    found = await graph.rows(
        "learning/clustered/list", Cluster, group_id=group_id, cluster_id=None, limit=limit
    )
    total = len(found)
    if total == limit:
        total = await graph.one("learning/clustered/count", int, group_id=group_id) or 0
    return Clusters(found, total)


async def whole_id(graph: Graph, group_id: str, given: str) -> str:
    """Return the id of the cluster that has the given id, or an id that begins so.

    Raises:
        AmbiguousIdError: Several clusters have ids that begin so.
        InvalidArgumentError: The group has no such cluster.
    """
    found = await graph.rows(
        "learning/clustered/known", str, group_id=group_id, start=given, limit=_CANDIDATES + 1
    )
    if given in found or len(found) == 1:
        return given if given in found else found[0]
    if found:
        more = len(found) > _CANDIDATES
        raise AmbiguousIdError(given, found[:_CANDIDATES], more=more, argument="cluster_id")
    raise InvalidArgumentError(
        "cluster_id", given, "the group has no such cluster; list the clusters first"
    )


async def cluster_memories(graph: Graph, group_id: str, given: str, limit: int) -> ClusterMemories:
    """Return a cluster with its memories, the newest first; see `whole_id`."""
    cluster_id = await whole_id(graph, group_id, given)
    found = await graph.rows(
        "learning/clustered/list", Cluster, group_id=group_id, cluster_id=cluster_id, limit=1
    )
    memories = await graph.rows(
        "learning/clustered/members",
        ClusterMemory,
        group_id=group_id,
        cluster_id=cluster_id,
        limit=limit,
    )
    if not found:  # a run or a deletion came in between
        raise InvalidArgumentError("cluster_id", given, "the cluster no longer exists")
    return ClusterMemories(found[0], memories)
