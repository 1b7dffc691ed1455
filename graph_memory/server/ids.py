"""The ids of memories in the arguments of tools: each may be the beginning of an id.

Answers give short ids (`domain/ids.py`), so every tool takes them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard, cast

from graph_memory.api.service import GraphMemory
from graph_memory.domain.ids import ID_CHARACTERS
from graph_memory.server.arguments import Arguments

#: The arguments that are ids of stored memories, or lists of them.
MEMORY_IDS = frozenset(
    {
        "memory_id",
        "memory_ids",
        "start_memory_id",
        "from_id",
        "to_id",
        "parent_id",
        "superseded_by",
        "entity_id",  # an entity may be a memory
    }
)

#: The fields of objects in lists that are ids of stored memories; the `memory_id` of a new memory
#: is its own.
_ITEM_IDS = frozenset({"parent_id", "target_id"})
_LISTS = ("memories", "relationships")


async def completed(memory: GraphMemory, arguments: Arguments) -> Arguments:
    """Return arguments with whole ids in place of their beginnings.

    Raises:
        AmbiguousIdError: Several ids begin with one of them; it names the argument.
    """
    given = dict(_beginnings(arguments, MEMORY_IDS, ""))
    if not given:
        return arguments
    whole = await memory.complete_ids(given, group_id=arguments.get("group_id"))
    return cast(Arguments, _replaced(arguments, "", whole))


def _beginnings(fields: Arguments, ids: frozenset[str], place: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each field that may be the beginning of an id."""
    for name, value in fields.items():
        members = cast(list[object], value) if isinstance(value, list) else []
        if name in ids:
            each_id = {f"{place}{name}.{number}": each for number, each in enumerate(members)}
            texts = each_id or {f"{place}{name}": value}
            yield from ((where, text) for where, text in texts.items() if _may_begin(text))
        elif name in _LISTS:
            for number, each in enumerate(members):
                if isinstance(each, Mapping):
                    item = cast(Arguments, each)
                    yield from _beginnings(item, _ITEM_IDS, f"{place}{name}.{number}.")


def _may_begin(text: object) -> TypeGuard[str]:
    """Return True for a text that is shorter than an id; the check of arguments refuses others."""
    return isinstance(text, str) and 0 < len(text) < ID_CHARACTERS and text.isprintable()


def _replaced(value: object, place: str, whole: Mapping[str, str]) -> object:
    """Return a value with the texts of `whole` at their places."""
    if place in whole:
        return whole[place]
    start = f"{place}." if place else ""
    if isinstance(value, Mapping):
        fields = cast(Mapping[str, Any], value)
        return {name: _replaced(each, f"{start}{name}", whole) for name, each in fields.items()}
    if isinstance(value, list):
        members = enumerate(cast(list[object], value))
        return [_replaced(each, f"{start}{number}", whole) for number, each in members]
    return value
