"""The database of an old version, multiplied to any size in the form that this version wrote.

The source is the backup of a fixture. Each copy of its memories has ids, contents, hashes and
vectors of its own; texts that name an id or a hash name that of the copy. The writer of restores
stores the records as they are, so that each property keeps the type of the old version.
"""

import base64
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graph_memory.backup.files import BackupReader
from graph_memory.backup.restore import write
from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import compress, content_hash, decompress

Record = dict[str, Any]

#: Labels of nodes that a database has once, or once for each conversation or run.
_ONCE = {"Control", "Conversation", "Lesson", "MaintenanceRun", "Session"}
_BATCH = 500
_EXCERPT = 500  # characters of a compressed content that stay readable
_GZ, _PACKED = "content_gz", ("properties", "bytes")
_NOISE = 0.02  #: of each number of a vector, so that no two memories have the same vector


async def load(graph: Graph, version: Path, memories: int) -> int:
    """Write at least so many memories of a version into an empty database; return their number."""
    records = list(BackupReader(version / "backup").records())
    several = [record for record in records if not _ONCE & set(record.get("labels", ()))]
    each = sum("Memory" in record.get("labels", ()) for record in several)
    span = 1 + max(record["id"] for record in records if "id" in record)
    copies = -(-memories // each)
    await _write(graph, iter(records))
    for numbers in batched(range(1, copies), 20):
        await _write(graph, (record for n in numbers for record in _copied(several, n, span)))
    return copies * each


async def _write(graph: Graph, records: Iterator[Record]) -> None:
    made: dict[int, str] = {}
    found = list(records)
    nodes = [record for record in found if "labels" in record]
    ends = {record["id"] for record in nodes}
    edges = [r for r in found if "labels" not in r and {r["from"], r["to"]} <= ends]
    for batch in batched([*nodes, *edges], _BATCH):
        await write(graph, batch, made)


def _copied(records: list[Record], number: int, span: int) -> Iterator[Record]:
    """Return copy `number` of the records."""
    made = [_with_own_content(copy.deepcopy(record), number) for record in records]
    names = {old: new for _, replaced in made for old, new in replaced.items()}
    names |= {old: f"{number:08x}{old[8:]}" for old in _ids(records)}
    pattern = re.compile("|".join(map(re.escape, names)))
    for record, _ in made:
        text = pattern.sub(lambda found: names[found[0]], json.dumps(record))
        yield _moved(json.loads(text), number * span)


def _ids(records: list[Record]) -> set[str]:
    return {record["properties"]["uuid"] for record in records if "uuid" in record["properties"]}


def _with_own_content(record: Record, number: int) -> tuple[Record, dict[str, str]]:
    """Return a record with a content and a vector of its own, and its old hash with the new one."""
    generator = np.random.default_rng([number, record.get("id", 0)])
    for name, (kind, text) in record.get("floats", {}).items():
        vector = np.frombuffer(base64.b64decode(text), f"<{kind}4" if kind == "f" else "<f8")
        vector = vector + generator.normal(0, _NOISE, len(vector))
        unit = (vector / np.linalg.norm(vector)).astype("<f4")
        record["floats"][name] = ["f", base64.b64encode(unit.tobytes()).decode()]
    properties = record["properties"]
    if "Memory" not in record.get("labels", ()):
        return record, {}
    packed = next((part for part in _PACKED if _GZ in record.get(part, {})), None)
    content = decompress(record[packed][_GZ]) if packed else properties["content"]
    own = f"{content} ({number})"
    if packed:  # a backup holds bytes and text alike as base64
        record[packed][_GZ] = compress(own)
    properties["content"] = own[: len(own) if packed is None else _EXCERPT]
    return record, {properties["content_hash"]: content_hash(own)}


def _moved(record: Record, by: int) -> Record:
    """Return a record with other ids of the original database."""
    return record | {name: record[name] + by for name in ("id", "from", "to") if name in record}
