"""Groups: their servers and their settings."""

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field

from graph_memory.context import Context
from graph_memory.database.placed_graph import place_of
from graph_memory.database.placement import GroupPlace
from graph_memory.diagnostics.groups import PlacedGroup, placed_groups
from graph_memory.domain.inputs import Line, validate_value
from graph_memory.domain.spelling import nearest
from graph_memory.errors import InvalidArgumentError
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
