"""The loader refuses what is malformed, and every shipped statement keeps the rules."""

import re
from pathlib import Path

import pytest

from graph_memory.database.statements import Statement, load, root, statements
from graph_memory.errors import StatementError

GOOD = """// Count the memories of a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns n : INTEGER
MATCH (m:Memory {group_id: $group_id})
RETURN count(m) AS n
"""

# These touch no tenant's memories, or are run by operators over the whole database; what a service
# warms up by, as it starts, is shown to nobody.
UNSCOPED = {
    "backup/create/standing",
    "database/ranges/end",
    "diagnostics/database_metrics/read",
    "diagnostics/erasure_copies/find",  # copies in all groups, for a caller of all groups
    "diagnostics/groups/count",
    "diagnostics/repair/orphans",
    "diagnostics/verify/orphans",
    "memories/classification/groups",
    "memories/classification/shares",
    "memories/embeddings/groups",
    "search/search/last_used",
}
#: Runs and migrations serve all tenants, or those of `$groups`; records name memories by id.
UNSCOPED |= {
    name
    for name in statements()
    if name.startswith(
        (
            "database/data_migrations/",
            "decay/protected/",
            "learning/unlearn/",
            "maintenance/batches/",
            "maintenance/compression/",
            "maintenance/dry_run/",
            "maintenance/recalculation/",
            "maintenance/rewind/",
            "maintenance/stages/",
            "maintenance/totals/",
            "maintenance/undo/",
        )
    )
}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.cypher"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_a_statement_knows_its_header(tmp_path: Path) -> None:
    statement = load(write(tmp_path, "stats/count", GOOD))["stats/count"]
    assert statement.summary == "Count the memories of a group."
    assert statement.access == "read"
    assert list(statement.parameters) == ["group_id"]
    assert statement.returns == ("n",)
    assert statement.text.splitlines()[0] == "CYPHER 25"
    assert "//" not in statement.text


def test_a_statement_is_sent_with_its_parameters_in_one_map(tmp_path: Path) -> None:
    quoted = GOOD.replace(
        "RETURN", "WITH m, '$group_id' AS a, `$b` AS b, $($group_id) AS c\nRETURN"
    )
    statement = load(write(tmp_path, "stats/count", quoted))["stats/count"]
    assert "{group_id: $p.group_id}" in statement.packed
    assert "'$group_id' AS a, `$b` AS b, $($p.group_id) AS c" in statement.packed
    assert statement.pack({"group_id": "g"}) == {"p": {"group_id": "g"}}


@pytest.mark.parametrize("access", ["schema", "batch"])
def test_a_schema_or_batch_is_sent_as_it_is(tmp_path: Path, access: str) -> None:
    text = GOOD.replace("access  read", f"access  {access}")
    statement = load(write(tmp_path, "stats/count", text))["stats/count"]
    assert statement.packed == statement.text
    assert statement.pack({"group_id": "g"}) == {"group_id": "g"}


@pytest.mark.parametrize(
    ("broken", "line", "problem"),
    [
        (GOOD.replace("group.", "group"), 1, "must say what it does"),
        (GOOD.replace("access  read", "access  reed"), 2, "access"),
        (GOOD.replace("$group_id", "$group"), 6, "$group is used but not declared"),
        (GOOD.replace("{group_id: $group_id}", ""), 4, "$group_id is declared but not used"),
        (GOOD.replace(": STRING", ": TEXT"), 4, "param name : TYPE"),
        (
            GOOD.replace("// returns", "// param   group_id : STRING\n// returns"),
            5,
            "declared twice",
        ),
        (GOOD.replace("RETURN", "// include stats/nothing\nRETURN"), 1, "names no fragment"),
        (GOOD.replace("RETURN", "  RETURN"), 1, "no line begins with RETURN"),
    ],
)
def test_a_malformed_file_is_refused_by_name_line_and_remedy(
    tmp_path: Path, broken: str, line: int, problem: str
) -> None:
    with pytest.raises(StatementError) as caught:
        load(write(tmp_path, "stats/count", broken))
    assert f"cypher/stats/count.cypher:{line}:" in str(caught.value)
    assert problem in str(caught.value)


def test_a_fragment_is_spliced_with_its_parameters(tmp_path: Path) -> None:
    write(
        tmp_path,
        "stats/old",
        "// Keep the old.\n// access fragment\n// param days : FLOAT [d]\n"
        "WITH m WHERE m.age > $days\n",
    )
    write(tmp_path, "stats/count", GOOD.replace("RETURN", "// include stats/old\nRETURN"))
    loaded = load(tmp_path)
    assert set(loaded) == {"stats/count"}
    assert set(loaded["stats/count"].parameters) == {"group_id", "days"}
    assert "WITH m WHERE m.age > $days" in loaded["stats/count"].text


def test_a_variant_takes_the_fragments_of_its_name(tmp_path: Path) -> None:
    with_variant = GOOD.replace("// returns", "// variant old\n// returns")
    write(tmp_path, "stats/count", with_variant.replace("RETURN", "// include stats/all\nRETURN"))
    write(tmp_path, "stats/all", "// All.\n// access fragment\nWITH m WHERE m.age >= 0\n")
    write(
        tmp_path,
        "stats/all_old",
        "// Old.\n// access fragment\n// param days : FLOAT\n"
        "// include stats/all\nAND m.age > $days\n",
    )
    loaded = load(tmp_path)
    assert set(loaded) == {"stats/count", "stats/count_old"}
    assert "days" not in loaded["stats/count"].parameters
    assert "$days" not in loaded["stats/count"].text
    assert set(loaded["stats/count_old"].parameters) == {"group_id", "days"}
    assert "m.age >= 0\nAND m.age > $days\n" in loaded["stats/count_old"].text


def test_a_variant_of_two_words_takes_the_fragments_of_both(tmp_path: Path) -> None:
    body = "// include stats/all\n// include stats/sure\nRETURN"
    with_variant = GOOD.replace("// returns", "// variant old firm\n// returns")
    write(tmp_path, "stats/count", with_variant.replace("RETURN", body))
    for name in ("all", "all_old", "sure", "sure_firm"):
        text = f"// Keep.\n// access fragment\nWITH m WHERE m.{name}\n"
        write(tmp_path, f"stats/{name}", text)
    loaded = load(tmp_path)
    assert set(loaded) == {"stats/count", "stats/count_old_firm"}
    text = loaded["stats/count_old_firm"].text
    assert "WITH m WHERE m.all_old\nWITH m WHERE m.sure_firm\n" in text


def test_a_variant_that_changes_nothing_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "stats/count", GOOD.replace("// returns", "// variant old\n// returns"))
    with pytest.raises(StatementError, match="variant 'old'"):
        load(tmp_path)


def test_a_fragment_that_includes_itself_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a/b", "// Turn in circles.\n// access fragment\n// include a/b\nRETURN 1\n")
    write(tmp_path, "a/c", "// Use it.\n// access read\n// include a/b\nRETURN 1\n")
    with pytest.raises(StatementError, match="includes itself"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({}, "without ['group_id']"),
        ({"group_id": "a", "limit": 3}, "with ['limit']"),
        ({"group_id": 3}, "STRING"),
        ({"group_id": None}, "STRING"),
    ],
)
def test_wrong_parameters_never_reach_the_driver(
    tmp_path: Path, parameters: dict[str, object], problem: str
) -> None:
    statement = load(write(tmp_path, "stats/count", GOOD))["stats/count"]
    with pytest.raises(StatementError) as caught:
        statement.check(parameters)
    assert problem in str(caught.value)


@pytest.mark.parametrize("statement", statements().values(), ids=lambda s: s.name)
def test_a_shipped_statement_has_no_clock_no_chance_and_no_map_writes(statement: Statement) -> None:
    clock = re.search(
        r"\b(datetime|timestamp|rand|randomUUID|date|localdatetime)\(\)", statement.text
    )
    assert clock is None
    assert re.search(r"SET\s+\w+\s*\+?=\s*[\$\w]", statement.text) is None
    assert not statement.text.rstrip().endswith(";")


@pytest.mark.parametrize("statement", statements().values(), ids=lambda s: s.name)
def test_a_statement_on_memories_takes_the_tenant(statement: Statement) -> None:
    touches = ":Memory" in statement.text and statement.access != "schema"
    if touches and statement.name not in UNSCOPED:
        assert "group_id" in statement.parameters
        assert not statement.parameters["group_id"].nullable


@pytest.mark.parametrize("path", sorted(Path(str(root())).rglob("*.cypher")), ids=lambda p: p.stem)
def test_a_file_is_short(path: Path) -> None:
    body = [line for line in path.read_text().splitlines() if not line.startswith("//")]
    assert len(body) <= 60
    assert max(len(line) for line in path.read_text().splitlines()) <= 100
