"""The report is one sound page: complete, escaped, and in need of nothing else."""

import json
import re
import warnings
from html.parser import HTMLParser
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.reporting.html import page
from graph_memory.reporting.report import GroupReport, lead, report
from graph_memory.server import recording
from graph_memory.server.recording import recorded
from tests.conftest import Clock

HOSTILE = '<script>alert("&")</script><img src=x onerror=alert(1)>'

#: Elements without an end tag.
VOID = {"meta"}


class Page(HTMLParser):
    """What a parser makes of the page: its elements nested, its texts, its images."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def data(text: str) -> Any:
    """Return what the page holds for its script."""
    found = re.search(r'<script type="application/json" id="saved">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1]) if found else None


@pytest_asyncio.fixture
async def found(memory: GraphMemory, clock: Clock) -> GroupReport:
    hub = await memory.add(HOSTILE, importance=7)
    for place in ("harbour", "school", "market"):
        other = await memory.add(f"the {place} is near", importance=3)
        await memory.relations.add(other.memory_id, hub.memory_id, "references")
    gone = await memory.add("a slip of the tongue")
    await memory.delete(gone.memory_id)
    clock.advance(days=40)
    return await report(memory)


async def test_the_report_tells_states_retention_and_what_comes(
    found: GroupReport, memory: GraphMemory
) -> None:
    now = found.forecast.points[0].states
    assert (now["ACTIVE"], now["SOFT_DELETED"]) == (4, 1)
    assert found.analysis.top_connectors[0].degree == 3
    assert set(found.leads.values()) >= {HOSTILE, "the harbour is near"}
    assert {dot.idle_days for dot in found.dots} == {40}
    shown = (await memory.search("harbour", limit=1))[0].memory
    assert round(1 - shown.decay_score, 4) in {round(dot.retention, 4) for dot in found.dots}


async def test_the_curves_are_those_of_the_policy(found: GroupReport) -> None:
    """Importance 5, stability 3: rate ln 2 / 30 * (6 - 2.5) / 5 a day, so 2^-0.7 after 30 days."""
    kept = {(each.stability, each.day): each.retention for each in found.curves}
    assert all(kept[stability, 0] == 1 for stability in range(1, 6))
    assert abs(kept[3, 30] - 2**-0.7) < 1e-3
    assert kept[1, 100] < kept[3, 100] < kept[5, 100]


async def test_nothing_is_written_and_nothing_counts_as_an_access(
    found: GroupReport, memory: GraphMemory, driver: AsyncDriver
) -> None:
    await memory.context.accesses.flush()
    whole = "MATCH (m:Memory {group_id: $group}) RETURN properties(m) AS p ORDER BY m.uuid"
    group = memory.settings.group_id
    before = (await driver.execute_query(whole, group=group)).records
    await report(memory)
    await memory.context.accesses.flush()
    assert (await driver.execute_query(whole, group=group)).records == before
    probes = await driver.execute_query("MATCH (p:PolicyProbe) RETURN count(p) AS count")
    assert probes.records[0]["count"] == 0


async def test_the_page_is_well_formed_and_needs_nothing_else(found: GroupReport) -> None:
    text = page(found)
    parsed = Page(text)
    assert parsed.open == []
    assert {"link", "iframe", "img"} & parsed.tags == set()
    names = {name for name, _ in parsed.attributes}
    assert {"src", "href", "style"} & names == set()
    assert not any(name.startswith("on") for name in names)
    assert "content=\"default-src 'none'; script-src 'sha256-" in text
    ids = [value for name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))


async def test_the_script_has_all_that_it_draws(found: GroupReport, memory: GraphMemory) -> None:
    hub = found.connectors[0].memory_id
    answers = await recorded(memory, found.leads, found.group_id)
    assert answers["get_memory"].keys() == answers["memory_history"].keys() == found.leads.keys()
    assert answers["get_memory"][hub]["decay"]["state"] == "ACTIVE"
    saved = data(page(found, answers))
    assert saved["answers"] == answers
    assert saved["nodes"][0] == {"memory_id": hub, "content": HOSTILE}
    assert {edge["to_id"] for edge in saved["edges"]} == {hub}
    assert [len(kept) for kept in saved["curves"].values()] == [74] * 5
    assert (len(saved["dots"]), len(saved["forecast"])) == (len(found.dots), 25)


async def test_a_page_stays_small_whatever_its_memories_hold(
    found: GroupReport, memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_MOST", 6_000)
    answers = await recording.recorded(memory, found.leads, found.group_id)
    assert 0 < len(answers["get_memory"]) < len(found.leads)
    assert len(page(found, answers)) < 300_000
    escaped = len(page(found, answers)) - len(page(found))
    assert escaped <= 6_000


async def test_what_memories_say_is_text_on_the_page(found: GroupReport) -> None:
    text = page(found)
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert HOSTILE in Page(text).texts


async def test_every_section_is_there(found: GroupReport) -> None:
    texts = Page(page(found)).texts
    for title in (
        "States",
        "Retention",
        "The coming year",
        "Top connectors",
        "Health",
        "Last runs",
    ):
        assert title in texts
    assert "schema" in texts  # a check of the doctor


async def test_clusters_have_a_section_if_there_are_any(
    found: GroupReport, memory: GraphMemory
) -> None:
    assert "Clusters" not in Page(page(found)).texts
    await memory.maintenance.run(groups=[found.group_id], stages=["clusters"])
    shown = await report(memory)
    (cluster,) = shown.clusters
    texts = Page(page(shown)).texts
    assert {"Clusters", cluster.label, cluster.cluster_id, "ACTIVE 4"} <= set(texts)


async def test_an_empty_group_is_reported_without_a_warning(memory: GraphMemory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Page(page(await report(memory)))


async def test_states_without_memories_have_no_bar(found: GroupReport) -> None:
    text = page(found)
    rows = re.findall(r"<tr><td>(\w+)</td><td>(\d+)</td><td><meter", text)
    assert rows == [("ACTIVE", "4"), ("SOFT_DELETED", "1")]


async def test_the_most_connected_memories_are_drawn_with_their_relations(
    found: GroupReport,
) -> None:
    hub = found.connectors[0].memory_id
    assert {to for _, to in found.neighbours} == {hub}
    assert {start for start, _ in found.neighbours} == {c.memory_id for c in found.connectors[1:]}


async def test_no_word_is_cut(memory: GraphMemory) -> None:
    words = " ".join(f"word{number}" for number in range(100))
    first = await memory.add(words)
    second = await memory.add("a harbour")
    await memory.relations.add(second.memory_id, first.memory_id)
    shown = (await report(memory)).leads[first.memory_id]
    assert shown.endswith(" …")
    assert words.startswith(shown.removesuffix("…"))
    assert len(shown) > 200


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    assert lead("日" * 300) == "日" * 240 + " …"
    assert lead(" short \n text ") == "short text"
