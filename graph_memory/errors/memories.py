"""Errors of memories that are missing, stored already, or not in a state that allows a call."""

from collections.abc import Mapping

from graph_memory.errors.base import GraphMemoryError
from graph_memory.wording import operation, shown


class NotFoundError(GraphMemoryError):
    """The group does not hold a memory with this id."""

    code = "not_found"

    def __init__(self, memory_id: str, group_id: str, reason: str | None = None) -> None:
        """Build the message; `reason` is a predicate on a memory that exists, with a remedy."""
        self.memory_id, self.group_id, self.reason = memory_id, group_id, reason
        name = shown(memory_id, 400)
        super().__init__(
            f"No memory {name} in group '{group_id}'. "
            "Check the id and the group; a search and a list return ids."
            if reason is None
            else f"Memory {name} in group '{group_id}' {reason}."
        )


class JobNotFoundError(NotFoundError):
    """The group does not hold an episode with this job id."""

    def __init__(self, job_id: str, group_id: str) -> None:
        self.job_id, self.group_id = job_id, group_id
        GraphMemoryError.__init__(
            self,
            f"No episode with the job {job_id!r:.80} in group '{group_id}'. Check the id and the "
            "group; `graph-memory episodes status` lists the latest.",
        )


class LinkError(NotFoundError):
    """A new memory is stored, but its parent or targets of its relations do not exist."""

    def __init__(
        self, stored_id: str, group_id: str, missing: Mapping[str, str], reason: str
    ) -> None:
        """Build the message from the missing ids by argument, and a sentence on the first."""
        self.stored_id, self.group_id = stored_id, group_id
        self.missing = dict(missing)
        self.argument, self.memory_id = next(iter(missing.items()))
        self.reason = reason
        named = ", ".join(f"{name}={shown(end)}" for name, end in missing.items())
        GraphMemoryError.__init__(
            self,
            f"Memory '{stored_id}' is stored without {named}. {reason} "
            f"{operation('relate')} makes a relation later, {operation('update')} sets a parent.",
        )


class NotSoftDeletedError(GraphMemoryError):
    """The memory to recover is not deleted."""

    code = "not_soft_deleted"

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"Memory '{memory_id}' is not deleted; there is nothing to recover.")


class OutsideRecoveryWindowError(GraphMemoryError):
    """The deletion is final; `until` was the last instant to recover, ISO 8601 in UTC."""

    code = "outside_recovery_window"

    def __init__(self, memory_id: str, until: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' could be recovered until {until}. Import it from an export or a "
            "backup; GRAPH_MEMORY_SOFT_DELETE_RETENTION_DAYS sets the days in which it can be."
        )


class DuplicateError(GraphMemoryError):
    """The group already holds a memory with exactly this content."""

    code = "duplicate"

    def __init__(self, existing_id: str, remedy: str = "Update that memory to change it.") -> None:
        """Build the message from the id of the stored memory and a sentence on what to do."""
        self.existing_id = existing_id
        super().__init__(
            f"The same content is already stored as memory '{existing_id}'. Nothing was stored. "
            f"{remedy}"
        )


class RejectedBeforeError(GraphMemoryError):
    """The group has rejected or erased this statement; nothing was stored."""

    code = "rejected_before"

    def __init__(
        self, tombstone_id: str, reason: str, at: str, by: str, note: str | None = None
    ) -> None:
        """Build the message from the fields of the tombstone; it never contains the statement."""
        self.tombstone_id, self.note = tombstone_id, note
        self.reason, self.at, self.by = reason, at, by
        because = f", because of {shown(note, 200)}" if note else ""
        super().__init__(
            f"This statement was {reason} at {at} by {by}{because}. Nothing was stored. "
            f"{operation('tombstone_lift')} {tombstone_id} allows it again."
        )


class PendingReviewError(GraphMemoryError):
    """The write waits for a review; nothing was stored as a memory yet."""

    code = "pending_review"

    def __init__(self, pending_id: str, rule: str) -> None:
        """Build the message from the id of the waiting write and the rule by which it waits."""
        self.pending_id, self.rule = pending_id, rule
        super().__init__(
            f"The write waits for a review as {pending_id}, by the rule '{rule}'. It succeeded: "
            "do not repeat it. A person accepts or rejects it; until then nothing finds it."
        )


class TombstoneNotFoundError(GraphMemoryError):
    """The group does not hold a tombstone with this id."""

    code = "not_found"

    def __init__(self, tombstone_id: str, group_id: str) -> None:
        self.tombstone_id, self.group_id = tombstone_id, group_id
        super().__init__(
            f"No tombstone {shown(tombstone_id)} in group '{group_id}'; "
            f"{operation('tombstone_list')} lists them."
        )
