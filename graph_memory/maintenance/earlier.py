"""The values of a memory at an earlier instant, as its histories and versions keep them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graph_memory.domain.encoding import StoredContent, default_title, metadata_json, summary

#: Fields of the history with another name as properties of a memory.
_PROPERTIES = {"metadata": "metadata_json", "attachments": "attachments_json", "title": "name"}

#: Fields of the history that are no property, or that are computed from more than their values.
_COMPUTED = frozenset(
    ("content", "lifecycle_state", "purged_at", "parent_id", "invalid_at", "obsolete_reason")
)

#: Values of the origin, which a version keeps with its text.
_ORIGIN = ("origin_authority", "origin_way_in", "origin_caller", "origin_id")

#: Properties that come back with a text, and with a state.
_OF_TEXT = frozenset(
    (
        *("content", "content_hash", "content_gz", "is_compressed", "summary", "name"),
        *("brief_json", "passage_count", "embedding_model", *_ORIGIN),
    )
)
_OF_STATE = frozenset(
    (
        *("lifecycle_state", "state_history", "state_changed_at", "state_reason"),
        *("soft_deleted_at", "obsolete_at", "obsolete_reason", "invalid_at", "ended_at"),
    )
)

#: Reasons for which a memory becomes EXPIRED as it is marked obsolete.
_OBSOLETE = ("obsolete", "confidence")

#: The part of an entry, which is JSON with the instant first, that is the instant.
_AT = slice(8, 32)


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory that was changed after the instant, and what it keeps of the time before."""

    memory_id: str
    group_id: str
    content: StoredContent
    created_at: str
    state_history: list[str]
    edit_history: list[str]
    stored: dict[str, Any]
    version: dict[str, Any] | None  #: the text of that time; None if it is the present one
    rewritten: list[str]  #: instants until then at which texts were replaced


@dataclass(slots=True)
class Earlier:
    """The values to set on a memory; `incomplete` if its histories may not reach back so far."""

    memory_id: str
    content: str  #: the text of that time
    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    version_id: str | None = None
    parent: dict[str, Any] | None = None
    incomplete: bool = False

    @property
    def returns(self) -> bool:
        """Return True if a text comes back, or a memory that was deleted."""
        return self.version_id is not None or (
            self.properties.get("lifecycle_state", "SOFT_DELETED") != "SOFT_DELETED"
        )

    def refuse(self, stored: Mapping[str, Any]) -> None:
        """Keep the present text, and the present state of a memory that is deleted."""
        kept = _OF_TEXT if self.version_id else frozenset[str]()
        if stored["lifecycle_state"] == "SOFT_DELETED":
            kept |= _OF_STATE
        self.version_id = None
        self.properties = {name: v for name, v in self.properties.items() if name not in kept}

    def parameters(self) -> dict[str, Any]:
        """Return the row of the statement that sets the values."""
        return {
            "memory_id": self.memory_id,
            "properties": self.properties,
            "version_id": self.version_id,
            "parent": self.parent,
        }


class _Was(NamedTuple):
    """The value of a field before its first change after the instant, and when it changed."""

    at: str
    value: Any


def earlier(memory: StoredMemory, until: str, longest: int) -> Earlier:
    """Return the values that a memory had at an instant.

    Args:
        memory: The memory.
        until: The instant, ISO 8601 as stored.
        longest: Entries that each history keeps.
    """
    edits, was = _read(memory.edit_history), dict[str, _Was]()
    for at, entry in edits:
        # What a run changed is not in the history after its undo, so the undo is left out as well.
        if at > until and not entry["by"].startswith("undo of run"):
            for name, (before, _) in entry["changed"].items():
                was.setdefault(name, _Was(at, before))
    found = Earlier(memory.memory_id, memory.content)
    found.properties = {
        "dedup_key": None,
        "edit_history": _until(memory.edit_history, until) or None,
    }
    found.incomplete = _is_cut(memory.edit_history, until, longest) or _is_cut(
        memory.state_history, until, longest
    )
    _set_fields(found, was)
    _set_text(found, memory.version, was)
    _set_state(found, memory, until)
    _set_end(found, memory, was, until)
    _set_dates(found, memory, edits, until)
    _set_parent(found, memory, edits, was, until)
    if "tags" in was or "preserve_until" in was:
        found.properties["is_protected"] = None
    return found


def _read(history: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries of a history with their instants; texts may hold control characters."""
    return [(entry[_AT], json.loads(entry, strict=False)) for entry in history]


def _until(history: list[str], until: str) -> list[str]:
    return [entry for entry in history if entry[_AT] <= until]


def _is_cut(history: list[str], until: str, longest: int) -> bool:
    """Check whether a history has lost entries, so that it may not reach back to the instant."""
    return len(history) >= longest and history[0][_AT] > until


def _set_fields(found: Earlier, was: Mapping[str, _Was]) -> None:
    """Set plain values; of long metadata and attachments the history keeps the length only."""
    for name, (_, value) in was.items():
        if name in _COMPUTED:
            continue
        if name in ("metadata", "attachments"):
            if isinstance(value, str):
                found.incomplete = True
                continue
            value = _json(name, value)
        found.properties[_PROPERTIES.get(name, name)] = value


def _json(name: str, value: Any) -> str | None:
    """Return metadata or attachments as they are stored."""
    if value is None:
        return None
    return metadata_json(value) if name == "metadata" else json.dumps(value, ensure_ascii=False)


def _set_text(found: Earlier, version: dict[str, Any] | None, was: Mapping[str, _Was]) -> None:
    """Set the text of a version with its origin, and the title that it had."""
    if version is None:
        return
    content = version["content"]
    found.content, found.version_id = content, version["uuid"]
    if "title" not in was or was["title"].at > version["until"]:
        found.properties["name"] = version["name"] or default_title(content)
    found.properties |= {name: version[name] for name in _ORIGIN} | {
        "content": content,
        "content_hash": version["content_hash"],
        "content_gz": None,
        "is_compressed": False,
        "summary": summary(content),
        "packing_due": True,
        "brief_json": None,
        "passage_count": None,
        "embedding_model": None,
    }


def _set_state(found: Earlier, memory: StoredMemory, until: str) -> None:
    """Set the state before the first change after the instant."""
    states = _read(memory.state_history)
    later = [entry for at, entry in states if at > until]
    if not later:
        return
    state = later[0]["from"]
    last_at, last = next(
        ((at, entry) for at, entry in reversed(states) if at <= until), (memory.created_at, None)
    )
    found.properties |= {
        "lifecycle_state": state,
        "state_history": _until(memory.state_history, until),
        "state_changed_at": last_at,
        "state_reason": last["reason"] if last else "created",
        "soft_deleted_at": last_at if state == "SOFT_DELETED" else None,
        "packing_due": True,
    }


def _set_end(found: Earlier, memory: StoredMemory, was: Mapping[str, _Was], until: str) -> None:
    """Set the marks of an obsolete memory, and the end of its validity."""
    stored = memory.stored
    marks = [
        at
        for at, entry in _read(memory.state_history)
        if entry["to"] == "EXPIRED" and entry["reason"] in _OBSOLETE
    ]
    first, obsolete_at = was.get("obsolete_reason"), stored["obsolete_at"]
    known = first is not None and not any(until < at <= first.at for at in marks)
    reason = first.value if first and known else stored["obsolete_reason"]
    if obsolete_at is None or obsolete_at > until:
        state = found.properties.get("lifecycle_state", stored["lifecycle_state"])
        before = [at for at in marks if at <= until] or [memory.created_at]
        held = known and reason is not None and state in ("EXPIRED", "SOFT_DELETED")
        obsolete_at = before[-1] if held else None
    found.properties["obsolete_at"] = obsolete_at
    found.properties["obsolete_reason"] = reason if obsolete_at else None
    _set_validity(found, stored, was, obsolete_at, marks, until)


def _set_validity(
    found: Earlier,
    stored: Mapping[str, Any],
    was: Mapping[str, _Was],
    obsolete_at: str | None,
    marks: list[str],
    until: str,
) -> None:
    """Set the end of validity; one that was recorded later goes."""
    invalid_at, ended_at = stored["invalid_at"], stored["ended_at"]
    if "invalid_at" in was:
        at, invalid_at = was["invalid_at"]
        marked_later = any(until < mark <= at for mark in marks)
        if marked_later and invalid_at is not None and invalid_at <= at:
            invalid_at = None
        ended_at = obsolete_at if invalid_at else None
    elif ended_at is not None and ended_at > until:
        invalid_at = ended_at = None
    elif obsolete_at is None and stored["obsolete_at"] is not None:
        ended_at = None
    found.properties |= {"invalid_at": invalid_at, "ended_at": ended_at}


def _set_dates(
    found: Earlier, memory: StoredMemory, edits: list[tuple[str, dict[str, Any]]], until: str
) -> None:
    """Set the dates of changes, as far as the graph knows them."""
    stored, properties = memory.stored, found.properties
    before = [(at, entry) for at, entry in edits if at <= until]
    changes = [*memory.rewritten, *(at for at, entry in before if _is_update(entry))]
    updated_at = stored["updated_at"]
    if updated_at is not None and updated_at > until:
        updated_at = properties["updated_at"] = max([memory.created_at, *changes])
    used_at = stored["last_accessed_at"]
    if used_at is not None and used_at > until and _never_used(stored):
        properties["last_accessed_at"] = updated_at if changes else None
    if (stored["unprotected_at"] or "") > until:
        properties["unprotected_at"] = None
    if (stored["confidence_decayed_at"] or "") > until:
        lowered = [at for at, entry in before if "confidence" in entry["changed"]]
        properties["confidence_decayed_at"] = lowered[-1] if lowered else None


def _never_used(stored: Mapping[str, Any]) -> bool:
    """Check that only updates have set the date of the last use of a memory."""
    return stored["access_count"] == 0 and stored["adopted_at"] is None


def _is_update(entry: Mapping[str, Any]) -> bool:
    """Check whether an entry shows a change by a caller, not a preservation or a run."""
    if entry["by"] == "access" or "run " in entry["by"]:
        return False
    changed = entry["changed"]
    if changed.keys() - {"tags", "preserve_until", "obsolete_reason", "invalid_at"}:
        return True
    return "tags" in changed and len(set(_kept_tags(changed["tags"]))) > 1


def _kept_tags(values: list[list[str] | None]) -> Iterator[tuple[str, ...]]:
    """Yield tags before and after a change, without the one that preserves."""
    for tags in values:
        yield tuple(tag for tag in tags or () if tag.lower() != "preserved")


def _set_parent(
    found: Earlier,
    memory: StoredMemory,
    edits: list[tuple[str, dict[str, Any]]],
    was: Mapping[str, _Was],
    until: str,
) -> None:
    """Set the parent, and since when it is one."""
    if "parent_id" not in was:
        return
    since = [at for at, entry in edits if at <= until and "parent_id" in entry["changed"]]
    found.parent = {
        "parent_id": was["parent_id"].value,
        "since": since[-1] if since else memory.created_at,
    }
