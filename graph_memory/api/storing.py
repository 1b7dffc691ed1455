"""Storing many memories in a few round trips, each checked and in its own group."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.domain.inputs import NewMemory, validate
from graph_memory.errors import ForbiddenError, InvalidArgumentError
from graph_memory.memories.add import AddResult, add_many, check_count


async def store_many(
    context: Context,
    memories: Sequence[NewMemory | Mapping[str, Any]],
    group_id: str | None,
    *,
    compare: bool,
) -> list[AddResult]:
    """Store memories; a malformed or refused memory does not stop the others.

    Args:
        context: The database, the models, the settings and the clock.
        memories: Objects, or mappings with the fields of `NewMemory`.
        group_id: The tenant of memories without a group of their own.
        compare: True to list possible conflicts with earlier memories.

    Returns:
        One result per memory, in the order given: its id, or the error.

    Raises:
        LimitExceededError: There are more than `settings.max_batch`; none is stored.
    """
    check_count(memories, context.settings)
    await context.require_vectors()
    given = [_check(context, memory, position) for position, memory in enumerate(memories)]
    default = context.group(group_id)
    groups: dict[str, list[tuple[int, NewMemory]]] = {}
    results: dict[int, AddResult] = {}
    for position, memory in enumerate(given):
        if isinstance(memory, NewMemory):
            group = context.group(memory.group_id) if memory.group_id else default
            groups.setdefault(group, []).append((position, memory))
        else:
            results[position] = AddResult(None, memory)
    for group, members in groups.items():
        stored = await _store(context, group, [memory for _, memory in members], compare)
        results |= {p: result for (p, _), result in zip(members, stored, strict=True)}
    return [results[position] for position in range(len(given))]


async def _store(
    context: Context, group: str, memories: list[NewMemory], compare: bool
) -> list[AddResult]:
    """Store memories of one group."""
    stored = await add_many(
        context.engine,
        context.scope(group),
        memories,
        chat=context.chat if context.settings.classifies else None,
        compare=compare,
    )
    if count := sum(result.error is None for result in stored):
        context.on_saved(count, group)
    return stored


def _check(
    context: Context, memory: object, position: int
) -> NewMemory | InvalidArgumentError | ForbiddenError:
    """Return a valid memory, or the error that refuses it."""
    if not isinstance(memory, NewMemory | Mapping):  # a caller without type checks
        return InvalidArgumentError(f"memories.{position}", memory, "it must be an object")
    try:
        given = validate(NewMemory, cast(object, memory))
        policies.require_policy(context.settings, given.decay_policy)
        if given.group_id:
            context.group(given.group_id)
        if given.memory_id:
            context.grant.require_every_group("a memory_id of your own")
        return given
    except (InvalidArgumentError, ForbiddenError) as error:
        return error
