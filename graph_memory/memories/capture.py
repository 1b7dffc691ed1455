"""Capture of conversations: their turns are stored verbatim, without a language model.

A turn becomes a memory of type `conversation` with a decay policy of its own, so that it fades in
weeks unless it is used. The relationship `HAS_TURN` from the conversation to the memory records the
place. A place is captured once; a text that the group holds already gets a further place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from graph_memory.domain.encoding import content_hash
from graph_memory.domain.inputs import NewMemory, NewTurn
from graph_memory.domain.models import MemoryType, Role, Source
from graph_memory.domain.noise import without_noise
from graph_memory.domain.origin import Authority
from graph_memory.domain.scope import CallScope
from graph_memory.domain.secret_scan import kinds_of_secrets
from graph_memory.domain.timestamps import instant
from graph_memory.engine import Engine
from graph_memory.errors import DuplicateError, RejectedBeforeError
from graph_memory.memories.add import AddResult, add_many
from graph_memory.settings.base import Settings

#: Hexadecimal digits of the hash that stands for the place of a turn without a position.
_HASH_DIGITS = 16

#: Volatile, and of middling importance: the initial score of the policy adaptive depends on it.
_STABILITY = 1
_IMPORTANCE = 5.0


class TurnStatus(StrEnum):
    """The outcome for a turn of a conversation."""

    STORED = "stored"
    REPEATED = "repeated"  #: the group holds the text already; the place was recorded
    KNOWN = "known"  #: the place was captured before
    REFUSED = "refused"  #: the turn contains a secret, or was rejected or erased before
    LEFT_OUT = "left_out"  #: the turn is noise, or too long


@dataclass(frozen=True, slots=True)
class CapturedTurn:
    """The outcome for one turn of a conversation."""

    position: str  #: place in the conversation
    status: TurnStatus
    memory_id: str | None  #: None for a turn that is not stored
    content: str | None  #: the stored text; None for a turn that is not stored
    reason: str | None  #: the secret, or what was left out, as a phrase; or the error


async def capture(
    engine: Engine,
    scope: CallScope,
    conversation_id: str,
    turns: Sequence[NewTurn],
    *,
    project_id: str | None = None,
) -> list[CapturedTurn]:
    """Store the turns of a conversation, and record their places.

    Args:
        engine: The database, the model that embeds the contents, limits and the decay policy.
        scope: The tenant and the instant.
        conversation_id: The conversation.
        turns: The turns, the earliest first.
        project_id: The project of new memories.

    Returns:
        One outcome per turn, in the order given.
    """
    scope = replace(scope, origin=scope.origin.at_most(Authority.TOOL))
    turns = list(_dated(turns, scope.now))
    screened = [_screened(turn) for turn in turns]
    known = await _known(engine, scope, conversation_id, screened)
    fresh = dict(_fresh(screened, turns, known))
    stored = await add_many(
        engine,
        scope,
        [
            _memory(turn, each.content or "", conversation_id, project_id, engine.settings)
            for each, turn in fresh.values()
        ],
    )
    outcomes = {
        position: _outcome(each, result)
        for (position, (each, _)), result in zip(fresh.items(), stored, strict=True)
    }
    await _record(engine, scope, conversation_id, outcomes, fresh)
    return list(_in_order(screened, known, outcomes))


def _dated(turns: Sequence[NewTurn], now: datetime) -> Iterator[NewTurn]:
    """Yield turns with a time; those without one get times a millisecond apart, the last is now."""
    for after, turn in zip(reversed(range(len(turns))), turns, strict=True):
        yield replace(turn, created_at=turn.created_at or now - timedelta(milliseconds=after))


def _screened(turn: NewTurn) -> CapturedTurn:
    """Return the outcome for a turn that is not to be stored, or else its text, with its place."""
    position = turn.position or f"text-{content_hash(turn.content)[:_HASH_DIGITS]}"
    kept = without_noise(turn.content, turn.role)
    status = TurnStatus.STORED if kept.text else TurnStatus.LEFT_OUT
    if kept.text and (secrets := kinds_of_secrets(turn.content)):
        return CapturedTurn(position, TurnStatus.REFUSED, None, None, ", ".join(secrets))
    return CapturedTurn(position, status, None, kept.text, kept.reason)


@dataclass(frozen=True, slots=True)
class _Place:
    position: str
    memory_id: str


async def _known(
    engine: Engine, scope: CallScope, conversation_id: str, screened: Sequence[CapturedTurn]
) -> Mapping[str, str]:
    """Return the ids of the memories captured at the places of turns, by position."""
    positions = [turn.position for turn in screened if turn.content]
    if not positions:
        return {}
    found = await engine.graph.rows(
        "memories/capture/find_turns",
        _Place,
        group_id=scope.group_id,
        conversation_id=conversation_id,
        positions=positions,
    )
    return {place.position: place.memory_id for place in found}


def _fresh(
    screened: Sequence[CapturedTurn], turns: Sequence[NewTurn], known: Mapping[str, str]
) -> Iterator[tuple[str, tuple[CapturedTurn, NewTurn]]]:
    """Yield the turns to store by their position; of several at one place, the first."""
    seen = set(known)
    for each, turn in zip(screened, turns, strict=True):
        if each.content and each.position not in seen:
            seen.add(each.position)
            yield each.position, (each, turn)


def _memory(
    turn: NewTurn,
    content: str,
    conversation_id: str,
    project_id: str | None,
    settings: Settings,
) -> NewMemory:
    return NewMemory(
        content=content,
        memory_type=MemoryType.CONVERSATION,
        metadata={"role": turn.role.value},
        importance=_IMPORTANCE,
        stability=_STABILITY,
        source=Source.USER if turn.role is Role.USER else Source.DERIVED,
        project_id=project_id,
        conversation_id=conversation_id,
        decay_policy=settings.capture_decay_policy,
        decay_rate=settings.capture_decay_rate,
        created_at=turn.created_at,
    )


def _outcome(turn: CapturedTurn, result: AddResult) -> CapturedTurn:
    """Return the outcome for a turn that was to be stored."""
    if result.error is None:
        return replace(turn, memory_id=result.memory_id)
    if isinstance(result.error, DuplicateError):
        repeated = TurnStatus.REPEATED
        return replace(turn, status=repeated, memory_id=result.error.existing_id)
    rejected = isinstance(result.error, RejectedBeforeError)
    status = TurnStatus.REFUSED if rejected else TurnStatus.LEFT_OUT
    return replace(turn, status=status, content=None, reason=str(result.error))


async def _record(
    engine: Engine,
    scope: CallScope,
    conversation_id: str,
    outcomes: Mapping[str, CapturedTurn],
    fresh: Mapping[str, tuple[CapturedTurn, NewTurn]],
) -> None:
    """Record the places of the turns that are stored now."""
    places = [
        {
            "memory_id": outcome.memory_id,
            "position": position,
            "role": fresh[position][1].role.value,
            "at": instant(fresh[position][1].created_at or scope.now),
        }
        for position, outcome in outcomes.items()
        if outcome.memory_id
    ]
    if places:
        await engine.graph.run(
            "memories/capture/record_turns",
            group_id=scope.group_id,
            conversation_id=conversation_id,
            turns=sorted(places, key=lambda place: (place["memory_id"] or "", place["position"])),
        )


def _in_order(
    screened: Sequence[CapturedTurn],
    known: Mapping[str, str],
    outcomes: Mapping[str, CapturedTurn],
) -> Iterator[CapturedTurn]:
    """Yield the outcome for each turn; a place that occurs again is known."""
    reported: set[str] = set()
    for turn in screened:
        if not turn.content:
            yield turn
        elif turn.position in known or turn.position in reported:
            outcome = outcomes.get(turn.position)
            memory_id = outcome.memory_id if outcome else known[turn.position]
            yield replace(turn, status=TurnStatus.KNOWN, memory_id=memory_id)
        else:
            reported.add(turn.position)
            yield outcomes[turn.position]
