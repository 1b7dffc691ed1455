"""The review queue on the command line: its filters, one item of it, and its keys."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from graph_memory.cli.command import note, unchecked
from graph_memory.cli.output import as_mapping, show
from graph_memory.cli.values import WRITE_KINDS
from graph_memory.errors import GraphMemoryError, InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import PendingWrite, Proposal
    from graph_memory.domain.origin import Origin

#: The verb of each key, for the prompt and the count at the end.
_VERBS = {"a": "accepted", "r": "rejected", "s": "skipped"}
_PROMPT = "a accept, r reject, s skip, q quit, ? help: "
_HELP = """a  accept: a write becomes a memory or a change, a proposal a relation
r  reject: the statement of a write is refused from then on, a proposal is not made again
s  skip: it stays in the queue
q  quit: earlier decisions count"""

#: The most proposals that one pass goes through.
_PROPOSALS = 1000


@dataclass(frozen=True, slots=True)
class Filter:
    """The options that choose items of the queue; each is of writes or of proposals.

    Raises:
        BadParameter: Some options are of writes, and some of proposals.
    """

    kinds: Sequence[str] | None = None
    min_score: float | None = None
    authorities: Sequence[str] | None = None
    ways: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.of_writes and self.of_proposals:
            raise typer.BadParameter(
                "--authority, --way and the kinds add, update and episode are of writes; other "
                "kinds and --min-score are of proposals; decide on each"
            )

    @property
    def of_writes(self) -> bool:
        """Return True if an option chooses writes."""
        by_kind = any(each in WRITE_KINDS for each in self.kinds or ())
        return by_kind or bool(self.authorities) or bool(self.ways)

    @property
    def of_proposals(self) -> bool:
        """Return True if an option chooses proposals."""
        by_kind = any(each not in WRITE_KINDS for each in self.kinds or ())
        return by_kind or self.min_score is not None

    def for_writes(self) -> dict[str, Any]:
        """Return the arguments for the methods of `memory.pending`."""
        return {
            "kinds": unchecked(self.kinds or None),
            "authorities": unchecked(self.authorities or None),
            "ways": self.ways or None,
        }

    def for_decision(self) -> dict[str, Any]:
        """Return the arguments for decisions of `memory.proposals`."""
        return {"kinds": unchecked(self.kinds or None), "min_score": self.min_score}

    def for_proposals(self) -> dict[str, Any]:
        """Return the arguments for lists of `memory.proposals`."""
        return {**self.for_decision(), "min_score": self.min_score or 0.0}


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the queue: a write that waits, or a proposal."""

    found: "PendingWrite | Proposal"
    present_content: str | None = None  #: of the memory that a write changes

    @property
    def is_write(self) -> bool:
        """Return True for a write that waits."""
        return hasattr(self.found, "pending_id")

    @property
    def answer(self) -> dict[str, Any]:
        """The fields for JSON."""
        present = {"present_content": self.present_content} if self.is_write else {}
        return {**as_mapping(self.found), **present}


async def read(memory: "GraphMemory", queue_id: str) -> Item:
    """Return the write that waits, or the proposal, with an id.

    Raises:
        InvalidArgumentError: The group has neither.
    """
    try:
        write = await memory.pending.get(queue_id)
    except InvalidArgumentError:
        return Item(await _proposal(memory, queue_id))
    present = None
    if write.memory_id is not None:
        with suppress(NotFoundError):
            present = (await memory.get(write.memory_id, counted=False)).content
    return Item(write, present)


async def _proposal(memory: "GraphMemory", queue_id: str) -> "Proposal":
    try:
        return await memory.proposals.get(queue_id)
    except InvalidArgumentError as error:
        rule = "the group has no such proposal and no such write; list them first"
        raise InvalidArgumentError("queue_id", queue_id, rule) from error


def fields_of(item: Item) -> Iterator[tuple[str, object]]:
    """Yield the names and values of an item for a reader."""
    found: Any = item.found
    if item.is_write:
        yield from {
            "id": found.pending_id,
            "kind": found.kind,
            "waits since": found.created_at,
            "rule": found.rule,
            **_origin(found.origin),
            "import or run": found.origin.origin_id,
            "memory": found.memory_id,
            "present content": item.present_content,
            "content": found.content,
        }.items()
        return
    yield from {
        "id": found.proposal_id,
        "kind": found.kind,
        "status": found.status,
        "score": found.score,
        "evidence": found.reason,
        "proposed": found.created_at,
        "by run": found.run_id,
        **_origin(found.origin),
        "decided": found.decided_at,
        "decided by": found.decided_by,
        "run of the decision": found.decided_run_id,
        "first": _named(found.first),
        "second": _named(found.second),
    }.items()


def _origin(origin: "Origin | None") -> dict[str, object]:
    """Return the rows of an origin; nothing if it was stored before origins were."""
    if origin is None:
        return {}
    authority = origin.authority or "unknown"
    return {"way in": origin.way_in, "caller": origin.caller, "authority": authority}


def _named(end: Any) -> str:
    """Return a memory or an entity of a proposal as text."""
    named = end.memory_id if hasattr(end, "memory_id") else f"{end.kind} {end.entity_id}"
    return f"{end.content} ({named})"


def on_terminal() -> bool:
    """Return True if a person can read items and press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


async def settle(memory: "GraphMemory", wanted: Filter) -> None:
    """Go through the queue by keys until its end or `q`, and print what was decided."""
    tally: Counter[str] = Counter()
    try:
        async for item in _items(memory, wanted):
            show(item.answer, ("", ""), fields_of(item))
            key = await _key()
            if key == "q":
                break
            tally[await _decide(memory, item, key)] += 1
        else:
            note("The queue has no more." if tally else "Nothing waits for a review.")
    finally:
        if tally:
            note(", ".join(f"{count} {verb}" for verb, count in tally.items()) + ".")


async def _items(memory: "GraphMemory", wanted: Filter) -> AsyncGenerator[Item]:
    """Yield the writes, the earliest first, and then the proposals, the highest score first."""
    if not wanted.of_proposals:
        for pending_id in await memory.pending.ids(**wanted.for_writes()):
            with suppress(InvalidArgumentError):  # another reviewer decided it
                yield await read(memory, pending_id)
    if not wanted.of_writes:
        found = await memory.proposals.list(limit=_PROPOSALS, **wanted.for_proposals())
        for proposal in found.proposals:
            yield Item(proposal)


async def _key() -> str:
    """Return the next key that decides or quits; Ctrl-C and Ctrl-D quit."""
    while True:
        print(_PROMPT, end="", file=sys.stderr, flush=True)
        key = await asyncio.to_thread(_pressed)
        print(key if key.isprintable() else "", file=sys.stderr)
        if key in (*_VERBS, "q"):
            return key
        if key == "?":
            print(_HELP, file=sys.stderr)


def _pressed() -> str:
    """Wait for a key, in a thread, so that the connection stays alive."""
    try:
        return typer.getchar().lower()
    except (KeyboardInterrupt, EOFError):  # the terminal passes them as keys
        return "q"


async def _decide(memory: "GraphMemory", item: Item, key: str) -> str:
    """Decide on an item by a key, and return the verb for the count."""
    if key == "s":
        return _VERBS[key]
    found: Any = item.found
    try:
        if item.is_write:
            way = memory.pending.accept if key == "a" else memory.pending.reject
            reviewed = await way([found.pending_id])
            done, refusals = reviewed.done, reviewed.refusals
        else:
            choose = memory.proposals.accept if key == "a" else memory.proposals.reject
            decision = await choose([found.proposal_id])
            done, refusals = decision.proposal_ids, decision.refusals
    except GraphMemoryError as error:
        note(str(error))
        return "failed"
    for refusal in refusals:
        note(refusal.reason)
    if not done and not refusals:
        note("Another reviewer has decided it.")
    return _VERBS[key] if done else "failed"
