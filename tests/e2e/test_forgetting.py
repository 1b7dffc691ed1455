"""Fading, keeping and recovering as agents and people meet them: by MCP and on the command line."""

from pathlib import Path
from typing import Any

import pytest

from graph_memory import GraphMemory
from tests.conftest import Clock
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.mcp_client import call, inside


async def test_an_agent_keeps_explains_recovers_and_forecasts(
    memory: GraphMemory, clock: Clock
) -> None:
    async with inside(memory) as client:
        stored = await call(client, "add_memory", content="the spare key is under the pot")
        given = {"memory_id": stored["memory_id"]}
        clock.advance(days=40)
        told = await call(client, "memory_decay_status", **given)
        assert (told["state"], told["predicted_next_state"]) == ("ACTIVE", "DORMANT")
        assert told["predicted_at"] == "2026-07-11T12:00:00.000Z"
        assert told["retention"] == pytest.approx(1 - told["decay_score"])
        assert told["terms"]["idle_days"] == 40
        assert told["preservation"] == {"in_effect": False, "reason": None, "until": None}
        assert "idle for more than 30 days" in told["explanation"]
        kept = await call(client, "memory_preserve", **given, until="2027-01-01")
        assert kept["decay_score"] == 0.0
        assert kept["preservation"] == {
            "in_effect": True,
            "reason": "until",
            "until": "2027-01-01T23:59:59.999Z",
        }
        await call(client, "delete_memory", **given)
        back = await call(client, "recover_soft_deleted", memory_uuid=stored["memory_id"])
        assert back["lifecycle_state"] == "ACTIVE"
        year = await call(client, "memory_forecast", days=365, points=4)
        assert [point["states"]["ACTIVE"] for point in year["points"]] == [1, 1, 1, 0, 0]
        scan = await call(client, "run_decay_scan")
        assert (scan["dry_run"], scan["by_kind"]) == (True, {"skip": 1})
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert (listed["run_decay_scan"].meta or {})["category"] == "memory"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_decay_status", {}),
        ("memory_preserve", {}),
        ("recover_soft_deleted", {}),
        ("mark_memory_obsolete", {"reason": "gone"}),
    ],
)
async def test_another_tenants_memory_is_out_of_reach(
    memory: GraphMemory, tool: str, arguments: dict[str, Any]
) -> None:
    stored = await memory.add("a tenant's own")
    if tool == "recover_soft_deleted":
        await memory.delete(stored.memory_id)
    async with inside(memory) as client:
        refused = await client.call_tool(
            tool, {"memory_id": stored.memory_id, "group_id": "another", **arguments}
        )
    assert refused.is_error
    assert (refused.structured_content or {})["code"] == "not_found"


def test_the_commands(cli: Run, tmp_path: Path) -> None:  # noqa: F811
    added = cli("--json", "add", "the spare key is under the pot").json
    told = cli("decay-status", added["memory_id"], "--json").json
    assert told["next_state"] == "DORMANT"
    assert "policy half_life" in cli("decay-status", added["memory_id"]).out
    kept = cli("preserve", added["memory_id"], "--until", "2999-12-31", "--json").json
    assert kept["protection"] == "until"
    assert cli("preserve", added["memory_id"], "--until", "1999-12-31").code == 2
    assert cli("preserve", added["memory_id"], "--release", "--json").json["protection"] is None
    assert cli("recover", added["memory_id"]).code == 1
    cli("delete", added["memory_id"])
    assert cli("recover", added["memory_id"], "--json").json["lifecycle_state"] == "ACTIVE"
    plot = tmp_path / "year.svg"
    year = cli("forecast", "--set", "half_life_base_days=10", "--plot", plot, "--json").json
    assert year["transitions"]["ACTIVE>DORMANT"] == 1
    assert "DORMANT" in plot.read_text()
    lines = cli("forecast", "--points", "4").out.splitlines()
    assert len(lines) == 5
    assert cli("forecast", "--set", "half_life").code == 2
    assert cli("forecast", "--policy", "quick").code == 2
    assert cli("scan", "--json").json["by_kind"] == {"skip": 1}
