"""Grades and names of other stores in our terms, number by number."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph_memory import RelationType
from graph_memory.domain.inputs import Importance, RelationName, validate_value
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.relations import inverse
from graph_memory.transfer.formats.source import Format, Scale, SourceMemory, SourceRelation
from graph_memory.transfer.formats.translate import Translation

VECTORS = json.loads((Path(__file__).parents[2] / "data/conversion_vectors.json").read_text())


def vectors(model: str) -> list[Any]:
    return [
        pytest.param(vector["inputs"], vector["expected"], id=str(vector["inputs"]))
        for vector in VECTORS
        if vector["model"] == model
    ]


def translated(memory: SourceMemory, scale: Scale | None = None) -> dict[str, Any]:
    """Return the line that is imported of the only memory of a store."""
    store = Format(description="a store", read=lambda path: iter([memory]), scale=scale)
    (line,) = Translation("store", store, Path(), group_id="default")
    return json.loads(line)


@pytest.mark.parametrize(("inputs", "expected"), vectors("importance_from"))
def test_a_grade_is_brought_to_our_scale(inputs: dict[str, Any], expected: float) -> None:
    scale = Scale(inputs["scale"].replace("-", " to "))
    line = translated(SourceMemory(source_id="a", content="tea", importance=inputs["value"]), scale)
    assert validate_value(Importance, line["importance"], "importance") == pytest.approx(expected)


@pytest.mark.parametrize(("inputs", "expected"), vectors("relation_type"))
def test_a_relation_is_called_by_one_of_our_types(
    inputs: dict[str, Any], expected: dict[str, Any]
) -> None:
    name = inputs["value"]
    if inputs["mode"] == "import":
        relation = SourceRelation(target_id="b", relation_type=name)
        memory = SourceMemory(source_id="a", content="tea", relations=[relation])
        (row,) = translated(memory)["relationships"]
        assert row["relation_type"] == expected["relation_type"]
        assert row.get("original_relation_type") == expected["original"]
    elif "error" in expected:
        with pytest.raises(InvalidArgumentError) as refused:
            validate_value(RelationName, name, "relation_type")
        assert refused.value.code == expected["error"]
    else:
        assert validate_value(RelationName, name, "relation_type") == expected["relation_type"]


@pytest.mark.parametrize(("inputs", "expected"), vectors("inverse_type"))
def test_the_way_back_has_the_inverse_type(inputs: dict[str, Any], expected: str) -> None:
    assert inverse(RelationType(inputs["value"])) == expected
