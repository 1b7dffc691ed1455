"""Import and export of memories as lines of JSON."""

import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from operator import itemgetter
from typing import Any, Literal, TypeVar, get_args

from graph_memory.api.service import GraphMemory
from graph_memory.auth.grants import Grant
from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import content_hash, default_title
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.models import RelationType
from graph_memory.domain.origin import Authority
from graph_memory.domain.timestamps import instant
from graph_memory.errors import DuplicateError, GraphMemoryError, InvalidArgumentError
from graph_memory.graphiti.properties import entity_hash
from graph_memory.inference.embedder import Vector
from graph_memory.memories.screening import admit
from graph_memory.transfer.line_format import (
    RESERVED_ENTITY_KEYS,
    RESERVED_FACT_KEYS,
    ArchivedMemory,
    ArchivedVersion,
    read_line,
    write_line,
)
from graph_memory.transfer.links import PendingLink, set_links, to_properties
from graph_memory.wording import argument

T = TypeVar("T")
K = TypeVar("K")

#: What an import does with a memory whose id is taken.
OnTaken = Literal["rename", "refuse"]

MAX_SHOWN_ERRORS = 20

_IMPORT_BATCH = 256
_EXPORT_BATCH = 500


@dataclass(frozen=True, slots=True)
class LineError:
    """The error of a line, or of one of its relations."""

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class LineRename:
    """A line whose id was taken, and the new id of its memory."""

    line: int
    memory_id: str
    new_id: str


@dataclass(slots=True)
class ImportReport:
    """The counts of an import, with the first 20 errors and the first 20 renames.

    A memory with a new id is counted in `stored` and in `renamed`; one with a masked secret in
    `masked`, whether it was stored or skipped.
    """

    stored: int = 0
    skipped: int = 0
    relations: int = 0
    failed: int = 0
    renamed: int = 0
    masked: int = 0
    errors: list[LineError] = field(default_factory=list[LineError])
    renames: list[LineRename] = field(default_factory=list[LineRename])
    import_id: str = ""  #: `origin_id` of its memories

    def refuse(self, line: int, error: GraphMemoryError) -> None:
        """Count an error, and keep it if it is among the first 20."""
        self.failed += 1
        if self.failed <= MAX_SHOWN_ERRORS:
            self.errors.append(LineError(line, error.code, str(error)))

    def rename(self, line: int, memory_id: str, new_id: str) -> None:
        """Count a memory with a new id, and keep the ids if it is among the first 20."""
        self.renamed += 1
        if self.renamed <= MAX_SHOWN_ERRORS:
            self.renames.append(LineRename(line, memory_id, new_id))


@dataclass(frozen=True, slots=True)
class _Line:
    """A memory to import, and the number of its line."""

    number: int
    group_id: str
    memory: ArchivedMemory
    given: str  #: the content before its secrets were masked


@dataclass(frozen=True, slots=True)
class _Holder:
    """An existing memory with the id of a line."""

    memory_id: str
    in_group: bool  #: true if the group can see it
    hashes: list[str]  #: of its contents, earlier ones included


async def import_lines(
    memory: GraphMemory,
    lines: Iterable[str],
    group_id: str | None = None,
    on_progress: Callable[[int], None] = lambda lines_done: None,
    *,
    on_taken: OnTaken = "rename",
) -> ImportReport:
    """Store a memory for each line; a repeated import stores only missing memories.

    A memory is skipped if the group holds its content, or held it under its id. An id is taken if
    another group, a deleted memory or a memory with another content has it.

    A line with a malformed relation is refused. A relation or parent whose target does not exist is
    refused alone, because the target may follow in a later line; the memory stays.

    Args:
        memory: The service to import into.
        lines: JSON objects, read lazily; blank lines are skipped.
        group_id: The tenant of all lines; None keeps the group of each line.
        on_progress: Called with the number of lines done since the last call.
        on_taken: `rename` a memory whose id is taken, also in the relations and parents of other
            lines, or `refuse` its line.

    Raises:
        GraphUnavailableError: The connection to Neo4j was lost; the batches so far are stored.
    """
    if on_taken not in get_args(OnTaken):
        raise InvalidArgumentError("on_taken", on_taken, "it is 'rename' or 'refuse'")
    running = _Import(memory, group_id, on_taken)
    size = min(_IMPORT_BATCH, memory.settings.max_batch)
    for batch in batched(enumerate(lines, start=1), size):
        await running.store(batch)
        on_progress(len(batch))
    await running.link()
    return running.report


async def export_lines(memory: GraphMemory, group_id: str | None = None) -> AsyncIterator[str]:
    """Yield a line for each memory of the group, the oldest first, without deleted ones."""
    after: dict[str, str] = {"after_created_at": "0001-01-01T00:00:00Z", "after_id": ""}
    while True:
        page = await memory.context.graph.rows(
            "transfer/import_export/export",
            _Exported,
            group_id=memory.group(group_id),
            limit=_EXPORT_BATCH,
            types=list(RelationType),
            owned=RESERVED_ENTITY_KEYS,
            owned_of_facts=RESERVED_FACT_KEYS,
            **after,
        )
        for row in page:
            yield write_line(row.line, row.title)
        if len(page) < _EXPORT_BATCH:
            return
        after = {"after_created_at": page[-1].created_at, "after_id": page[-1].line["memory_id"]}


@dataclass(frozen=True, slots=True)
class _Exported:
    """A memory as the database describes it; its time and id continue the paging."""

    line: dict[str, Any]
    title: str | None
    created_at: str


def _importer(context: Context, import_id: str) -> Grant:
    """Return the grant of a caller for an import: its texts have at most the authority of one."""
    origin = context.origin().at_most(Authority.IMPORT)
    return replace(context.grant, authority=origin.authority, origin_id=import_id)


class _Import:
    """A running import: its counts, the ids replaced, and the links to set at the end."""

    def __init__(self, memory: GraphMemory, group_id: str | None, on_taken: OnTaken) -> None:
        self.report = ImportReport(import_id=f"import-{uuid.uuid4()}")
        self._memory = memory.acting_for(_importer(memory.context, self.report.import_id))
        self._on_taken = on_taken
        self._group_id = memory.group(group_id) if group_id else None
        self._new_ids: dict[tuple[str, str], str] = {}
        self._links: list[PendingLink] = []
        self._conversations: set[tuple[str, str]] = set()

    async def store(self, batch: Iterable[tuple[int, str]]) -> None:
        """Store the memories of some lines, without their links."""
        for group_id, lines in _grouped(self._read(batch), lambda line: line.group_id):
            stored_lines = await self._stored_lines(group_id, lines)
            for line, memory_id in stored_lines:
                self._remember_links(line, memory_id)
                if line.memory.lifecycle and line.memory.conversation_id:
                    self._conversations.add((group_id, line.memory.conversation_id))
            await self._restore_entities(group_id, stored_lines)
            await self._restore_versions(group_id, stored_lines)
            await self._restore_turns(group_id, stored_lines)
            await self._restore_lifecycles(group_id, stored_lines)

    async def link(self) -> None:
        """Set the parents and relations of all lines, and the ends of conversations."""
        for group_id, links in _grouped(self._links, lambda link: link.group_id):
            new_ids = {old: new for (group, old), new in self._new_ids.items() if group == group_id}
            scope = self._memory.context.scope(group_id)
            made, refused = await set_links(self._memory.context.graph, scope, links, new_ids)
            self.report.relations += made
            for link, error in refused:
                self.report.refuse(link.line, error)
        for group_id, pairs in _grouped(sorted(self._conversations), itemgetter(0)):
            await self._memory.context.graph.run(
                "transfer/import_export/resume_conversations",
                group_id=group_id,
                conversations=[conversation_id for _, conversation_id in pairs],
            )

    def _read(self, batch: Iterable[tuple[int, str]]) -> Iterator[_Line]:
        for number, text in batch:
            if not text.strip():
                continue
            try:
                given = read_line(text)
                memory = self._screened(given)
            except GraphMemoryError as error:
                self.report.refuse(number, error)
            else:
                group_id = self._group_id or self._memory.group(memory.group_id)
                yield _Line(number, group_id, memory, given.content)

    def _screened(self, memory: ArchivedMemory) -> ArchivedMemory:
        """Return a memory without its secrets, also in its earlier texts; raises as `admit`."""
        settings = self._memory.settings
        screened = replace(
            memory,
            content=admit(memory.content, settings),
            versions=tuple(
                replace(version, content=admit(version.content, settings))
                for version in memory.versions
            ),
        )
        self.report.masked += screened != memory
        return screened

    async def _stored_lines(self, group_id: str, lines: list[_Line]) -> list[tuple[_Line, str]]:
        """Store the memories of lines, and return all that are stored now, with their ids."""
        ids = [line.memory.memory_id for line in lines if line.memory.memory_id]
        holders = await self._memory.context.graph.rows(
            "transfer/import_export/find_ids", _Holder, group_id=group_id, memory_ids=ids
        )
        by_id = {holder.memory_id: holder for holder in holders}
        new: list[_Line] = []
        taken: list[_Line] = []
        stored_lines: list[tuple[_Line, str]] = []
        for line in lines:
            memory_id = line.memory.memory_id or ""
            holder = by_id.get(memory_id)
            if holder is None:
                new.append(line)
            elif not _is_of(line, holder):
                taken.append(line)
            elif holder.in_group:
                stored_lines.append((line, memory_id))
            else:
                taken.append(replace(line, memory=replace(line.memory, copied_from=memory_id)))
        self.report.skipped += len(stored_lines)
        taken += await self._add(new, stored_lines)
        if self._on_taken == "rename":
            await self._add(taken, stored_lines, renamed=True)
        for line in taken if self._on_taken == "refuse" else ():
            self.report.refuse(line.number, _taken(line))
        return stored_lines

    async def _add(
        self, lines: list[_Line], stored_lines: list[tuple[_Line, str]], *, renamed: bool = False
    ) -> list[_Line]:
        """Store the memories of lines, with new ids if `renamed`; return lines whose id is taken.

        The lines that are stored now, with their ids, are appended to `stored_lines`.
        """
        taken: list[_Line] = []
        if not lines:
            return taken
        outcomes = await self._memory.add_many(_arguments(line, renamed) for line in lines)
        for line, outcome in zip(lines, outcomes, strict=True):
            match outcome.error:
                case None:
                    self.report.stored += 1
                    stored_lines.append((line, str(outcome.memory_id)))
                    if renamed:
                        named = line.memory.memory_id or ""
                        self.report.rename(line.number, named, str(outcome.memory_id))
                case DuplicateError(existing_id=existing_id):
                    self.report.skipped += 1
                    stored_lines.append((line, existing_id))
                case InvalidArgumentError(argument="memory_id") if not renamed:
                    taken.append(line)  # by an earlier line
                case error:
                    self.report.refuse(line.number, error)
        return taken

    def _remember_links(self, line: _Line, memory_id: str) -> None:
        memory = line.memory
        if memory.memory_id and memory.memory_id != memory_id:
            self._new_ids[line.group_id, memory.memory_id] = memory_id
        if memory.parent_id:
            self._links.append(PendingLink(line.number, line.group_id, memory_id, memory.parent_id))
        self._links.extend(
            PendingLink(line.number, line.group_id, memory_id, edge.target_id, edge)
            for edge in (*memory.relationships, *memory.facts)
        )

    async def _restore_entities(self, group_id: str, stored_lines: list[tuple[_Line, str]]) -> None:
        """Restore Graphiti's properties of memories that were entities."""
        rows = [
            {
                "memory_id": memory_id,
                "valid_at": to_properties({"at": line.memory.valid_at})["at"],
                **asdict(line.memory.entity),
            }
            for line, memory_id in sorted(stored_lines, key=lambda pair: pair[1])
            if line.memory.entity
        ]
        if rows:
            now = instant(self._memory.clock())
            await self._memory.context.graph.run(
                "transfer/import_export/restore_entities", group_id=group_id, entities=rows, now=now
            )

    async def _restore_versions(self, group_id: str, stored_lines: list[tuple[_Line, str]]) -> None:
        """Restore the earlier texts of memories, with vectors for searches of the past."""
        rewritten = sorted(
            (
                (memory_id, line.memory.versions)
                for line, memory_id in stored_lines
                if line.memory.versions
            ),
            key=lambda pair: pair[0],
        )
        texts = [version.content for _, versions in rewritten for version in versions]
        vectors = iter(await self._memory.context.embedder.embed(texts))
        rows = [
            {
                "memory_id": memory_id,
                "versions": [_version(version, next(vectors)) for version in versions],
            }
            for memory_id, versions in rewritten
        ]
        if rows:
            await self._memory.context.graph.run(
                "transfer/import_export/restore_versions",
                group_id=group_id,
                memories=rows,
                **self._memory.context.origin().parameters(),
            )

    async def _restore_turns(self, group_id: str, stored_lines: list[tuple[_Line, str]]) -> None:
        rows = [
            {"memory_id": memory_id, **to_properties(asdict(turn))}
            for line, memory_id in sorted(stored_lines, key=lambda pair: pair[1])
            for turn in line.memory.turns
        ]
        if rows:
            await self._memory.context.graph.run(
                "transfer/import_export/restore_turns", group_id=group_id, turns=rows
            )

    async def _restore_lifecycles(
        self, group_id: str, stored_lines: list[tuple[_Line, str]]
    ) -> None:
        rows = [
            {
                "memory_id": memory_id,
                "conversation_id": line.memory.conversation_id,
                **to_properties(asdict(line.memory.lifecycle)),
            }
            for line, memory_id in sorted(stored_lines, key=lambda pair: pair[1])
            if line.memory.lifecycle
        ]
        if rows:
            now, rules = instant(self._memory.clock()), policies.parameters(self._memory.settings)
            await self._memory.context.graph.run(
                "transfer/import_export/restore_lifecycle",
                group_id=group_id,
                memories=rows,
                now=now,
                decay=rules,
            )


def _is_of(line: _Line, holder: _Holder) -> bool:
    """Check whether the memory with the id of a line has its content, or had it earlier."""
    contents = {line.memory.content, line.given}
    known = {content_hash(each) for each in contents}
    known |= {entity_hash(holder.memory_id, each) for each in contents}
    return not known.isdisjoint(holder.hashes)


def _taken(line: _Line) -> InvalidArgumentError:
    return InvalidArgumentError(
        "memory_id",
        line.memory.memory_id,
        f"another content or group has it; omit it, or use {argument('on_taken', 'rename')}",
    )


def _arguments(line: _Line, renamed: bool) -> dict[str, Any]:
    """Return the arguments of `add` for a line, without links, and without its id if `renamed`."""
    arguments = {field.name: getattr(line.memory, field.name) for field in fields(NewMemory)}
    arguments |= {"group_id": line.group_id, "parent_id": None, "relationships": ()}
    if line.memory.lifecycle:  # our exports hold the links themselves
        arguments["conversation_id"] = None
    if renamed:
        arguments["memory_id"] = None
    return arguments


def _version(version: ArchivedVersion, vector: Vector) -> dict[str, Any]:
    """Return the stored properties of an earlier text."""
    return {
        **to_properties(asdict(version)),
        "version_id": str(uuid.uuid4()),
        "content_hash": content_hash(version.content),
        "name": version.title or default_title(version.content),
        "embedding": vector,
    }


def _grouped(items: Iterable[T], key: Callable[[T], K]) -> Iterable[tuple[K, list[T]]]:
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups.items()
