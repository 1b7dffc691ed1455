"""Resources and prompts for people who use an MCP host: memories, groups, and recall."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.errors import (
    ForbiddenError,
    GraphMemoryError,
    InvalidArgumentError,
    NotFoundError,
)
from graph_memory.server.auth import caller
from graph_memory.server.opening import Opening
from graph_memory.server.tool import FAILED
from graph_memory.server.views.base import ErrorView, MemoryView
from graph_memory.server.views.stats import HealthView, StatsView
from graph_memory.wording import Surface, Words, speaking

_log = logging.getLogger(__name__)

Topic = Annotated[str, Field(description="Topic: a subject, a person or a project.")]


def register(server: MCPServer[Opening]) -> None:
    """Add the resources and prompts to a server."""
    server.resource(
        "memory://{group}/{memory_id}",
        name="memory",
        title="A memory",
        description="One memory with its relations, as JSON. Reading it counts no access.",
        mime_type="application/json",
    )(memory_resource)
    server.resource(
        "stats://{group}",
        name="stats",
        title="Statistics of a group",
        description="Memories by type and tag, relations by type, as JSON.",
        mime_type="application/json",
    )(stats_resource)
    server.resource(
        "health://{group}",
        name="health",
        title="Health of a group",
        description="Memories by state, mean scores, waiting work and the last run, as JSON.",
        mime_type="application/json",
    )(health_resource)
    server.prompt(name="recall", title="Recall what is known")(recall)
    server.prompt(name="summarise", title="Summarise what is known")(summarise)


async def memory_resource(group: str, memory_id: str, context: Context[Opening]) -> str:
    """Return a memory with its relations as JSON, without counting an access."""
    with _refusals():
        memory = await _memory(context)
        whole = await memory.complete_id(memory_id, group_id=group)
        found = await memory.get(whole, counted=False, group_id=group)
        relations = await memory.relations.list(whole, group_id=group)
        return MemoryView(memory=found, relations=relations).model_dump_json()


async def stats_resource(group: str, context: Context[Opening]) -> str:
    """Return the statistics of a group as JSON."""
    with _refusals():
        memory = await _memory(context)
        return StatsView.of(await memory.stats(group)).model_dump_json()


async def health_resource(group: str, context: Context[Opening]) -> str:
    """Return the health of a group as JSON."""
    with _refusals():
        memory = await _memory(context)
        return HealthView.of(await memory.health(group)).model_dump_json()


async def _memory(context: Context[Opening]) -> GraphMemory:
    """Return the `GraphMemory` with the grant of the caller, and count the call."""
    opening, grant = context.request_context.lifespan_context, caller()
    async with opening.reporting_to(context):
        memory = await opening.memory()
    await memory.tokens.count_call(grant)
    return memory.acting_for(grant)


@contextmanager
def _refusals() -> Generator[None]:
    """Translate our errors into errors of the protocol."""
    with speaking(Words(Surface.MCP, "resource")):
        try:
            yield
        except (NotFoundError, InvalidArgumentError, ForbiddenError) as error:
            raise ResourceNotFoundError(ErrorView.of(error).text()) from error
        except GraphMemoryError as error:
            raise ResourceError(ErrorView.of(error).text()) from error
        except Exception as error:
            _log.exception("Reading a resource failed")
            raise ResourceError(FAILED.text()) from error


def recall(topic: Topic = "the user and what we work on") -> str:
    """Recall what memory holds on a topic, and name what is not known."""
    return (
        f"Recall what you know about: {topic}\n"
        "Call search_memory with this as the query, and again in other words if little is found. "
        "Answer from the results alone; name the ids you rely on, prefer the newer of two that "
        "contradict each other and report it, and name what is not known."
    )


def summarise(topic: Topic = "the user and what we work on") -> str:
    """Summarise the memories on a topic in one memory."""
    return (
        f"Summarise what you know about: {topic}\n"
        "Collect with search_memory and list_memories. Write one short, self-contained summary, "
        "show it, and when it is agreed to store it with add_memory (source=derived), with a "
        "relationship of type 'references' to each memory it rests on. Delete nothing."
    )
