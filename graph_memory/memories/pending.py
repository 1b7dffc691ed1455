"""Writes that wait for a review; until it they are not memories, and nothing finds them.

The settings `review_authorities`, `review_ways`, `review_patterns` and `review_groups` choose them.
"""

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import content_hash
from graph_memory.domain.origin import Authority, Origin
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import Instant
from graph_memory.engine import Engine
from graph_memory.errors import PendingReviewError
from graph_memory.memories import tombstones
from graph_memory.memories.tombstones import Cause
from graph_memory.settings.base import Settings

Kind = Literal["add", "update", "episode"]


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A write that waits for a review.

    Attributes:
        pending_id: Its id; a new memory has it after it is accepted.
        kind: `add`, `update` or `episode`.
        content: The text that it stores.
        memory_id: The memory that an update changes.
        rule: The rule by which it waits.
        created_at: The instant of the call.
        origin: The origin of the text, with the authority that it will have.
    """

    pending_id: str
    kind: Kind
    content: str
    memory_id: str | None
    rule: str
    created_at: Instant
    origin: Origin


@dataclass(frozen=True, slots=True)
class StoredWrite(PendingWrite):
    """A waiting write with the arguments of its call."""

    arguments_json: Annotated[Mapping[str, Any], BeforeValidator(json.loads)]

    def waiting(self) -> PendingWrite:
        """Return it without the arguments."""
        fields = PendingWrite.__dataclass_fields__
        return PendingWrite(**{name: getattr(self, name) for name in fields})


@dataclass(frozen=True, slots=True)
class WriteChoice:
    """The writes that a list or a decision is about; None: all."""

    kinds: tuple[Kind, ...] | None = None
    authorities: tuple[Authority, ...] | None = None
    ways: tuple[str, ...] | None = None

    def parameters(self) -> dict[str, list[str] | None]:
        """Return the parameters of `cypher/memories/pending/chosen.cypher`."""
        chosen = {"kinds": self.kinds, "authorities": self.authorities, "ways": self.ways}
        return {name: None if each is None else list(each) for name, each in chosen.items()}


@dataclass(frozen=True, slots=True)
class ReviewRefusal:
    """A write that was not carried out, and the error."""

    pending_id: str
    reason: str


@dataclass(slots=True)
class Reviewed:
    """The result of a review: the ids of accepted or rejected writes, and those that failed."""

    done: list[str] = field(default_factory=list[str])
    refusals: list[ReviewRefusal] = field(default_factory=list[ReviewRefusal])


@dataclass(frozen=True, slots=True)
class Held:
    """A write to keep.

    Attributes:
        kind: `add`, `update` or `episode`.
        content: The text that it stores.
        arguments: An object of `domain.inputs` with the arguments of the call.
        authority: The authority that the text will have.
        rule: The rule by which it waits.
        memory_id: The memory that an update changes.
    """

    kind: Kind
    content: str
    arguments: object
    authority: Authority | None
    rule: str
    memory_id: str | None = None

    def row(self, group_id: str) -> dict[str, Any]:
        """Return the properties to store."""
        place = self.memory_id or self.kind
        arguments = TypeAdapter[Any](type(self.arguments))
        return {
            "pending_id": str(uuid.uuid4()),
            "pending_key": f"{group_id}|{place}|{content_hash(self.content)}",
            "kind": self.kind,
            "content": self.content,
            "arguments_json": arguments.dump_json(self.arguments).decode(),
            "memory_id": self.memory_id,
            "rule": self.rule,
            "authority": self.authority,
        }


@dataclass(frozen=True, slots=True)
class _Kept:
    pending_key: str
    pending_id: str


def rule_for(
    settings: Settings, scope: CallScope, authority: Authority | None, content: str
) -> str | None:
    """Return the rule by which a write waits for a review, or None.

    A write with the authority of a person waits only if `review_authorities` or `review_ways`
    names it.
    """
    if settings.review_groups and scope.group_id not in settings.review_groups:
        return None
    if settings.review_authorities and (
        authority is None or authority in settings.review_authorities
    ):
        return f"authority {authority or 'unknown'}"
    if scope.origin.way_in in settings.review_ways:
        return f"way in {scope.origin.way_in}"
    if authority is Authority.PERSON:
        return None
    found = (each for each in settings.review_patterns if re.search(each, content))
    return next((f"pattern {each}" for each in found), None)


async def hold(graph: Graph, scope: CallScope, writes: Sequence[Held]) -> list[PendingReviewError]:
    """Keep writes until a review, and return the error for the caller of each."""
    if not writes:
        return []
    rows = [write.row(scope.group_id) for write in writes]
    kept = await graph.rows(
        "memories/pending/hold",
        _Kept,
        writes=rows,
        **scope.parameters(),
        **scope.origin.parameters(),
    )
    ids = {each.pending_key: each.pending_id for each in kept}
    return [
        PendingReviewError(ids[row["pending_key"]], write.rule)
        for row, write in zip(rows, writes, strict=True)
    ]


async def waiting(
    graph: Graph, group_id: str, choice: WriteChoice, limit: int
) -> list[StoredWrite]:
    """List the writes of a group that wait, the earliest first."""
    return await graph.rows(
        "memories/pending/list", StoredWrite, group_id=group_id, limit=limit, **choice.parameters()
    )


async def ids(graph: Graph, group_id: str, choice: WriteChoice) -> list[str]:
    """Return the ids of the writes of a group that wait, the earliest first."""
    return await graph.rows("memories/pending/ids", str, group_id=group_id, **choice.parameters())


async def named(graph: Graph, group_id: str, pending_ids: Sequence[str]) -> list[StoredWrite]:
    """Return those of the given writes that wait, the earliest first."""
    return await graph.rows(
        "memories/pending/named", StoredWrite, group_id=group_id, pending_ids=list(pending_ids)
    )


async def count(graph: Graph, group_id: str, choice: WriteChoice) -> int:
    """Return the number of writes of a group that wait."""
    parameters = choice.parameters()
    return await graph.one("memories/pending/count", int, group_id=group_id, **parameters) or 0


async def drop(graph: Graph, group_id: str, pending_ids: Sequence[str]) -> None:
    """Delete writes that were carried out."""
    await graph.run("memories/pending/drop", group_id=group_id, pending_ids=list(pending_ids))


async def reject(
    engine: Engine, scope: CallScope, writes: Sequence[StoredWrite], note: str | None
) -> list[str]:
    """Delete writes, leave tombstones of their statements, and return their ids."""
    contents = {write.pending_id: write.content for write in writes}
    left = await tombstones.rows_of_texts(engine, scope, contents, Cause.REJECTED, note)
    return await engine.graph.rows(
        "memories/pending/reject",
        str,
        group_id=scope.group_id,
        pending_ids=list(contents),
        tombstones=left,
    )
