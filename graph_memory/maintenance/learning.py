"""The stages of a run that learn: each computes from stored values, and records what it changes."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from graph_memory.context import Context
from graph_memory.domain.origin import Origin
from graph_memory.domain.scope import CallScope
from graph_memory.learning import centrality, review
from graph_memory.learning import proposals as learned
from graph_memory.learning.aliases import find_aliases
from graph_memory.learning.proposals import Compared, NewProposal
from graph_memory.learning.review import Choice
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState
from graph_memory.memories.embeddings import groups

#: The setting that accepts proposals in place of a caller.
_BY_SETTING = "setting proposal_auto_accept"


@dataclass(slots=True)
class Expected:
    """The number of changes that a stage would make, and the first of them."""

    count: int
    changes: list[LearnedChange]


async def propose(state: RunState) -> None:
    """Propose relations of memories and aliases of entities, and accept what is configured."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now, Origin.of_stage(Stage.PROPOSALS, run.run_id))
        async for compared in _compared(context, scope, run.canary):
            created = await learned.propose(context.graph, scope, compared.proposals, run.run_id)
            await learned.note_compared(context.graph, scope, compared, run.run_id)
            run.counts.learned += created
            await state.checkpoint(len(compared.memories))
        found = await find_aliases(context.graph, scope, run.canary)
        run.counts.learned += await learned.propose(
            context.graph, scope, found.proposals, run.run_id
        )
        await state.checkpoint()
        run.counts.learned += await _accept(state, scope)


async def expect_proposals(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would propose, with the first `shown` proposals."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope, seen = CallScope(group, run.now), dict[str, LearnedChange]()
        async for compared in _compared(context, scope, run.canary):
            for each in await learned.unknown(context.graph, compared.proposals):
                seen.setdefault(each.proposal_id, _change(each, each.to_id))
        found = await find_aliases(context.graph, scope, run.canary)
        for each in await learned.unknown(context.graph, found.proposals):
            first, second = found.names[each.from_id], found.names[each.to_id]
            seen[each.proposal_id] = _change(each, f"of {first!r} and {second!r}")
        expected.count += len(seen)
        expected.changes += list(seen.values())[: max(0, shown - len(expected.changes))]
    return expected


async def measure_centrality(state: RunState) -> None:
    """Store the centrality of the memories for which it changes."""
    graph, run = state.context.graph, state.run
    for group in await treated_groups(state.context, run.groups):
        scope = CallScope(group, run.now)
        computed = await centrality.compute(graph, scope, run.canary)
        await centrality.store(graph, scope, computed, run.run_id)
        run.counts.learned += len(computed.changes)
        await state.checkpoint(len(computed.changes))


async def expect_centrality(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would change, with the first `shown` changes, the greatest first."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        computed = await centrality.compute(context.graph, CallScope(group, run.now), run.canary)
        expected.count += len(computed.changes)
        for each in sorted(computed.changes, key=lambda each: -(each.becomes or 0.0))[:shown]:
            expected.changes.append(
                LearnedChange(
                    stage=Stage.CENTRALITY,
                    memory_id=each.memory_id,
                    was=None if each.was is None else f"{each.was:g}",
                    becomes="none" if each.becomes is None else f"{each.becomes:g}",
                    reason=computed.reason,
                )
            )
        del expected.changes[shown:]
    return expected


async def treated_groups(context: Context, wanted: Sequence[str] | None) -> Sequence[str]:
    """Return the groups that a run treats, by name."""
    return await groups(context.graph) if wanted is None else wanted


def _change(proposal: NewProposal, ends: str) -> LearnedChange:
    return LearnedChange(
        stage=Stage.PROPOSALS,
        memory_id=proposal.from_id,
        was=None,
        becomes=f"{proposal.kind} {ends} ({proposal.score:.2f})",
        reason=proposal.reason,
    )


def _compared(context: Context, scope: CallScope, canary: int) -> AsyncGenerator[Compared]:
    return learned.compare(context.graph, context.settings, scope, canary)


async def _accept(state: RunState, scope: CallScope) -> int:
    """Accept the open proposals that the setting accepts, and return their number."""
    engine, accepted = state.context.engine, 0
    for kind, least in sorted(state.context.settings.proposal_auto_accept.items()):
        chosen = await review.choose(
            engine.graph, scope.group_id, Choice(kinds=(kind,), min_score=least)
        )
        outcome = await review.accept(engine, scope, chosen, state.run.run_id, _BY_SETTING)
        accepted += len(outcome.decided)
        await state.checkpoint()
    return accepted
