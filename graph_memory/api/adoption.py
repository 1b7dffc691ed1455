"""Adoption: entities that Graphiti wrote become memories, and can be released again."""

from collections.abc import Callable, Mapping, Sequence

from graph_memory.context import Context
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti import adoption, rename_group
from graph_memory.graphiti.adoption import AdoptableGroup, Adopted
from graph_memory.graphiti.rename_group import GroupRename


class AdoptionApi:
    """The adoption of Graphiti's entities by a `GraphMemory`: `memory.adoption`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def count(self, groups: Sequence[str] | None = None) -> list[AdoptableGroup]:
        """Count the entities that an adoption would take, with their defects, by group.

        Args:
            groups: The groups; None for all.
        """
        return await adoption.count_adoptable(self._context, groups)

    async def plan_renames(self, renames: Mapping[str, str]) -> list[GroupRename]:
        """Count the nodes and relations under the old ids of groups to rename, without a change.

        Args:
            renames: New ids of groups by their old ids.

        Raises:
            InvalidArgumentError: A new id is invalid or taken, or an old id is unknown.
        """
        return await rename_group.plan_renames(self._context.graph, renames)

    async def adopt(
        self,
        groups: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        renames: Mapping[str, str] | None = None,
        *,
        on_progress: Callable[[int], None] = lambda done: None,
    ) -> Adopted:
        """Turn entities into memories; a repeated adoption changes nothing.

        With a placement file, each group is adopted on the server that has it. Entities of a group
        on another server stay as they are, and the answer lists the group as misplaced.

        Args:
            groups: The groups; by default all groups with a valid tenant id.
            labels: Labels; an entity has at least one of them. None for any entity.
            renames: New ids of groups by their old ids, for groups without a valid tenant id.
            on_progress: Called with the number of entities adopted since the last call.

        Raises:
            InvalidArgumentError: A list is empty, a group has no valid tenant id, or a rename is
                not possible.
        """
        for name, given in (("groups", groups), ("labels", labels)):
            if given is not None and not given:
                raise InvalidArgumentError(name, given, "give at least one, or omit it for all")
        return await adoption.adopt(self._context, groups, labels, renames, on_progress=on_progress)

    async def release(self, groups: Sequence[str]) -> Adopted:
        """Restore entities and facts as they were before adoption, with their old group ids.

        Args:
            groups: The groups, at least one.
        """
        if not groups:
            raise InvalidArgumentError("groups", groups, "give at least one")
        return await adoption.release(self._context, groups)
