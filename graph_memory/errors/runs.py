"""Errors of maintenance runs."""

from graph_memory.errors.base import GraphMemoryError
from graph_memory.wording import operation, shown


class RunsPausedError(GraphMemoryError):
    """Maintenance is paused; nothing was done."""

    code = "paused"

    def __init__(self, reason: str, since: str) -> None:
        self.reason, self.since = reason, since
        super().__init__(
            f"Maintenance is paused since {since}: {shown(reason)}. "
            f"{operation('resume')} starts it again."
        )


class RunLockedError(GraphMemoryError):
    """Another maintenance run is in progress; nothing was done."""

    code = "locked"

    def __init__(self) -> None:
        super().__init__(
            "Another maintenance run is in progress. Wait until it has ended; "
            f"{operation('status')} shows its owner."
        )


class LeaseLostError(RunLockedError):
    """Another run took over while this call was held up; repeat the call if something is left."""

    def __init__(self) -> None:
        GraphMemoryError.__init__(
            self,
            "This call was held up for longer than GRAPH_MEMORY_MAINTENANCE_LEASE_SECONDS, and "
            f"another run took over. {operation('status')} shows what has been done; repeat the "
            "call if something is left.",
        )


class UndoRefusedError(GraphMemoryError):
    """The maintenance run cannot be undone; nothing was changed."""

    code = "undo_refused"

    def __init__(self, run_id: str, reason: str) -> None:
        self.run_id, self.reason = run_id, reason
        super().__init__(
            f"Run {shown(run_id)} cannot be undone: {reason}. "
            f"{operation('status')} lists the latest runs."
        )
