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


def test_what_does_not_fit_together_is_refused(cli: Run, backups: Path, tmp_path: Path) -> None:  # noqa: F811
    receipt = tmp_path / "receipt.json"
    for arguments in (
        ("delete", "x", "--receipt", receipt),
        ("delete", "--conversation", "c", "--permanent"),
        ("delete", "--all", "--confirm", "DELETE ALL", "--permanent", "--receipt", receipt),
        ("delete", "x", "--conversation", "c"),
        ("backup", "prune"),
        ("backup", "--erased"),
        ("backup", "clear", "--erased"),
    ):
        assert cli(*arguments).code == 2, arguments
    receipt.write_text("{}")
    assert cli("verify-erasure", receipt).code != 0
    missing = cli("delete", "--conversation", "none", "--permanent", "--receipt", receipt)
    assert "no memories of this conversation" in missing.err
