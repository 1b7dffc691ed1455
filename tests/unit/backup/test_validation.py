"""Backups that someone has changed, with a manifest that fits: none is written."""

import gzip
import hashlib
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from graph_memory.backup import dump
from graph_memory.backup.files import CLEAR, GRAPH, MANIFEST, WHOLE, BackupReader, Manifest
from graph_memory.backup.parts import FOLDER, PARTS, file_of
from graph_memory.backup.restore import check
from graph_memory.errors import BackupError

Record = dict[str, Any]

MEMORY = dump.node("4:x:7", ["Memory", "Entity"], {"uuid": "a", "importance": 5.0, "tags": ["t"]})
BARE = dump.node("4:x:8", [], {"of": "another program", "share": float("nan")})
OTHER = dump.node("4:x:9", ["Memory"], {"uuid": "b", "embedding": [0.25] * 16, "packed": b"12"})
RELATION = dump.edge("4:x:7", "4:x:9", "RELATES_TO", {"strength": 0.5})


def write(folder: Path, lines: list[Any], number: int = CLEAR) -> Path:
    """Write a backup with a manifest that fits, as far as a checksum can be computed."""
    checksum = dump.Checksum()
    for line in lines:
        if isinstance(line, dict) and isinstance(line.get("id"), int):
            checksum.node(line)
        elif isinstance(line, dict) and "from" in line:
            checksum.edge(line)
    counts = (checksum.nodes, checksum.nodes, checksum.edges)
    manifest = Manifest(number, "2026-11-27T12:00:00.000Z", *counts, checksum.hexdigest())
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    write_graph(folder, gzip.compress(text.encode()), text.encode(), number)
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest)))
    return folder


def write_graph(folder: Path, stored: bytes, text: bytes, number: int) -> None:
    """Write a graph as one part, or as one file as earlier versions did."""
    if number == WHOLE:
        (folder / GRAPH).write_bytes(stored)
        return
    digest = hashlib.sha256(text).hexdigest()
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / file_of(digest)).write_bytes(stored)
    (folder / PARTS).write_text(json.dumps({"records": [digest], "values": []}))


def changed(record: Record, **fields: Any) -> Record:
    return record | fields


TOKEN = dump.node("4:x:11", ["AccessToken"], {"hash": "known to someone", "scopes": ["admin"]})
LOCK = dump.node("4:x:11", ["Control"], {"key": "maintenance"})
RATE = dump.node("4:x:11", ["Control"], {"key": "rate:someone"})

CHANGES: dict[str, tuple[list[Any], str]] = {
    "an access token": ([MEMORY, TOKEN], "AccessToken, which no backup contains"),
    "a token among others": ([changed(MEMORY, labels=["Memory", "AccessToken"])], "AccessToken"),
    "a lock": ([MEMORY, LOCK], "the state 'maintenance' of a process"),
    "a rate": ([MEMORY, RATE], "the state 'rate:someone' of a process"),
    "an object of other fields": ([MEMORY, {"surprise": 1}], "the form of a backup"),
    "a list": ([MEMORY, [1, 2]], "the form of a backup"),
    "a number": ([MEMORY, 5], "the form of a backup"),
    "a node without an id": ([{"labels": ["Memory"], "properties": {}}], "the form of a backup"),
    "a further field": ([changed(MEMORY, surprise=1)], "the form of a backup"),
    "a text as an id": ([changed(MEMORY, id="7")], "the form of a backup"),
    "an id below zero": ([changed(MEMORY, id=-1)], "the form of a backup"),
    "a label that is a number": ([changed(MEMORY, labels=[1])], "the form of a backup"),
    "a nested property": ([changed(MEMORY, properties={"a": {"b": 1}})], "the form of a backup"),
    "a null": ([changed(MEMORY, properties={"a": None})], "the form of a backup"),
    "a large integer": ([changed(MEMORY, properties={"a": 2**63})], "the form of a backup"),
    "a kind of floats": ([changed(MEMORY, floats={"a": ["q", ""]})], "the form of a backup"),
    "no base64": ([changed(MEMORY, floats={"a": ["f", "AAA"]})], "padding"),
    "a part of a float": ([changed(MEMORY, floats={"a": ["f", "AAAA"]})], "multiple of element"),
    "a kind of time": ([changed(MEMORY, temporals={"a": ["point", "1"]})], "the form of a backup"),
    "a list of numbers": (
        [changed(MEMORY, temporals={"a": ["date", [1]]})],
        "the form of a backup",
    ),
    "a node twice": ([MEMORY, MEMORY], "two nodes have the id 7"),
    "an end without a node": ([MEMORY, RELATION], "a relationship has an end without a node"),
    "a relationship before its nodes": ([RELATION, MEMORY, OTHER], "an end without a node"),
}


FORMATS = pytest.mark.parametrize("number", [WHOLE, CLEAR], ids=["whole", "parts"])


@FORMATS
def test_an_unchanged_backup_passes(tmp_path: Path, number: int) -> None:
    write(tmp_path, [MEMORY, BARE, OTHER, RELATION], number)
    check(BackupReader(tmp_path))


@FORMATS
@pytest.mark.parametrize(("lines", "reason"), CHANGES.values(), ids=CHANGES)
def test_a_changed_backup_is_refused_with_the_reason(
    tmp_path: Path, lines: list[Any], reason: str, number: int
) -> None:
    write(tmp_path, lines, number)
    with pytest.raises(BackupError, match="is damaged") as caught:
        check(BackupReader(tmp_path))
    assert reason in str(caught.value)
    assert "Nothing was changed; use another backup" in str(caught.value)


def bomb() -> bytes:
    """Return a line of 70 million characters, compressed to less than a thousandth."""
    return gzip.compress(b'{"id": 1, "labels": ["' + b"x" * 70_000_000)


def far_apart() -> bytes:
    """Return nodes whose ids would need a table of terabytes."""
    lines = [json.dumps(changed(MEMORY, id=number << 38)) for number in range(100)]
    return gzip.compress("\n".join(lines).encode())


@FORMATS
@pytest.mark.parametrize("hostile", [bomb, far_apart])
def test_a_small_file_does_not_exhaust_the_memory(
    tmp_path: Path, hostile: Callable[[], bytes], number: int
) -> None:
    write(tmp_path, [MEMORY], number)
    stored = hostile()
    write_graph(tmp_path, stored, gzip.decompress(stored), number)
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="is damaged"):
            check(BackupReader(tmp_path))
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()
