"""The living page in a real browser: what it shows, its keys, and what it never does."""

import secrets
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp.types import TextResourceContents
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.api.types import Scope
from graph_memory.auth import tokens
from graph_memory.database.graph import Graph
from graph_memory.domain.models import ProposalKind
from graph_memory.errors import PendingReviewError
from graph_memory.inference.embedder import Embedder
from graph_memory.learning.proposals import NewProposal, propose
from graph_memory.reporting.html import living_page
from tests.support.dump import dump
from tests.support.mcp_client import inside, serving
from tests.support.node import Browser, browsing, packages_folder

HOSTILE = (
    "</script><script>document.title='run'</script>"
    "<img src=x onerror=\"document.title='run'\"> <a href=\"javascript:document.title='run'\">"
    " tea\u202egnp.exe"
)
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
LOADED = """
await page.goto(url + "/app", { waitUntil: "networkidle0" });
await page.waitForSelector("#states table");
"""
FOUND = """
await page.click("#query", { clickCount: 3 });
await page.keyboard.type(query);
await page.keyboard.press("Enter");
await page.waitForSelector("#results li");
"""

#: A host of MCP Apps: a page that passes on the calls of its frame.
HOST = """
await page.goto(url + "/healthz");
await page.evaluate((html, headers) => {
  window.asked = [];
  const passOn = async (message) => {
    const body = JSON.stringify(message);
    const response = await fetch("/mcp", { method: "POST", headers, body });
    return JSON.parse((await response.text()).split("data: ")[1]);
  };
  window.addEventListener("message", async ({ data, source }) => {
    asked.push(data.method);
    if (data.id === undefined) return;
    const greeting = { jsonrpc: "2.0", id: data.id, result: { protocolVersion: "2026-01-26" } };
    source.postMessage(data.method === "ui/initialize" ? greeting : await passOn(data), "*");
  });
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.srcdoc = html;
  document.body.append(frame);
}, html, headers);
const frame = await (await page.waitForSelector("iframe")).contentFrame();
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(
    graph: Graph, embedder: Embedder, settings: Settings
) -> AsyncIterator[GraphMemory]:
    """A group with a hostile memory, relations, fifty proposals and a write that waits."""
    group = f"test_{secrets.token_hex(8)}"
    memory = GraphMemory.over(graph, embedder, settings.model_copy(update={"group_id": group}))
    await fill(memory)
    yield memory
    await memory.context.accesses.flush()


async def fill(memory: GraphMemory) -> None:
    hub = await memory.add("Ada prefers green tea", importance=7)
    bad = await memory.add(HOSTILE)
    await memory.relations.add(hub.memory_id, bad.memory_id, "references")
    made: list[NewProposal] = []
    for number in range(50):
        fact = await memory.add(f"Parcel {number} waits at quay {number * 7}")
        kind, reason = ProposalKind.RELATES_TO, f"for the test, {number}"
        made.append(NewProposal(kind, hub.memory_id, fact.memory_id, reason, 0.5))
    scope = memory.context.scope(None)
    assert await propose(memory.context.graph, scope, made) == 50
    changed = memory.settings.model_copy(update={"review_authorities": ("agent",)})
    careful = GraphMemory.over(memory.context.graph, memory.context.embedder, changed)
    with pytest.raises(PendingReviewError):
        await careful.add("Ada moved to Bergen")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def url(shared: GraphMemory) -> AsyncIterator[str]:
    async with serving(shared) as base:
        yield base


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser(packages: Any) -> AsyncIterator[Browser]:
    async with browsing(packages) as opened:
        yield opened


@pytest.fixture(scope="module")
def packages() -> Any:
    return packages_folder()


async def test_loading_and_looking_writes_nothing_and_counts_no_access(
    browser: Browser, url: str, shared: GraphMemory, driver: AsyncDriver
) -> None:
    await shared.context.accesses.flush()
    before = await dump(driver, shared.settings.group_id)
    seen = await browser.run(
        LOADED
        + FOUND
        + """
        const [first] = await page.$$("#results button.plain");
        await first.click();
        await page.waitForSelector("#life .curve");
        return {
          results: await page.$eval("#results", (each) => each.innerText),
          life: await page.$eval("#life", (each) => each.innerText),
          nodes: await page.$$eval("#around .node", (each) => each.length),
          faults, requests,
        };""",
        url=url,
        query="What does Ada like to drink?",
    )
    assert "Ada prefers green tea" in seen["results"]
    assert "relevance" in seen["results"]
    for word in ("Way in", "Python", "Authority", "agent", "Coming changes", "DORMANT", "created"):
        assert word in seen["life"]
    assert seen["nodes"] == 2
    assert seen["faults"] == []
    assert {"/".join(each.split("/")[:3]) for each in seen["requests"]} == {url}
    await shared.context.accesses.flush()
    assert await dump(driver, shared.settings.group_id) == before


async def test_nothing_that_a_memory_says_runs(browser: Browser, url: str) -> None:
    seen = await browser.run(
        LOADED
        + FOUND
        + """
        const hit = await page.waitForSelector("#results li:nth-child(1) button.plain");
        await hit.click();
        await page.waitForSelector("#around .node");
        await page.click("#around .node");
        return {
          title: await page.title(),
          foreign: await page.$$eval("main script, main img, main a", (each) => each.length),
          text: await page.$eval("main", (each) => each.innerText),
          faults,
        };""",
        url=url,
        query="javascript document.title img onerror tea gnp.exe script",
    )
    assert seen["title"] == "Memories"
    assert seen["foreign"] == 0
    assert "</script><script>" in seen["text"]
    assert "⟨U+202E⟩" in seen["text"]
    assert "\u202e" not in seen["text"]
    assert seen["faults"] == []


async def test_the_clocks_show_what_was_known(browser: Browser, url: str) -> None:
    seen = await browser.run(
        LOADED
        + FOUND
        + """
        await page.focus("#known_at");
        await page.keyboard.press("Home");
        await page.waitForFunction(() => document.querySelectorAll("#results li").length === 0);
        const then = await page.$eval("#known_at_shown", (each) => each.textContent);
        await page.keyboard.press("End");
        await page.waitForSelector("#results li");
        return { then, now: await page.$eval("#known_at_shown", (each) => each.textContent) };
        """,
        url=url,
        query="green tea",
    )
    assert seen["then"].startswith("20")
    assert seen["now"] == "now"


async def test_a_phone_the_dark_and_a_screen_reader_are_served(browser: Browser, url: str) -> None:
    seen = await browser.run(
        """
        await page.setViewport({ width: 360, height: 740 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);"""
        + LOADED
        + FOUND
        + """
        await page.click("#results button.plain");
        await page.waitForSelector("#life .curve");
        const seen = await page.evaluate(() => ({
          wider: document.documentElement.scrollWidth - innerWidth,
          paper: getComputedStyle(document.body).backgroundColor,
          landmarks: ["header", "nav", "main", "[role=search]"].map((each) => document.querySelectorAll(each).length),
          unlabelled: [...document.querySelectorAll("input, button, [role=button], [role=listbox], section")]
            .filter((each) => !(each.labels?.length || each.getAttribute("aria-label")
              || each.getAttribute("aria-labelledby") || each.textContent.trim())).length,
          live: document.querySelector("#said").getAttribute("aria-live"),
          said: document.querySelector("#said").textContent,
          selected: document.querySelectorAll("[role=listbox] > [role=option][aria-selected=true]").length,
        }));
        await page.setViewport({ width: 1000, height: 800 });
        await page.emulateMediaFeatures([]);
        return seen;""",  # noqa: E501 - a script of the browser
        url=url,
        query="green tea",
    )
    assert seen["wider"] <= 0
    assert seen["paper"] == "rgb(24, 26, 27)"
    assert seen["landmarks"] == [1, 1, 1, 1]
    assert seen["unlabelled"] == 0
    assert seen["live"] == "polite"
    assert seen["said"].startswith("Memory ")
    assert seen["selected"] == 1


async def test_fifty_proposals_are_settled_by_keyboard_alone(
    browser: Browser, url: str, shared: GraphMemory
) -> None:
    seen = await browser.run(
        LOADED
        + """
        let loads = 0;
        page.on("load", () => loads++);
        await page.waitForFunction(() => document.querySelectorAll("#queue li").length === 51);
        while (!(await page.evaluate(() => document.activeElement.id === "to-review")))
          await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.activeElement.id === "queue");
        const first = await page.$eval("#queue", (each) => each.innerText);
        await page.keyboard.press("?");
        const help = await page.$eval("#help", (each) => each.open);
        await page.keyboard.press("Escape");
        for (const key of ["j", "ArrowDown", "k", "ArrowUp"]) await page.keyboard.press(key);
        await page.keyboard.press("a");
        const done = (left) => page.waitForFunction((left) => document.querySelector("#left").textContent === left, {}, `${left} to settle.`);
        await done(50);
        await page.keyboard.press("r");
        await done(49);
        await page.keyboard.press("u");
        await page.waitForFunction(() => document.querySelector("#said").textContent.startsWith("Open again"));
        await done(50);
        for (let n = 0; n < 25; n++) { await page.keyboard.press("a"); await page.keyboard.press("r"); }
        await done(0);
        return { first, help, loads, faults };""",  # noqa: E501 - a script of the browser
        url=url,
    )
    assert "Ada moved to Bergen" in seen["first"]
    assert (seen["help"], seen["loads"], seen["faults"]) == (True, 0, [])
    decided = {
        status: (await shared.proposals.list(status=status)).total
        for status in ("open", "accepted", "rejected")
    }
    assert decided == {"open": 0, "accepted": 25, "rejected": 25}
    assert (await shared.pending.list()).total == 0
    assert (await shared.search("Where did Ada move?"))[0].memory.content == "Ada moved to Bergen"


async def test_runs_are_undone_by_two_presses(
    browser: Browser, url: str, shared: GraphMemory
) -> None:
    near, far = [await shared.add(f"A lamp stands on pier {number}") for number in (1, 2)]
    kind, reason = ProposalKind.RELATES_TO, "for the test"
    made = NewProposal(kind, near.memory_id, far.memory_id, reason, 0.5)
    await propose(shared.context.graph, shared.context.scope(None), [made])
    run = await shared.proposals.accept([made.proposal_id])
    said = await browser.run(
        LOADED
        + """
        await page.focus("#run-list button");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.querySelector("#said").textContent);
        return page.$eval("#said", (each) => each.textContent);""",
        url=url,
    )
    assert said
    runs = {each.run_id: each.status for each in (await shared.maintenance.status()).runs}
    assert runs[run.run_id or ""] == "undone"


async def test_a_client_shows_the_page_as_an_mcp_app(
    browser: Browser, url: str, shared: GraphMemory
) -> None:
    """The frame of the host allows scripts alone, and passes on what the page asks for."""
    async with inside(shared, toolsets=("core", "learning")) as client:
        meta = {tool.name: tool.meta or {} for tool in (await client.list_tools()).tools}
        assert meta["list_pending"]["ui"] == meta["list_proposals"]["ui"]
        read = await client.read_resource(meta["list_pending"]["ui"]["resourceUri"])
    (document,) = read.contents
    assert isinstance(document, TextResourceContents)
    assert document.mime_type == "text/html;profile=mcp-app"
    seen = await browser.run(
        HOST
        + """
        await frame.waitForSelector("#states table");
        await frame.type("#query", "green tea");
        await page.keyboard.press("Enter");
        await (await frame.waitForSelector("#results button.plain")).press("Enter");
        await frame.waitForSelector("#life .curve");
        return {
          life: await frame.$eval("#life", (each) => each.innerText),
          runs: await frame.$eval("#run-list", (each) => each.innerText),
          asked: await page.evaluate(() => asked),
        };""",
        url=url,
        html=document.text,
        headers=HEADERS,
    )
    assert "Ada prefers green tea" in seen["life"]
    assert "No tool 'list_runs'" in seen["runs"]
    assert seen["asked"][:2] == ["ui/initialize", "ui/notifications/initialized"]
    assert {*seen["asked"][2:]} == {"tools/call"}


async def test_a_token_is_asked_for_and_kept_in_memory_only(
    browser: Browser, shared: GraphMemory, no_tokens: None
) -> None:
    _, secret = await tokens.create(
        shared.context.graph,
        "test",
        groups=(shared.settings.group_id,),
        scope=Scope.READ,
        days=None,
        now=shared.clock(),
    )
    async with serving(shared, require_tokens=True) as guarded:
        seen = await browser.run(
            """
            await page.goto(url + "/app", { waitUntil: "networkidle0" });
            await page.waitForSelector("#token-form:not([hidden])");
            const asked = await page.$eval("#said", (each) => each.textContent);
            await page.focus("#token");
            await page.keyboard.type(secret);
            await page.keyboard.press("Enter");
            await page.waitForSelector("#states table");
            return {
              asked, address: page.url(), runs: await page.$eval("#run-list", (each) => each.innerText),
              kept: await page.evaluate(() => [document.cookie, sessionStorage.length + localStorage.length]),
            };""",  # noqa: E501 - a script of the browser
            url=guarded,
            secret=secret,
        )
        async with httpx.AsyncClient(base_url=guarded, headers=HEADERS) as http:
            refused = await http.post("/app/mcp", json=CALL)
    assert seen["asked"] == "The server needs a token. Paste one that is valid."
    assert seen["address"].endswith("/app")
    assert seen["kept"] == ["", 0]
    assert "forbidden" in seen["runs"]  # the token may read, and runs need the scope admin
    assert refused.status_code == 401
    assert "Authentication required" in refused.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
async def test_calls_of_other_origins_are_refused(
    url: str, headers: dict[str, str], status: int
) -> None:
    async with httpx.AsyncClient(base_url=url, headers=HEADERS) as http:
        answer = await http.post("/app/mcp", headers=headers, json=CALL)
    assert answer.status_code == status
    if status == 403:
        assert "Only the page of this server" in answer.json()["message"]


async def test_the_page_is_small_and_its_policy_strict(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as http:
        answer = await http.get("/app")
    assert answer.status_code == 200
    assert len(answer.content) < 300_000
    policy = answer.headers["Content-Security-Policy"]
    assert policy == f"{living_page().policy}; frame-ancestors 'none'"
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "style=" not in answer.text
    assert "set-cookie" not in answer.headers


async def test_an_operator_can_serve_without_the_page(shared: GraphMemory) -> None:
    settings = shared.settings.model_copy(update={"page": False})
    bare = GraphMemory.over(shared.context.graph, shared.context.embedder, settings)
    async with serving(bare) as base, httpx.AsyncClient(base_url=base, headers=HEADERS) as http:
        assert (await http.get("/app")).status_code == 404
        assert (await http.post("/app/mcp", json=CALL)).status_code == 404
