"""Single-valued slots of a group: the newer of two memories supersedes the older.

Two memories that state different values of a slot of one subject are compared by the time since
which they are true. Each is superseded by the first later one with another value and at least its
authority, so one run or many give the same result. A change that the rules leave to a caller
becomes a proposal: if the older memory states more, is protected or has more authority, or if the
words can mean something else.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.models import LifecycleState, ProposalKind, ProposalStatus
from graph_memory.domain.origin import Authority
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import giving_turns
from graph_memory.engine import Engine
from graph_memory.learning import review
from graph_memory.learning.proposals import NewProposal, propose
from graph_memory.memories.slots import MAX_CHARACTERS, SlotValue, slot_cues, slot_values

#: The decider that proposals of this stage name, before the slot.
DECIDED_BY = "single-valued slot"

#: Memories whose texts are read at a time.
_PAGE = 5000

#: The score of a change that a run makes, and of one that it leaves to a caller.
_SURE_SCORE, _OPEN_SCORE = 1.0, 0.5

_STATES = [LifecycleState.ACTIVE, LifecycleState.DORMANT]
_ROLE = re.compile(r'"role": ?"(\w+)"')
_NOT_USERS = ("assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Stated:
    """A memory that may state the value of a slot.

    Attributes:
        memory_id: The memory.
        text: Its text.
        metadata: Its metadata as JSON; empty without any.
        at: Time since which it is true, or else its creation, ISO 8601.
        created_at: Its creation, ISO 8601.
        authority: The authority of its text; None for an unknown one.
        protected: True if it is protected from decay.
        held: True if runs leave it alone after an undo.
        in_canary: True if the run treats it.
    """

    memory_id: str
    text: str
    metadata: str
    at: str
    created_at: str
    authority: Authority | None
    protected: bool
    held: bool
    in_canary: bool

    def values(self, slots: Sequence[str]) -> list[SlotValue]:
        """Return the values of slots that it states."""
        return slot_values(self.text, slots, by_user=_role(self.metadata) not in _NOT_USERS)


@dataclass(frozen=True, slots=True)
class SlotChange:
    """A memory that a newer one supersedes, or is proposed to supersede.

    Attributes:
        from_id: The newer memory.
        to_id: The older memory.
        slot: The slot.
        was: The older value, as it is written.
        becomes: The newer value.
        left: Why the run leaves the change to a caller; None if it makes the change.
    """

    from_id: str
    to_id: str
    slot: str
    was: str
    becomes: str
    left: str | None

    @property
    def reason(self) -> str:
        """The slot and both values, and why a caller decides."""
        values = f"one value of {self.slot}: '{self.was}', then '{self.becomes}'"
        return f"{values}; {self.left}" if self.left else values

    def proposal(self) -> NewProposal:
        """Return the proposal that stands for the change."""
        score = _OPEN_SCORE if self.left else _SURE_SCORE
        return NewProposal(ProposalKind.SUPERSEDES, self.from_id, self.to_id, self.reason, score)


async def find(
    graph: Graph, scope: CallScope, slots: Sequence[str], canary: int = 100
) -> list[SlotChange]:
    """Find what changes in a group, without what a caller has decided, the oldest first.

    Args:
        graph: The database.
        scope: The tenant, and the instant at which memories must be true.
        slots: The single-valued slots.
        canary: Share of the memories that may be superseded, 0 to 100 percent.
    """
    stated = [each async for each in _stated(graph, scope, slots, canary)]
    decided = set[str]()
    while True:
        # In a thread, so that the process answers other calls.
        changes = await asyncio.to_thread(plan, stated, slots, decided)
        known = await _known(graph, scope, changes)
        fresh = {id for id, status in known.items() if status != ProposalStatus.OPEN} - decided
        if not fresh:
            return [e for e in changes if not e.left or e.proposal().proposal_id not in known]
        decided |= fresh


def plan(
    stated: Sequence[Stated], slots: Sequence[str], decided: set[str] | None = None
) -> list[SlotChange]:
    """Return what changes among memories, the oldest first.

    Args:
        stated: The memories.
        slots: The single-valued slots.
        decided: Ids of proposals that are decided; the next later memory counts instead.
    """
    found: defaultdict[tuple[str, str], list[tuple[Stated, SlotValue]]] = defaultdict(list)
    for memory in sorted(stated, key=lambda each: (each.at, each.created_at, each.memory_id)):
        for value in memory.values(slots):
            found[value.slot, value.subject].append((memory, value))
    return [
        change
        for _, rows in sorted(found.items())
        for place, (memory, value) in enumerate(rows)
        if memory.in_canary and not memory.held
        for change in _change(memory, value, rows[place + 1 :], decided or set())
    ]


async def apply(
    engine: Engine, scope: CallScope, changes: Sequence[SlotChange], run_id: str
) -> int:
    """Supersede memories and store proposals, and return the number of changes.

    Args:
        engine: The database, and the decay policies.
        scope: The tenant and the instant.
        changes: The changes, the oldest first.
        run_id: The run that decides, for undo.
    """
    left = [each.proposal() for each in changes if each.left]
    count = await propose(engine.graph, scope, left, run_id)
    for slot in sorted({each.slot for each in changes if not each.left}):
        made = [each.proposal() for each in changes if each.slot == slot and not each.left]
        await propose(engine.graph, scope, made, run_id)
        ids = [each.proposal_id for each in made]
        stored = await review.named(engine.graph, scope.group_id, ids)
        # A memory supersedes the older one before a newer one supersedes it.
        stored.sort(key=lambda each: ids.index(each.proposal_id))
        outcome = await review.accept(engine, scope, stored, run_id, f"{DECIDED_BY} {slot}")
        count += len(outcome.decided)
    return count


def _change(
    memory: Stated,
    value: SlotValue,
    later: Sequence[tuple[Stated, SlotValue]],
    decided: set[str],
) -> Iterator[SlotChange]:
    """Yield the change of a memory by the first later one that may make it, if there is any."""
    left: list[SlotChange] = []
    for newer, other in later:
        if (newer.at, newer.created_at) == (memory.at, memory.created_at):
            continue
        if not value.differs(other):
            continue
        why = _left(memory, value, newer, other)
        change = SlotChange(
            newer.memory_id, memory.memory_id, value.slot, value.value, other.value, why
        )
        if change.proposal().proposal_id in decided:
            continue
        if why is None:
            yield change
            return
        left.append(change)
    yield from left[:1]


def _left(memory: Stated, value: SlotValue, newer: Stated, other: SlotValue) -> str | None:
    """Return why a run does not let a newer memory supersede another; None if it does."""
    if Authority.least((memory.authority, newer.authority)) != memory.authority:
        return "the newer memory has less authority"
    if memory.protected:
        return "the older memory is protected"
    if not value.alone:
        return "the older memory states more"
    if not (value.sure and other.sure):
        return "the words may mean something else"
    return None


def _role(metadata: str) -> str | None:
    """Return the role of a captured turn; None for other memories."""
    found = _ROLE.search(metadata)
    return found[1] if found else None


async def _stated(
    graph: Graph, scope: CallScope, slots: Sequence[str], canary: int
) -> AsyncGenerator[Stated]:
    """Yield the memories of a group that state a value."""
    after_id, cues = "", slot_cues(slots)
    while True:
        page = await graph.rows(
            "learning/slots/texts",
            Stated,
            after_id=after_id,
            limit=_PAGE,
            states=_STATES,
            characters=MAX_CHARACTERS + 1,  # one more shows that a text goes on
            cues=cues,
            canary=canary,
            **scope.parameters(),
        )
        for each in await asyncio.to_thread(_with_values, page, slots):
            yield each
        if len(page) < _PAGE:
            return
        after_id = page[-1].memory_id


def _with_values(memories: Iterable[Stated], slots: Sequence[str]) -> list[Stated]:
    return [each for each in giving_turns(memories) if each.values(slots)]


async def _known(
    graph: Graph, scope: CallScope, changes: Sequence[SlotChange]
) -> dict[str, ProposalStatus]:
    """Return the status of the proposals that exist already, by id."""
    ids = [each.proposal().proposal_id for each in changes]
    found = await review.named(graph, scope.group_id, ids)
    return {each.proposal_id: each.status for each in found}
