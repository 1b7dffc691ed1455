"""The backups that exist: which memories they hold, and a rewrite without those erased since.

A rewritten backup has a new checksum. It takes the place of the old one once it is complete and has
been read back. It is encrypted with the present key.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast

from graph_memory.backup import dump, partials, restore
from graph_memory.backup.create import folder_of
from graph_memory.backup.files import (
    MANIFEST,
    MEMORIES,
    BackupReader,
    BackupWriter,
    Keyring,
    Manifest,
    complete_backups,
)
from graph_memory.domain.timestamps import Instant
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


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A backup, as its manifest shows it without a key.

    Attributes:
        path: Folder of the backup.
        bytes: Size of its files, in bytes.
        new_bytes: Size of the files that the backup before it does not share, in bytes.
        created_at: Its time.
        format: Version of its files: 3 in clear, 4 encrypted; 1 and 2 of earlier versions.
        memories: Number of memories.
        key_id: Key with which it is encrypted; None if it is in clear.
        problem: The reason for which it cannot be read; empty if there is none.
    """

    path: Path
    bytes: int
    new_bytes: int
    created_at: Instant | None = None
    format: int | None = None
    memories: int | None = None
    key_id: str | None = None
    problem: str = ""


class ErasedTexts(Protocol):
    """The erased texts of each group, besides memories."""

    def held(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds something erased."""
        ...

    def named(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds an erased name."""
        ...


def backups(settings: Settings) -> list[BackupReader]:
    """Return the complete backups, the oldest first."""
    folder, keys = folder_of(settings), Keyring.of(settings)
    return [BackupReader(path, keys) for path in complete_backups(folder)]


def stored_backups(settings: Settings) -> list[StoredBackup]:
    """Return what the manifests of the backups show without a key, the oldest first."""
    found = backups(settings)
    earlier = [None, *(each.path for each in found)]
    return [_describe(each, before) for each, before in zip(found, earlier, strict=False)]


def remove_abandoned(settings: Settings) -> None:
    """Remove what killed backups have left, which may hold erased memories."""
    with partials.abandoned(folder_of(settings)):
        pass


def _describe(backup: BackupReader, earlier: Path | None) -> StoredBackup:
    found = StoredBackup(backup.path, backup.size(), backup.new_bytes(earlier))
    try:
        shown = backup.shown()
        with backup.damage(MANIFEST):
            created_at = datetime.fromisoformat(str(shown["created_at"]))
        kinds = {"format": shown["format"], "memories": shown["memories"]}
        found = replace(found, created_at=created_at, key_id=shown.get("key_id"), **kinds)
        backup.key()
    except BackupError as error:
        return replace(found, problem=str(error))
    return found


def held_ids(backup: BackupReader, ids: Collection[str]) -> set[str]:
    """Return which of these ids of memories a backup holds.

    Raises:
        BackupError: The backup is damaged, or its key is not set.
    """
    found: set[str] = set()
    for line in backup.lines():
        found.update(each for each in _ID.findall(line) if each in ids)
    return found


def texts_of(backup: BackupReader, group_id: str) -> Iterator[tuple[str, str, str]]:
    """Yield each text of a group in a backup: the id or type of its owner, its property, and it.

    Raises:
        BackupError: The backup is damaged, or its key is not set.
    """
    members, prefix = set[int](), f"{group_id}|"
    for record in backup.records():
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


def _labels(record: Mapping[str, Any]) -> set[str]:
    """Return the labels of a node, also those that a move of its group has set aside."""
    return {*record.get("labels", ()), *record["properties"].get("moved_labels", ())}


def _group_of(own: Mapping[str, Any]) -> str:
    """Return the group of a record by its properties; empty if it has none."""
    keyed = own.get("session_id") or own.get("conversation_key") or ""
    return str(own.get("group_id") or str(keyed).partition("|")[0])


def rewrite(
    backup: BackupReader,
    erased: Collection[str],
    texts_of: Callable[[Collection[str]], ErasedTexts],
) -> RewrittenBackup:
    """Rewrite a backup without erased memories, their parts, values for undo, words and names.

    Args:
        backup: The backup.
        erased: Ids of the memories.
        texts_of: Returns what was erased with the memories of the backup, by their ids.

    Raises:
        BackupError: The backup is damaged, its key is not set, or the folder cannot be written; it
            stays as it was.
    """
    if not held_ids(backup, erased):
        return RewrittenBackup(backup.path, 0, 0, 0)
    manifest = restore.check(backup)
    texts = texts_of(_own_ids(backup) & set(erased))
    gone = _gone(backup, erased, texts)
    with _replacement(backup) as files:
        written = _write(backup, files, manifest, lambda each: _blanked(each, erased, texts), gone)
        _write_readable(backup, files, erased)
        files.write_manifest(written)
    return RewrittenBackup(
        backup.path,
        manifest.memories - written.memories,
        manifest.nodes - written.nodes,
        manifest.edges - written.edges,
    )


def encrypt_all(settings: Settings) -> list[Path]:
    """Encrypt each backup that is not encrypted with the present key; return their folders.

    Raises:
        BackupError: No key is set; a backup is damaged, or its key is not set; or the folder cannot
            be written. The backup stays as it was.
    """
    if Keyring.of(settings).present() is None:
        raise BackupError(
            "No key is set, so no backup was encrypted. Set GRAPH_MEMORY_BACKUP_KEY; "
            "`graph-memory backup key` makes a key."
        )
    return [each.path for each in backups(settings) if _encrypt(each)]


def _encrypt(backup: BackupReader) -> bool:
    """Encrypt a backup with the present key; return False if it already is."""
    if backup.key() == backup.keys.present():
        return False
    manifest = restore.check(backup)
    with _replacement(backup) as files:
        with files.writing_graph() as graph:
            for record in backup.records():
                graph.add(record)
        with files.writing(MEMORIES) as copy:
            for piece in backup.pieces(MEMORIES):
                copy.write(piece)
        files.write_manifest(replace(manifest, format=files.format))
    return True


@contextmanager
def _replacement(backup: BackupReader) -> Generator[BackupWriter]:
    """Yield new files that take the place of a backup after the block, once they are read back.

    Raises:
        BackupError: They cannot be written, or differ from their manifest.
    """
    path = backup.path
    # Without a present key, a backup of an earlier key keeps that key.
    key = backup.keys.present() or backup.key()
    sources = [path, *reversed(complete_backups(path.parent))]
    try:
        with partials.partial_folder(path.parent, path.name) as partial:
            yield BackupWriter(partial.path, key, sources)
            restore.check(BackupReader(partial.path, backup.keys))
            partial.unlock()
            _exchange(partial.path, path)
    except OSError as error:
        raise BackupError(
            f"{path} was not rewritten: {error}. Free disk space, or make the folder writable."
        ) from error


def _own_ids(backup: BackupReader) -> set[str]:
    """Return the ids of the memories in a backup."""
    return {
        str(record["properties"].get("uuid"))
        for record in backup.records()
        if _OWN & _labels(record)
    }


def _gone(backup: BackupReader, erased: Collection[str], texts: ErasedTexts) -> set[int]:
    """Return the numbers of the nodes that go: erased memories, and what only they keep."""
    own: set[int] = set()
    parts: set[int] = set()
    entities: set[int] = set()
    mentioned: dict[int, bool] = {}
    for record in backup.records():
        if "labels" in record:
            if _OWN & _labels(record) and record["properties"].get("uuid") in erased:
                own.add(record["id"])
            elif _is_act_of(record, erased) or _holds(record, erased, texts):
                parts.add(record["id"])
            elif "NamedEntity" in _labels(record):
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
    of_act = "LearningChange" in _labels(record) and own.get("stage") == "act"
    return of_act and any(each in erased for each in ids)


def _holds(record: Mapping[str, Any], erased: Collection[str], texts: ErasedTexts) -> bool:
    """Return whether a node goes for what it holds, as in an erasure of the graph."""
    own, labels = record["properties"], _labels(record)
    if "NamedEntity" in labels:
        return texts.named(_group_of(own), str(own.get("key", "")))
    if not labels & _HOLDERS:
        return False
    waits = "PendingWrite" in labels and own.get("memory_id") in erased
    return waits or any(texts.held(_group_of(own), text) for _, text in _texts(own))


def _write(
    backup: BackupReader,
    files: BackupWriter,
    manifest: Manifest,
    blanked: Callable[[dict[str, Any]], dict[str, Any]],
    gone: set[int],
) -> Manifest:
    """Write the graph of a backup without nodes; return the manifest."""
    checksum = dump.Checksum()
    memories = 0
    with files.writing_graph() as graph:
        for record in backup.records():
            if not gone.isdisjoint({record.get("id"), record.get("from"), record.get("to")}):
                continue
            kept = blanked(record)
            if "labels" in kept:
                checksum.node(kept)
                memories += "Memory" in kept["labels"]
            else:
                checksum.edge(kept)
            graph.add(kept)
    return replace(
        manifest,
        format=files.format,
        memories=memories,
        nodes=checksum.nodes,
        edges=checksum.edges,
        checksum=checksum.hexdigest(),
    )


def _blanked(record: dict[str, Any], erased: Collection[str], texts: ErasedTexts) -> dict[str, Any]:
    """Return a record without the values for undo, questions and facts of what was erased."""
    labels, own = _labels(record), record["properties"]
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


def _write_readable(backup: BackupReader, files: BackupWriter, erased: Collection[str]) -> None:
    """Write `memories.json` without erased memories."""
    with backup.damage(MEMORIES), backup.reading_text(MEMORIES) as text:
        values = json.load(text)
    kept = [each for each in values["memories"] if each["memory_id"] not in erased]
    values |= {"memories": kept, "total_memories": len(kept)}
    with files.writing_text(MEMORIES) as readable:
        readable.write(json.dumps(values, ensure_ascii=False, indent=1) + "\n")


def _exchange(partial: Path, path: Path) -> None:
    """Put a folder in the place of another one of the same age; one complete folder always is."""
    was = (path / MANIFEST).stat()
    os.utime(partial / MANIFEST, ns=(was.st_atime_ns, was.st_mtime_ns))
    complete = path.with_name(f"{path.name}_{_SPARE}")
    partial.rename(complete)
    shutil.rmtree(path)
    complete.rename(path)
