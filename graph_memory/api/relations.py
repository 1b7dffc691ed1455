"""Relations between memories: add, remove, list, traverse and analyze."""

from dataclasses import replace
from typing import Unpack

from graph_memory.api.arguments import (
    ClockArguments,
    RelationDetails,
    RelationTypeArgument,
    ResolutionArgument,
    WalkArguments,
)
from graph_memory.context import Context
from graph_memory.domain.inputs import (
    Clocks,
    Line,
    MemoryId,
    NewRelation,
    relation_name,
    validate,
    validate_value,
)
from graph_memory.domain.models import PossibleConflict, Relation, RelationType
from graph_memory.domain.scope import CallScope
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import lifecycle, read
from graph_memory.memories.lifecycle import Resolution
from graph_memory.memories.neighbours import possible_conflicts
from graph_memory.memories.relations import Related, relate, relation_error, unrelate
from graph_memory.traversal.analysis import Analysis, analyze
from graph_memory.traversal.traverse import Top, Walk, Walked, traverse


class RelationsApi:
    """The relations of a `GraphMemory`: `memory.relations`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def add(
        self,
        from_id: str,
        to_id: str,
        relation_type: RelationTypeArgument = RelationType.RELATES_TO,
        *,
        resolve: ResolutionArgument | None = None,
        group_id: str | None = None,
        **details: Unpack[RelationDetails],
    ) -> list[Related]:
        """Create a relation between two memories, or update an existing one.

        What is not given keeps its stored value. With `supersedes`, `to_id` becomes obsolete, as
        `lifecycle.mark_obsolete` does it, with `fact` as the reason.

        Args:
            from_id: The memory at the start.
            to_id: The memory at the end.
            relation_type: The type, read from start to end.
            resolve: For `contradicts`: the `newer` or the `stronger` memory supersedes the other.
            group_id: The tenant.
            details: The other fields of `NewRelation`, such as `strength`, 0 to 1.

        Returns:
            The stored relations: one, or two of a bidirectional relation.

        Raises:
            InvalidArgumentError: Both ends are the same, the type cannot be resolved, or `from_id`
                cannot supersede the other memory.
            NotFoundError: The group lacks one of the memories.
        """
        start = validate_value(MemoryId, from_id, "from_id")
        end = validate_value(MemoryId, to_id, "to_id")
        if end == start:
            raise InvalidArgumentError("to_id", end, "a memory cannot be related to itself")
        relation = validate(
            NewRelation, {"target_id": end, "relation_type": relation_type, **details}
        )
        rule = validate(Resolution, resolve, "resolve") if resolve is not None else None
        if rule and relation.relation_type is not RelationType.CONTRADICTS:
            raise InvalidArgumentError("resolve", resolve, "only contradicts can be resolved")
        context, scope = self._context, self._context.scope(group_id)
        if error := relation_error(start, relation):
            raise error
        if relation.relation_type is RelationType.SUPERSEDES:
            return await self._supersede(scope, start, relation)
        made = await relate(context.graph, scope, start, relation)
        if rule:
            winner, loser = await lifecycle.resolve_contradiction(
                context.graph, (start, relation.target_id), rule, group_id=scope.group_id
            )
            reason = f"contradicted by a {rule} memory"
            await lifecycle.mark_obsolete(
                context.engine, scope, loser, reason, superseded_by=winner
            )
        return made

    async def _supersede(
        self, scope: CallScope, from_id: str, relation: NewRelation
    ) -> list[Related]:
        """Mark the target of a relation obsolete, which makes the relation, and update that."""
        reason = validate_value(Line, (relation.fact or "superseded")[:256], "fact")
        engine = self._context.engine
        try:
            new = await lifecycle.supersede(engine, scope, relation.target_id, from_id, reason)
        except InvalidArgumentError as error:
            raise InvalidArgumentError("from_id", from_id, error.expected) from error
        (made,) = await relate(engine.graph, scope, from_id, relation)
        return [replace(made, created=new)]

    async def possible_conflicts(
        self, memory_id: str, *, group_id: str | None = None
    ) -> list[PossibleConflict]:
        """Compare a memory with the earlier memories nearest to it in meaning.

        No language model is asked. A conflict is a hint: nothing is stored.

        Args:
            memory_id: The memory.
            group_id: The tenant.

        Returns:
            The earlier memories that it may negate or replace, the highest score first. The list
            is empty for an embedding model without coefficients.
        """
        given = validate_value(MemoryId, memory_id, "memory_id")
        context = self._context
        return await possible_conflicts(context.engine, context.scope(group_id), given)

    async def remove(
        self,
        from_id: str,
        to_id: str,
        relation_type: RelationTypeArgument | None = None,
        *,
        both_directions: bool = False,
        group_id: str | None = None,
    ) -> int:
        """End the relations from one memory to another, and return their number.

        None is erased: reads with an earlier `as_of` or `known_at` still return them.

        Args:
            from_id: The memory at the start.
            to_id: The memory at the end.
            relation_type: The type to end; None for all types.
            both_directions: True to end relations from `to_id` to `from_id` as well.
            group_id: The tenant.

        Raises:
            NotFoundError: The group lacks one of the memories.
        """
        return await unrelate(
            self._context.graph,
            self._context.scope(group_id),
            validate_value(MemoryId, from_id, "from_id"),
            validate_value(MemoryId, to_id, "to_id"),
            None
            if relation_type is None
            else validate(RelationType, relation_name(relation_type), "relation_type"),
            both_directions=both_directions,
        )

    async def traverse(
        self,
        start_memory_id: str,
        *,
        counted: bool = False,
        group_id: str | None = None,
        **walk: Unpack[WalkArguments],
    ) -> Walked:
        """Walk from a memory along its relations.

        Args:
            start_memory_id: The memory at which the walk starts.
            counted: True to count an access to each memory; a walk through the past never counts.
            group_id: The tenant.
            walk: The fields of `Walk`: order, bounds, filters and clocks.

        Raises:
            InvalidArgumentError: A bound is above that of the settings.
            NotFoundError: The group has no such memory, or had none at the instants of the walk.
        """
        context = self._context
        scope, asked = context.scope(group_id), validate(Walk, walk)
        start = validate_value(MemoryId, start_memory_id, "start_memory_id")
        walked = await traverse(context.engine, scope, start, asked)
        ids = [memory.memory_id for memory in (walked.start, *walked.nodes)] if counted else []
        context.count_accesses(scope, ids, asked.as_of or asked.known_at)
        return walked

    async def analyze(
        self,
        memory_id: str | None = None,
        *,
        top: int = 10,
        group_id: str | None = None,
        **clocks: Unpack[ClockArguments],
    ) -> Analysis:
        """Analyse the relations around a memory, or of the whole group.

        Args:
            memory_id: The memory, whose neighbourhood of two relations is analysed; None for the
                group.
            top: Number of connectors and bridges to return, 1 to 100.
            group_id: The tenant.
            clocks: `as_of` and `known_at`, the instants of the analysis; by default now.

        Raises:
            NotFoundError: The group has no such memory, or had none at the instants of `clocks`.
        """
        given = memory_id if memory_id is None else validate_value(MemoryId, memory_id, "memory_id")
        return await analyze(
            self._context.engine,
            self._context.scope(group_id),
            given,
            validate(Clocks, clocks),
            top=validate_value(Top, top, "top"),
        )

    async def list(
        self,
        memory_id: str,
        *,
        group_id: str | None = None,
        **clocks: Unpack[ClockArguments],
    ) -> list[Relation]:
        """List the relations from and to a memory, at most 100, the strongest first.

        Args:
            memory_id: The memory; the list of an unknown one is empty.
            group_id: The tenant.
            clocks: `as_of` and `known_at`, the instants of the list; by default now.
        """
        return await read.relations_of(
            self._context.graph,
            self._context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            validate(Clocks, clocks),
        )
