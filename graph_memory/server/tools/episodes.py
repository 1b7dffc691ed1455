"""The part of the graphiti toolset that reads texts with a language model."""

from typing import Annotated

from pydantic import Field, WithJsonSchema

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import EntityTypes, Kind
from graph_memory.domain.inputs import Content, Line, MemoryId, Text
from graph_memory.domain.timestamps import Moment
from graph_memory.server import parameters
from graph_memory.server.tool import READS, WRITES, Toolset
from graph_memory.server.views.base import ValueView

toolset = Toolset()


class EpisodeView(ValueView):
    """The status of an episode."""

    job_id: str
    status: str
    attempts: int
    error: str | None
    episode_id: str | None
    entities: int | None
    facts: int | None

    def text(self) -> str:
        """Return the status, the counts and the error."""
        found = f": {self.entities} entities, {self.facts} facts" if self.status == "done" else ""
        why = f" ({self.error})" if self.error else ""
        return f"Episode {self.job_id} is {self.status}{found}{why}."


@toolset.tool("Add an episode", WRITES)
async def add_episode(
    memory: GraphMemory,
    content: Annotated[Content, Field(description="Text to read: a note, a dialogue or JSON.")],
    source: Annotated[Kind, Field(description="Format; message has lines 'name: words'.")] = "text",
    name: Annotated[Line | None, Field(description="Title; default: the first words.")] = None,
    source_description: Annotated[
        Text, Field(max_length=1000, description="Origin of the text.")
    ] = "",
    reference_time: Annotated[
        Moment | None, Field(description="Time of the text, ISO 8601; default: now.")
    ] = None,
    entity_types: Annotated[
        EntityTypes | None,
        Field(description="Descriptions of the kinds of entities, by label."),
        WithJsonSchema({"type": "object"}),
    ] = None,
    saga: Annotated[Line | None, Field(description="Name of the series of episodes.")] = None,
    update_communities: Annotated[
        bool, Field(description="True: also summarise communities again, at a high cost.")
    ] = False,
    wait: Annotated[
        bool, Field(description="True: wait until it is read. Only for short texts.")
    ] = False,
    group_id: parameters.GroupId = None,
) -> EpisodeView:
    """Queue a text when a language model is to extract its entities and facts into the graph.

    Facts that it contradicts end. Use episode_status to follow the job.
    """
    return EpisodeView.of(
        await memory.episodes.add(
            content,
            wait=wait,
            group_id=group_id,
            name=name,
            source=source,
            source_description=source_description,
            reference_time=reference_time,
            entity_types=entity_types or {},
            saga=saga,
            update_communities=update_communities,
        )
    )


@toolset.tool("Show an episode", READS)
async def episode_status(
    memory: GraphMemory,
    job_id: Annotated[MemoryId, Field(description="Job id from the answer of add_episode.")],
    group_id: parameters.GroupId = None,
) -> EpisodeView:
    """Report whether an episode is queued, running, done or failed, after add_episode."""
    return EpisodeView.of(await memory.episodes.status(job_id, group_id=group_id))
