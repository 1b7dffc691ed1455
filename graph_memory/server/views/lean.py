"""Lean answers: what a model needs of memories, as structured content and as text.

Many clients show a model the structured content alone. It has no nulls, defaults and empty lists.
The text has the same fields.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from graph_memory.api.types import (
    PASSAGE_HINT,
    Page,
    ReachedMemory,
    Retrieved,
    Walked,
    WalkedRelation,
    as_json,
    compact_judgement,
    compact_retrieval,
    compact_scores,
    given_fields,
    listed_memory,
)
from graph_memory.domain.ids import short_ids
from graph_memory.domain.models import FoundMemory, Known, SearchResults
from graph_memory.server.views.base import View, attachment_label

Fields = dict[str, Any]

_NOTHING = "Try other words, fewer filters, or states including ARCHIVED."


class Detail(StrEnum):
    """The fields of an answer: those that a model needs, or all."""

    LEAN = "lean"
    FULL = "full"


class LeanView:
    """An answer that lists memories in the compact form."""

    def structured(self) -> Fields | None:
        """Return the structured content."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the text for the agent."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FullView(LeanView):
    """An answer with all fields, and the text of the lean one."""

    lean: LeanView
    full: View

    def structured(self) -> Fields | None:
        """Return all fields."""
        return self.full.structured()

    def text(self) -> str:
        """Return the text of the lean answer."""
        return self.lean.text()


@dataclass(frozen=True, slots=True)
class LeanSearch(LeanView):
    """The memories that a search found, best first, and whether the group has an answer."""

    found: SearchResults

    def structured(self) -> Fields:
        """Return the results with their scores, and the judgement."""
        found = self.found
        nothing = not found and not found.left_out
        ids = short_ids(each.memory.memory_id for each in found)
        results = [_found(each, ids) for each in found]
        judged = compact_judgement(found.known, found.known_reason, found.left_out)
        hint = _NOTHING if nothing else passage_hint(results)
        return {"results": results, **judged, **given_fields({"hint": hint})}

    def text(self) -> str:
        """Return a line for each memory, or advice if nothing was found."""
        answer = self.structured()
        if not self.found and not self.found.left_out:
            return " ".join(filter(None, ("Nothing found.", self.found.known_reason, _NOTHING)))
        results: list[Fields] = answer["results"]
        lines = [f"{position}. {line(each)}" for position, each in enumerate(results, 1)]
        return "\n".join([*_remarks(answer), *lines])


@dataclass(frozen=True, slots=True)
class LeanPage(LeanView):
    """A page of memories, with the cursor of the next page."""

    page: Page

    def structured(self) -> Fields:
        """Return the memories, and the cursor if there is a next page."""
        ids = short_ids(memory.memory_id for memory in self.page.memories)
        results = [listed_memory(memory, ids) for memory in self.page.memories]
        more = {"next_cursor": self.page.next_cursor, "hint": passage_hint(results)}
        return {"results": results, **given_fields(more)}

    def text(self) -> str:
        """Return a line for each memory, and the cursor of the next page."""
        answer = self.structured()
        lines = [f"- {line(each)}" for each in answer["results"]] or ["No memories."]
        if cursor := answer.get("next_cursor"):
            lines.append(f"More: cursor={cursor}")
        return "\n".join([*_remarks(answer), *lines])


@dataclass(frozen=True, slots=True)
class LeanRetrieval(LeanView):
    """The memories for a conversation, best first, and whether the group has an answer."""

    retrieved: Retrieved

    def structured(self) -> Fields:
        """Return the memories, the changed memories, the tokens used, and the session id."""
        return compact_retrieval(self.retrieved)

    def text(self) -> str:
        """Return each memory in full, the changed memories, and the session id."""
        answer = self.structured()
        changed: list[Fields] = answer.get("changed", [])
        skipped = ", ".join(answer.get("skipped_loaded", ()))
        blocks = [
            "\n".join(_remarks(answer)),
            "\n".join(["Changed:", *map(_change, changed)]) if changed else "",
            *(f"{_head(each)}\n{each['content']}" for each in answer["memories"]),
            f"In the conversation: {skipped}" if skipped else "",
            f"{answer['tokens_used']} tokens. session_id={answer['session_id']}",
        ]
        return "\n\n".join(filter(None, blocks))


@dataclass(frozen=True, slots=True)
class LeanTraversal(LeanView):
    """The memories of a traversal, each with the relation that led to it."""

    walked: Walked

    def structured(self) -> Fields:
        """Return the memories in the order of the walk, and the bound that ended it."""
        walked = self.walked
        edges = {frozenset((edge.from_id, edge.to_id)): edge for edge in walked.edges}
        ids = short_ids(each.memory_id for each in (walked.start, *walked.nodes))
        nodes = [_reached(node, edges, ids) for node in walked.nodes]
        start = listed_memory(walked.start, ids)
        end = {"reason": walked.reason, "hint": passage_hint([start, *nodes])}
        return {
            "start": start,
            "nodes": nodes,
            "truncated": walked.truncated,
            **given_fields(end),
        }

    def text(self) -> str:
        """Return a line for each memory, indented by its depth, and the reason for an early end."""
        answer = self.structured()
        nodes: list[Fields] = answer["nodes"]
        lines = [f"{'  ' * node['depth']}{_relation(node)}: {line(node)}" for node in nodes] or [
            "Nothing reached."
        ]
        if self.walked.truncated:
            lines.append(
                f"More memories exist: the traversal reached its limit of {self.walked.reason}."
            )
        return "\n".join([*_remarks(answer), f"From {line(answer['start'])}", *lines])


def passage_hint(memories: Iterable[Mapping[str, Any]]) -> str | None:
    """Return how to get the whole of a content, if any is partial."""
    partial = any("passage" in memory or "brief" in memory for memory in memories)
    return PASSAGE_HINT if partial else None


def line(memory: Mapping[str, Any]) -> str:
    """Return the fields of a memory in one line."""
    return f"{_head(memory)}: {' '.join(memory['content'].split())}"


def _head(memory: Mapping[str, Any]) -> str:
    """Return the id and all fields but the content."""
    part = "passage {}-{}".format(*memory["passage"]) if "passage" in memory else None
    if "brief" in memory:
        part = "brief {}".format(" ".join(f"{start}-{end}" for start, end in memory["brief"]))
    marks = [memory.get("type"), memory.get("state"), memory["date"], part, memory.get("status")]
    times = [f"{name} {memory[name]}" for name in ("valid_at", "invalid_at") if name in memory]
    tags = [f"#{tag}" for tag in memory.get("tags", ())]
    scores = [
        f"{name} {memory[name]:g}"
        for name in ("score", "relevance", "similarity")
        if name in memory
    ]
    metadata = [as_json(memory["metadata"])] if "metadata" in memory else []
    files = [attachment_label(each) for each in memory.get("attachments", ())]
    more = [f"and {count} more files"] if (count := memory.get("more_attachments")) else []
    bracket = f"[{', '.join(filter(None, [*marks, *times]))}]"
    parts = (bracket, *tags, *scores, *metadata, *files, *more)
    return " ".join([memory["memory_id"], *parts])


def _found(hit: FoundMemory, ids: Mapping[str, str]) -> Fields:
    scores = compact_scores(hit.score, hit.relevance, hit.similarity)
    return listed_memory(hit.memory, ids, hit.passage) | scores


def _reached(
    node: ReachedMemory,
    edges: Mapping[frozenset[str], WalkedRelation],
    ids: Mapping[str, str],
) -> Fields:
    """Return a memory with its depth, the relation to it, and the memory before it."""
    before = node.path[-2]
    edge = edges[frozenset((before, node.memory_id))]
    way: Fields = {"depth": node.depth, "relation": edge.relation_type}
    if edge.via is not None:
        way["via"] = edge.via
    if edge.from_id != before:
        way["inverse"] = True  # the relation points to the memory before
    if node.depth > 1:
        way["from_id"] = ids[before]
    return listed_memory(node, ids) | way


def _relation(node: Mapping[str, Any]) -> str:
    """Return the relation to a memory, with an arrow if it points the other way, and its entity."""
    via = f" {node['via']!r}" if "via" in node else ""
    return f"{'<- ' if 'inverse' in node else ''}{node['relation']}{via}"


def _change(change: Mapping[str, str]) -> str:
    by = f" by {change['superseded_by']}" if "superseded_by" in change else ""
    return f"{change['memory_id']} ({change['reason']}{by})"


def _remarks(answer: Mapping[str, Any]) -> list[str]:
    """Return the line of a doubtful judgement, of memories left out, and of a hint, if any."""
    doubt = answer.get("known", Known.YES) != Known.YES
    left = answer.get("left_out")
    said = (
        f"Known: {answer['known']}. {answer.get('known_reason', '')}" if doubt else "",
        f"{left} less relevant results left out." if left else "",
        answer.get("hint", ""),
    )
    return [" ".join(filter(None, said))] if any(said) else []
