"""Every class that the public API returns can be imported from the package itself."""

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator

import pytest

import graph_memory
from graph_memory import GraphMemory
from graph_memory.api.adoption import AdoptionApi
from graph_memory.api.backups import BackupsApi
from graph_memory.api.embeddings import EmbeddingsApi
from graph_memory.api.episodes import EpisodesApi
from graph_memory.api.erasure import ErasureApi
from graph_memory.api.facts import FactsApi
from graph_memory.api.feedback import FeedbackApi
from graph_memory.api.lifecycle import LifecycleApi
from graph_memory.api.maintenance import MaintenanceApi
from graph_memory.api.relations import RelationsApi
from graph_memory.api.sessions import SessionsApi
from graph_memory.api.tokens import TokensApi

PARTS = (
    GraphMemory,
    AdoptionApi,
    BackupsApi,
    EmbeddingsApi,
    EpisodesApi,
    ErasureApi,
    FactsApi,
    FeedbackApi,
    LifecycleApi,
    MaintenanceApi,
    RelationsApi,
    SessionsApi,
    TokensApi,
)


def returned(kind: type) -> Iterator[type]:
    """Yield the classes of this package in the return types of public methods."""
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            yield from classes(typing.get_type_hints(method).get("return"))


def classes(annotation: object) -> Iterator[type]:
    for part in typing.get_args(annotation):
        yield from classes(part)
    if isinstance(annotation, type) and annotation.__module__.startswith("graph_memory."):
        yield annotation


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_what_a_method_returns_can_be_imported(part: type) -> None:
    names = {kind.__name__ for kind in returned(part)} - {"GraphMemory"}
    assert names <= set(graph_memory.__all__)


def test_every_exported_name_exists() -> None:
    assert all(hasattr(graph_memory, name) for name in graph_memory.__all__)
    assert graph_memory.__all__ == sorted(graph_memory.__all__)


def test_importing_the_package_imports_neither_driver_nor_model() -> None:
    code = "import sys, graph_memory; print({'neo4j', 'torch', 'pydantic'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
