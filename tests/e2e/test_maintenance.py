"""Maintenance as cron and agents meet it: on the command line, by its exit codes, and by MCP."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from graph_memory import GraphMemory
from tests.conftest import Clock
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.mcp_client import call, inside, refused

CONFIG = Path(__file__).parents[2] / "config"

#: What others script against.
KEYS = {
    "run_id",
    "dry_run",
    "processed",
    "transitioned",
    "soft_deleted",
    "purged",
    "compressed",
    "classified",
    "embedded",
    "errors",
    "duration_seconds",
    "completed",
}


def test_a_run_from_rehearsal_to_undo(cli: Run, group: str, tmp_path: Path) -> None:  # noqa: F811
    old = (datetime.now(UTC) - timedelta(days=60)).isoformat()
    lines = [json.dumps({"content": f"old {i}", "created_at": old}) for i in range(30)]
    (tmp_path / "old.jsonl").write_text("\n".join(lines))
    assert cli("import", tmp_path / "old.jsonl").code == 0
    own = ("--group", group)
    told = cli("maintain", *own, "--dry-run", "--now", "2027-01-01T00:00:00Z", "--json").json
    assert told.keys() >= KEYS
    assert (told["dry_run"], told["transitioned"]) == (True, {"ACTIVE>DORMANT": 30})
    assert len(told["would_go_first"]) == 20
    assert told["protected"]["tags"][:2] == ["permanent", "important"]
    assert told["protected"]["by_tag"] == 0
    later = cli("maintain", *own, "--dry-run", "--set", "dormant_days=80", "--json").json
    assert later["transitioned"] == {}
    before = cli("export").out

    assert cli("pause", "on holiday").code == 0
    assert "on holiday" in cli("status").err
    held = cli("maintain", *own, "--json")
    assert (held.code, held.json["error"]["code"]) == (3, "paused")
    assert cli("resume", "--json").json["resumed"]

    cut = cli(
        "maintain",
        *own,
        "--full",
        "--stage",
        "decay",
        "--stage",
        "purge",
        "--max-seconds",
        "0.001",
        "--json",
    )
    assert (cut.code, cut.json["truncated"]) == (4, True)
    done = cli("maintain", *own)
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "protecting_tags=permanent,important," in done.out
    assert "protected=by_tag:0,by_importance:0,until_date:0,ended:0" in done.out
    status = cli("status", "--json").json
    assert [run["status"] for run in status["runs"][:2]] == ["done", "done"]
    undone = cli("undo", cut.json["run_id"][:8], "--json").json
    assert (undone["restored"], undone["refused"]) == (30, 0)
    assert undone["held_until"] > datetime.now(UTC).isoformat()
    held = cli("maintain", *own, "--full", "--json")
    assert (held.code, held.json["transitioned"]) == (0, {})
    assert cli("export").out == before
    assert cli("undo", cut.json["run_id"]).code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--now", "2027-01-01"),
        ("--policy", "none"),
        ("--set", "dormant_days=1"),
        ("--stage", "nonsense"),
        ("--dry-run", "--set", "nonsense=1"),
        ("--dry-run", "--set", "dormant_days=-1"),
        ("--dry-run", "--policy", "nonsense"),
        ("--batch-size", "0"),
        ("--canary-percent", "101"),
        ("--max-seconds", "-1"),
    ],
)
def test_a_wrong_option_is_refused(cli: Run, group: str, arguments: tuple[str, ...]) -> None:  # noqa: F811
    refusal = cli("maintain", "--group", group, *arguments)
    assert (refusal.code, refusal.err.count("\n")) == (2, 1)


async def test_an_agent_rehearses_runs_and_undoes(memory: GraphMemory, clock: Clock) -> None:
    async with inside(memory) as client:
        await call(client, "add_memory", content="the bins go out on Tuesday")
        clock.advance(days=40)
        told = await call(client, "run_decay_maintenance", dry_run=True)
        assert (told.keys() >= KEYS, told["transitioned"]) == (True, {"ACTIVE>DORMANT": 1})
        _, error = await refused(client, "run_decay_maintenance", policy="none")
        assert error["argument"] == "policy"
        done = await call(client, "run_decay_maintenance", batch_size=10, stages=["decay"])
        assert (done["transitioned"], done["completed"]) == (told["transitioned"], True)
        undone = await call(client, "undo_maintenance", run_id=done["run_id"])
        assert undone["restored"] == 1
        _, error = await refused(client, "undo_maintenance", run_id=done["run_id"])
        assert error["code"] == "undo_refused"


def test_the_examples_run_maintenance_hourly() -> None:
    assert "\n0 * * * * graph-memory " in (CONFIG / "cron" / "graph-memory").read_text()
    units = CONFIG / "systemd"
    assert "OnCalendar=hourly" in (units / "graph-memory-maintain.timer").read_text()
    assert "graph-memory maintain" in (units / "graph-memory-maintain.service").read_text()
    job = yaml.safe_load((CONFIG / "kubernetes" / "maintenance.yaml").read_text())["spec"]
    (container,) = job["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert (job["schedule"], container["args"][0]) == ("0 * * * *", "maintain")
