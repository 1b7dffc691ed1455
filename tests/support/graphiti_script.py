"""What a language model answers Graphiti, told by a test."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.scripted_llm import ScriptedLlm, prompt_of, says, schema_of


@dataclass
class GraphitiScript:
    """The answers to each of Graphiti's questions, by the name of their schema."""

    entities: list[str] = field(default_factory=list)
    facts: list[tuple[str, str, str, str]] = field(default_factory=list)  #: from, name, to, fact
    kinds: dict[str, int] = field(default_factory=dict)  #: which of the entity types each is
    valid_at: str | None = None
    duplicates: list[int] = field(default_factory=list)
    contradicted: list[int] = field(default_factory=list)
    rating: tuple[int, int] = (4, 2)
    summary: str | None = None
    meanwhile: Callable[[], Awaitable[Any]] | None = None  #: done once, while a model thinks
    during: str = "ExtractedEdges"
    only_if: str = ""  #: entities and facts are found only in prompts that hold this

    def attach(self, llm: ScriptedLlm) -> "GraphitiScript":
        """Answer by this script from now on."""
        loop, lock = asyncio.get_running_loop(), threading.Lock()

        def script(body: dict[str, Any]) -> Any:
            with lock:
                meanwhile, self.meanwhile = (
                    (self.meanwhile, None)
                    if schema_of(body) == self.during
                    else (None, self.meanwhile)
                )
            if meanwhile:
                asyncio.run_coroutine_threadsafe(_run(meanwhile), loop).result(60)
            return says(self.answer(body))

        llm.script = script
        return self

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer one question."""
        match schema_of(body):
            case "ExtractedEntities":
                return {
                    "extracted_entities": [
                        {"name": name, "entity_type_id": self.kinds.get(name, 0)}
                        for name in self.entities
                    ]
                }
            case "ExtractedEdges":
                return {
                    "edges": [
                        {
                            "source_entity_name": source,
                            "target_entity_name": target,
                            "relation_type": name,
                            "fact": fact,
                            "valid_at": self.valid_at,
                            "episode_indices": [0],
                        }
                        for source, name, target, fact in self.facts
                    ]
                }
            case "EdgeDuplicate":
                return {"duplicate_facts": self.duplicates, "contradicted_facts": self.contradicted}
            case "EdgeTimestamps":
                return {"valid_at": self.valid_at, "invalid_at": None}
            case "NodeResolutions":
                return {"entity_resolutions": []}
            case "SummarizedEntities":
                return {
                    "summaries": [{"name": name, "summary": self.summary} for name in self.entities]
                    if self.summary
                    else []
                }
            case "Summary":
                return {"summary": self.summary or "All of them."}
            case "SummaryDescription":
                return {"description": "Who belongs together"}
            case "Ratings":
                memories = json.loads(body["messages"][-1]["content"])
                importance, stability = self.rating
                return {
                    "ratings": [
                        {"id": m["id"], "importance": importance, "stability": stability}
                        for m in memories
                    ]
                }
            case other:
                raise AssertionError(f"no answer for {other}: {prompt_of(body)[:200]}")


async def _run(work: Callable[[], Awaitable[Any]]) -> Any:
    return await work()
