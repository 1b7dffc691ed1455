"""What callers may say, and what they are told otherwise."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from graph_memory.domain.inputs import (
    Clocks,
    Filters,
    MemoryChanges,
    NewMemory,
    NewRelation,
    validate,
    validate_value,
)
from graph_memory.domain.models import RelationType
from graph_memory.domain.timestamps import EndMoment, Moment, SimulatedTime
from graph_memory.errors import InvalidArgumentError, LimitExceededError
from graph_memory.search.facts import FactFilters
from graph_memory.transfer.line_format import read_line

JUNE = datetime(2026, 6, 1, tzinfo=UTC)


def nested(levels: int) -> dict[str, Any]:
    """Return metadata of so many levels, itself the first."""
    value: Any = "tea"
    for _ in range(levels - 1):
        value = [value]
    return {"a": value}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("2026-06-01", JUNE),
        ("2026-06-01T00:00Z", JUNE),
        ("2026-06-01T02:00:00+02:00", JUNE),
        ("2026-06-01 02:00:00.000+0200", JUNE),
        (date(2026, 6, 1), JUNE),
        (datetime(2026, 6, 1, 2, tzinfo=timezone(timedelta(hours=2))), JUNE),
        (datetime(2026, 6, 1), JUNE),
    ],
)
def test_an_instant_is_iso_8601(given: object, meant: datetime) -> None:
    assert validate_value(Moment, given, "as_of") == meant


@pytest.mark.parametrize(
    "given",
    [
        "2026",
        "0",
        "20260601",
        "1780272000",
        "1780272000.5",
        "-1",
        "2026-6-1",
        "June",
        "",
        "2026-W23",
        "2026-06-01T",
        "2026-06-01x",
        "2026-13-01",
        0,
        2026,
        1780272000.5,
        True,
        ["2026-06-01"],
    ],
)
def test_anything_else_is_no_instant(given: object) -> None:
    for kind in (Moment, EndMoment):
        with pytest.raises(
            InvalidArgumentError, match=r"ISO 8601, for example 2026-06-01 or"
        ) as error:
            validate_value(kind, given, "as_of")
        assert error.value.argument == "as_of"
    with pytest.raises(InvalidArgumentError, match="as_of="):
        validate(Clocks, {"as_of": given})
    with pytest.raises(InvalidArgumentError, match="created_at="):
        validate(NewMemory, {"content": "tea", "created_at": given})


def test_a_date_alone_may_mean_its_end() -> None:
    assert validate_value(EndMoment, "2026-06-01", "to") == JUNE + timedelta(
        days=1, milliseconds=-1
    )
    assert validate_value(EndMoment, "2026-06-01T00:00Z", "to") == JUNE


@pytest.mark.parametrize("given", ["0001-01-01", "9999-12-31", "1969-12-31", "9000-01-01"])
def test_a_clock_is_supposed_where_dates_remain_dates(given: str) -> None:
    with pytest.raises(
        InvalidArgumentError, match=rf"now='{given}'.*year must be from 1970 to 8999"
    ):
        validate_value(SimulatedTime, given, "now")


def test_metadata_is_nested_within_bounds() -> None:
    memory = validate(NewMemory, {"content": "tea", "metadata": nested(32)})
    assert memory.metadata == nested(32)
    for kind, given in (
        (NewMemory, {"content": "tea", "metadata": nested(33)}),
        (NewRelation, {"target_id": "b", "metadata": nested(300)}),
        (MemoryChanges, {"metadata": nested(100_000)}),
    ):
        with pytest.raises(LimitExceededError, match=r"^metadata=.*32 levels"):
            validate(kind, given)
    with pytest.raises(LimitExceededError, match="32 levels"):
        read_line(json.dumps({"content": "tea", "metadata": nested(33)}))


def test_an_unknown_argument_is_named_before_one_that_is_missing() -> None:
    with pytest.raises(InvalidArgumentError, match=r"contents='x'.*valid are content, memory_type"):
        validate(NewMemory, {"contents": "x"})


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        (NewMemory, {"content": "x", "tags": "a, b"}, "^tags='a, b' .*: it must be a list.$"),
        (Filters, {"memory_types": "fact"}, "^memory_types='fact' .*: it must be a list.$"),
        (NewMemory, {"content": "x", "relationships": ["b"]}, "^relationships.0='b' .* an object"),
        (NewMemory, {"content": "x", "metadata": "a"}, "^metadata='a' .*: it must be an object.$"),
        (NewMemory, {"content": "x", "group_id": "a-b"}, "'a-b' .* 64 letters, digits and under"),
        (NewMemory, {"content": "x", "memory_id": "a b"}, "'a b' .* 128 letters, digits and any"),
        (NewMemory, {"content": "x", "decay_policy": "1"}, "'1' .* of a-z, 0-9 and _"),
    ],
)
def test_what_is_expected_is_said_in_the_words_of_json(
    kind: type[Any], given: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        validate(kind, given)


@pytest.mark.parametrize("given", [{"target_id": "b", "foo": 1}, {"foo": 1}])
def test_an_unknown_argument_within_another_is_told_its_neighbours(given: dict[str, Any]) -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"^relationships\.0\.foo=1 .*valid are target_id, relation_type"
    ):
        validate(NewMemory, {"content": "x", "relationships": [given]})
    with pytest.raises(
        InvalidArgumentError, match=r"^lifecycle\.foo=1 .*valid are lifecycle_state"
    ):
        read_line('{"content": "x", "lifecycle": {"foo": 1}}')
    with pytest.raises(InvalidArgumentError, match=r"^foo=1 .*valid are names, entity_id"):
        validate(FactFilters, {"foo": 1})


def test_values_are_shown_as_callers_write_them() -> None:
    for value, shown in (
        (RelationType.CAUSES, "'causes'"),
        (JUNE, "'2026-06-01T00:00:00+00:00'"),
        ([RelationType.CAUSES, JUNE], "['causes', '2026-06-01T00:00:00+00:00']"),
        ("tea", "'tea'"),
        (None, "None"),
    ):
        assert str(InvalidArgumentError("a", value, "no")) == f"a={shown} is not allowed: no."
