"""The stages of a maintenance run, in their order."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from graph_memory.database.embedding_record import configured_embedding, stored_embedding
from graph_memory.database.graph import Graph
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.graphiti.summaries import follow_summaries
from graph_memory.learning import unlearn
from graph_memory.maintenance import learning
from graph_memory.maintenance.batches import repeat_batch
from graph_memory.maintenance.briefs import learn_briefs
from graph_memory.maintenance.clusters import find_clusters
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.entities import link_entities
from graph_memory.maintenance.recalculation import treat_all
from graph_memory.maintenance.reembedding import rebuild_embeddings
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.slots import settle_slots
from graph_memory.maintenance.state import RunState
from graph_memory.maintenance.strengths import learn_strengths
from graph_memory.maintenance.weights import learn_weights
from graph_memory.memories import classification, confidence
from graph_memory.memories.embeddings import groups
from graph_memory.search import session_store

#: Days after which the calls that a caller made are erased; rate limits count by the minute.
_CALLED_DAYS = 1.0


async def count_due(
    graph: Graph, at: datetime, *, groups: list[str] | None = None, canary: int = 100
) -> int:
    """Count the memories that are due at an instant."""
    found = await graph.one(
        "maintenance/stages/count_due", int, now=instant(at), groups=groups, canary=canary
    )
    return found or 0


async def run_stages(state: RunState) -> None:
    """Run the stages that are left of a run.

    Raises:
        RunStopped: The run stops early.
        LeaseLostError: The run has lost its lease.
    """
    for stage in Stage:
        if stage in state.run.stages and stage not in state.run.stages_done:
            await state.checkpoint()
            await _STAGES[stage](state)
            state.run.stages_done.append(stage)


async def _protection(state: RunState) -> None:
    """Let memories fade again whose protection has ended."""
    await repeat_batch(state, "maintenance/stages/unprotect")


async def _decay(state: RunState) -> None:
    """Compute how far memories have faded, and take the steps of their state that are due."""
    if state.run.full:
        await treat_all(state)
        return
    due = await count_due(state.context.graph, state.run.now, **state.scope)
    state.options.on_progress(0, due)
    await repeat_batch(state, "maintenance/stages/due", "processed")


async def _compress(state: RunState) -> None:
    """Compress the contents of archived memories, and restore those of memories in use."""
    async for packed in compress_contents(state.context.graph, **state.scope):
        state.run.counts.compressed += packed.compressed
        await state.checkpoint()


async def _confidence(state: RunState) -> None:
    """Lower the confidence of memories that were unused for long, if the settings ask for it."""
    if not state.context.settings.confidence_scan_in_maintenance:
        return
    touched = state.run.groups
    for group in await groups(state.context.graph) if touched is None else touched:
        scan = await confidence.scan(
            state.context.engine,
            CallScope(group, state.run.now),
            dry_run=False,
            run_id=state.run.run_id,
            canary=state.run.canary,
        )
        for memory_id in scan.failed:
            state.run.fail(memory_id, "it changed while its confidence was lowered")
        await state.checkpoint(scan.applied)


async def _classification(state: RunState) -> None:
    """Let the language model rate the memories that wait for it."""
    context = state.context
    if not context.settings.classifies:
        return
    report = await classification.process_queue(
        context.engine,
        context.chat,
        groups=state.run.groups,
        now=state.run.now,
        run_id=state.run.run_id,
    )
    state.run.counts.classified += report.classified
    await state.checkpoint(report.classified)


async def _embeddings(state: RunState) -> None:
    """Let adopted memories follow Graphiti's new summaries; embed memories without a vector."""
    context = state.context
    for group in await context.graph.rows(
        "maintenance/stages/new_summaries", str, groups=state.run.groups
    ):
        now, decay = state.run.now, state.at["decay"]
        followed = await follow_summaries(context.graph, context.settings, decay, group, now)
        await state.checkpoint(followed)
    stored = await stored_embedding(context.graph)
    if stored and stored != configured_embedding(context.settings):
        return  # only `embeddings rebuild` changes the model
    if not await context.graph.one("maintenance/stages/lacks_vectors", bool):
        return
    for group in await context.graph.rows(
        "maintenance/stages/unembedded", str, groups=state.run.groups
    ):
        report = await rebuild_embeddings(context, group, only_missing=True)
        state.run.counts.embedded += report.rebuilt
        state.run.counts.errors += report.failed
        await state.checkpoint(report.rebuilt)


async def _purge(state: RunState) -> None:
    """Erase memories that were deleted long ago, and later their traces."""
    settings = state.context.settings
    await repeat_batch(
        state,
        "maintenance/stages/purge",
        "purged",
        deleted_before=state.ago(settings.soft_delete_retention_days),
    )
    await state.context.graph.run(
        "maintenance/stages/erase_purged",
        groups=state.run.groups,
        purged_before=state.ago(settings.undo_retention_days),
        batch=state.options.batch_size,
    )


async def _sessions(state: RunState) -> None:
    """End the search sessions that were unused for long."""
    before = state.run.now - timedelta(days=state.context.settings.session_ttl_days)
    for group in await state.context.graph.rows(
        "maintenance/stages/idle_sessions", str, groups=state.run.groups, before=instant(before)
    ):
        await session_store.expire(state.context.graph, group_id=group, before=before)


async def _records(state: RunState) -> None:
    """Erase records of changes, runs, jobs and calls that are no longer needed."""
    graph, settings = state.context.graph, state.context.settings
    common = {"groups": state.run.groups, "batch": state.options.batch_size}
    undo_ends = state.ago(settings.undo_retention_days)
    this_run = state.run.run_id
    await graph.run(
        "maintenance/stages/erase_changes", changed_before=undo_ends, run_id=this_run, **common
    )
    await unlearn.forget(
        graph,
        groups=state.run.groups,
        before=undo_ends,
        run_id=this_run,
        batch=state.options.batch_size,
    )
    episodes_end = state.ago(settings.episode_retention_days)
    await graph.run("maintenance/stages/erase_jobs", ended_before=episodes_end, **common)
    await graph.run(
        "maintenance/stages/erase_runs", begun_before=undo_ends, run_id=this_run, **common
    )
    await graph.run(
        "maintenance/stages/erase_rates",
        called_before=state.ago(_CALLED_DAYS),
        batch=state.options.batch_size,
    )


_STAGES: dict[Stage, Callable[[RunState], Awaitable[None]]] = {
    Stage.PROTECTION: _protection,
    Stage.DECAY: _decay,
    Stage.COMPRESS: _compress,
    Stage.CONFIDENCE: _confidence,
    Stage.CLASSIFICATION: _classification,
    Stage.EMBEDDINGS: _embeddings,
    Stage.ENTITIES: link_entities,
    Stage.SLOTS: settle_slots,
    Stage.PROPOSALS: learning.propose,
    Stage.STRENGTHS: learn_strengths,
    Stage.CENTRALITY: learning.measure_centrality,
    Stage.CLUSTERS: find_clusters,
    Stage.WEIGHTS: learn_weights,
    Stage.BRIEFS: learn_briefs,
    Stage.PURGE: _purge,
    Stage.SESSIONS: _sessions,
    Stage.RECORDS: _records,
}
