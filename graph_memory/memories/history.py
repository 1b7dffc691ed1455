"""The history of a memory: its texts, states and relations."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from pydantic import TypeAdapter

from graph_memory.database.graph import Graph
from graph_memory.decay.status import Transition
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.origin import Origin
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import NotFoundError

#: Events returned at most; a hub of a graph has tens of thousands of relations.
_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Event:
    """One event in the life of a memory."""

    at: Instant
    #: created, rewritten, changed, state, obsolete, related, unrelated, strength, ended or earlier
    kind: str
    #: The earlier text, the changed fields, the cause of the state, the reason, or the fact.
    detail: str | None
    #: Cause of a new text or of changed fields: tool or command, access, model, run, or its undo.
    by: str | None = None


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """A text of a memory, and its origin."""

    text: StoredContent
    since: Instant
    until: Instant | None  #: None for the present text
    origin: Origin | None  #: None if it was stored before origins were

    def __str__(self) -> str:
        """Return a sentence with the origin and the authority."""
        since = f"since {self.since:%Y-%m-%d %H:%M}"
        if self.origin is None:
            return f"Its text {since} was stored before origins were recorded."
        return f"Its text {since} {self.origin.sentence()}"


async def texts_of(graph: Graph, memory_id: str, *, group_id: str) -> list[TextOrigin]:
    """List the texts of a memory with their origins, the earliest first; deleted ones included.

    Raises:
        NotFoundError: The group never had such a memory, or it was erased.
    """
    found = await graph.rows(
        "memories/history/texts", TextOrigin, group_id=group_id, memory_id=memory_id
    )
    if not found:
        raise NotFoundError(memory_id, group_id)
    return found


async def history_of(graph: Graph, memory_id: str, *, group_id: str) -> list[Event]:
    """List the events of a memory, the earliest first; deleted memories have a history too.

    A history of more than 500 events is cut to the latest ones, after an event `earlier`.

    Raises:
        NotFoundError: The group never had such a memory, or it was erased.
    """
    latest = await graph.readable_rows(
        "memories/history/events", Event, group_id=group_id, memory_id=memory_id, limit=_SHOWN + 1
    )
    if not latest:
        raise NotFoundError(memory_id, group_id)
    *events, earliest = _described(latest)
    if len(latest) > _SHOWN:
        earliest = Event(earliest.at, "earlier", f"Only the latest {_SHOWN} events are shown.")
    return [earliest, *reversed(events)]


def _described(latest: list[Event]) -> list[Event]:
    """Return events in words; the entry of a new text becomes the cause of its version."""
    causes: dict[tuple[str, datetime], str] = {}
    described: list[Event] = []
    for event in latest:
        edit = _edit(event) if event.kind == "changed" else {}
        if "content" in edit.get("changed", {}):
            causes["rewritten", event.at] = edit["by"]
        if edit and edit["changed"].keys() == {"content"}:
            continue
        described.append(replace(event, detail=_describe(event), by=edit.get("by", event.by)))
    return [replace(e, by=causes.get((e.kind, e.at), e.by)) for e in described]


def _edit(event: Event) -> dict[str, Any]:
    """Return the entry of changed fields, as stored; its texts may hold control characters."""
    return json.loads(event.detail or "{}", strict=False)


def _describe(event: Event) -> str | None:
    """Return the detail of an event as text: fields with their values, or a reason with numbers."""
    if event.kind == "changed":
        return _describe_edit(_edit(event))
    if event.kind != "state" or not (event.detail or "").startswith("{"):
        return event.detail
    change = TypeAdapter(Transition).validate_json(event.detail or "")
    numbers = [
        f"{name} {value:g}{unit}" if isinstance(value, float) else f"{name} {value}"
        for name, value, unit in (
            ("policy", change.policy, ""),
            ("faded", change.decay_score, ""),
            ("idle", change.idle_days, " days"),
            ("run", change.run_id, ""),
        )
        if value is not None
    ]
    counted = f" ({', '.join(numbers)})" if numbers else ""
    came = f"{change.from_} to {change.to}" if change.from_ else f"to {change.to}"
    reason = f"{change.reason}, {change.because}" if change.because else change.reason
    return f"{came}: {reason}{counted}"


def _describe_edit(edit: dict[str, Any]) -> str:
    """Return each changed field with its values before and after, and the cause."""
    changes = (
        f"{field}: {_shown(before)} → {_shown(after)}"
        for name, (was, now) in edit["changed"].items()
        if name != "content"
        for field, before, after in _parts(name, was, now)
    )
    return f"{'; '.join(changes)} ({edit['by']})"


def _parts(name: str, was: object, now: object) -> Iterator[tuple[str, object, object]]:
    """Yield a changed field with its values; of two objects the keys that differ."""
    if not isinstance(was, dict) or not isinstance(now, dict):
        yield name, was, now
        return
    before, after = cast(dict[str, object], was), cast(dict[str, object], now)
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield f"{name}.{key}", before.get(key), after.get(key)


def _shown(value: object) -> str:
    if isinstance(value, list):
        items = [_address(item) for item in cast(list[object], value)]
        if all(isinstance(item, str) for item in items):
            return ", ".join(cast(list[str], items)) or "none"
    if value in (None, "", {}):
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _address(item: object) -> object:
    """Return the address of an attachment, and any other item of a list as it is."""
    return cast(dict[str, object], item).get("uri") if isinstance(item, dict) else item
