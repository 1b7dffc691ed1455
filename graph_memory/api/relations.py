"""The part of the public API that is about how memories bear on each other."""

from typing import Any

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
from graph_memory.domain.models import Relation, RelationType
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import lifecycle, read
from graph_memory.memories.history import Event, history_of
from graph_memory.memories.lifecycle import Obsolete, Resolution
from graph_memory.memories.relations import Related, relate, unrelate
from graph_memory.traversal.analysis import Analysis, analyze
from graph_memory.traversal.traverse import Top, Walk, Walked, traverse


class Connections(Context):
    """Relations: made, listed, walked."""

    async def relations(
        self, memory_id: str, *, group_id: str | None = None, **clocks: Any
    ) -> list[Relation]:
        """List the relations from and to a memory, strongest first, now or at other `clocks`."""
        past = validate(Clocks, clocks)
        return await read.relations_of(
            self.graph,
            validate_value(MemoryId, memory_id, "memory_id"),
            group_id=self.group(group_id),
            now=self.clock(),
            as_of=past.as_of,
            known_at=past.known_at,
        )

    async def relate(
        self,
        from_id: str,
        to_id: str,
        relation_type: str = "relates_to",
        *,
        resolve: str | None = None,
        group_id: str | None = None,
        **details: Any,
    ) -> list[Related]:
        """Relate two memories; `details` are the other fields of `NewRelation`.

        With `resolve` a contradiction is settled: the `newer` or the `stronger` memory supersedes
        the other.
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
        group, now = self.group(group_id), self.clock()
        made = await relate(self.graph, start, relation, group_id=group, now=now)
        if rule:
            winner, loser = await lifecycle.resolve_contradiction(
                self.graph, (start, relation.target_id), rule, group_id=group
            )
            await lifecycle.mark_obsolete(
                self.graph,
                self.settings,
                loser,
                f"contradicted by a {rule} memory",
                superseded_by=winner,
                group_id=group,
                now=now,
            )
        return made

    async def unrelate(
        self,
        from_id: str,
        to_id: str,
        relation_type: str | None = None,
        *,
        both_directions: bool = False,
        group_id: str | None = None,
    ) -> int:
        """End the relations between two memories, of one type or all, and return their number.

        They stop holding now; `as_of` and `known_at` still see them before.
        """
        return await unrelate(
            self.graph,
            validate_value(MemoryId, from_id, "from_id"),
            validate_value(MemoryId, to_id, "to_id"),
            None
            if relation_type is None
            else validate(RelationType, relation_name(relation_type), "relation_type"),
            both_directions=both_directions,
            group_id=self.group(group_id),
            now=self.clock(),
        )

    async def mark_obsolete(
        self,
        memory_id: str,
        reason: str,
        *,
        superseded_by: str | None = None,
        group_id: str | None = None,
    ) -> Obsolete:
        """Expire a memory, and say why; with `superseded_by` it stops being true when that began.

        It stays readable by id, and before that instant with `as_of`.
        """
        return await lifecycle.mark_obsolete(
            self.graph,
            self.settings,
            validate_value(MemoryId, memory_id, "memory_id"),
            validate_value(Line, reason, "reason"),
            superseded_by=None
            if superseded_by is None
            else validate_value(MemoryId, superseded_by, "superseded_by"),
            group_id=self.group(group_id),
            now=self.clock(),
        )

    async def history(self, memory_id: str, *, group_id: str | None = None) -> list[Event]:
        """Tell what happened to a memory, in order: its texts, states and relations."""
        return await history_of(
            self.graph,
            validate_value(MemoryId, memory_id, "memory_id"),
            group_id=self.group(group_id),
        )

    async def traverse(
        self, start_memory_id: str, *, group_id: str | None = None, **walk: Any
    ) -> Walked:
        """Walk from a memory along its relations; `walk` are the fields of `Walk`.

        What is returned counts as accessed, unless the walk is through the past.
        """
        group, asked = self.group(group_id), validate(Walk, walk)
        walked = await traverse(
            self.graph,
            self.settings,
            validate_value(MemoryId, start_memory_id, "start_memory_id"),
            asked,
            group_id=group,
            now=self.clock(),
        )
        ids = [memory.memory_id for memory in (walked.start, *walked.nodes)]
        self._delivered(ids, group, asked.as_of or asked.known_at)
        return walked

    async def analyze(
        self,
        memory_id: str | None = None,
        *,
        top: int = 10,
        group_id: str | None = None,
        **clocks: Any,
    ) -> Analysis:
        """Analyse the relations around a memory, or of the whole group; `top` is 1 to 100."""
        given = memory_id if memory_id is None else validate_value(MemoryId, memory_id, "memory_id")
        times = validate(Clocks, clocks)
        return await analyze(
            self.graph,
            self.settings,
            given,
            top=validate_value(Top, top, "top"),
            group_id=self.group(group_id),
            now=self.clock(),
            as_of=times.as_of,
            known_at=times.known_at,
        )
