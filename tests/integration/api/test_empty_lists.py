"""An empty filter is not given; an empty selection of what to change is refused.

It would select everything, or nothing without a word.
"""

import inspect
import typing
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any

import pytest

from graph_memory import GraphMemory
from graph_memory.api import arguments
from graph_memory.api.parts import Parts
from graph_memory.domain.inputs import Filters
from graph_memory.errors import InvalidArgumentError
from graph_memory.search.facts import FactFilters
from graph_memory.search.retrieval import Retrieval
from graph_memory.traversal.traverse import Walk

#: The lists that filter what a read returns.
FILTERS = {
    "memory_types",
    "tags",
    "states",
    "types",
    "relation_types",
    "names",
    "entity_types",
    "statuses",
    "kinds",
    "authorities",
    "ways",
}

#: The lists that hold values of a call, in which an empty list is a value or is refused by length.
VALUES = {"weights", "relationships", "attachments", "stages", "clear", "single_valued_slots"}

#: The lists that select what a call changes or checks, by method.
SELECTIONS: dict[str, tuple[str, Callable[[GraphMemory], Awaitable[Any]]]] = {
    "lifecycle.scan_confidence": (
        "memory_ids",
        lambda memory: memory.lifecycle.scan_confidence([]),
    ),
    "maintenance.run": ("groups", lambda memory: memory.maintenance.run(groups=[])),
    "maintenance.dry_run": ("groups", lambda memory: memory.maintenance.dry_run(groups=[])),
    "maintenance.classify": ("groups", lambda memory: memory.maintenance.classify(groups=[])),
    "episodes.retry": ("job_ids", lambda memory: memory.episodes.retry([])),
    "episodes.process": ("groups", lambda memory: memory.episodes.process([])),
    "adoption.adopt": ("groups", lambda memory: memory.adoption.adopt([])),
    "adoption.release": ("groups", lambda memory: memory.adoption.release([])),
    "adoption.adopt ": ("labels", lambda memory: memory.adoption.adopt(None, [])),
    "erasure.erase": ("memory_ids", lambda memory: memory.erasure.erase([])),
    "pending.accept": ("pending_ids", lambda memory: memory.pending.accept([])),
    "pending.reject": ("pending_ids", lambda memory: memory.pending.reject([])),
    "proposals.accept": ("proposal_ids", lambda memory: memory.proposals.accept([])),
    "proposals.reject": ("proposal_ids", lambda memory: memory.proposals.reject([])),
    "proposals.reopen": ("proposal_ids", lambda memory: memory.proposals.reopen([])),
    "tokens.create": ("groups", lambda memory: memory.tokens.create("ci", groups=())),
}

#: Lists of methods that only count, or whose items are the memories themselves.
OTHERS = {
    ("adoption.count", "groups"),
    ("conversations.capture", "turns"),
    ("erasure.verify", "words"),
}


def methods(memory: GraphMemory) -> Iterator[tuple[str, Any]]:
    """Yield each method of the API that callers use, with its name."""
    names = [name for name, part in vars(Parts).items() if isinstance(part, cached_property)]
    parts = {name: getattr(memory, name) for name in names if not name.startswith("_")}
    for prefix, part in ({"": memory} | parts).items():
        for name, method in inspect.getmembers(type(part), inspect.isfunction):
            if not name.startswith("_"):
                yield f"{prefix}.{name}".strip("."), method


def is_list(hint: object) -> bool:
    options = typing.get_args(hint) or (hint,)
    origins = [typing.get_origin(option) for option in (hint, *options)]
    return any(origin in (list, tuple, Sequence) for origin in origins)


async def test_each_list_of_the_api_is_a_filter_a_value_or_a_selection(
    memory: GraphMemory,
) -> None:
    known = {(name.strip(), argument) for name, (argument, _) in SELECTIONS.items()} | OTHERS
    for name, method in methods(memory):
        for argument, parameter in inspect.signature(method, eval_str=True).parameters.items():
            if is_list(parameter.annotation) and argument not in FILTERS | VALUES:
                assert (name, argument) in known
    for kind in vars(arguments).values():
        if typing.is_typeddict(kind) and kind is not arguments.RunArguments:
            lists = {name for name, hint in typing.get_type_hints(kind).items() if is_list(hint)}
            assert lists <= FILTERS | VALUES


@pytest.mark.parametrize("method", SELECTIONS)
async def test_an_empty_selection_is_refused(memory: GraphMemory, method: str) -> None:
    argument, call = SELECTIONS[method]
    changed = memory.settings.model_copy(update={"llm_url": "http://127.0.0.1:1"})
    context = memory.context
    other = GraphMemory.over(context.graph, context.embedder, changed, clock=memory.clock)
    with pytest.raises(InvalidArgumentError, match="give at least one") as refused:
        await call(other)
    assert refused.value.argument == argument
    await other.close()


async def test_an_empty_filter_is_not_given(memory: GraphMemory) -> None:
    tea = await memory.add("Ada drinks tea", tags=["a"])
    cake = await memory.add("Ada eats cake")
    await memory.relations.add(tea.memory_id, cake.memory_id, "supports")

    def empty(kind: Any) -> Any:
        return {field.name: () for field in fields(kind) if field.name in FILTERS}

    listed = await memory.list(**empty(Filters))
    assert len(listed.memories) == await memory.count(**empty(Filters)) == 2
    assert len(await memory.search("Ada", **empty(Filters))) == 2
    assert len((await memory.retrieve("Ada", **empty(Retrieval))).memories) == 2
    walked = await memory.relations.traverse(tea.memory_id, **empty(Walk))
    assert [node.memory_id for node in walked.nodes] == [cake.memory_id]
    found = await memory.facts.search("Ada", **empty(FactFilters))
    assert found == await memory.facts.search("Ada")
    entities = await memory.facts.search_entities("Ada", entity_types=())
    assert len(entities) == 2
    assert await memory.episodes.list(statuses=()) == []
