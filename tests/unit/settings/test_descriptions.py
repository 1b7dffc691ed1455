"""Every setting has a description in plain English, which the reference and the file show."""

import pytest

from graph_memory import Settings
from tests.support.prose import Passage, faults


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_setting_is_described_in_plain_english(name: str) -> None:
    described = Settings.model_fields[name].description or ""
    assert described.endswith(".")
    assert described[0].isupper()
    assert faults([Passage(name, described)]) == []


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_span_names_its_unit(name: str) -> None:
    described = Settings.model_fields[name].description or ""
    for unit in ("seconds", "hours", "days", "bytes", "characters", "percent"):
        if name.endswith(f"_{unit}"):
            assert unit in described.lower()
