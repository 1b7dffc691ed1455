"""Data of earlier versions: settings are read, backups restored and served, exports imported.

Each folder of `tests/data/old_versions` was written by the commit that it is named after.
"""

import asyncio
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graph_memory import GraphMemory, read_settings
from graph_memory.database.embedding_record import has_passages
from graph_memory.local_neo4j import LocalNeo4j
from tests.data.old_versions.make import (
    CHANGED,
    GROUPS,
    LATER,
    LIFE,
    described,
    group_of,
    identifier,
    migrations,
)
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures

ROOT = Path(__file__).parents[1] / "data" / "old_versions"
VERSIONS = sorted(folder for folder in ROOT.iterdir() if (folder / "expected.json").is_file())
SCRIPT = Path(sys.executable).parent / "graph-memory"

Memories = dict[str, dict[str, Any]]


def expected_of(version: Path) -> dict[str, Any]:
    return json.loads((version / "expected.json").read_text(encoding="utf-8"))


#: The fixture with the most migrations: the steps of the schema and the hash of the rules.
NEWEST_VERSION = max(VERSIONS, key=lambda folder: len(expected_of(folder)["migrations"]))
REFERENCE = expected_of(NEWEST_VERSION)

#: Migrations: those of the first commit that can be run, and all that there are.
OLDEST, NEWEST = 2, max(map(int, REFERENCE["migrations"]))


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def version(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def own_database(second_neo4j: LocalNeo4j) -> dict[str, str]:
    """The second Neo4j, because a backup replaces a whole database."""
    user, password = second_neo4j.user, second_neo4j.password
    return {"uri": second_neo4j.uri, "user": user, "password": password}


@pytest.fixture
def own(
    cli: Run,  # noqa: F811
    own_database: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The command line on the database of this module."""
    for name in ("uri", "user", "password"):
        monkeypatch.setenv(f"GRAPH_MEMORY_NEO4J_{name.upper()}", own_database[name])
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    return cli


def exported(run: Run, group: str) -> Memories:
    result = run("export", "--group", group)
    assert result.code == 0, result.err
    return dict(map(described, result.out.splitlines()))


def named(memories: Memories) -> Memories:
    """Return memories by their content, which they keep where an id is taken."""
    content = {memory_id: memory["content"] for memory_id, memory in memories.items()}
    return {
        memory["content"]: {
            **memory,
            "parent_id": content.get(memory["parent_id"]),
            "relations": sorted([kind, content[target]] for kind, target in memory["relations"]),
        }
        for memory in memories.values()
    }


def test_every_migration_has_a_fixture():
    written = {max(map(int, expected_of(folder)["migrations"])) for folder in VERSIONS}
    assert written == set(range(OLDEST, NEWEST + 1))


def test_a_settings_file_is_read(version: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(version / "settings.toml"))
    settings = read_settings()
    for name, text in CHANGED.items():
        value = tomllib.loads(f"value = {text}")["value"]
        assert getattr(settings, name) == (tuple(value) if isinstance(value, list) else value)


def test_a_backup_is_restored_and_served(own: Run, version: Path):
    restore(own, version)
    expected = expected_of(version)
    check_stored(own, expected)
    check_histories(own, expected)
    check_reads(own, expected)  # the last, because reads count as accesses


def test_a_server_adds_the_passages_that_an_old_version_did_not_have(own: Run):
    async def served() -> tuple[int, int]:
        async with GraphMemory.open(read_settings()) as memory:
            assert not await has_passages(memory.context.graph)
            before = await memory.embeddings.missing(dry_run=True)
            await memory.serving.add_passages()
            assert await has_passages(memory.context.graph)
            after = await memory.embeddings.missing(dry_run=True)
            return before.candidates, after.candidates

    restore(own, min(VERSIONS, key=lambda folder: len(expected_of(folder)["migrations"])))
    before, after = asyncio.run(served())
    assert before >= after == 0


def test_a_schema_comes_up_from_the_oldest(own: Run, own_database: dict[str, str]):
    """Bring the schema down to that of the oldest version and up again; the checksums stay.

    The steps are stored with their checksums. If the program computes another, it refuses them.
    """
    restore(own, NEWEST_VERSION)
    for folder in VERSIONS:
        written = expected_of(folder)["migrations"]
        assert written == {step: REFERENCE["migrations"][step] for step in written}
    assert migrations(own_database) == REFERENCE["migrations"]
    assert own("migrate", "down", "--to", OLDEST).code == 0
    assert set(migrations(own_database)) == {str(step) for step in range(1, OLDEST + 1)}
    raised = own("migrate", "up", "--json")
    assert (raised.code, raised.json["applied"]) == (0, list(range(OLDEST + 1, NEWEST + 1)))
    steps = own("migrate", "status", "--json").json["migrations"]
    assert all(step["applied_at"] for step in steps)
    assert migrations(own_database) == REFERENCE["migrations"]
    check_stored(own, REFERENCE)


def restore(run: Run, version: Path) -> None:
    """Restore the backup of a version, and compare the counts with its manifest."""
    manifest = json.loads((version / "backup" / "manifest.json").read_text(encoding="utf-8"))
    restored = run("restore", version / "backup", "--replace", "--json").json
    for name in ("memories", "nodes", "edges"):
        assert restored[name] == manifest[name]


def check_stored(run: Run, expected: dict[str, Any]) -> None:
    """Compare all memories, and what maintenance would do with them."""
    assert {group: exported(run, group) for group in GROUPS} == expected["memories"]
    verified = run("verify", "--json")
    assert (verified.code, verified.json) == (0, {"ok": True, "problems": {}})
    later = run("maintain", "--dry-run", "--now", LATER, "--group", GROUPS[0], "--json").json
    assert later["completed"]
    assert later["processed"] > 0
    if before := expected["dry_run"]:
        assert {name: later[name] for name in before if name != "now"} | {"now": LATER} == before


def check_histories(run: Run, expected: dict[str, Any]) -> None:
    """Compare the events of memories that were changed, ended or deleted; later ones add some."""
    updated, obsolete = LIFE["updated"]["key"], LIFE["obsolete"]["key"]
    for key in (updated, obsolete, LIFE["deleted"], LIFE["touched"]):
        memory_id, group = identifier(expected["commit"], key), group_of(key)
        events = run("history", memory_id, "--group", group, "--json").json["events"]
        if kinds := expected["histories"].get(memory_id):
            assert Counter(kinds) <= Counter(event["kind"] for event in events)
        if key == updated:
            earlier = next(m["content"] for m in LIFE["memories"] if m["key"] == key)
            assert [e["detail"] for e in events if e["kind"] == "rewritten"] == [earlier]
        if key == LIFE["deleted"]:
            assert "SOFT_DELETED" in events[-1]["detail"]


def check_reads(run: Run, expected: dict[str, Any]) -> None:
    """Compare what list, get, decay-status and search answer."""
    for group, memories in expected["memories"].items():
        listed = run("list", "--limit", 50, "--group", group, "--json").json["results"]
        assert {memory["memory_id"]: memory["content"] for memory in listed} == {
            memory_id: memory["content"]
            for memory_id, memory in memories.items()
            if memory["state"] != "EXPIRED"
        }
    for key in ("manual", "kyoto"):
        memory_id, group = identifier(expected["commit"], key), group_of(key)
        memory = run("get", memory_id, "--group", group, "--json").json
        stored = expected["memories"][group][memory_id]
        for name in ("content", "metadata", "memory_type", "tags", "importance"):
            assert memory[name] == stored[name]
    assert expected["rules"] in (None, REFERENCE["rules"])
    status = run("decay-status", memory_id, "--group", group, "--json").json
    assert (status["state"], status["rules"]) == (stored["state"], REFERENCE["rules"])
    for asked in expected["searches"]:
        found = run("search", asked["query"], "--group", asked["group_id"], "--json").json
        assert found["results"][0]["memory_id"].startswith(asked["first"])


def test_an_export_is_imported_once(cli: Run, version: Path, group: str):  # noqa: F811
    for name in GROUPS:
        file, target = version / f"{name}.jsonl", f"{group}_{name}"
        memories = dict(map(described, file.read_text(encoding="utf-8").splitlines()))
        first = cli("import", file, "--group", target, "--json").json
        assert (first["stored"], first["skipped"], first["failed"]) == (len(memories), 0, 0)
        again = cli("import", file, "--group", target, "--json").json
        assert (again["stored"], again["relations"], again["failed"]) == (0, 0, 0)
        assert named(exported(cli, target)) == named(memories)
