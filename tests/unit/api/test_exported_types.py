"""Every class that the public API returns or holds can be imported from the package itself."""

import dataclasses
import inspect
import subprocess
import sys
import typing
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from types import FunctionType, MethodType

import pytest

import graph_memory
from graph_memory import GraphMemory, errors
from graph_memory.api import arguments
from graph_memory.api.parts import Parts

#: The class of each part: `relations` is a `RelationsApi`.
PARTS: dict[str, type] = {
    name: getattr(import_module(f"graph_memory.api.{name}"), f"{name.title()}Api")
    for name, member in vars(Parts).items()
    if isinstance(member, cached_property) and not name.startswith("_")
}

EXPORTED = [getattr(graph_memory, name) for name in graph_memory.__all__]

#: The types of keyword arguments, which callers give as words and never as such an object.
KEYWORDS = [kind for kind in vars(arguments).values() if typing.is_typeddict(kind)]

HOLDERS = [*filter(dataclasses.is_dataclass, EXPORTED), *KEYWORDS]


def returned(kind: type) -> Iterator[object]:
    """Yield what the public methods and properties of a class return."""
    for name, member in inspect.getmembers(kind):
        function = member.fget if isinstance(member, property) else member
        if not name.startswith("_") and isinstance(function, FunctionType | MethodType):
            yield typing.get_type_hints(function).get("return")


def classes(annotations: Iterable[object]) -> Iterator[type]:
    """Yield the classes of this package in annotations."""
    for annotation in annotations:
        yield from classes(typing.get_args(annotation))
        if isinstance(annotation, type) and annotation.__module__.startswith("graph_memory."):
            yield annotation


def missing(annotations: Iterable[object]) -> set[str]:
    """Return the names of the classes that the package lacks, or has another object for."""
    found = {kind.__name__: kind for kind in classes(annotations) if kind not in KEYWORDS}
    return {name for name, kind in found.items() if getattr(graph_memory, name, None) is not kind}


@pytest.mark.parametrize("part", [GraphMemory, *PARTS.values()], ids=lambda part: part.__name__)
def test_what_a_method_returns_can_be_imported(part: type) -> None:
    assert missing(returned(part)) == set()


@pytest.mark.parametrize("kind", HOLDERS, ids=lambda kind: kind.__name__)
def test_what_a_type_holds_can_be_imported(kind: type) -> None:
    assert missing(typing.get_type_hints(kind).values()) == set()


def test_every_error_can_be_imported() -> None:
    assert missing(getattr(errors, name) for name in errors.__all__) == set()


def test_every_exported_name_exists() -> None:
    assert all(hasattr(graph_memory, name) for name in graph_memory.__all__)
    assert graph_memory.__all__ == sorted(graph_memory.__all__)


def test_a_name_that_the_package_lacks_is_refused() -> None:
    for name in ("Missing", "MissingError"):
        with pytest.raises(AttributeError, match=f"'graph_memory' has no attribute '{name}'"):
            getattr(graph_memory, name)


def test_importing_the_package_imports_neither_driver_nor_model() -> None:
    code = (
        "import sys, graph_memory; from graph_memory import DuplicateError; "
        "print({'neo4j', 'torch', 'pydantic'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
