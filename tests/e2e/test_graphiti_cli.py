"""Living with Graphiti on the command line: adopt, episodes, verify --repair, classify-queue."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from graph_memory import Settings
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.integration.conftest import imported  # noqa: F401 - a fixture
from tests.integration.graphiti.test_adoption import MORE, STOCK
from tests.support.graphiti_script import GraphitiScript
from tests.support.scripted_llm import ScriptedLlm, says, scripted_llm

Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def query(settings: Settings) -> Iterator[Query]:
    """Ask the database as any other client does."""
    auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    with GraphDatabase.driver(settings.neo4j_uri or "", auth=auth) as driver:
        yield lambda text, **given: [r.data() for r in driver.execute_query(text, given).records]


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLlm]:
    with scripted_llm() as running:
        monkeypatch.setenv("GRAPH_MEMORY_LLM_URL", running.url)
        monkeypatch.setenv("GRAPH_MEMORY_EPISODE_RETRY_SECONDS", "0")
        monkeypatch.setenv("GRAPH_MEMORY_LLM_BREAKER_FAILURES", "100")
        yield running


def honest(llm: ScriptedLlm) -> None:
    """Let the model answer as it should."""
    script = GraphitiScript(
        entities=["Bob", "Acme"], facts=[("Bob", "WORKS_AT", "Acme", "Bob works at Acme")]
    )
    llm.script = lambda body: says(script.answer(body))


def test_entities_are_adopted_and_given_back(cli: Run, query: Query, group: str) -> None:  # noqa: F811
    query(STOCK, group=group, count=3, width=384)
    told = cli("adopt", "--dry-run", "--group", group, "--json").json
    assert told["renames"] == []
    (of_people,) = told["groups"]
    assert (of_people["labels"], of_people["entities"]) == (["Person"], 3)
    assert cli("list", "--group", group).out == ""
    dry = cli("adopt", "--dry-run", "--group", group).out
    assert dry.startswith(f'{group}\t["Person"]\t3\t0\t')

    done = cli("adopt", "--group", group, "--json").json
    assert (done.pop("entities"), done.pop("facts")) == (3, 2)
    assert done == {"renamed": [], "left": [], "rejected": 0, "misplaced": []}
    assert cli("adopt", "--group", group).out.startswith("entities\t0\nfacts\t0\n")
    assert "Entity 2: It is number 2" in cli("list", "--group", group).out
    assert cli("adopt", "--undo", "--group", group, "--json").json["entities"] == 3
    assert cli("list", "--group", group).out == ""


def test_a_group_is_renamed_to_be_adopted(cli: Run, query: Query, group: str) -> None:  # noqa: F811
    old = f"{group}-x"
    query(STOCK, group=old, count=3, width=384)
    query(MORE, group=old, id=f"{old}-1000001")
    rename = ("--rename", f"{old}={group}", "--group", group)
    dry = cli("adopt", "--dry-run", *rename)
    assert (
        f"Group '{old}' would become '{group}': 3 entities, 2 facts, 2 episodes, 1 communities, "
        f"1 sagas. Graphiti's clients need group_id='{group}'."
    ) in dry.err
    assert dry.out.startswith(f"{old}\t")
    assert dry.out.endswith("\ttrue\n")  # adoptable, under its new id
    told = cli("adopt", "--dry-run", *rename, "--json").json["renames"]
    assert (told[0]["old"], told[0]["new"], told[0]["episodes"]) == (old, group, 2)

    done = cli("adopt", *rename, "--json").json
    assert (done["entities"], done["renamed"][0]["new"]) == (3, group)
    assert "Entity 2" in cli("list", "--group", group).out
    undone = cli("adopt", "--undo", "--group", group)
    assert f"Group '{group}' is now '{old}'" in undone.err
    assert query("MATCH (n {group_id: $g}) RETURN count(n) AS n", g=old) == [{"n": 7}]
    assert query("MATCH (n {group_id: $g}) RETURN count(n) AS n", g=group) == [{"n": 0}]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--undo"], "name the --group"),
        (["--group", "a-b"], "graph-memory adopt --rename 'a-b=a_b'"),
        (["--group", ""], "graph-memory adopt --rename '=main'"),
        (["--rename", "nonsense", "--dry-run"], "write OLD=NEW"),
        (["--rename", "a-b=c", "--undo", "--group", "c"], "--undo restores the old id"),
        (["--rename", "no-where=somewhere", "--dry-run"], "group 'no-where' has no entities"),
    ],
    ids=range(6),
)
def test_a_wrong_adoption_is_refused(cli: Run, arguments: list[str], part: str) -> None:  # noqa: F811
    refusal = cli("adopt", *arguments, "--json")
    assert (refusal.code, refusal.json["error"]["code"]) == (2, "invalid_argument")
    assert part in refusal.err


@pytest.mark.usefixtures("imported")
def test_episodes_are_queued_read_and_tried_again(
    cli: Run,  # noqa: F811
    llm: ScriptedLlm,
    group: str,
    tmp_path: Path,
) -> None:
    text = tmp_path / "said.txt"
    text.write_text("Bob works at Acme.")
    honest(llm)
    queued = cli("episodes", "add", text, "--name", "work", "--json").json
    assert (queued["status"], queued["name"], queued["group_id"]) == ("queued", "work", group)
    assert queued["job_id"] in cli("episodes", "status").out
    assert cli("episodes", "run", "--group", group, "--json").json == {"ended": 1}
    told = cli("episodes", "status", queued["job_id"], "--json").json
    assert (told["status"], told["entities"], told["facts"]) == ("done", 2, 1)
    assert "Bob works at Acme" in cli("list").out

    llm.script = lambda body: (500, {})
    failed = cli("episodes", "add", text, "--wait", "--json")
    assert (failed.code, failed.json["status"], failed.json["attempts"]) == (1, "failed", 3)
    listed = cli("episodes", "status", "--only", "failed", "--json").json["episodes"]
    assert [job["job_id"] for job in listed] == [failed.json["job_id"]]
    honest(llm)
    again = cli("episodes", "retry", "--json").json
    assert again == {"queued": [failed.json["job_id"]]}
    assert cli("episodes", "run", "--group", group).out == "ended\t1\n"
    assert cli("episodes", "status", "--only", "failed").out == ""


def test_a_wrong_episode_is_refused(
    cli: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = tmp_path / "said.txt"
    text.write_text("Bob works at Acme.")
    without = cli("episodes", "add", text)
    assert (without.code, "GRAPH_MEMORY_LLM_URL" in without.err) == (2, True)
    assert cli("episodes", "run").code == 2
    monkeypatch.setenv("GRAPH_MEMORY_LLM_URL", "http://127.0.0.1:9/v1")
    spoken = cli("episodes", "add", text, "--source", "speech", "--json")
    assert (spoken.code, spoken.json["error"]["code"]) == (2, "invalid_argument")
    assert "source='speech'" in spoken.err
    assert cli("episodes", "add", tmp_path / "nowhere").code == 1
    assert cli("episodes", "status", "nobody").code == 1
    assert cli("episodes", "status", "--only", "lost").code == 2


def test_what_graphiti_erased_is_mended(
    cli: Run,  # noqa: F811
    query: Query,
    group: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ours(graph: object) -> list[str]:
        return [group]

    monkeypatch.setattr("graph_memory.diagnostics.verify.groups", ours)
    monkeypatch.setattr("graph_memory.diagnostics.repair.groups", ours)
    memory_id = cli("add", "Ada prefers green tea", "--json").json["memory_id"]
    assert cli("verify", "--repair", "--json").json == {"ok": True, "problems": {}, "mended": []}
    bare = "MATCH (n:Memory {uuid: $id}) REMOVE n.lifecycle_state, n.decay_score"
    query(bare, id=memory_id)
    found = cli("verify")
    assert (found.code, "unknown state" in found.out) == (1, True)
    mended = cli("verify", "--repair")
    assert (mended.code, mended.out) == (0, "")
    assert mended.err == (
        f"{group}: repaired decay_score (1)\n{group}: repaired lifecycle_state (1)\n"
    )
    query(bare, id=memory_id)
    told = cli("verify", "--repair", "--json").json["mended"]
    assert told == [
        {"group_id": group, "what": what, "count": 1} for what in ("decay_score", "lifecycle_state")
    ]
    wrong = cli("verify", "--mend")
    assert (wrong.code, "--mend" in wrong.err) == (2, True)


def test_what_waits_to_be_rated_is_worked_off(cli: Run, llm: ScriptedLlm, group: str) -> None:  # noqa: F811
    llm.script = lambda body: (500, {})
    memory_id = cli("add", "Bob works at Acme", "--json").json["memory_id"]
    down = cli("classify-queue", "--group", group, "--json")
    assert (down.code, down.json["classified"], down.json["pending"]) == (1, 0, 1)
    assert "500" in down.json["error"]
    honest(llm)
    done = cli("classify-queue", "--group", group, "--json")
    assert (done.code, done.json["classified"], done.json["pending"]) == (0, 1, 0)
    told = cli("get", memory_id, "--json").json
    assert (told["importance"], told["importance_source"], told["stability"]) == (8.0, "llm", 2)
    wrong = cli("classify-queue", "--budget", "-1", "--json")
    assert (wrong.code, wrong.json["error"]["code"]) == (2, "invalid_argument")


def test_without_a_model_nothing_is_rated(cli: Run) -> None:  # noqa: F811
    refusal = cli("classify-queue")
    assert (refusal.code, "GRAPH_MEMORY_LLM_URL" in refusal.err) == (2, True)
