"""The part of the graphiti toolset that searches, as Graphiti's own server does."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Entity, Fact, Names
from graph_memory.domain.inputs import MemoryId, check_range
from graph_memory.domain.timestamps import Moment
from graph_memory.server import parameters
from graph_memory.server.tool import READS, Toolset
from graph_memory.server.views.base import View

toolset = Toolset()

Words = Annotated[Names, parameters.WORDS]


class FactsView(View):
    """The found facts."""

    facts: list[Fact]

    def text(self) -> str:
        """Return each fact with the time it was true."""
        lines = [
            f"{fact.fact or fact.name} [{_day(fact.valid_at)}–{_day(fact.invalid_at)}]"
            for fact in self.facts
        ]
        return "\n".join(lines) or "No facts found."


class NodesView(View):
    """The found entities."""

    nodes: list[Entity]

    def text(self) -> str:
        """Return each entity with its summary."""
        lines = [f"{node.entity_id} {node.name}: {node.summary}" for node in self.nodes]
        return "\n".join(lines) or "No entities found."


@toolset.tool(
    "Search facts",
    READS,
    synonyms={
        "max_facts": "limit",
        "edge_types": "relation_names",
        "center_node_uuid": "entity_id",
    },
)
async def search_facts(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    relation_names: Annotated[Words, Field(description="Names of relations; default: all.")] = None,
    entity_id: Annotated[MemoryId | None, Field(description="Id of the entity at one end.")] = None,
    as_of: parameters.AsOf = None,
    valid_at_after: Annotated[Moment | None, Field(description="Earliest start, ISO 8601.")] = None,
    valid_at_before: Annotated[Moment | None, Field(description="Latest start, ISO 8601.")] = None,
    invalid_at_after: Annotated[Moment | None, Field(description="Earliest end, ISO 8601.")] = None,
    invalid_at_before: Annotated[Moment | None, Field(description="Latest end, ISO 8601.")] = None,
    counted: parameters.Counted = True,
    group_id: parameters.GroupId = None,
) -> FactsView:
    """Find facts when you ask how entities are related. Ended facts are included."""
    check_range("valid_at_after", valid_at_after, "valid_at_before", valid_at_before)
    check_range("invalid_at_after", invalid_at_after, "invalid_at_before", invalid_at_before)
    found = await memory.facts.search(
        query,
        limit=limit,
        names=relation_names,
        entity_id=entity_id,
        as_of=as_of,
        valid_after=valid_at_after,
        valid_before=valid_at_before,
        invalid_after=invalid_at_after,
        invalid_before=invalid_at_before,
        counted=counted,
        group_id=group_id,
    )
    return FactsView(facts=found)


@toolset.tool("Search entities", READS, synonyms={"max_nodes": "limit"})
async def search_nodes(
    memory: GraphMemory,
    query: parameters.Query,
    limit: parameters.Limit = 10,
    entity_types: Annotated[Words, Field(description="Labels, of which one must match.")] = None,
    counted: parameters.Counted = True,
    group_id: parameters.GroupId = None,
) -> NodesView:
    """Find entities and memories when you know a name or a summary."""
    found = await memory.facts.search_entities(
        query, entity_types=entity_types, limit=limit, counted=counted, group_id=group_id
    )
    return NodesView(nodes=found)


def _day(moment: Moment | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""
