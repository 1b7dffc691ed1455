"""The typed keyword arguments mirror the dataclasses that check them, and Filters join them."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from graph_memory import Attachment, Filters, GraphMemory, NewMemory, NewRelation
from graph_memory.api import arguments
from graph_memory.api.episodes import NewEpisode
from graph_memory.domain.inputs import Clocks, MemoryChanges
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.maintenance.request import RunRequest
from graph_memory.search.facts import FactFilters
from graph_memory.search.retrieval import Retrieval
from graph_memory.settings.base import read_settings
from graph_memory.traversal.traverse import Walk

MIRRORS: tuple[tuple[type, type, set[str]], ...] = (
    (arguments.ClockArguments, Clocks, set()),
    (arguments.FilterArguments, Filters, set()),
    (arguments.RetrievalArguments, Retrieval, set()),
    (arguments.RelationDetails, NewRelation, {"target_id", "relation_type"}),
    (arguments.RelationArguments, NewRelation, set()),
    (arguments.AttachmentArguments, Attachment, set()),
    (arguments.MemoryDetails, NewMemory, {"content", "group_id"}),
    (arguments.ChangeArguments, MemoryChanges, set()),
    (arguments.WalkArguments, Walk, set()),
    (arguments.EpisodeDetails, NewEpisode, {"content"}),
    (arguments.FactArguments, FactFilters, set()),
    (arguments.RunArguments, RunRequest, set()),
)


def given(hint: Any) -> Any:
    """Return the type that a caller may give where a dataclass stores `hint`."""
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        literal: Any = Literal
        return hint | literal[tuple(str(each) for each in hint)]
    if hint is datetime:
        return datetime | date | str
    if get_origin(hint) in (Union, UnionType):
        return reduce(or_, (given(each) for each in get_args(hint)))
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return list[str] | tuple[str, ...] if item is str else Sequence[given(item)]
    if hint is Attachment:
        return arguments.AttachmentArgument
    if is_dataclass(hint):
        return hint | arguments.RelationArguments
    return None if hint is NoneType else hint


@pytest.mark.parametrize(("keywords", "checked", "apart"), MIRRORS)
def test_keywords_are_the_fields_with_their_types(
    keywords: type, checked: type, apart: set[str]
) -> None:
    hints = get_type_hints(checked)
    expected = {f.name: given(hints[f.name]) for f in fields(checked) if f.name not in apart}
    assert get_type_hints(keywords) == expected


def test_a_filter_is_given_once() -> None:
    filters = Filters(tags=("ada",))
    joined = arguments.with_filters(filters, {"project_id": "tea", "tags": None})
    assert joined == {"tags": ("ada",), "project_id": "tea"}
    with pytest.raises(InvalidArgumentError, match=r"filters\.tags is given, too"):
        arguments.with_filters(filters, {"tags": ("bob",)})


def test_a_wrong_way_to_open_is_answered_with_the_right_one() -> None:
    with pytest.raises(TypeError, match=r"async with GraphMemory\.open\(\)"):
        GraphMemory()
    with pytest.raises(SettingsError, match="did you mean group_id"):
        read_settings(groupid="tea")
