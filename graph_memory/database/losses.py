"""Counts of what a migration down deletes permanently, made before anything is changed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph_memory.database import schema
from graph_memory.database.graph import Graph
from graph_memory.errors import ConfirmationRequiredError

#: The text that confirms a migration down with losses.
CONFIRMATION = "DELETE"

_PENDING_VERSION = 18  # the migration of writes that wait for a review


@dataclass(frozen=True, slots=True)
class Loss:
    """A kind of data that a migration down deletes, and that no later upgrade brings back."""

    version: int  #: the migration whose undoing deletes it
    kind: str
    count: int


async def find_losses(servers: Iterable[Graph], to: int) -> list[Loss]:
    """Count what a migration down to version `to` deletes permanently on these servers.

    Raises:
        InvalidArgumentError: `to` is below 0 or above the last version.
    """
    totals = Counter[tuple[int, str]]()
    for graph in servers:
        versions = [step.version for step in await schema.steps_down(graph, to)]
        for loss in await graph.rows("database/losses/count", Loss, versions=versions):
            totals[loss.version, loss.kind] += loss.count
    return [Loss(*key, totals[key]) for key in sorted(totals, key=lambda key: (-key[0], key[1]))]


def require_confirmation(losses: Sequence[Loss], to: int, confirm: str) -> None:
    """Refuse a migration down with losses that is not confirmed.

    Raises:
        ConfirmationRequiredError: There are losses, and `confirm` is not `CONFIRMATION`.
    """
    if not losses or confirm == CONFIRMATION:
        return
    kinds = ", ".join(f"{loss.kind} ({loss.count:,})" for loss in losses)
    waiting = any(loss.version == _PENDING_VERSION for loss in losses)
    first = "Decide the writes with `graph-memory review` first. " if waiting else ""
    raise ConfirmationRequiredError(
        f"Migrating down to {to} would permanently delete: {kinds}. {first}It", CONFIRMATION
    )
