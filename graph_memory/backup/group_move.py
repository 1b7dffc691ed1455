"""A move of a group to another server: no writes, copy, comparison, switch, and erasure later.

The table of moves (`database/moves.py`) decides which server has the group. Each step can be
repeated, so a call that was killed is finished by the same call. Until the switch the source has
the group, and a partial copy counts for nothing. After the switch the target has it, and the copy
of the source is set aside until `finish`. An undo after the switch is a move back.

The move holds the lease of both servers: no run changes what is copied.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from graph_memory.backup import group_copy
from graph_memory.backup.restore import Progress
from graph_memory.database.embedding_record import has_passages, stored_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease, lease_state
from graph_memory.database.moves import VIEW_SECONDS, GroupMove, Phase
from graph_memory.database.placed_graph import PlacedGraph
from graph_memory.database.statements import statements
from graph_memory.errors import GroupMoveError, InvalidArgumentError, RunLockedError
from graph_memory.settings.base import Settings

#: Seconds between a check of a write and its arrival, besides the wait for a connection.
_ON_THE_WAY_SECONDS = 1.0

#: Seconds between two looks at the transactions of the source, and of all looks together.
_LOOK_SECONDS = 0.2
_PATIENCE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class GroupMoved:
    """A move of a group, or the plan of one.

    Attributes:
        group_id: The tenant.
        from_server: The server that had the group.
        to_server: The server that gets it.
        phase: `planned` for a plan, `kept` after a move, `done` once no copy is left.
        memories: Number of its memories, deleted ones included.
        nodes: Number of its nodes.
        edges: Number of its relationships.
        seconds: Time in which it took no writes, in seconds.
    """

    group_id: str
    from_server: str
    to_server: str
    phase: str
    memories: int
    nodes: int
    edges: int
    seconds: float = 0.0


async def plan(placed: PlacedGraph, group_id: str, server: str) -> GroupMoved:
    """Return what a move would copy; arguments and errors as in `move`."""
    await placed.moves.refresh()
    source, target = _ends(placed, group_id, server)
    await _require_possible(placed, source, target, group_id)
    return await _described(source, group_id, source, target, "planned")


async def move(
    placed: PlacedGraph, settings: Settings, group_id: str, server: str, on_progress: Progress
) -> GroupMoved:
    """Move a group to another server, or finish a move that was interrupted.

    Args:
        placed: The servers.
        settings: The timeouts, and the length of the lease.
        group_id: The tenant.
        server: Name of the server that gets the group.
        on_progress: Called with the number of nodes and relationships copied since the last call,
            and once with the total.

    Raises:
        InvalidArgumentError: The server is unknown or has the group, or another move of the group
            has not ended.
        GroupMoveError: A run or another move is in progress, the server has data of the group, or
            the copy differs. The group stays where it is.
        GraphUnavailableError: A server does not answer; repeat the call.
        LeaseLostError: The call was held up, and another call took over the move.
    """
    await placed.moves.refresh()
    source, target = _ends(placed, group_id, server)
    async with _holding(settings, group_id, source, target) as leases:
        await placed.moves.refresh()
        if [each.name for each in _ends(placed, group_id, server)] != [source.name, target.name]:
            raise _in_progress(group_id)
        began, standing = time.monotonic(), placed.moves.find(group_id)
        if standing is None or standing.phase is not Phase.SWITCHED or standing.to_server != server:
            await _copy_and_switch(placed, source, target, group_id, on_progress, leases)
        seconds = time.monotonic() - began
        await asyncio.sleep(_settling_seconds(settings))  # until no reader takes the old place
        await group_copy.set_aside(leases[0], group_id)
        await placed.moves.note(group_id, Phase.KEPT)
    done = await _described(target, group_id, source, target, Phase.KEPT)
    return replace(done, seconds=seconds)


async def undo(
    placed: PlacedGraph, settings: Settings, group_id: str, on_progress: Progress
) -> GroupMoved:
    """Take a move back: drop a partial copy, or move the group back with all writes since.

    Raises:
        InvalidArgumentError: The group was not moved, or its old copy is erased.
    """
    await placed.moves.refresh()
    standing = _standing(placed, group_id, "undo")
    if standing.phase is not Phase.COPYING:
        return await move(placed, settings, group_id, standing.from_server, on_progress)
    source, target = _servers(placed, standing)
    async with _holding(settings, group_id, source, target) as leases:
        await _end(placed, standing, stays=source, copy=leases[1])
    return await _described(source, group_id, target, source, Phase.DONE)


async def finish(placed: PlacedGraph, settings: Settings, group_id: str) -> GroupMoved:
    """Erase the copy that a move has left on the old server; an undo is not possible after it.

    Raises:
        InvalidArgumentError: The group was not moved, its move has not ended, or its old copy is
            erased.
    """
    await placed.moves.refresh()
    standing = _standing(placed, group_id, "finish")
    if standing.phase is Phase.COPYING:
        rule = f"its move to {standing.to_server} has not ended; repeat the move, or undo it"
        raise InvalidArgumentError("group_id", group_id, rule)
    old, server = _servers(placed, standing)
    async with _holding(settings, group_id, old) as leases:
        await _end(placed, standing, stays=server, copy=leases[0])
    return await _described(server, group_id, old, server, Phase.DONE)


async def _end(placed: PlacedGraph, standing: GroupMove, *, stays: Graph, copy: Lease) -> None:
    """End a move under the lease: erase a copy, and record that the group stays on a server.

    Raises:
        GroupMoveError: Another call has changed the move in between.
    """
    group_id = standing.group_id
    await placed.moves.refresh()
    if placed.moves.find(group_id) != standing:
        raise _in_progress(group_id)
    await group_copy.erase(copy, group_id)
    await placed.moves.end(group_id, stays.name, placed.placement.server_of(group_id))


async def _copy_and_switch(
    placed: PlacedGraph,
    source: Graph,
    target: Graph,
    group_id: str,
    on_progress: Progress,
    leases: Sequence[Lease],
) -> None:
    await _require_possible(placed, source, target, group_id)
    for lease in leases:
        await lease.require_held()
    standing = placed.moves.find(group_id)
    if standing and standing.phase is Phase.KEPT:
        await group_copy.erase(leases[1], group_id)  # the copy that the last move has set aside
    await placed.moves.begin(group_id, source.name, target.name)
    await _await_writers(source)
    found = await group_copy.survey(source, group_id)
    on_progress(0, found.nodes + found.edges)
    copied = await group_copy.copy(source, leases[1], group_id, on_progress)
    for server in (target, source):  # the source again: a late write must not be lost
        if problem := copied.difference(await group_copy.read(server, group_id)):
            raise _differs(group_id, server, problem)
    for server, lease in zip((source, target), leases, strict=True):
        held = await lease_state(server)
        if held is None or held.owner != lease.owner:
            raise _differs(group_id, server, "its lease has expired, so a run may have changed it")
    await placed.moves.note(group_id, Phase.SWITCHED)


async def _require_possible(
    placed: PlacedGraph, source: Graph, target: Graph, group_id: str
) -> None:
    """Check what can be known before a move.

    Raises:
        GroupMoveError: The servers differ in their vectors, the target has data of the group, or a
            relationship leads out of the group.
    """
    models = await stored_embedding(source), await stored_embedding(target)
    if models[0] != models[1] or await has_passages(source) != await has_passages(target):
        raise GroupMoveError(
            f"Servers '{source.name}' and '{target.name}' hold vectors of different models, or of "
            "different versions. Run `graph-memory embeddings rebuild`, then repeat the move."
        )
    found = await group_copy.survey(source, group_id)
    if found.edges != found.incoming:
        raise group_copy.crossing(group_id, source)
    standing = placed.moves.find(group_id)
    if standing and standing.phase is not Phase.DONE:
        return  # what the target has is of this move, or of the one that is taken back
    if held := (await group_copy.survey(target, group_id)).nodes:
        raise GroupMoveError(
            f"Server '{target.name}' holds data of group '{group_id}' already (nodes: {held}), and "
            "no rule and no move placed it there. Copy what you need of it, and delete it on that "
            "server; then repeat the move."
        )


def _ends(placed: PlacedGraph, group_id: str, server: str) -> tuple[Graph, Graph]:
    """Return the source and the target of a move.

    Raises:
        InvalidArgumentError: The group cannot be moved to the server now.
    """
    known = [each.name for each in placed.servers]
    if server not in known:
        raise InvalidArgumentError("server", server, f"choose from {', '.join(known)}")
    standing, target = placed.moves.find(group_id), placed.server(server, group_id)
    if standing and standing.phase is Phase.COPYING and server != standing.to_server:
        rule = f"the move to {standing.to_server} has not ended; repeat it, or undo it"
        raise InvalidArgumentError("server", server, rule)
    if standing and standing.phase is Phase.SWITCHED and server == standing.to_server:
        return _servers(placed, standing)
    source = placed.of(group_id)
    if source is target:
        raise InvalidArgumentError("server", server, f"group '{group_id}' is there already")
    waiting = standing and standing.phase in (Phase.SWITCHED, Phase.KEPT)
    if standing and waiting and server != standing.from_server:
        rule = f"a copy of the last move waits on {standing.from_server}; finish that move first"
        raise InvalidArgumentError("server", server, rule)
    return source.unguarded(), target.unguarded()


def _standing(placed: PlacedGraph, group_id: str, act: str) -> GroupMove:
    """Return the move of a group that can be taken back or finished."""
    standing = placed.moves.find(group_id)
    if standing is None or standing.phase is Phase.DONE:
        rule = f"no move of the group is left to {act}; `graph-memory groups moves` lists the moves"
        raise InvalidArgumentError("group_id", group_id, rule)
    return standing


def _servers(placed: PlacedGraph, standing: GroupMove) -> tuple[Graph, Graph]:
    """Return the source and the target of a recorded move."""
    names = standing.from_server, standing.to_server
    source, target = (placed.server(each, standing.group_id).unguarded() for each in names)
    return source, target


@contextlib.asynccontextmanager
async def _holding(
    settings: Settings, group_id: str, *servers: Graph
) -> AsyncGenerator[list[Lease]]:
    """Hold the leases of servers.

    Raises:
        GroupMoveError: A maintenance run or another move holds one.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            leases = [await stack.enter_async_context(Lease(each, settings)) for each in servers]
        except RunLockedError as error:
            raise _in_progress(group_id) from error
        yield leases


async def _await_writers(source: Graph) -> None:
    """Wait until no replica writes to the group on its old server.

    Raises:
        GroupMoveError: A transaction has written for minutes.
    """
    settings, began = source.settings, time.monotonic()
    await asyncio.sleep(_settling_seconds(settings))
    since = time.monotonic()
    writing = [each.name for each in statements().values() if each.access in ("write", "batch")]
    while True:
        elapsed = int((time.monotonic() - since) * 1000)
        found = await source.one(
            "backup/group_move/unended", str, milliseconds=elapsed, writing=writing
        )
        if found is None:
            return
        if time.monotonic() - began > _PATIENCE_SECONDS:
            raise GroupMoveError(
                f"The transaction of '{found or 'another client'}' on server '{source.name}' has "
                "not ended. Wait for it, or end it with TERMINATE TRANSACTIONS in Neo4j; then "
                "repeat the move. Until then the group takes no writes."
            )
        await asyncio.sleep(_LOOK_SECONDS)


def _settling_seconds(settings: Settings) -> float:
    """Return the seconds after which no statement is sent by an old view of the table."""
    acquisition = settings.connect_timeout_seconds + 1
    return VIEW_SECONDS + acquisition + _ON_THE_WAY_SECONDS


async def _described(
    graph: Graph, group_id: str, source: Graph, target: Graph, phase: str
) -> GroupMoved:
    found = await group_copy.survey(graph, group_id)
    counts = found.memories, found.nodes, found.edges
    return GroupMoved(group_id, source.name, target.name, phase, *counts)


def _in_progress(group_id: str) -> GroupMoveError:
    return GroupMoveError(
        f"A maintenance run or another move is in progress on a server of group '{group_id}'. "
        "Nothing was changed. Wait until it has ended; `graph-memory status` and "
        "`graph-memory groups moves` show it."
    )


def _differs(group_id: str, server: Graph, problem: str) -> GroupMoveError:
    return GroupMoveError(
        f"The copy of group '{group_id}' does not agree with server '{server.name}': {problem}. "
        "The group stays where it is, and takes no writes. Repeat the move, or undo it."
    )
