"""Settings: where they come from, what is refused, and that the shipped file tells the truth."""

import re
import tomllib
from pathlib import Path

import pytest

from graph_memory import Settings, read_settings
from graph_memory.errors import SettingsError

SHIPPED = Path(__file__).parents[2] / "config" / "graph-memory.toml"


def test_the_environment_wins_over_the_file_and_arguments_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('port = 1\nhost = "a"\ngroup_id = "from_file"\n')
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(file))
    monkeypatch.setenv("GRAPH_MEMORY_HOST", "b")
    monkeypatch.setenv("GRAPH_MEMORY_PORT", "2")
    settings = read_settings(port=3)
    assert (settings.port, settings.host, settings.group_id) == (3, "b", "from_file")


def test_lists_are_read_from_commas_or_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_TOOLSETS", "core, compat")
    monkeypatch.setenv("GRAPH_MEMORY_SEARCH_WEIGHTS", "0.5,0.3 0.2")
    settings = read_settings()
    assert settings.toolsets == ("core", "compat")
    assert settings.search_weights == (0.5, 0.3, 0.2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("TOOLSETS", "core,magic"),
        ("GROUP_ID", "a-b"),
        ("FULLTEXT_ANALYZER", "simple"),
        ("NEO4J_URI", "http://127.0.0.1"),
        ("NEO4J_URI", "bolt://[::1:7687"),
        ("NEO4J_URI", "bolt://127.0.0.1:99999"),
        ("NEO4J_URI", "bolt://:7687"),
        ("SEARCH_WEIGHTS", "0.5,0.5,0.5"),
        ("QUERY_TIMEOUT_SECONDS", "-1"),
        ("SOFT_DELETE_RETENTION_DAYS", "36501"),
        ("OBSOLETE_RETENTION_DAYS", "1e12"),
        ("UNDO_RETENTION_DAYS", "inf"),
        ("SESSION_TTL_DAYS", "1e6"),
        ("DORMANT_DAYS", "1e20"),
        ("HALF_LIFE_BASE_DAYS", "1e-320"),
        ("HALF_LIFE_BASE_DAYS", "1e15"),
    ],
)
def test_a_malformed_setting_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"GRAPH_MEMORY_{name}", value)
    with pytest.raises(SettingsError, match=f"GRAPH_MEMORY_{name}"):
        read_settings()


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", "nowhere.toml")
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        read_settings()


def test_an_unknown_key_in_the_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("prot = 1\n")
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(file))
    with pytest.raises(SettingsError, match="PROT"):
        read_settings()


def test_secrets_are_not_shown() -> None:
    settings = read_settings(neo4j_password="hunter2", embedding_api_key="hunter3")
    assert "hunter" not in repr(settings)
    assert "hunter" not in settings.model_dump_json()


def test_the_shipped_file_holds_every_setting_with_its_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    shown = tomllib.loads(text)
    commented = set(re.findall(r"^# (\w+) = ", text, re.MULTILINE))
    assert set(shown) | commented == set(Settings.model_fields)
    assert not set(shown) & commented
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(SHIPPED))
    from_file = read_settings()
    monkeypatch.delenv("GRAPH_MEMORY_CONFIG")
    assert from_file == read_settings()
