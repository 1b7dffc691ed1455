"""Embeddings of what is stored: computed again for another model, or where they are missing."""

from collections.abc import Callable

from graph_memory.context import Context
from graph_memory.maintenance.reembedding import RebuildReport, rebuild_embeddings

OnEmbedded = Callable[[int, int], None]


class EmbeddingsApi:
    """The embeddings of a `GraphMemory`: `memory.embeddings`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def rebuild(
        self,
        *,
        only_missing: bool = False,
        dry_run: bool = False,
        on_progress: OnEmbedded = lambda done, of: None,
        group_id: str | None = None,
    ) -> RebuildReport:
        """Embed stored memories with the configured model.

        Args:
            only_missing: Embed only what has no vector of the configured model.
            dry_run: Only count.
            on_progress: Called with the texts embedded since the last call, and with all.
            group_id: The tenant; None is all of them.

        Raises:
            EmbeddingError: The model cannot be loaded.
            ForbiddenError: The caller's grant does not open the group, or not all of them.
        """
        if group_id is None:
            self._context.grant.require_every_group("embedding all groups")
        return await rebuild_embeddings(
            self._context,
            group_id,
            only_missing=only_missing,
            dry_run=dry_run,
            on_progress=on_progress,
        )

    async def missing(
        self,
        *,
        dry_run: bool = False,
        on_progress: OnEmbedded = lambda done, of: None,
        group_id: str | None = None,
    ) -> RebuildReport:
        """Embed stored memories that have no vector of the configured model, as `rebuild`."""
        return await self.rebuild(
            only_missing=True, dry_run=dry_run, on_progress=on_progress, group_id=group_id
        )
