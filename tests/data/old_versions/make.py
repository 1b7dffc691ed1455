"""Write the fixture of a version: a database as a backup, its exports and a settings file.

Run it once for each commit that adds a migration, with the environment of this repository:

    git worktree add --detach ../old-SHORT SHORT
    python tests/data/old_versions/make.py ../old-SHORT

The program of that checkout runs as processes, in a data folder and with a Neo4j of its own. The
script uses the names of tools and commands, which stay. What a version lacks is left out, and
`expected.json` names it in `absent`. The content of the database is `life.json`.

A version without `graph-memory backup` needs `--backup-with`, the checkout of the first version
that has it. That version reads the database as it is, without a migration.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from neo4j import GraphDatabase

HERE = Path(__file__).parent
LIFE: dict[str, Any] = json.loads((HERE / "life.json").read_text(encoding="utf-8"))
GROUPS = ("atelier", "garden")

#: The instant of the dry run that `expected.json` describes.
LATER = "2027-06-01T00:00:00Z"

#: What a user has changed in the settings file.
CHANGED = {
    "group_id": '"atelier"',
    "importance_default": "6.0",
    "search_recency_half_life_days": "45.0",
    "embedding_cache_size": "2048",
    "protected_tags": '["decision", "permanent", "straße"]',
}

_MAIN = "import sys; from graph_memory.cli import main; sys.exit(main())"


def identifier(commit: str, key: str) -> str:
    """Return the id of a memory; each version has its own, so that all fit one database."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"graph-memory/{commit}/{key}"))


def group_of(key: str) -> str:
    """Return the tenant of a memory."""
    return next(memory["group_id"] for memory in LIFE["memories"] if memory["key"] == key)


def described(line: str) -> tuple[str, dict[str, Any]]:
    """Return the id of an exported memory, and what every version exports of it."""
    memory = json.loads(line)
    return memory["memory_id"], {
        "content": memory["content"],
        "memory_type": memory["memory_type"],
        "tags": sorted(memory.get("tags", [])),
        "importance": memory["importance"],
        "metadata": memory.get("metadata", {}),
        "conversation_id": memory.get("conversation_id"),
        "parent_id": memory.get("parent_id"),
        "created_at": memory["created_at"],
        "state": memory["lifecycle"]["lifecycle_state"],
        "relations": sorted(
            [relation["relation_type"], relation["target_id"]]
            for relation in memory.get("relationships", [])
            if not relation.get("expired_at")
        ),
    }


@dataclass
class Version:
    """The program of a checkout, and the database it writes."""

    checkout: Path
    data: Path
    absent: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The commit, shortened."""
        command = ("git", "-C", str(self.checkout), "rev-parse", "--short=7", "HEAD")
        return subprocess.check_output(command, text=True).strip()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes: the user's settings stay outside."""
        kept = ("GRAPH_MEMORY_CACHE_DIR", "GRAPH_MEMORY_JAVA")
        own = {
            n: v for n, v in os.environ.items() if not n.startswith("GRAPH_MEMORY_") or n in kept
        }
        return {
            **own,
            "PYTHONPATH": str(self.checkout),
            "GRAPH_MEMORY_DATA_DIR": str(self.data),
            "GRAPH_MEMORY_TOOLSETS": "all",
        }

    def run(self, *arguments: str, code: str = _MAIN, **variables: str) -> str:
        """Run a command and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env={**self.environment, **variables},
            cwd=self.checkout,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{self.name} {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def has(self, command: str) -> bool:
        """Return whether there is such a command, and note it if not."""
        known = re.search(rf"[│|]\s+{command}\s", self.run("--help"), re.MULTILINE) is not None
        if not known:
            self.absent.append(f"graph-memory {command}")
        return known

    def identifier(self, key: str) -> str:
        """Return the id of a memory of this version."""
        return identifier(self.name, key)

    def settings_file(self, path: Path) -> None:
        """Write the settings file of this version with some changes, and read it with it."""
        text = (self.checkout / "config" / "graph-memory.toml").read_text(encoding="utf-8")
        for name, value in CHANGED.items():
            text = re.sub(rf"^{name} = (\[[^\]]*\]|.*)", f"{name} = {value}", text, flags=re.M)
        path.write_text(text, encoding="utf-8")
        read = "from graph_memory import read_settings; print(read_settings().importance_default)"
        assert self.run(code=read, GRAPH_MEMORY_CONFIG=str(path)).strip() == "6.0"


@contextmanager
def database(version: Version) -> Iterator[dict[str, str]]:
    """Run the local Neo4j of a version; yield its address and password."""
    version.run("db", "start")
    try:
        yield json.loads(version.run("db", "shell-uri", "--json"))
    finally:
        version.run("db", "stop")


def import_memories(version: Version) -> None:
    """Store the memories by `graph-memory import`, which keeps their ids and times."""
    lines = version.data / "life.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for memory in LIFE["memories"]:
            line = {**memory, "memory_id": version.identifier(memory["key"])}
            if parent := line.pop("parent", None):
                line["parent_id"] = version.identifier(parent)
            del line["key"]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    report = json.loads(version.run("import", str(lines), "--json"))
    assert (report["stored"], report["failed"]) == (len(LIFE["memories"]), 0), report


@dataclass
class Tools:
    """The tools of a version's MCP server."""

    version: Version
    client: Client
    known: set[str]

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any] | None:
        """Call a tool and return its answer; None, and a note, where the version lacks it."""
        if tool not in self.known:
            if tool not in self.version.absent:
                self.version.absent.append(tool)
            return None
        result = await self.client.call_tool(tool, arguments)
        if result.is_error:
            raise SystemExit(f"{self.version.name} {tool}: {result.content}")
        return result.structured_content

    async def of(self, tool: str, key: str, **arguments: Any) -> dict[str, Any] | None:
        """Call a tool on a memory of the life."""
        memory_id = self.version.identifier(key)
        return await self.call(tool, memory_id=memory_id, group_id=group_of(key), **arguments)

    async def relation(self, tool: str, given: dict[str, Any]) -> None:
        """Make or end a relation."""
        details = {k: v for k, v in given.items() if k not in ("source", "target")}
        ends = {"from_id": given["source"], "to_id": given["target"]}
        ids = {name: self.version.identifier(key) for name, key in ends.items()}
        await self.call(tool, group_id=group_of(given["source"]), **ids, **details)


async def live(tools: Tools) -> dict[str, Any]:
    """Do with the memories what agents do; return what the version answers afterwards."""
    for relation in LIFE["relations"]:
        await tools.relation("memory_relate", relation)
    await tools.relation("memory_unrelate", LIFE["ended"])
    await tools.of("update_memory", LIFE["updated"]["key"], content=LIFE["updated"]["content"])
    await tools.of("memory_preserve", LIFE["preserved"])
    obsolete = dict(LIFE["obsolete"])
    superseded_by = tools.version.identifier(obsolete.pop("superseded_by"))
    await tools.of(
        "mark_memory_obsolete", obsolete.pop("key"), superseded_by=superseded_by, **obsolete
    )
    await tools.of("delete_memory", LIFE["deleted"])
    await tools.of("touch_memory", LIFE["touched"])
    for group in (*GROUPS, *GROUPS):  # a memory moves by one state in a run
        await tools.call("run_decay_maintenance", dry_run=False, full=True, group_id=group)
    await tools.call("retrieve_memories", **LIFE["retrieved"])
    judged = dict(LIFE["judged"])
    await tools.of("memory_feedback", judged.pop("key"), **judged)
    return await answers(tools)


async def answers(tools: Tools) -> dict[str, Any]:
    """Ask the version what a test asks the newest one."""
    found = [await tools.call("search_memory", **question) for question in LIFE["questions"]]
    histories = {
        tools.version.identifier(key): await tools.of("memory_history", key)
        for key in (m["key"] for m in LIFE["memories"])
    }
    status = await tools.of("memory_decay_status", "tea")
    later = await tools.call("run_decay_maintenance", dry_run=True, now=LATER, group_id=GROUPS[0])
    return {
        "searches": [
            {**question, "first": answer["results"][0]["memory_id"]}
            for question, answer in zip(LIFE["questions"], found, strict=True)
            if answer
        ],
        "histories": {
            memory_id: [event["kind"] for event in history["events"]]
            for memory_id, history in histories.items()
            if history
        },
        "earlier_texts": {
            memory_id: [e["detail"] for e in history["events"] if e["kind"] == "rewritten"]
            for memory_id, history in histories.items()
            if history and any(event["kind"] == "rewritten" for event in history["events"])
        },
        "rules": (status or {}).get("rules"),
        "dry_run": later
        and {
            "now": LATER,
            **{name: later[name] for name in ("processed", "transitioned", "soft_deleted")},
        },
    }


async def lived(version: Version) -> dict[str, Any]:
    """Start the MCP server of a version, and let the life happen there."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", _MAIN, "serve", "--stdio"],
        env=version.environment,
        cwd=version.checkout,  # a program passed by -c imports from its folder first
    )
    async with Client(server) as client:
        known = {tool.name for tool in (await client.list_tools()).tools}
        return await live(Tools(version, client, known))


def migrations(shell: dict[str, str]) -> dict[str, str]:
    """Return the checksums of the migrations that the database has seen, by version."""
    statement = "MATCH (m:SchemaMigration) RETURN m.version AS version, m.checksum AS checksum"
    with GraphDatabase.driver(shell["uri"], auth=(shell["user"], shell["password"])) as driver:
        rows = driver.execute_query(f"{statement} ORDER BY version").records
    return {str(row["version"]): row["checksum"] for row in rows}


def back_up(version: Version, shell: dict[str, str], other: Path | None, target: Path) -> str:
    """Back up the database, and return the name of the version that did."""
    maker = version if version.has("backup") else Version(other or version.checkout, version.data)
    maker.run(
        "backup",
        GRAPH_MEMORY_NEO4J_URI=shell["uri"],
        GRAPH_MEMORY_NEO4J_USER=shell["user"],
        GRAPH_MEMORY_NEO4J_PASSWORD=shell["password"],
        GRAPH_MEMORY_MIGRATE_ON_START="false",
        GRAPH_MEMORY_BACKUP_PATH=str(version.data / "made"),
    )
    (made,) = (version.data / "made").iterdir()
    shutil.copytree(made, target)
    return maker.name


def write(version: Version, other: Path | None, target: Path) -> None:
    """Write everything into a folder."""
    version.settings_file(target / "settings.toml")
    with database(version) as shell:
        import_memories(version)
        answered = asyncio.run(lived(version))
        if version.has("token"):
            version.run("token", "create", "a reader", "--scope", "read")
        exported = {group: version.run("export", "--group", group) for group in GROUPS}
        for group, lines in exported.items():
            (target / f"{group}.jsonl").write_text(lines, encoding="utf-8")
        steps = migrations(shell)
        maker = back_up(version, shell, other, target / "backup")
    expected = {
        "commit": version.name,
        "migrations": steps,
        "backup_by": maker,
        "absent": version.absent,
        "deleted": [version.identifier(LIFE["deleted"])],
        "memories": {
            group: dict(map(described, lines.splitlines())) for group, lines in exported.items()
        },
        **answered,
    }
    text = json.dumps(expected, ensure_ascii=False, indent=1)
    (target / "expected.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Read the arguments, and write the folder when all went well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("checkout", type=Path, help="Folder of the version's checkout.")
    parser.add_argument("--backup-with", type=Path, help="Checkout that has the backup command.")
    given = parser.parse_args()
    # The keepers of earlier versions may create their lock in the folder again after `db stop`.
    with tempfile.TemporaryDirectory(prefix="old_version_", ignore_cleanup_errors=True) as folder:
        version = Version(given.checkout.resolve(), Path(folder) / "data")
        target = Path(folder) / "fixture"
        for made in (version.data, target):
            made.mkdir()
        write(version, given.backup_with and given.backup_with.resolve(), target)
        shutil.rmtree(HERE / version.name, ignore_errors=True)
        shutil.copytree(target, HERE / version.name)
    print(f"{version.name}: lacks {', '.join(version.absent) or 'nothing'}")


if __name__ == "__main__":
    main()
