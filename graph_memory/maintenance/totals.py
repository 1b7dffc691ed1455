"""Counts of a run's changes of state, and totals over all ended runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from graph_memory import metrics
from graph_memory.database.counters import add
from graph_memory.database.graph import Graph
from graph_memory.maintenance.records import Run


@dataclass(frozen=True, slots=True)
class _Transition:
    was: str
    became: str
    count: int


def count_expired(transitioned: Mapping[str, int]) -> int:
    """Return how many memories entered EXPIRED, or passed it on their way to SOFT_DELETED.

    A policy by score deletes at once the memories that expire.

    Args:
        transitioned: Memories by "FROM>TO".
    """
    steps = ((*step.split(">"), count) for step, count in transitioned.items())
    return sum(
        count
        for was, became, count in steps
        if became == "EXPIRED" or (became == "SOFT_DELETED" and was != "EXPIRED")
    )


async def count_transitions(graph: Graph, run: Run) -> None:
    """Count in `run` the changes of state that it made."""
    found = await graph.rows("maintenance/totals/transitions", _Transition, run_id=run.run_id)
    run.transitioned = {f"{each.was}>{each.became}": each.count for each in found}
    run.counts.soft_deleted = sum(each.count for each in found if each.became == "SOFT_DELETED")


async def add_totals(graph: Graph, run: Run) -> None:
    """Add an ended run to the totals over all runs."""
    totals: dict[str, float] = {
        f"runs:{run.status}": 1,
        **metrics.run_totals(run.duration_seconds),
        **asdict(run.counts),
        **{f"transitioned:{transition}": count for transition, count in run.transitioned.items()},
    }
    await add(graph, totals)
