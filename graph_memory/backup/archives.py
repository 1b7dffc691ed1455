"""The backups that exist: which memories they hold, and a rewrite without those erased since.

A rewritten backup has a new checksum. It takes the place of the old one once it is complete and has
been read back.
"""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast

from graph_memory.backup import create, dump, restore
from graph_memory.backup.create import Manifest, folder_of
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings

#: The id of a memory or of a record about one, in a line of a backup.
_ID = re.compile(r'"(?:uuid|memory_id)":"([^"\\]+)"')

#: Labels of nodes that are an erased memory.
_OWN = {"Memory", "PurgedMemory", "EntityBefore"}

#: Relationships from a memory to what belongs to it alone.
_PARTS = {"HAS_VERSION", "HAS_PASSAGE", "HAS_WORDS", "HAS_PROPOSAL"}
_MENTIONS = {"HAS_MENTION", "HAD_MENTION"}

#: Values of an erased memory in a record for undo.
_UNDO_TEXTS = {
    "before_tags",
    "before_state_history",
    "before_obsolete_reason",
    "before_dedup_key",
    "after_tags",
}

#: Labels of nodes that go if a text of them holds something erased.
_HOLDERS = {"PendingWrite", "EpisodeJob", "Lesson"}

#: Number in the name that a rewritten backup has until the old one is gone.
_SPARE = 999


@dataclass(frozen=True, slots=True)
class RewrittenBackup:
    """A backup that was rewritten, or had nothing to remove."""

    path: Path
    memories_removed: int
    nodes_removed: int
    edges_removed: int


class ErasedTexts(Protocol):
    """The erased texts of each group, besides memories."""

    def held(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds something erased."""
        ...

    def named(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds an erased name."""
        ...


def backups(settings: Settings) -> list[Path]:
    """Return the complete backups, the oldest first."""
    folder = folder_of(settings)
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("backup_*") if (path / create.MANIFEST).is_file())


def held_ids(path: Path, ids: Collection[str]) -> set[str]:
    """Return which of these ids of memories a backup holds.

    Raises:
        BackupError: The backup is damaged.
    """
    found: set[str] = set()
    for line in restore.lines(path):
        found.update(each for each in _ID.findall(line) if each in ids)
    return found


def texts_of(path: Path, group_id: str) -> Iterator[tuple[str, str, str]]:
    """Yield each text of a group in a backup: the id or type of its owner, its property, and it.

    Raises:
        BackupError: The backup is damaged.
    """
    members, prefix = set[int](), f"{group_id}|"
    for record in restore.records(path):
        own: Mapping[str, Any] = record["properties"]
        if "labels" in record:
            if _group_of(own) != group_id or "Control" in record["labels"]:
                continue
            members.add(record["id"])
        elif record["from"] not in members:
            continue
        named = str(own.get("uuid") or own.get("memory_id") or record.get("type") or "")
        yield from ((named, key, text.removeprefix(prefix)) for key, text in _texts(own))


def _texts(own: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts among the properties of a record, except its group."""
    for key, value in own.items():
        many = cast("list[object]", value if isinstance(value, list) else [value])
        if key != "group_id":
            yield from ((key, text) for text in many if isinstance(text, str))


def _group_of(own: Mapping[str, Any]) -> str:
    """Return the group of a record by its properties; empty if it has none."""
    keyed = own.get("session_id") or own.get("conversation_key") or ""
    return str(own.get("group_id") or str(keyed).partition("|")[0])


def rewrite(
    path: Path, erased: Collection[str], texts_of: Callable[[Collection[str]], ErasedTexts]
) -> RewrittenBackup:
    """Rewrite a backup without erased memories, their parts, values for undo, words and names.

    Args:
        path: Folder of the backup.
        erased: Ids of the memories.
        texts_of: Returns what was erased with the memories of the backup, by their ids.

    Raises:
        BackupError: The backup is damaged, or the folder cannot be written; it stays as it was.
    """
    if not held_ids(path, erased):
        return RewrittenBackup(path, 0, 0, 0)
    manifest = restore.read_manifest(path)
    restore.check(path, manifest)
    texts = texts_of(_own_ids(path) & set(erased))
    gone = _gone(path, erased, texts)
    partial = path.with_name(f"{create.PARTIAL}{os.getpid()}_{path.name}")
    try:
        partial.mkdir(mode=0o700)
        written = _write(path, partial, manifest, lambda each: _blanked(each, erased, texts), gone)
        _write_readable(path, partial, erased)
        restore.check(partial, written)
        _exchange(partial, path)
    except OSError as error:
        raise BackupError(
            f"{path} was not rewritten: {error}. Free disk space, or make the folder writable."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return RewrittenBackup(
        path,
        manifest.memories - written.memories,
        manifest.nodes - written.nodes,
        manifest.edges - written.edges,
    )


def _own_ids(path: Path) -> set[str]:
    """Return the ids of the memories in a backup."""
    return {
        str(record["properties"].get("uuid"))
        for record in restore.records(path)
        if _OWN & set(record.get("labels", ()))
    }


def _gone(path: Path, erased: Collection[str], texts: ErasedTexts) -> set[int]:
    """Return the numbers of the nodes that go: erased memories, and what only they keep."""
    own: set[int] = set()
    parts: set[int] = set()
    entities: set[int] = set()
    mentioned: dict[int, bool] = {}
    for record in restore.records(path):
        if "labels" in record:
            if _OWN & set(record["labels"]) and record["properties"].get("uuid") in erased:
                own.add(record["id"])
            elif _is_act_of(record, erased) or _holds(record, erased, texts):
                parts.add(record["id"])
            elif "NamedEntity" in record["labels"]:
                entities.add(record["id"])
        elif record["type"] in _PARTS and record["from"] in own:
            parts.add(record["to"])
        elif record["type"] in _MENTIONS:
            kept = record["from"] not in own
            mentioned[record["to"]] = mentioned.get(record["to"], False) or kept
    unmentioned = {number for number, kept in mentioned.items() if not kept}
    return own | parts | (entities & unmentioned)


def _is_act_of(record: Mapping[str, Any], erased: Collection[str]) -> bool:
    """Return whether a node records an action on a cluster with an erased memory."""
    own = record["properties"]
    ids: Sequence[str] = own.get("memory_ids", ())
    of_act = "LearningChange" in record["labels"] and own.get("stage") == "act"
    return of_act and any(each in erased for each in ids)


def _holds(record: Mapping[str, Any], erased: Collection[str], texts: ErasedTexts) -> bool:
    """Return whether a node goes for what it holds, as in an erasure of the graph."""
    own, labels = record["properties"], set(record["labels"])
    if "NamedEntity" in labels:
        return texts.named(_group_of(own), str(own.get("key", "")))
    if not labels & _HOLDERS:
        return False
    waits = "PendingWrite" in labels and own.get("memory_id") in erased
    return waits or any(texts.held(_group_of(own), text) for _, text in _texts(own))


def _write(
    path: Path,
    folder: Path,
    manifest: Manifest,
    blanked: Callable[[dict[str, Any]], dict[str, Any]],
    gone: set[int],
) -> Manifest:
    """Write the files of a backup without nodes; return their manifest."""
    checksum = dump.Checksum()
    memories = 0
    with gzip.open(folder / create.GRAPH, "wt", encoding="utf-8", compresslevel=1) as lines:
        for record in restore.records(path):
            if not gone.isdisjoint({record.get("id"), record.get("from"), record.get("to")}):
                continue
            kept = blanked(record)
            if "labels" in kept:
                checksum.node(kept)
                memories += "Memory" in kept["labels"]
            else:
                checksum.edge(kept)
            lines.write(dump.to_line(kept) + "\n")
    written = replace(
        manifest,
        memories=memories,
        nodes=checksum.nodes,
        edges=checksum.edges,
        checksum=checksum.hexdigest(),
    )
    text = json.dumps(asdict(written), indent=2) + "\n"
    (folder / create.MANIFEST).write_text(text, encoding="utf-8")
    return written


def _blanked(record: dict[str, Any], erased: Collection[str], texts: ErasedTexts) -> dict[str, Any]:
    """Return a record without the values for undo, questions and facts of what was erased."""
    labels, own = record.get("labels", ()), record["properties"]
    if "Session" in labels:
        group = _group_of(own)
        history = [each for each in own.get("history") or () if not texts.held(group, each)]
        return {**record, "properties": {**own, "history": history}}
    if record.get("type") == "RELATES_TO" and texts.held(_group_of(own), str(own.get("fact"))):
        vectors = {
            key: value for key, value in record.get("floats", {}).items() if key != "fact_embedding"
        }
        return {**record, "floats": vectors, "properties": {**own, "fact": own.get("name")}}
    if "MaintenanceChange" in labels and own.get("memory_id") in erased:
        kept = {key: value for key, value in own.items() if key not in _UNDO_TEXTS}
        return {**record, "properties": {**kept, "erased": True}}
    if "LearningChange" not in labels or not any(
        each in erased for each in own.get("memory_ids", ())
    ):
        return record
    ids: Sequence[str] = own["memory_ids"]
    lists = {
        key: ["" if one in erased else value for one, value in zip(ids, own[key], strict=True)]
        for key in ("before", "after", "earlier")
        if len(own.get(key) or ()) == len(ids)
    }
    return {**record, "properties": {**own, **lists}}


def _write_readable(path: Path, folder: Path, erased: Collection[str]) -> None:
    """Write `memories.json` without erased memories."""
    values = json.loads((path / create.MEMORIES).read_text(encoding="utf-8"))
    kept = [each for each in values["memories"] if each["memory_id"] not in erased]
    text = json.dumps(
        {**values, "memories": kept, "total_memories": len(kept)}, ensure_ascii=False, indent=1
    )
    (folder / create.MEMORIES).write_text(text + "\n", encoding="utf-8")


def _exchange(partial: Path, path: Path) -> None:
    """Put a folder in the place of another one of the same age; one complete folder always is."""
    was = (path / create.MANIFEST).stat()
    os.utime(partial / create.MANIFEST, ns=(was.st_atime_ns, was.st_mtime_ns))
    complete = path.with_name(f"{path.name}_{_SPARE}")
    partial.rename(complete)
    shutil.rmtree(path)
    complete.rename(path)
