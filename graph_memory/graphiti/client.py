"""graphiti-core on our database: the extraction of entities and facts from texts.

Only this module and those of its hooks import graphiti_core. The import takes seconds, so `worker`
imports this module when it reads the first text, after it has set graphiti_core's environment.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient, get_extraction_language_instruction
from graphiti_core.llm_client.config import LLMConfig, ModelSize
from graphiti_core.nodes import EpisodeType
from graphiti_core.prompts.models import Message
from pydantic import BaseModel, ValidationError, create_model

from graph_memory.database.graph import Graph
from graph_memory.domain.origin import Origin
from graph_memory.engine import Engine
from graph_memory.errors import LlmError
from graph_memory.graphiti.search import EntityLookup, IndexedSearch
from graph_memory.graphiti.writes import (
    MergingWrites,
    OnWritten,
    on_written,
    origin_of_writes,
)
from graph_memory.inference.embedder import Embedder
from graph_memory.inference.llm import Chat
from graph_memory.settings.base import Settings

#: Concurrent requests to the language model, and to the database.
_AT_A_TIME = 4

# Graphiti's queries name properties that a new database does not have yet; Neo4j warns of each.
logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Text:
    """A text for Graphiti to read."""

    group_id: str
    name: str
    content: str
    source: str  #: text, message or json
    source_description: str
    reference_time: datetime  #: the "now" of relative dates in the text
    entity_types: Mapping[str, str]  #: descriptions by name
    saga: str | None
    update_communities: bool
    origin: Origin  #: of the entities and facts in it


class Hooks(MergingWrites, EntityLookup):
    """Our implementations of Graphiti's lookups and writes."""


class MemoryDriver(Neo4jDriver):
    """Graphiti's Neo4j driver on our database, with our writes and searches."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        super().__init__(
            graph.address,
            settings.neo4j_user,
            graph.password.get_secret_value(),
            settings.neo4j_database,
        )
        self.graph_operations_interface = Hooks(graph=graph, settings=settings)
        self.search_interface = IndexedSearch(graph=graph)

    async def ready(self) -> None:
        """Wait until Graphiti's own indexes exist."""
        if building := cast(Any, self)._init_task:
            await asyncio.shield(building)  # a cancelled wait must not cancel the task


class GraphitiLlm(LLMClient):
    """Our language model behind Graphiti's interface; jobs retry, so it does not."""

    def __init__(self, chat: Chat) -> None:
        super().__init__(LLMConfig())
        self._chat = chat

    async def generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int | None = None,
        model_size: ModelSize = ModelSize.medium,
        group_id: str | None = None,
        prompt_name: str | None = None,
        *,
        attribute_extraction: bool = False,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Return the model's answer, checked against its schema.

        Raises:
            LlmError: The model fails, or its answer does not fit; the error holds no text of it.
        """
        self._apply_attribute_extraction_preamble(messages, attribute_extraction)
        messages[0].content += get_extraction_language_instruction(group_id)
        schema = response_model.model_json_schema() if response_model else None
        answer = await self._chat.ask(
            [(message.role, self._clean_input(message.content)) for message in messages], schema
        )
        if response_model and not attribute_extraction:
            _refuse_misfit(answer, response_model)
        return answer

    async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
        raise NotImplementedError


class GraphitiEmbedder(EmbedderClient):
    """Our embedding model behind Graphiti's interface."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def create(self, input_data: Any) -> list[float]:
        """Embed a text, or the first text of a list."""
        texts = [input_data] if isinstance(input_data, str) else list(input_data)[:1]
        return (await self.create_batch(cast(list[str], texts)))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Embed texts."""
        return (await self._embedder.embed(input_data_list)).tolist()


class NoReranker(CrossEncoderClient):
    """A reranker that keeps the order; our searches do not use one."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Return the passages in their order."""
        return [(passage, 1.0) for passage in passages]


class Reader:
    """A Graphiti instance on our database."""

    def __init__(self, engine: Engine, chat: Chat) -> None:
        self._driver = MemoryDriver(engine.graph, engine.settings)
        self._graphiti = Graphiti(
            graph_driver=self._driver,
            llm_client=GraphitiLlm(chat),
            embedder=GraphitiEmbedder(engine.embedder),
            cross_encoder=NoReranker(),
            max_coroutines=_AT_A_TIME,
        )

    async def read(self, text: Text, on_episode_written: OnWritten) -> None:
        """Extract entities and facts from a text, and store them.

        Args:
            text: The text.
            on_episode_written: Called within the transaction that writes the episode.

        Raises:
            LlmError: The language model fails; nothing was stored.
        """
        await self._driver.ready()
        token, written = on_written.set(on_episode_written), origin_of_writes.set(text.origin)
        try:
            await self._graphiti.add_episode(
                name=text.name,
                episode_body=text.content,
                source=EpisodeType.from_str(text.source),
                source_description=text.source_description,
                reference_time=text.reference_time,
                group_id=text.group_id,
                entity_types=_types(text.entity_types) or None,
                saga=text.saga,
                update_communities=text.update_communities,
            )
        finally:
            on_written.reset(token)
            origin_of_writes.reset(written)

    async def close(self) -> None:
        """Close the connections, after the indexes are built."""
        with contextlib.suppress(Exception):
            await self._driver.ready()
        await self._driver.close()


def _types(described: Mapping[str, str]) -> dict[str, type[BaseModel]]:
    return {name: create_model(name, __doc__=what) for name, what in described.items()}


def _refuse_misfit(answer: dict[str, Any], model: type[BaseModel]) -> None:
    try:
        model.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise LlmError(
            f"The language model's answer does not fit {model.__name__}: {where}: {first['msg']}. "
            "Set GRAPH_MEMORY_LLM_MODEL to a model that follows schemas."
        ) from error
