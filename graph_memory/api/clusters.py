"""Clusters of memories: list them, read one, and act on all memories of one."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from graph_memory.api.arguments import ClusterActionArgument
from graph_memory.context import Context
from graph_memory.domain.inputs import Line, validate, validate_value
from graph_memory.domain.models import ClusterAction
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning import clustered
from graph_memory.learning.acting import Act
from graph_memory.learning.clustered import ClusterMemories, Clusters
from graph_memory.maintenance.acting import ClusterChange, act_on

#: A tag, as a memory stores it.
Tag = Annotated[Line, StringConstraints(max_length=128)]
ClusterLimit = Annotated[int, Field(ge=1, le=1000)]


class ClustersApi:
    """The clusters of a `GraphMemory`: `memory.clusters`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def list(self, *, limit: int = 50, group_id: str | None = None) -> Clusters:
        """List the clusters that maintenance found, the largest first.

        Args:
            limit: Maximum number of clusters, 1 to 1,000.
            group_id: The tenant.
        """
        return await clustered.list_clusters(
            self._context.graph,
            self._context.group(group_id),
            validate_value(ClusterLimit, limit, "limit"),
        )

    async def get(
        self, cluster_id: str, *, limit: int = 100, group_id: str | None = None
    ) -> ClusterMemories:
        """Return a cluster with its memories, the newest first.

        Args:
            cluster_id: The cluster, or the beginning of its id.
            limit: Maximum number of memories, 1 to 1,000.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several clusters have ids that begin so.
            InvalidArgumentError: The group has no such cluster.
        """
        return await clustered.cluster_memories(
            self._context.graph,
            self._context.group(group_id),
            validate_value(Line, cluster_id, "cluster_id"),
            validate_value(ClusterLimit, limit, "limit"),
        )

    async def act(
        self,
        cluster_id: str,
        action: ClusterActionArgument,
        *,
        tag: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
        group_id: str | None = None,
    ) -> ClusterChange:
        """Act on the memories of a cluster, as a run that `maintenance.undo` takes back.

        Memories that are obsolete, expired or deleted, or have ended, stay as they are. Preserved
        ones do not become obsolete.

        Args:
            cluster_id: The cluster, or the beginning of its id.
            action: `preserve` protects from decay for ever and makes ACTIVE, `tag` adds a tag, and
                `obsolete` marks obsolete: searches omit the memories from then on.
            tag: Tag to add, 1 to 128 characters; for `tag` only.
            reason: Reason, for the history; for `obsolete` only.
            dry_run: True to report the memories without a change.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several clusters have ids that begin so.
            InvalidArgumentError: The group has no such cluster, or the action lacks its tag or
                reason, or has one that it does not take.
            RunLockedError: A maintenance run is in progress.
        """
        scope = self._context.scope(group_id)
        checked = validate(ClusterAction, action, "action")
        given = {
            "tag": _given(checked is ClusterAction.TAG, Tag, tag, "tag"),
            "reason": _given(checked is ClusterAction.OBSOLETE, Line, reason, "reason"),
        }
        named = validate_value(Line, cluster_id, "cluster_id")
        whole = await clustered.whole_id(self._context.graph, scope.group_id, named)
        context = self._context.of(scope.group_id)
        return await act_on(context, scope, Act(checked, whole, **given), dry_run=dry_run)

    async def preserve(
        self, cluster_id: str, *, dry_run: bool = False, group_id: str | None = None
    ) -> ClusterChange:
        """Protect the memories of a cluster from decay for ever; see `act`."""
        return await self.act(cluster_id, "preserve", dry_run=dry_run, group_id=group_id)

    async def tag(
        self, cluster_id: str, tag: str, *, dry_run: bool = False, group_id: str | None = None
    ) -> ClusterChange:
        """Add a tag to the memories of a cluster; see `act`."""
        return await self.act(cluster_id, "tag", tag=tag, dry_run=dry_run, group_id=group_id)

    async def obsolete(
        self, cluster_id: str, reason: str, *, dry_run: bool = False, group_id: str | None = None
    ) -> ClusterChange:
        """Mark the memories of a cluster obsolete for a reason; see `act`."""
        return await self.act(
            cluster_id, "obsolete", reason=reason, dry_run=dry_run, group_id=group_id
        )


def _given(takes: bool, kind: Any, value: Any, name: str) -> str:
    """Return the checked value of an argument that an action takes, else an empty text.

    Raises:
        InvalidArgumentError: The action lacks the argument, or does not take it.
    """
    if takes:
        checked: str = validate_value(kind, value, name)
        return checked
    if value is not None:
        raise InvalidArgumentError(name, value, "this action does not take it")
    return ""
