"""Groups: their servers, their moves between servers, and their settings."""

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field

from graph_memory.backup import group_move
from graph_memory.backup.group_move import GroupMoved
from graph_memory.backup.restore import Progress
from graph_memory.context import Context
from graph_memory.database.moves import GroupMove
from graph_memory.database.placed_graph import PlacedGraph, place_of
from graph_memory.database.placement import GroupPlace
from graph_memory.diagnostics.groups import PlacedGroup, placed_groups
from graph_memory.domain.inputs import Line, validate_value
from graph_memory.domain.spelling import nearest
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.memories import group_settings
from graph_memory.memories.group_settings import GroupSettings
from graph_memory.memories.slots import Slot, slots

#: The name of a setting of a group.
GroupSetting = Literal["single_valued_slots"]

SlotNames = Annotated[tuple[Line, ...], Field(max_length=64)]


class GroupsApi:
    """The servers and the settings of the groups of a `GraphMemory`: `memory.groups`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def place(self, group_id: str | None = None) -> GroupPlace:
        """Return the server of a group, and the rule of the placement file that places it there.

        Args:
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant does not include the tenant.
        """
        return place_of(self._context.graph, self._context.group(group_id))

    async def settings(self, *, group_id: str | None = None) -> GroupSettings:
        """Return the settings of a group."""
        return await group_settings.read(self._context.graph, self._context.group(group_id))

    async def set(
        self, *, single_valued_slots: Sequence[str], group_id: str | None = None
    ) -> GroupSettings:
        """Replace a setting of a group, and return all settings.

        Args:
            single_valued_slots: Names of the slots that have one value at a time, such as
                `lives_in`; `slots` lists all. The next maintenance run lets the newer of two
                memories supersede the older. An empty list removes the setting.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The rules find no slot of a given name.
        """
        given = validate_value(SlotNames, single_valued_slots, "single_valued_slots")
        return await self._write([_slot(each) for each in given], group_id)

    async def unset(self, name: GroupSetting, *, group_id: str | None = None) -> GroupSettings:
        """Remove a setting of a group, and return the settings that are left.

        Args:
            name: The setting: `single_valued_slots`.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: A group has no setting of this name.
        """
        if name not in get_args(GroupSetting):
            raise InvalidArgumentError(
                "name", name, f"a group has the settings {', '.join(get_args(GroupSetting))}"
            )
        return await self._write([], group_id)

    def slots(self) -> list[Slot]:
        """Return the slots that can be single-valued, by name, each with an example."""
        return [*slots()]

    async def list(self) -> list[PlacedGroup]:
        """List the groups that have memories, each with its server and its number of memories.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
            GraphUnavailableError: A server does not answer.
        """
        self._context.grant.require_every_group("a list of groups")
        return await placed_groups(self._context)

    async def move(
        self,
        server: str,
        *,
        dry_run: bool = False,
        on_progress: Progress = lambda done, of: None,
        group_id: str | None = None,
    ) -> GroupMoved:
        """Move a group to another server of the placement file, whole.

        The group takes no writes until the copy is complete and compared; reads go on. Other
        groups are not affected, but no maintenance run starts on either server. The old server
        keeps a copy until `finish_move`. A call that was interrupted is finished by the same call.

        Args:
            server: Name of the server that gets the group; `home` is the configured database.
            dry_run: True to count what would be copied, without any change.
            on_progress: Called with the number of nodes and relationships copied since the last
                call, and once with the total.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
            InvalidArgumentError: The server is unknown or has the group, or another move of the
                group has not ended.
            GroupMoveError: A maintenance run is in progress, or the copy differs; the group stays
                where it is.
            GraphUnavailableError: A server does not answer; repeat the call.
            SettingsError: The settings name no placement file.
        """
        placed, group = self._placed(group_id)
        if dry_run:
            return await group_move.plan(placed, group, server)
        return await group_move.move(placed, self._context.settings, group, server, on_progress)

    async def undo_move(
        self,
        *,
        on_progress: Progress = lambda done, of: None,
        group_id: str | None = None,
    ) -> GroupMoved:
        """Take the move of a group back, with all that was written since.

        A move that has not ended is dropped, and the group takes writes again. One that has ended
        is made in the other direction.

        Args:
            on_progress: As in `move`.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The group was not moved, or its old copy is erased.
            GroupMoveError: As in `move`.
        """
        placed, group = self._placed(group_id)
        return await group_move.undo(placed, self._context.settings, group, on_progress)

    async def finish_move(self, *, group_id: str | None = None) -> GroupMoved:
        """Erase the copy that a move has left on the old server; it cannot be undone after that.

        Args:
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The group was not moved, its move has not ended, or its old copy
                is erased.
            GroupMoveError: A maintenance run is in progress on the old server.
        """
        placed, group = self._placed(group_id)
        return await group_move.finish(placed, self._context.settings, group)

    async def moves(self) -> Sequence[GroupMove]:
        """List the moves of groups: those in progress, and those that decide where a group is.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a list of moves")
        graph = self._context.graph
        return await graph.moves.all() if isinstance(graph, PlacedGraph) else []

    def _placed(self, group_id: str | None) -> tuple[PlacedGraph, str]:
        """Return the servers, and the group of a call.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
            SettingsError: The settings name no placement file.
        """
        self._context.grant.require_every_group("a move of a group")
        graph = self._context.graph
        if not isinstance(graph, PlacedGraph):
            raise SettingsError(
                "A group is moved between the servers of a placement file, and "
                "GRAPH_MEMORY_PLACEMENT_FILE names none. Write one; docs/guides/placement.md "
                "describes it."
            )
        return graph, self._context.group(group_id)

    async def _write(self, names: Sequence[str], group_id: str | None) -> GroupSettings:
        context, group = self._context, self._context.group(group_id)
        await group_settings.write(context.graph, group, names, context.clock())
        return await group_settings.read(context.graph, group)


def _slot(given: str) -> str:
    """Return the name of a slot in lower case.

    Raises:
        InvalidArgumentError: The rules find no slot of this name.
    """
    name, known = given.lower().replace("-", "_"), [each.name for each in slots()]
    if name in known:
        return name
    near = nearest(name, known)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    raise InvalidArgumentError(
        "single_valued_slots", given, f"{meant}choose from {', '.join(known)}"
    )
