"""Neo4j Browser as `graph-memory browser` serves it: the real jar, our queries and style in it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest
from neo4j import AsyncDriver, AsyncResult

from graph_memory import GraphMemory, Settings, read_settings
from graph_memory.errors import InvalidArgumentError
from graph_memory.local_neo4j.browser import (
    browser_address,
    browser_server,
    style,
)
from graph_memory.reporting.browser import browser_queries
from tests.conftest import Clock
from tests.support.pages import REPOSITORY

SERVE = "import sys; from graph_memory.cli import main; sys.exit(main())"

#: What a person who inspects the graph asks for.
ASKED = {
    "states.cypher",
    "hot_spots.cypher",
    "protected.cypher",
    "about_to_be_forgotten.cypher",
    "orphans.cypher",
    "history.cypher",
    "contradictions.cypher",
}


@pytest.fixture(scope="module")
def told(settings: Settings) -> Iterator[dict[str, Any]]:
    """Serve it in a process of its own; yields what the command printed."""
    password = settings.neo4j_password.get_secret_value()
    environment = {
        **os.environ,
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_PASSWORD": password,
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
    }
    command = [sys.executable, "-c", SERVE, "--group", "demo", "browser", "--port", "0", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        line = process.stdout.readline()
        assert password not in line
        yield json.loads(line)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()


def get(told: dict[str, Any], path: str) -> tuple[str, str]:
    """Return the body and the content security policy of a page."""
    host = urlsplit(told["address"]).netloc
    with urllib.request.urlopen(f"http://{host}{path}", timeout=10) as answer:
        return answer.read().decode(), answer.headers["Content-Security-Policy"]


def test_the_address_fills_in_everything_but_the_password(
    told: dict[str, Any], settings: Settings
) -> None:
    asked = parse_qs(urlsplit(told["address"]).query)
    host = urlsplit(settings.neo4j_uri or "").netloc
    assert asked["dbms"] == [f"bolt://neo4j@{host}"]
    assert "db" not in asked  # Browser shows DatabaseNotFoundError for the default database
    assert asked["arg"] == ["group => 'demo'"]
    assert told["password"] == "the value of GRAPH_MEMORY_NEO4J_PASSWORD"


def test_the_address_names_a_database_that_is_not_the_default() -> None:
    address = browser_address(7474, uri="bolt://db", user="ada", database="notes", group="demo")
    assert parse_qs(urlsplit(address).query)["db"] == ["notes"]


def test_the_root_leads_to_the_page(told: dict[str, Any]) -> None:
    for path in ("/", "/browser"):
        assert "<title>Neo4j Browser</title>" in get(told, path)[0]


def test_the_page_is_neo4j_browser_with_our_script_before_its_own(told: dict[str, Any]) -> None:
    page, policy = get(told, "/browser/")
    scripts = re.findall(r'<script src="([^"]+)"', page)
    assert "<title>Neo4j Browser</title>" in page
    assert scripts[0] == "graph-memory.js"
    assert len(get(told, f"/browser/{scripts[-1]}")[0]) > 100_000
    assert "connect-src 'self' ws: wss:" in policy


def test_the_script_holds_every_saved_query_and_the_style(
    told: dict[str, Any], settings: Settings
) -> None:
    script, _ = get(told, "/browser/graph-memory.js")
    found = re.match(r"const ours = (.*);\n", script)
    assert found
    ours = json.loads(found[1])
    assert {d["content"] for d in ours["documents"]} == set(browser_queries(settings).values())
    assert ours["grass"]["relationship.RELATES_TO"]["caption"] == "{name}"


def test_what_is_not_in_the_jar_is_not_found(told: dict[str, Any]) -> None:
    for path in ("/etc/passwd", "/browser/../META-INF/nothing"):
        with pytest.raises(HTTPError, match="404") as error:
            get(told, path)
        error.value.close()


def test_a_port_in_use_is_refused_by_name(told: dict[str, Any], settings: Settings) -> None:
    from graph_memory.local_neo4j.jars import ensure_browser

    port = urlsplit(told["address"]).port
    with pytest.raises(InvalidArgumentError, match="--port"):
        browser_server(ensure_browser(settings), port or 0, {})


def test_every_query_that_was_asked_for_is_there_and_has_a_title() -> None:
    queries = browser_queries(read_settings())
    assert set(queries) >= ASKED
    for query in queries.values():
        assert re.match(r"// [A-Z].*\n(MATCH|WITH)", query)


#: Nodes that a person who inspects the graph wants to see; all others are helpers of ours.
DRAWN = {"Entity", "Memory", "NamedEntity", "Episodic", "Community", "Saga"}


def labels() -> set[str]:
    """Return the labels of the nodes that our statements create or read."""
    texts = (path.read_text() for path in (REPOSITORY / "cypher").rglob("*.cypher"))
    named = {label for text in texts for label in re.findall(r"\(\w*:(\w+)[^)]*\)", text)}
    probes = {"PolicyProbe"}  # never committed
    return (named - probes) | {"EntityBefore", "WordVectors", "MemoryVersion", "Passage"}


def test_helper_nodes_are_small_dots() -> None:
    small = {
        name.removeprefix("node.") for name, look in style().items() if look.get("caption") == ""
    }
    assert labels() - DRAWN - small == set()
    assert small & DRAWN == set()
    assert {style()[f"node.{label}"]["diameter"] for label in small} == {"10px"}


async def test_saved_queries_draw_no_helper_nodes(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    one = await memory.add("Ada drinks tea", conversation_id="c", importance=9, stability=5)
    two = await memory.add("Ada drinks coffee", conversation_id="c", parent_id=one.memory_id)
    await memory.relations.add(one.memory_id, two.memory_id, "contradicts")
    await memory.update(one.memory_id, content="Ada drinks green tea")
    await memory.retrieve("tea", session_id="s")
    await memory.context.accesses.flush()
    await memory.add("Ask Alice Smith (alice.smith@example.org) about tea")
    await memory.maintenance.run(groups=[group], stages=["entities", "proposals"])
    await memory.proposals.accept(kinds=["same_as"])
    given = {"group": group, "memory_id": one.memory_id}
    drawn: dict[str, set[str]] = {}
    for name, query in browser_queries(memory.settings).items():
        found = await driver.execute_query(query, given, result_transformer_=AsyncResult.graph)  # type: ignore[arg-type]
        drawn[name] = {label for node in found.nodes for label in node.labels}
    assert set().union(*drawn.values()) <= DRAWN
    assert drawn["graph.cypher"] == {"Entity", "Memory"}
    assert drawn["entities.cypher"] == {"Entity", "Memory", "NamedEntity"}


async def test_what_changes_its_state_next_is_about_to_be_forgotten(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    later = await memory.add("Ada prefers tea")
    clock.advance(days=-10)
    sooner = await memory.add("Ada lives in London")
    kept = await memory.add("Ada is Ada", tags=["pinned"])
    gone = await memory.add("Ada sold the bees")
    await memory.lifecycle.mark_obsolete(gone.memory_id, "sold")
    deleted = await memory.add("Ada was here")
    await memory.delete(deleted.memory_id)
    query = browser_queries(memory.settings)["about_to_be_forgotten.cypher"]
    records, _, _ = await driver.execute_query(query, group=group)  # type: ignore[arg-type]
    assert [(row["state"], row["memory_id"]) for row in records] == [
        ("EXPIRED", gone.memory_id),
        ("ACTIVE", sooner.memory_id),
        ("ACTIVE", later.memory_id),
    ]
    assert kept.memory_id not in {row["memory_id"] for row in records}


@pytest.mark.parametrize("policy", ["half_life", "adaptive", "typed_importance", "none"])
async def test_saved_queries_show_the_scores_of_now_by_the_settings(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, policy: str
) -> None:
    """Without a run: the stored scores are those of the creation, 0."""
    now = datetime.now(UTC)
    other = {"decay_policy": policy, "half_life_base_days": 9.0, "protected_tags": ("o'k \\ é",)}
    settings = memory.settings.model_copy(update=other)
    with_settings = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=clock
    )
    clock.now = now - timedelta(days=50)
    outcomes = await with_settings.add_many(
        {"content": f"of importance {importance}", "importance": importance}
        for importance in (2, 6, 10)
    )
    kept = await with_settings.add("kept", tags=["o'k \\ é", "pinned"])
    until = await with_settings.add("kept for a time")
    await with_settings.lifecycle.preserve(until.memory_id, until=now + timedelta(days=9))
    ids = [*(str(outcome.memory_id) for outcome in outcomes), kept.memory_id, until.memory_id]
    clock.now = now
    found = [await with_settings.get(memory_id, counted=False) for memory_id in ids]
    scores = {each.memory_id: each.decay_score for each in found}
    assert (policy != "none") == any(score > 0.05 for score in scores.values())
    queries = browser_queries(settings)

    async def rows(name: str) -> list[dict[str, Any]]:
        found, _, _ = await driver.execute_query(queries[f"{name}.cypher"], group=group)  # type: ignore[arg-type]
        return [row.data() for row in found]

    (state,) = await rows("states")
    assert state["memories"] == 5
    assert state["faded"] == pytest.approx(sum(scores.values()) / 5, abs=0.002)
    for row in await rows("about_to_be_forgotten"):
        assert row["faded"] == pytest.approx(scores[row["memory_id"]], abs=0.002)
    reasons = {row["memory_id"]: row["protection"] for row in await rows("protected")}
    assert reasons == {kept.memory_id: "tag", until.memory_id: "until"}


def test_the_style_is_one_browser_understands() -> None:
    sheet = Path(__file__).parents[2] / "config" / "neo4j-browser" / "graph.grass"
    assert set(style()) == set(re.findall(r"^(\S+) \{", sheet.read_text(), re.MULTILINE))
    assert style()["node.Memory"]["caption"] == "{lifecycle_state} {name}"
    # Its parser knows no comments: they would become part of the next selector.
    assert "/*" not in sheet.read_text()
