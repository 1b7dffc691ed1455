"""Batch statements of a run: run them, retry what failed one by one, and count the result."""

from dataclasses import dataclass
from typing import Any

from graph_memory.maintenance.records import Failure
from graph_memory.maintenance.state import RunState

#: Rounds of concurrent transactions in one statement; a run checks after each whether to go on.
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of a batch statement."""

    done: int
    failed: list[Failure]


async def repeat_batch(
    state: RunState, statement: str, counter: str = "", **parameters: Any
) -> None:
    """Run a batch statement until no memory is left, and count the memories that it changed."""
    limit = state.options.batch_size * state.options.concurrency * _ROUNDS
    while await run_batch(state, statement, counter, limit=limit, **parameters) == limit:
        pass


async def run_batch(state: RunState, statement: str, counter: str = "", **parameters: Any) -> int:
    """Run a batch statement once, and save the progress of the run.

    One memory can make a transaction of many fail. So the memories of failed transactions are
    tried again one by one. A memory that fails alone is skipped.

    Args:
        state: The run.
        statement: The name of the statement.
        counter: The field of `Counts` that counts the memories; empty for none.
        parameters: The parameters of the statement that are not the same in all batches.

    Returns:
        The number of memories that the statement tried.
    """
    done, failed = await try_batch(state, statement, parameters)
    if counter:
        state.count(counter, done)
    await state.checkpoint(done)
    return done + failed


async def try_batch(state: RunState, statement: str, parameters: dict[str, Any]) -> tuple[int, int]:
    """Run a batch statement, then again for each memory that failed.

    Returns:
        The numbers of memories that it changed and that it skipped.
    """
    options = state.options
    first = await _outcome(state, statement, options.batch_size, options.concurrency, parameters)
    if not first.failed:
        return first.done, 0
    alone = parameters | ({"limit": len(first.failed)} if "limit" in parameters else {})
    second = await _outcome(state, statement, 1, 1, alone)
    await _skip(state, second.failed)
    return first.done + second.done, len(second.failed)


async def _outcome(
    state: RunState, statement: str, batch: int, concurrency: int, parameters: dict[str, Any]
) -> _Outcome:
    outcome = await state.context.graph.one(
        statement,
        _Outcome,
        batch=batch,
        concurrency=concurrency,
        **state.at,
        **state.scope,
        **parameters,
    )
    return outcome or _Outcome(0, [])


async def _skip(state: RunState, failed: list[Failure]) -> None:
    """Record the memories that failed, and leave them out of the rest of the run."""
    for failure in failed:
        state.run.fail(failure.memory_id, failure.reason)
    ids = sorted(failure.memory_id for failure in failed)
    await state.context.graph.run("maintenance/batches/skip", memory_ids=ids, now=state.at["now"])
