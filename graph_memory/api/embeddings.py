"""Embeddings of stored texts: computed for another model, or where they are missing."""

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
        """Embed stored texts with the configured model.

        Args:
            only_missing: True for texts without a vector of the configured model only.
            dry_run: True to count the texts without a change.
            on_progress: Called with the number of texts since the last call, and of all texts.
            group_id: The tenant; None for all tenants.

        Raises:
            EmbeddingError: The model cannot be loaded.
            ForbiddenError: The caller's grant does not include the group, or all groups.
        """
        context = self._context
        if group_id is None:
            context.grant.require_every_group("embedding all groups")
        servers = context.servers if group_id is None else [context.of(context.group(group_id))]
        reports = [
            await rebuild_embeddings(
                each, group_id, only_missing=only_missing, dry_run=dry_run, on_progress=on_progress
            )
            for each in servers
        ]
        return RebuildReport(
            candidates=sum(each.candidates for each in reports),
            rebuilt=sum(each.rebuilt for each in reports),
            failed=sum(each.failed for each in reports),
        )

    async def missing(
        self,
        *,
        dry_run: bool = False,
        on_progress: OnEmbedded = lambda done, of: None,
        group_id: str | None = None,
    ) -> RebuildReport:
        """Embed texts without a vector of the configured model; arguments as in `rebuild`."""
        return await self.rebuild(
            only_missing=True, dry_run=dry_run, on_progress=on_progress, group_id=group_id
        )
