"""The reference pages are those that the code gives, and leave nothing out."""

import importlib.util
import re
from collections.abc import Mapping
from types import ModuleType

import pytest
import yaml

import graph_memory
from graph_memory import GraphMemory, GraphMemoryError, Settings, errors
from graph_memory.api.parts import Parts
from graph_memory.domain.properties import FACT_PROPERTIES, MEMORY_PROPERTIES
from graph_memory.server.app import TOOLSETS
from tests.support.pages import REPOSITORY, read


def load_generator() -> ModuleType:
    """Return `docs/reference.py`, which is a script and not in a package."""
    spec = importlib.util.spec_from_file_location("reference", REPOSITORY / "docs/reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The text of each generated page, which takes seconds to make."""
    return GENERATOR.pages()


@pytest.mark.parametrize("page", [f"{name}.md" for name in GENERATOR.GENERATED])
def test_a_page_is_what_the_code_gives(pages: dict[str, str], page: str) -> None:
    assert read(f"docs/reference/{page}") == pages[page], "run `make reference`, and commit"


def test_the_skill_is_the_advice_for_system_prompts() -> None:
    text = GENERATOR.SKILL.read_text(encoding="utf-8")
    assert text == GENERATOR.skill(), "run `make reference`, and commit"
    header, _, advice = text.removeprefix("---\n").partition("\n---\n")
    assert yaml.safe_load(header).keys() == {"name", "description"}
    assert advice.startswith("\nYou have a lasting memory")


@pytest.mark.parametrize(
    "name", [tool.name for parts in TOOLSETS.values() for part in parts for tool in part.tools]
)
def test_every_tool_is_in_the_reference(pages: dict[str, str], name: str) -> None:
    assert f"### `{name}`\n" in pages["tools.md"]


def test_every_part_is_described_by_the_service_and_in_the_reference(
    pages: dict[str, str],
) -> None:
    described = (GraphMemory.__doc__ or "").partition("Attributes:")[2].strip().splitlines()
    parts = dict(GENERATOR.parts())
    assert {"proposals", "pending", "entities", "clusters"} <= parts.keys()
    assert [line.strip() for line in described[1:]] == [
        f"{name}: {vars(Parts)[name].__doc__}" for name in parts
    ]
    for name in parts:
        assert f"\n## `memory.{name}`\n" in pages["python-api.md"]


def test_every_exported_type_is_in_the_reference(pages: dict[str, str]) -> None:
    for name in graph_memory.__all__:
        thing = getattr(graph_memory, name)
        if isinstance(thing, type) and thing not in (GraphMemory, Settings, GraphMemoryError):
            is_error = issubclass(thing, GraphMemoryError)
            row = f" | `{name}` | " if is_error else f"\n## `{name}`\n"
            assert row in pages["errors.md" if is_error else "python-api.md"]


def test_every_code_of_an_error_is_in_the_reference(pages: dict[str, str]) -> None:
    codes = {kind.code for kind in vars(errors).values() if hasattr(kind, "code")}
    assert codes - {"failed"} == set(re.findall(r"^\| `(\w+)`", pages["errors.md"], re.MULTILINE))


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_in_the_reference(pages: dict[str, str], name: str) -> None:
    assert len(re.findall(rf"^\| `{name}` \|", pages["settings.md"], re.MULTILINE)) == 1


def test_every_command_is_in_the_reference(pages: dict[str, str]) -> None:
    from tests.e2e.test_cli import command_paths

    for path in command_paths():
        assert f"## `{' '.join(path)}`\n" in pages["commands.md"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [(2, errors.InvalidArgumentError), (3, errors.RunsPausedError), (5, errors.RunLockedError)],
)
def test_exit_codes_are_those_of_the_command_line(code: int, kind: type) -> None:
    assert GENERATOR.exit_code(kind) == code


@pytest.mark.parametrize("properties", [MEMORY_PROPERTIES, FACT_PROPERTIES])
def test_every_property_has_a_type_and_a_meaning(
    pages: dict[str, str], properties: Mapping[str, str]
) -> None:
    for name, described in properties.items():
        kind, _, meaning = described.partition(" — ")
        assert kind.split(",")[0] in ("text", "integer", "float", "boolean", "instant") or (
            kind.startswith("list of ")
        ), name
        assert meaning, name
        assert f"| `{name}` | {kind} | {meaning} |" in pages["properties.md"]
