"""The bill of materials: whole, valid by its schema, and without a licence that is not allowed."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from graph_memory import __version__
from graph_memory.local_neo4j.lock_file import BROWSER_LOCK_FILE, read_lock

REPOSITORY = Path(__file__).parents[2]
SBOM = runpy.run_path(str(REPOSITORY / "config/sbom/sbom.py"))
LOCK = (REPOSITORY / "config/requirements.lock").read_text()
PINNED = [line.split()[0] for line in LOCK.splitlines() if "==" in line and line[0].isalnum()]


@pytest.fixture(scope="module")
def bill() -> str:
    return JsonV1Dot6(SBOM["bill"]()).output_as_string()


def by_purl(bill: str) -> dict[str, dict[str, Any]]:
    return {each["purl"]: each for each in json.loads(bill)["components"]}


def test_the_bill_is_valid_by_the_schema(bill: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    assert json.loads(bill)["metadata"]["component"]["version"] == __version__


def test_each_pinned_package_has_its_hashes_and_a_licence(bill: str) -> None:
    found = by_purl(bill)
    assert len(PINNED) > 80
    for pin in PINNED:
        component = found[f"pkg:pypi/{pin.replace('==', '@')}"]
        assert component["licenses"]
        for each in component["hashes"]:
            assert f"--hash=sha256:{each['content']}" in LOCK
    assert sum(len(each["hashes"]) for key, each in found.items() if "pkg:pypi" in key) == (
        LOCK.count("--hash=sha256:")
    )


def test_each_jar_has_its_hash_and_a_licence(bill: str) -> None:
    found = {
        each["hashes"][0]["content"]: each
        for key, each in by_purl(bill).items()
        if key.startswith("pkg:maven/")
    }
    jars = [*read_lock(), *read_lock(BROWSER_LOCK_FILE)]
    assert {jar.sha256 for jar in jars} == found.keys()
    assert all(
        license["license"]["name"] for each in found.values() for license in each["licenses"]
    )


@pytest.mark.parametrize("name", sorted({pin.partition("==")[0] for pin in PINNED}))
def test_the_licence_of_a_package_is_allowed_or_an_exception_with_a_reason(name: str) -> None:
    licence = SBOM["licence"](name)
    assert SBOM["is_allowed"](licence) != (name in SBOM["data"]()["exceptions"])


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 AND MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_an_expression_is_allowed_if_one_of_its_choices_is(expression: str, allowed: bool) -> None:
    assert SBOM["is_allowed"](expression) == allowed


def test_an_unknown_package_is_named_with_the_file_to_change() -> None:
    with pytest.raises(LookupError, match=r"the licence of made-up is not known: .*licences.toml"):
        SBOM["licence"]("made-up")
