"""Adoption: memories made of the entities that Graphiti wrote, and given back."""

from collections.abc import Callable, Mapping, Sequence

from graph_memory.context import Context
from graph_memory.graphiti import adoption, rename_group
from graph_memory.graphiti.adoption import AdoptableGroup, Adopted
from graph_memory.graphiti.rename_group import GroupRename


class AdoptionApi:
    """The adoption of Graphiti's entities by a `GraphMemory`: `memory.adoption`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def count(self, groups: Sequence[str] | None = None) -> list[AdoptableGroup]:
        """Count the entities that an adoption would take, of all groups or some."""
        return await adoption.count_adoptable(self._context, groups)

    async def plan_renames(self, renames: Mapping[str, str]) -> list[GroupRename]:
        """Count what giving groups other ids would move; changes nothing.

        Args:
            renames: The new id of each old one.

        Raises:
            InvalidArgumentError: An id cannot be given, is taken, or belongs to nothing.
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
        """Make memories of entities; a second time there is nothing to do.

        Args:
            groups: The groups; by default all whose id can be a tenant's.
            labels: Labels, one of which an entity must have; by default any entity.
            renames: The new id of each group whose id cannot be a tenant's.
            on_progress: Called with the entities adopted since the last call.
        """
        return await adoption.adopt(self._context, groups, labels, renames, on_progress=on_progress)

    async def release(self, groups: Sequence[str]) -> Adopted:
        """Give entities and facts back as they were before adoption, under their old group ids."""
        return await adoption.release(self._context, groups)
