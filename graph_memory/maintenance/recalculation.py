"""A full recalculation: all memories are treated, range by range of their ids.

Where most scores stay, as in a second run on the same day, a range is read first and only what
differs is locked and written. Where most change, as after a new setting, this would compute them
twice. So a range is not read first if the range before it had much to write.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial

from graph_memory.database.ranges import id_ranges
from graph_memory.errors import SchemaError
from graph_memory.maintenance.at_once import at_once
from graph_memory.maintenance.batches import try_batch
from graph_memory.maintenance.state import RunState

#: Memories in the ranges that are treated side by side.
_TOGETHER = 50_000

#: A range is read first if the range before it had work with less than this share of its memories.
_FEW = 0.2

#: The parameters `after_id` and `last_id` of a range.
_Range = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Part:
    """The result for a part of a range."""

    done: int
    written: int
    left: list[str]  #: ids of memories that are still to be treated


async def treat_all(state: RunState) -> None:
    """Treat all memories, due or not, and count them; go on after the last range of the run.

    Ranges are treated side by side, one for each transaction at a time of the run. The end of the
    last range is saved with the counts. So a run that is finished later counts no memory twice.

    Raises:
        RunStopped: The run stops early.
        LeaseLostError: The run has lost its lease.
    """
    share = 0.0
    async for ranges in _side_by_side(state):
        store = _read_first if share < _FEW else _refresh
        parts = [part for each in await at_once(ranges, partial(store, state)) for part in each]
        left = sorted(memory_id for part in parts for memory_id in part.left)
        done = sum(part.done for part in parts)
        share = (sum(part.written for part in parts) + len(left)) / max(1, done + len(left))
        done += await _treat(state, left)
        state.count("processed", done)
        state.run.treated_to = ranges[-1]["last_id"]
        await state.checkpoint(done)


async def _side_by_side(state: RunState) -> AsyncGenerator[list[_Range]]:
    """Yield the ranges that are treated side by side, one for each transaction at a time."""
    count = state.options.concurrency
    ranges: list[_Range] = []
    limit = max(1, _TOGETHER // count)
    async for each in id_ranges(state.context.graph, state.run.treated_to, limit):
        ranges.append(each)
        if len(ranges) == count:
            yield ranges
            ranges = []
    if ranges:
        yield ranges


async def _read_first(state: RunState, ids: _Range) -> list[_Part]:
    """Store the scores of a range in which most stay.

    One memory that cannot be read makes the statement fail. `_refresh` leaves such a memory out.
    """
    try:
        return await _store(state, "maintenance/recalculation/refresh_differing", ids)
    except SchemaError:
        return await _refresh(state, ids)


async def _refresh(state: RunState, ids: _Range) -> list[_Part]:
    """Store the scores of a range, and find the memories that need more."""
    return await _store(state, "maintenance/recalculation/refresh", ids)


async def _store(state: RunState, statement: str, ids: _Range) -> list[_Part]:
    return await state.context.graph.rows(
        statement,
        _Part,
        batch=state.options.batch_size,
        **state.at,
        **state.scope,
        **ids,
    )


async def _treat(state: RunState, left: list[str]) -> int:
    """Treat memories by their ids, and return how many did not fail."""
    if not left:
        return 0
    treated, _ = await try_batch(state, "maintenance/recalculation/listed", {"memory_ids": left})
    return treated
