"""The operations that a fault can strike, and a picture of what each leaves in its group."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString

from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.database import Database
from graph_memory.backup.files import BackupReader
from graph_memory.domain.timestamps import instant
from graph_memory.errors import (
    BackupError,
    DuplicateError,
    GraphMemoryError,
    NotFoundError,
    UndoRefusedError,
)
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY

_NODES: LiteralString = """
MATCH (m:Memory {group_id: $group})
RETURN [m.content, m.lifecycle_state, m.importance, m.decay_score, m.tags, m.access_count,
  CASE WHEN m.next_due_at <= $until THEN 'due' ELSE m.next_due_at END,
  COUNT { (:MemoryVersion)--(m) },
  [entry IN m.state_history | split(entry, '"run_id"')[0]]] AS row
"""
_EDGES: LiteralString = """
MATCH (a:Memory {group_id: $group})-[r]->(b)
RETURN [a.content, type(r), r.name, coalesce(b.content, labels(b)[0])] AS row
"""


@dataclass
class Stage:
    """A group with twelve memories, of which two are related, and what an operation needs."""

    memory: GraphMemory  #: an undisturbed service
    group: str
    ids: list[str] = field(default_factory=list[str])
    run_id: str = ""
    backup: Path = Path()
    until: str = ""  #: the instant of a restore
    lines: list[str] = field(default_factory=list[str])
    answer: Any = None  #: of the operation

    async def set_up(self) -> None:
        """Store the memories a year before the operation."""
        self.memory.context.clock = lambda: TODAY
        notes = [{"content": f"note {n} of the harbour", "importance": 2} for n in range(12)]
        stored = await self.memory.add_many(notes, group_id=self.group)
        self.ids = [str(each.memory_id) for each in stored]
        await self.memory.relations.add(self.ids[0], self.ids[1], "supports", group_id=self.group)
        self.memory.context.clock = lambda: TODAY + timedelta(days=365)


Picture = Counter[str]


async def picture(driver: AsyncDriver, stage: Stage) -> Picture:
    """Count each memory and relation of a group, ids left out.

    A restore to an instant makes memories due at once, so these dates differ from run to run.
    """
    found: list[Any] = []
    until = instant(datetime.now(UTC)) if stage.until else ""
    for query in (_NODES, _EDGES):
        records, _, _ = await driver.execute_query(query, group=stage.group, until=until)
        found += [record["row"] for record in records]
    return Counter(json.dumps(row) for row in found)


@dataclass(frozen=True)
class Operation:
    """A call, what must stand before it, and the errors that mean it is done already."""

    name: str
    act: Callable[[GraphMemory, Stage], Awaitable[Any]]
    prepare: Callable[[Stage], Awaitable[None]] | None = None
    done: tuple[type[GraphMemoryError], ...] = ()
    fails: tuple[type[GraphMemoryError], ...] = ()  #: errors that wrap those of Neo4j
    reads: bool = False  #: the answer is compared as well
    repeats: bool = True  #: False if a repeated call is another event, as a second access is


async def _add(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.add("the tide turns at noon", group_id=stage.group)


async def _add_many(memory: GraphMemory, stage: Stage) -> Any:
    notes = [{"content": f"boat {n} lies at anchor"} for n in range(5)]
    outcomes = await memory.add_many(notes, group_id=stage.group)
    errors = [outcome.error for outcome in outcomes if outcome.error]
    if fresh := [error for error in errors if not isinstance(error, DuplicateError)]:
        raise fresh[0]
    return outcomes


async def _update(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.update(stage.ids[2], content="note 2, corrected", group_id=stage.group)


async def _delete(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.delete(stage.ids[3], group_id=stage.group)


async def _erase(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.delete(stage.ids[3], permanent=True, group_id=stage.group)


async def _relate(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.relations.add(stage.ids[4], stage.ids[5], "causes", group_id=stage.group)


async def _touch(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.touch(stage.ids[6], group_id=stage.group)


async def _search(memory: GraphMemory, stage: Stage) -> Any:
    found = await memory.search("note 7 of the harbour", counted=False, group_id=stage.group)
    return [found[0].memory.content]


async def _retrieve(memory: GraphMemory, stage: Stage) -> Any:
    given = await memory.retrieve("note 7 of the harbour", counted=False, group_id=stage.group)
    return [given.memories[0].memory.content]


async def _maintain(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.maintenance.run(groups=[stage.group], batch_size=4)


async def _run_before(stage: Stage) -> None:
    report = await stage.memory.maintenance.run(groups=[stage.group])
    stage.run_id = report.run_id


async def _undo(memory: GraphMemory, stage: Stage) -> Any:
    return await memory.maintenance.undo(stage.run_id, group_id=stage.group)


async def _lines_before(stage: Stage) -> None:
    stage.lines = [
        json.dumps({"content": f"import {n}", "memory_id": f"{stage.group}-{n}"}) for n in range(5)
    ]


async def _import(memory: GraphMemory, stage: Stage) -> Any:
    report = await import_lines(memory, stage.lines, stage.group)
    assert report.failed == 0, report
    return report


async def _export(memory: GraphMemory, stage: Stage) -> Any:
    lines = [json.loads(line) async for line in export_lines(memory, stage.group)]
    return sorted(line["content"] for line in lines)


async def _backup(memory: GraphMemory, stage: Stage) -> Any:
    made = await memory.backups.create()
    BackupReader(made.backup_path).manifest()
    return made


async def _backup_before(stage: Stage) -> None:
    stage.backup = (await stage.memory.backups.create()).backup_path
    await stage.memory.add("written after the backup", group_id=stage.group)


async def _restore(memory: GraphMemory, stage: Stage) -> Any:
    database = Database(memory.context.graph, memory.settings)
    return await database.restore(stage.backup, replace=True)


async def _history_before(stage: Stage) -> None:
    """Change memories after an instant, and back them up."""
    memory, group = stage.memory, stage.group
    stage.until = instant(TODAY + timedelta(days=30))
    await memory.update(stage.ids[2], content="note 2, written later", group_id=group)
    await memory.delete(stage.ids[3], group_id=group)
    await memory.relations.add(stage.ids[4], stage.ids[5], "causes", group_id=group)
    await memory.add("written later", group_id=group)
    await _run_before(stage)
    await _backup_before(stage)


async def _restore_until(memory: GraphMemory, stage: Stage) -> Any:
    database = Database(memory.context.graph, memory.settings)
    return await database.restore(stage.backup, replace=True, until=stage.until)


OPERATIONS = {
    each.name: each
    for each in (
        Operation("add", _add, done=(DuplicateError,)),
        Operation("add many", _add_many),
        Operation("update", _update),
        Operation("delete", _delete, done=(NotFoundError,)),
        Operation("erase", _erase, done=(NotFoundError,)),
        Operation("relate", _relate),
        Operation("touch", _touch, repeats=False),
        Operation("search", _search, reads=True),
        Operation("retrieve", _retrieve, reads=True),
        Operation("maintain", _maintain),
        Operation("undo", _undo, _run_before, done=(UndoRefusedError,)),
        Operation("import", _import, _lines_before),
        Operation("export", _export, reads=True),
        Operation("backup", _backup),
        Operation("restore", _restore, _backup_before, fails=(BackupError,)),
        Operation("restore to an instant", _restore_until, _history_before, fails=(BackupError,)),
    )
}
