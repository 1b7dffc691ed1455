"""Erasure on the command line: delete with a receipt, verify it, and rewrite the backups."""

import json
from pathlib import Path

import pytest

from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures

WORD = "zq7kd3mw9xr5tbl2"


@pytest.fixture
def backups(environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    folder = tmp_path / "backups"
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_PATH", str(folder))
    return folder


def test_an_erasure_is_proved_by_commands(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    def stored(content: str) -> str:
        return json.loads(cli("--json", "add", content).out)["memory_id"]

    gone, kept = stored(f"The vault opens with {WORD}"), stored("The vault is in the cellar")
    assert cli("backup").code == 0
    receipt, words = tmp_path / "receipt.json", tmp_path / "words.txt"
    words.write_text(f"{WORD}\n")
    done = cli("--json", "delete", gone[:8], "--permanent", "--receipt", receipt)
    assert done.code == 0
    assert WORD not in receipt.read_text()
    assert json.loads(done.out)["memory_ids"] == [gone]
    assert "backup_" in cli("verify-erasure", receipt, "--text", words).out
    found = cli("--json", "verify-erasure", receipt)
    assert (found.code, json.loads(found.out)["signed"]) == (1, True)
    pruned = json.loads(cli("--json", "backup", "prune", "--erased").out)
    assert [each["memories_removed"] for each in pruned["backups"]] == [1]
    assert cli("verify-erasure", receipt, "--text", words).code == 0
    assert kept in cli("--json", "get", kept).out


def test_a_name_is_listed_then_erased(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    receipt = tmp_path / "receipt.json"
    by_name = ("delete", "--name", "zoe quendler", "--permanent", "--receipt", receipt)
    for content in ("Zoë Quendler prefers tea", "A letter for Zoë Quendler", "The tea is green"):
        assert cli("add", content).code == 0
    listed = cli(*by_name)
    assert listed.code == 2
    assert "A letter for Zoë Quendler" in listed.out
    assert "The tea is green" not in listed.out
    assert "--confirm 'ERASE 2'" in listed.err
    as_json = cli("--json", *by_name)
    found = json.loads(as_json.out)
    assert (as_json.code, found["confirmation"], len(found["memories"])) == (2, "ERASE 2", 2)
    wrong = cli(*by_name, "--confirm", "ERASE 3")
    assert (wrong.code, wrong.out) == (2, "")
    assert "--confirm 'ERASE 2'" in wrong.err
    assert not receipt.exists()
    done = cli("--json", *by_name, "--confirm", "ERASE 2")
    assert done.code == 0
    assert json.loads(done.out)["selected"] == "name"
    assert "quendler" not in receipt.read_text().casefold()
    assert cli("verify-erasure", receipt).code == 0
    left = cli("list").out
    assert ("Quendler" in left, "The tea is green" in left) == (False, True)
    again = cli(*by_name)
    assert again.code == 2
    assert "no memory of the group has this name" in again.err


def test_a_group_is_erased_with_a_receipt(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    receipt = tmp_path / "receipt.json"
    whole = ("delete", "--all", "--permanent", "--receipt", receipt)
    for content in (f"The vault opens with {WORD}", "The vault is in the cellar"):
        assert cli("add", content).code == 0
    refused = cli(*whole)
    assert refused.code == 2
    assert "--confirm 'DELETE ALL'" in refused.err
    done = cli("--json", *whole, "--confirm", "DELETE ALL")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["selected"], len(found["memory_ids"])) == ("group", 2)
    assert WORD not in receipt.read_text()
    assert not any(backups.glob("backup_*"))
    assert cli("list").out == ""
    assert cli("verify-erasure", receipt).code == 0


def test_copies_are_erased_with_their_original(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    receipt, exported = tmp_path / "receipt.json", tmp_path / "all.jsonl"
    original = json.loads(cli("--json", "add", f"The vault opens with {WORD}").out)["memory_id"]
    assert cli("export", "--output", exported).code == 0
    group = json.loads(exported.read_text().splitlines()[0])["group_id"]
    other = f"{group}_other"
    assert cli("import", exported, "--group", other).code == 0
    assert WORD in cli("--group", other, "list").out
    refused = cli("delete", original, "--copies")
    assert refused.code == 2
    assert "add --permanent and --receipt FILE" in refused.err
    done = cli("delete", original, "--permanent", "--copies", "--receipt", receipt)
    assert done.code == 0
    assert f"Copies in group {other} were erased as well: 1." in " ".join(done.err.split())
    assert cli("--group", other, "list").out == ""
    assert [each["group_id"] for each in json.loads(receipt.read_text())["copies"]] == [other]
    assert cli("verify-erasure", receipt).code == 0


def test_what_does_not_fit_together_is_refused(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    receipt = tmp_path / "receipt.json"
    for arguments in (
        ("delete", "x", "--receipt", receipt),
        ("delete", "--conversation", "c", "--permanent"),
        ("delete", "--all", "--confirm", "DELETE ALL", "--receipt", receipt),
        ("delete", "--all", "--permanent", "--receipt", receipt),
        ("delete", "--name", "Ada", "--permanent"),
        ("delete", "--name", "Ada", "--receipt", receipt),
        ("delete", "--name", "Ada", "--all", "--permanent", "--receipt", receipt),
        ("delete", "x", "--name", "Ada", "--permanent", "--receipt", receipt),
        ("delete", "--name", "Ada", "--conversation", "c", "--permanent", "--receipt", receipt),
        ("delete", "x", "--conversation", "c"),
        ("backup", "prune"),
        ("backup", "--erased"),
        ("backup", "clear", "--erased"),
        ("backup", "list", "--erased"),
        ("backup", "key", "--erased"),
    ):
        assert cli(*arguments).code == 2, arguments
    receipt.write_text("{}")
    assert cli("verify-erasure", receipt).code != 0
    missing = cli("delete", "--conversation", "none", "--permanent", "--receipt", receipt)
    assert "no memories of this conversation" in missing.err
