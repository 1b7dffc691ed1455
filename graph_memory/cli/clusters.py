"""The command for clusters of memories: list them, and act on the memories of one."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request
from graph_memory.cli.output import show
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.types import Cluster, ClusterChange, ClusterMemories, Clusters

app = typer.Typer()


@command(app, example="clusters 5b2a4c0e --tag garden --dry-run")
async def clusters(
    cluster_id: Annotated[
        str | None,
        typer.Argument(help="Id of a cluster, or its first characters; default: list all."),
    ] = None,
    preserve: Annotated[
        bool, typer.Option("--preserve", help="Protect its memories from decay for ever.")
    ] = False,
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", help="Add a tag to its memories.")
    ] = None,
    obsolete: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Mark its memories obsolete for a reason."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what an action would change, and stop.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Most clusters or memories, 1 to 1000.")] = 50,
) -> None:
    """List clusters of related memories, or the memories of one, or act on all of its memories.

    Maintenance finds clusters in its stage clusters. An action is a run, which `undo` takes back.
    """
    _check(cluster_id, dry_run, preserve, tag, obsolete)
    async with opened() as memory:
        if cluster_id is None:
            _print_clusters(await memory.clusters.list(limit=limit))
        elif preserve:
            _print_change(await memory.clusters.preserve(cluster_id, dry_run=dry_run))
        elif tag is not None:
            _print_change(await memory.clusters.tag(cluster_id, tag, dry_run=dry_run))
        elif obsolete is not None:
            _print_change(await memory.clusters.obsolete(cluster_id, obsolete, dry_run=dry_run))
        else:
            _print_memories(await memory.clusters.get(cluster_id, limit=limit))


def _check(
    cluster_id: str | None, dry_run: bool, preserve: bool, tag: str | None, obsolete: str | None
) -> None:
    """Refuse an action without a cluster, a dry run without an action, and several actions."""
    actions = [preserve or None, tag, obsolete]
    given = sum(each is not None for each in actions)
    if given > 1:
        raise InvalidArgumentError(
            "tag" if tag is not None else "preserve",
            tag if tag is not None else preserve,
            "give one of --preserve, --tag and --obsolete",
        )
    if given and cluster_id is None:
        raise InvalidArgumentError("cluster_id", cluster_id, "an action needs a cluster")
    if dry_run and not given:
        raise InvalidArgumentError(
            "dry_run", dry_run, "give --preserve, --tag or --obsolete with it"
        )


def _print_clusters(found: "Clusters") -> None:
    if found.total > len(found.clusters) and not request().as_json:
        note(f"{len(found.clusters)} of {found.total}; --limit shows more.")
    columns = ("id", "label", "memories", "states", "oldest", "newest", "most central")
    show(found, columns, map(_row, found.clusters))


def _row(cluster: "Cluster") -> tuple[object, ...]:
    states = ", ".join(f"{state} {count}" for state, count in cluster.states.items() if count)
    return (
        cluster.cluster_id,
        cluster.label,
        cluster.size,
        states,
        cluster.oldest,
        cluster.newest,
        cluster.central,
    )


def _print_memories(found: "ClusterMemories") -> None:
    if not request().as_json:
        shown, size = len(found.memories), found.cluster.size
        note(f"{found.cluster.label}: {shown} of {size} memories, the newest first.")
    rows = ((m.memory_id, m.state, m.created_at, m.lead) for m in found.memories)
    show(found, ("id", "state", "created", "title"), rows)


def _print_change(change: "ClusterChange") -> None:
    if not request().as_json:
        for left in change.refusals:
            note(f"{left.memory_id}: {left.reason}")
    rows = {
        "run_id": change.run_id,
        "would be changed" if change.dry_run else "changed": str(change.changed),
        "left": str(change.left),
    }
    show(change, ("", ""), rows.items())
