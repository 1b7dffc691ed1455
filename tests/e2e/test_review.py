"""Proposals, entities and clusters on the command line and over MCP."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from tests.conftest import Clock
from tests.e2e.test_cli import Run, cli, environment, write  # noqa: F401
from tests.support.mcp_client import call, inside, refused

TEXTS = ("Ada's violin is in the attic.", "Ada's violin is in the attic")


def test_a_review_from_the_dry_run_to_the_undo(cli: Run, group: str) -> None:  # noqa: F811
    for text in TEXTS:
        assert cli("add", text).code == 0
    stage = ("--group", group, "--stage", "proposals")
    assert "duplicate_of" in cli("maintain", *stage, "--dry-run").err
    run = cli("maintain", *stage, "--json").json
    assert run["learned"] == 1

    listed = cli("review", "list", "--kind", "duplicate_of", "--json").json
    assert listed["total"] == 1
    (proposal,) = listed["proposals"]
    assert proposal["reason"].startswith("the same words")
    assert proposal["proposal_id"] in cli("review", "list").out
    assert proposal["origin"]["authority"] == "derived"
    shown = cli("review", "show", proposal["proposal_id"][:8]).out
    assert "stage proposals" in shown

    by_rule = ("--min-score", "0.9", "--kind", "duplicate_of")
    told = cli("review", "accept", *by_rule, "--dry-run", "--json").json
    assert (told["decided"], told["run_id"], told["dry_run"]) == (1, None, True)
    done = cli("review", "accept", *by_rule, "--json").json
    assert (done["decided"], done["status"]) == (1, "accepted")
    undone = cli("undo", done["run_id"], "--json").json
    assert (undone["unlearned"], undone["refused"]) == (1, 0)

    rejected = cli("review", "reject", proposal["proposal_id"])
    assert (rejected.code, "rejected" in rejected.out) == (0, True)
    again = cli("review", "accept", proposal["proposal_id"])
    assert "it was rejected already" in again.err
    nothing = cli("review", "accept")
    assert nothing.code == 2
    assert "PROPOSAL_IDS is not given: give ids" in nothing.err


async def test_an_agent_lists_and_decides(memory: GraphMemory, clock: Clock, group: str) -> None:
    for text in TEXTS:
        await memory.add(text)
        clock.advance(minutes=1)
    await memory.maintenance.run(groups=[group], stages=["proposals"])
    learning = memory.settings.model_copy(update={"toolsets": ("admin", "learning")})
    reviewing = GraphMemory.over(
        memory.context.graph, memory.context.embedder, learning, clock=memory.clock
    )
    async with inside(reviewing) as client:
        listed = await call(client, "list_proposals", min_score=0.5)
        (proposal,) = listed["proposals"]
        assert (proposal["kind"], listed["total"]) == ("duplicate_of", 1)
        assert proposal["second"]["content"] == TEXTS[0]
        chosen = {"proposal_ids": [proposal["proposal_id"]]}
        told = await call(client, "decide_proposals", decision="accept", dry_run=True, **chosen)
        assert (told["decided"], told["run_id"]) == (1, None)
        done = await call(client, "decide_proposals", decision="accept", **chosen)
        undone = await call(client, "undo_maintenance", run_id=done["run_id"])
        assert undone["unlearned"] == 1
        await call(client, "decide_proposals", decision="reject", kinds=["duplicate_of"])
        assert (await call(client, "list_proposals"))["proposals"] == []
        _, error = await refused(client, "decide_proposals", decision="accept")
        assert error["argument"] == "proposal_ids"


def test_entities_on_the_command_line(cli: Run, group: str) -> None:  # noqa: F811
    text = "We met Alice Smith in Zermatt."
    memory_id = cli("add", text, "--json").json["memory_id"]
    assert cli("maintain", "--group", group, "--stage", "entities", "--json").json["learned"] == 1
    (found,) = cli("entities", "alice smith", "--json").json["entities"]
    (mention,) = found["mentions"]
    assert (mention["memory_id"], mention["starts"]) == (memory_id, [text.index("Alice")])
    assert "Zermatt" in cli("entities", "--memory", memory_id[:8], "--kind", "name").out


async def test_an_agent_lists_the_entities_of_a_memory(memory: GraphMemory, group: str) -> None:
    stored = await memory.add("We met Alice Smith in Zermatt.")
    await memory.maintenance.run(groups=[group], stages=["entities"])
    learning = memory.settings.model_copy(update={"toolsets": ("learning",)})
    serving = GraphMemory.over(
        memory.context.graph, memory.context.embedder, learning, clock=memory.clock
    )
    async with inside(serving) as client:
        listed = await call(client, "list_entities", memory_id=stored.memory_id)
        assert {each["name"] for each in listed["entities"]} == {"Alice Smith", "Zermatt"}


ALIASES = ("They met Robert Brown, also known as Bob.", "A letter of Bob came.")


def test_aliases_on_the_command_line(cli: Run, group: str) -> None:  # noqa: F811
    first, second = (cli("add", text, "--json").json["memory_id"] for text in ALIASES)
    stages = ("--stage", "entities", "--stage", "proposals")
    assert cli("maintain", "--group", group, *stages, "--json").json["learned"] == 3
    (proposal,) = cli("review", "list", "--kind", "same_as", "--json").json["proposals"]
    ends = {proposal["first"]["content"], proposal["second"]["content"]}
    assert ends == {"Robert Brown", "Bob"}
    assert "also known as" in cli("review", "list").out

    assert cli("review", "accept", proposal["proposal_id"], "--json").json["decided"] == 1
    (found,) = cli("entities", "robert brown", "--json").json["entities"]
    assert {each["memory_id"] for each in found["mentions"]} == {first, second}
    assert "Bob = Robert Brown" in cli("entities", "bob").out
    assert second in cli("traverse", first, "--entities").out

    again = cli("review", "accept", proposal["proposal_id"])
    assert "it was accepted already; reopen it first" in again.err
    opened = cli("review", "reopen", proposal["proposal_id"], "--json").json
    assert (opened["status"], opened["decided"]) == ("open", 1)
    assert "it is open already" in cli("review", "reopen", proposal["proposal_id"]).err
    unknown = cli("review", "reopen", "5b2a4c0e-6d0f-5f5e-9a3c-7d1f0a6b8c21")
    assert (unknown.code, "no such proposal" in unknown.err) == (2, True)
    assert len(cli("entities", "bob", "--json").json["entities"][0]["mentions"]) == 2


async def test_an_agent_merges_entities_and_takes_it_back(memory: GraphMemory, group: str) -> None:
    first, second = [(await memory.add(text)).memory_id for text in ALIASES]
    await memory.maintenance.run(groups=[group], stages=["entities", "proposals"])
    learning = memory.settings.model_copy(update={"toolsets": ("graph", "learning")})
    serving = GraphMemory.over(
        memory.context.graph, memory.context.embedder, learning, clock=memory.clock
    )
    async with inside(serving) as client:
        listed = await call(client, "list_proposals", kinds=["same_as"])
        (proposal,) = listed["proposals"]
        assert {proposal[end]["kind"] for end in ("first", "second")} == {"name"}
        ids = [proposal["proposal_id"]]
        done = await call(client, "decide_proposals", decision="accept", proposal_ids=ids)
        assert done["decided"] == 1
        (entity,) = (await call(client, "list_entities", name="Robert Brown"))["entities"]
        assert len(entity["aliases"]) == 1
        walked = await call(client, "memory_traverse", start_memory_id=first, through_entities=True)
        (node,) = walked["nodes"]
        assert (node["relation"], node["via"]) == ("shares_entity", "Bob")
        assert second.startswith(node["memory_id"])
        _, error = await refused(client, "decide_proposals", decision="reopen", kinds=["same_as"])
        assert error["argument"] == "proposal_ids"
        done = await call(client, "decide_proposals", decision="reopen", proposal_ids=ids)
        assert (done["status"], done["decided"], done["run_id"]) == ("open", 1, None)
        (entity,) = (await call(client, "list_entities", name="Robert Brown"))["entities"]
        assert entity["aliases"] == []


VIOLIN = (
    "Ada keeps her violin in the attic.",
    "Ada plays the violin in the attic.",
    "The violin in the attic belongs to Ada.",
)


def test_clusters_on_the_command_line(cli: Run, group: str) -> None:  # noqa: F811
    for text in VIOLIN:
        assert cli("add", text).code == 0
    assert cli("maintain", "--group", group, "--stage", "clusters", "--json").json["learned"] == 3
    (found,) = cli("clusters", "--json").json["clusters"]
    assert "violin" in found["label"]
    assert found["label"] in cli("clusters").out
    short = found["cluster_id"][:8]
    assert VIOLIN[0] in cli("clusters", short).out

    told = cli("clusters", short, "--tag", "music", "--dry-run", "--json").json
    assert (told["changed"], told["run_id"], told["dry_run"]) == (3, None, True)
    done = cli("clusters", short, "--tag", "music", "--json").json
    assert (done["changed"], done["action"]) == (3, "tag")
    assert "it has the tag already" in cli("clusters", short, "--tag", "Music").err
    undone = cli("undo", done["run_id"], "--json").json
    assert (undone["unlearned"], undone["refused"]) == (3, 0)

    for wrong, part in (
        (("--preserve",), "CLUSTER_ID"),
        ((short, "--dry-run"), "--preserve, --tag or --obsolete"),
        ((short, "--preserve", "--obsolete", "sold"), "one of --preserve"),
        (("unknown", "--preserve"), "the group has no such cluster"),
    ):
        refusal = cli("clusters", *wrong)
        assert (refusal.code, part in refusal.err) == (2, True), refusal.err


async def test_an_agent_lists_clusters_and_acts_on_one(memory: GraphMemory, group: str) -> None:
    for text in VIOLIN:
        await memory.add(text)
    await memory.maintenance.run(groups=[group], stages=["clusters"])
    learning = memory.settings.model_copy(update={"toolsets": ("learning",)})
    serving = GraphMemory.over(
        memory.context.graph, memory.context.embedder, learning, clock=memory.clock
    )
    async with inside(serving) as client:
        (found,) = (await call(client, "list_clusters"))["clusters"]
        named = {"cluster_id": found["cluster_id"]}
        assert len((await call(client, "list_clusters", **named))["memories"]) == 3
        told = await call(client, "act_on_cluster", action="preserve", dry_run=True, **named)
        assert (told["changed"], told["run_id"]) == (3, None)
        done = await call(client, "act_on_cluster", action="obsolete", reason="sold", **named)
        assert done["changed"] == 3
        assert done["run_id"]
        _, error = await refused(client, "act_on_cluster", action="tag", **named)
        assert error["argument"] == "tag"


def test_waiting_writes_on_the_command_line(
    cli: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_REVIEW_AUTHORITIES", "import,tool")
    texts = ("Ada likes rum", "Bo likes gin", "Cy likes ale")
    told = cli("import", write(tmp_path, *({"content": text} for text in texts)), "--json").json
    assert (told["stored"], told["errors"][0]["code"]) == (0, "pending_review")
    listed = cli("review", "list", "--json").json
    by_content = {each["content"]: each["pending_id"] for each in listed["writes"]}
    assert sorted(by_content) == list(texts)
    ids = [by_content[text] for text in texts]
    assert "authority import" in cli("review", "list").out
    assert cli("review", "accept", ids[0], "--dry-run", "--json").json["done"] == [ids[0]]
    assert cli("review", "accept", ids[0], "--json").json["done"] == [ids[0]]
    assert cli("review", "reject", ids[1], "--reason", "forged", "--json").json["done"] == [ids[1]]
    unconfirmed = cli("review", "accept", "--writes")
    assert (unconfirmed.code, "--confirm 'ACCEPT ALL'" in unconfirmed.err) == (2, True)
    confirmed = ("--writes", "--confirm", "ACCEPT ALL")
    assert cli("review", "accept", *confirmed, "--json").json["done"] == [ids[2]]
    stored = {each["content"] for each in cli("list", "--json").json["results"]}
    assert stored == {texts[0], texts[2]}
    assert "forged" in cli("add", "bo likes GIN").err
    assert cli("review", "accept", ids[0], "--writes").code == 2
    assert cli("review", "list", "--json").json["writes"] == []


@pytest.fixture
def queue(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:  # noqa: F811
    """Two imported writes and one of the command `add` that wait, by content."""
    monkeypatch.setenv("GRAPH_MEMORY_REVIEW_AUTHORITIES", "import,person")
    texts = ("Ada likes rum", "Bo likes gin")
    cli("import", write(tmp_path, *({"content": text} for text in texts)))
    assert "waits for a review" in cli("add", "Cy likes ale").err
    listed = cli("review", "list", "--json").json["writes"]
    return {each["content"]: each["pending_id"] for each in listed}


def test_a_waiting_write_is_shown_with_its_origin(
    cli: Run,  # noqa: F811
    queue: dict[str, str],
) -> None:
    whole = queue["Ada likes rum"]
    shown = cli("review", "show", whole[:8]).out
    for each in (whole, "Ada likes rum", "authority import", "waits since", "import-"):
        assert each in shown
    found = cli("review", "show", whole[:8], "--json").json
    assert (found["pending_id"], found["kind"]) == (whole, "add")
    assert found["origin"]["authority"] == "import"
    missing = cli("review", "show", "5b2a4c0e")
    assert (missing.code, "no such proposal" in missing.err) == (2, True)
    assert "QUEUE_ID=" in missing.err


def test_a_waiting_change_is_shown_beside_the_present_content(
    cli: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory_id = cli("add", "Ada likes rum", "--json").json["memory_id"]
    monkeypatch.setenv("GRAPH_MEMORY_REVIEW_AUTHORITIES", "person")
    assert cli("update", memory_id, "Ada likes tea").code != 0
    (write_,) = cli("review", "list", "--kind", "update", "--json").json["writes"]
    shown = cli("review", "show", write_["pending_id"], "--json").json
    assert (shown["content"], shown["present_content"]) == ("Ada likes tea", "Ada likes rum")
    assert "Ada likes rum" in cli("review", "show", write_["pending_id"]).out


def test_a_proposal_is_shown_with_its_evidence(cli: Run, group: str) -> None:  # noqa: F811
    for text in TEXTS:
        assert cli("add", text).code == 0
    assert cli("maintain", "--group", group, "--stage", "proposals").code == 0
    (proposal,) = cli("review", "list", "--json").json["proposals"]
    short = proposal["proposal_id"][:8]
    shown = cli("review", "show", short).out
    for each in ("duplicate_of", "the same words", *TEXTS, proposal["run_id"]):
        assert each in shown
    assert cli("review", "show", short, "--json").json == proposal
    assert cli("review", "accept", short, "--json").json["decided"] == 1
    assert cli("review", "show", short, "--json").json["status"] == "accepted"
    assert cli("review", "reopen", short, "--json").json["decided"] == 1


def test_the_same_options_choose_for_lists_and_decisions(
    cli: Run,  # noqa: F811
    queue: dict[str, str],
) -> None:
    def chosen(*options: str) -> set[str]:
        writes = cli("review", "list", *options, "--json").json["writes"]
        told = cli("review", "reject", *options, "--dry-run", "--json").json["done"]
        assert [each["pending_id"] for each in writes] == told
        return {each["content"] for each in writes}

    assert chosen("--authority", "person") == {"Cy likes ale"}
    assert chosen("--way", "graph-memory import") == {"Ada likes rum", "Bo likes gin"}
    assert chosen("--kind", "add", "--authority", "import", "--authority", "person") == {*queue}
    assert chosen("--kind", "episode") == set()
    assert cli("review", "list", "--min-score", "0.5", "--json").json["writes"] == []
    for mixed in (
        ("list", "--authority", "import", "--min-score", "0.5"),
        ("accept", "--kind", "add", "--kind", "same_as"),
        ("accept", "--writes", "--min-score", "0.5"),
        ("reject", queue["Cy likes ale"], "--authority", "person"),
    ):
        assert cli("review", *mixed).code == 2, mixed
    wrong = cli("review", "list", "--authority", "king")
    assert (wrong.code, "--authority" in wrong.err) == (2, True)
    confirmed = ("--authority", "person", "--confirm", "REJECT ALL", "--json")
    assert cli("review", "reject", *confirmed).json["done"] == [queue["Cy likes ale"]]
    assert {w["content"] for w in cli("review", "list", "--json").json["writes"]} == {
        "Ada likes rum",
        "Bo likes gin",
    }


def test_a_decision_reaches_more_writes_than_a_list(
    cli: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_REVIEW_AUTHORITIES", "import")
    lines = [{"content": f"The box {number} is full"} for number in range(1010)]
    cli("import", write(tmp_path, *lines))
    expected = cli("review", "reject", "--writes", "--dry-run", "--json").json["done"]
    assert len(expected) == 1010
    unconfirmed = cli("review", "reject", "--writes").err
    assert "Rejecting 1,010 waiting writes needs --confirm 'REJECT ALL'" in unconfirmed
    done = cli("review", "reject", "--writes", "--confirm", "REJECT ALL", "--json").json
    assert (set(done["done"]), done["refusals"]) == (set(expected), [])
    assert cli("review", "list", "--json").json["writes_total"] == 0


def test_keys_need_a_terminal(cli: Run) -> None:  # noqa: F811
    refused_ = cli("review", "decide")
    assert refused_.code == 2
    for each in ("a terminal", "graph-memory review list", "graph-memory review accept"):
        assert each in refused_.err


#: The place of the local flags in the attributes of a terminal.
_LOCAL_FLAGS = 3


class Terminal:
    """A command on a terminal of its own, which keys are typed into."""

    def __init__(self, *words: str) -> None:
        self._own, other = pty.openpty()
        self._shown = ""
        script = "import sys; from graph_memory.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", script, *words]
        self.process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other)
        os.close(other)

    def until(self, text: str) -> str:
        """Read what the command prints up to a text, and return it."""
        while text not in self._shown and select.select([self._own], [], [], 60)[0]:
            try:
                self._shown += os.read(self._own, 1024).decode(errors="replace")
            except OSError:  # the command has ended
                break
        before, found, self._shown = self._shown.partition(text)
        assert found, before
        return before

    def press(self, key: str) -> None:
        """Type a key once the command waits for it; it discards what was typed before."""
        end = time.monotonic() + 60
        while termios.tcgetattr(self._own)[_LOCAL_FLAGS] & termios.ICANON:
            assert time.monotonic() < end
            time.sleep(0.01)
        os.write(self._own, key.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._own)


def test_the_queue_is_settled_by_keys(
    cli: Run,  # noqa: F811
    queue: dict[str, str],
) -> None:
    first, second, third = queue  # in the order of the list
    terminal = Terminal("review", "decide")
    try:
        assert first in terminal.until("? help: ")
        terminal.press("x")
        terminal.until("? help: ")
        terminal.press("?")
        assert "it stays in the queue" in terminal.until("q  quit")
        terminal.until("? help: ")
        terminal.press("a")
        assert second in terminal.until("? help: ")
        terminal.press("r")
        assert third in terminal.until("? help: ")
        terminal.press("\x03")
        terminal.until("1 accepted, 1 rejected.")
        assert terminal.process.wait(60) == 0
    finally:
        terminal.close()
    stored = {each["content"] for each in cli("list", "--json").json["results"]}
    assert stored == {first}
    (left,) = cli("review", "list", "--json").json["writes"]
    assert left["pending_id"] == queue[third]
    assert "rejected" in cli("add", second.upper()).err


def test_proposals_are_settled_by_keys(
    cli: Run,  # noqa: F811
    group: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text in TEXTS:
        assert cli("add", text).code == 0
    assert cli("maintain", "--group", group, "--stage", "proposals").code == 0
    monkeypatch.setattr("graph_memory.cli.review.on_terminal", lambda: True)
    for key, told, left in (("s", "1 skipped.", 1), ("q", "", 1), ("r", "1 rejected.", 0)):
        monkeypatch.setattr("typer.getchar", lambda key=key: key)
        done = cli("review", "decide", "--kind", "duplicate_of")
        assert (done.code, told in done.err) == (0, True), key
        assert "the same words" in done.out
        assert cli("review", "list", "--json").json["total"] == left
    assert "Nothing waits for a review." in cli("review", "decide").err


def test_settings_of_a_group_on_the_command_line(cli: Run, group: str) -> None:  # noqa: F811
    declared = cli("groups", "set", "--single-valued-slot", "lives_in")
    assert (declared.code, "lives_in\tyes\tAda lives in Paris" in declared.out) == (0, True)
    two = ("--single-valued-slot", "works_at", "--single-valued-slot", "lives_in")
    assert cli("groups", "set", *two, "--json").json["single_valued_slots"] == [
        "lives_in",
        "works_at",
    ]
    elsewhere = cli("groups", "settings", "--group", f"{group}_b", "--json").json
    assert elsewhere == {
        "group_id": f"{group}_b",
        "single_valued_slots": [],
        "updated_at": None,
    }
    for text in ("Ada lives in Paris.", "Ada lives in Berlin."):
        assert cli("add", text).code == 0
    stage = ("--group", group, "--stage", "slots")
    assert "lives_in Berlin" in cli("maintain", *stage, "--dry-run").err
    run = cli("maintain", *stage, "--json").json
    assert run["learned"] == 1
    assert cli("list").out.count("Ada lives in") == 1
    undone = cli("undo", run["run_id"], "--json").json
    assert (undone["unlearned"], undone["refused"]) == (2, 0)
    assert cli("groups", "unset", "single_valued_slots", "--json").json == {
        "group_id": group,
        "single_valued_slots": [],
        "updated_at": None,
    }
    assert "lives_in\tno" in cli("groups", "settings").out
    assert "Missing option '--single-valued-slot'" in cli("groups", "set").err
