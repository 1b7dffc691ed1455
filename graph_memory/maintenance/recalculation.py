"""A full recalculation: all memories are treated, range by range of their ids."""

from dataclasses import dataclass

from graph_memory.maintenance.batches import id_ranges, try_batch
from graph_memory.maintenance.state import RunState


@dataclass(frozen=True, slots=True)
class _Refreshed:
    """The result of one transaction of a full recalculation."""

    done: int
    left: list[str]  #: ids of memories that need more than a score


async def treat_all(state: RunState) -> None:
    """Treat all memories, due or not, and count them; go on after the last range of the run.

    The end of the last range is saved with the counts. So a run that is finished later counts no
    memory twice.

    Raises:
        RunStopped: The run stops early.
        LeaseLostError: The run has lost its lease.
    """
    graph, options = state.context.graph, state.options
    async for ids in id_ranges(graph, state.run.treated_to):
        parts = await graph.rows(
            "maintenance/recalculation/refresh",
            _Refreshed,
            batch=options.batch_size,
            concurrency=options.concurrency,
            **state.at,
            **state.scope,
            **ids,
        )
        done = sum(part.done for part in parts)
        if left := sorted(memory_id for part in parts for memory_id in part.left):
            treated, _ = await try_batch(
                state, "maintenance/recalculation/listed", {"memory_ids": left}
            )
            done += treated
        state.count("processed", done)
        state.run.treated_to = ids["last_id"]
        await state.checkpoint(done)
