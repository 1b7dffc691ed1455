"""Every stored property of a memory has its place in the views, the statements and the export."""

import re
from dataclasses import fields

import pytest

from graph_memory.domain.inputs import MemoryChanges, NewMemory
from graph_memory.domain.models import Memory
from graph_memory.domain.properties import MEMORY_PROPERTIES, RESERVED_KEYS
from graph_memory.transfer.line_format import Lifecycle
from tests.support.pages import REPOSITORY

CYPHER = REPOSITORY / "cypher"

#: Properties of a memory that only the maintenance of a purge writes, on another label.
PURGED = {"purged_at", "purged_by"}

#: Fields that other stores may give; an export leaves them out, because they are computed.
COMPUTED = {"decay_score", "last_decay_update"}

#: The stored property of a field that has another name, and fields stored as relations or keys.
STORED = {
    "memory_id": "uuid",
    "metadata": "metadata_json",
    "attachments": "attachments_json",
    "origin": "origin_way_in",
    "authority": "origin_authority",
    "brief": "brief_json",
    "title": "name",
}
NOT_STORED = {
    "clear",
    "supersede_part",
    "parent_id",
    "superseded_by",
    "protection",
    "relationships",
    "group_id",
}


def names(kind: type) -> list[str]:
    return [each.name for each in fields(kind) if each.name not in NOT_STORED]


def read(statement: str) -> str:
    return (CYPHER / f"{statement}.cypher").read_text(encoding="utf-8")


def test_every_property_that_a_statement_sets_on_a_memory_is_in_the_table() -> None:
    texts = (path.read_text(encoding="utf-8") for path in CYPHER.rglob("*.cypher"))
    written = {
        name for text in texts for name in re.findall(r"^ *(?:SET )?m\.(\w+) = ", text, re.M)
    }
    assert written - PURGED - RESERVED_KEYS <= set(MEMORY_PROPERTIES)


@pytest.mark.parametrize("name", sorted({*names(NewMemory), *names(Memory), *names(MemoryChanges)}))
def test_every_field_is_a_property(name: str) -> None:
    assert STORED.get(name, name) in {*MEMORY_PROPERTIES, *RESERVED_KEYS}


@pytest.mark.parametrize("name", names(NewMemory))
def test_an_argument_is_stored_and_exported(name: str) -> None:
    stored = STORED.get(name, name)
    create = read("memories/add/create") + read("memories/add/mark_copies")
    assert re.search(rf"\bm\.{stored} = ", create), stored
    export = read("transfer/import_export/export")
    assert re.search(rf"\.{stored}\b|\b{name}:|AS {name}\b", export), stored


@pytest.mark.parametrize("name", names(MemoryChanges))
def test_a_change_is_stored(name: str) -> None:
    stored = STORED.get(name, name)
    changed = rf"m\.{stored} = coalesce\(\$changes\.{stored}, m\.{stored}\)"
    assert re.search(changed, read("memories/update/update")), stored


@pytest.mark.parametrize("name", [n for n in names(MemoryChanges) if n != "content"])
def test_a_change_is_in_the_history(name: str) -> None:
    assert f"'{name}'" in read("fragments/change/note")
    kept = rf"^  {name}:" if name != "title" else r"^  .*\btitle: m\.name"
    assert re.search(kept, read("fragments/change/values") + read("fragments/change/note"), re.M)


@pytest.mark.parametrize("name", [n for n in names(NewMemory) if n != "title"])
def test_an_argument_is_shown(name: str) -> None:
    assert name in {each.name for each in fields(Memory)}


@pytest.mark.parametrize("name", [each.name for each in fields(Memory)])
def test_a_field_of_a_memory_is_in_its_view(name: str) -> None:
    assert re.search(rf"^  {name}: ", read("fragments/memory/full"), re.M)


@pytest.mark.parametrize("name", names(Lifecycle))
def test_a_field_of_the_lifecycle_is_exported_and_restored(name: str) -> None:
    exported = re.search(rf"\.{name}\b|\b{name}:", read("transfer/import_export/export"))
    assert exported or name in COMPUTED
    assert re.search(rf"\bm\.{name} = ", read("transfer/import_export/restore_lifecycle"))
