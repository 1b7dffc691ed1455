"""Settings: where they come from, what is refused, and that the shipped file tells the truth."""

import json
import re
import tomllib
import traceback
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import SecretStr

from graph_memory import Settings, read_settings
from graph_memory.errors import SettingsError
from graph_memory.settings.service import TOOLSETS

SHIPPED = Path(__file__).parents[3] / "config" / "graph-memory.toml"


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


LISTS = [name for name, field in Settings.model_fields.items() if isinstance(field.default, tuple)]
#: Items of empty lists and tables that do not take any word.
ITEMS: dict[str, Any] = {
    "learn": ["proposals"],
    "proposal_auto_accept": {"duplicate_of": 0.98},
    "review_authorities": ["tool", "import"],
    "backup_earlier_keys": ["a" * 32, "b" * 32],
}
TABLES = [name for name, field in Settings.model_fields.items() if isinstance(field.default, dict)]


def plain(item: object) -> object:
    return item.get_secret_value() if isinstance(item, SecretStr) else item


@pytest.mark.parametrize("name", LISTS)
def test_every_list_is_read_from_json_and_from_commas(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = list(getattr(read_settings(), name)) or ITEMS.get(name, ["one", "two"])
    for text in (
        json.dumps(items),
        ",".join(map(str, items)),
        ", ".join(map(str, items)),
        " ".join(map(str, items)),
    ):
        monkeypatch.setenv(f"GRAPH_MEMORY_{name.upper()}", text)
        assert tuple(map(plain, getattr(read_settings(), name))) == tuple(items), text


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_read_from_json_and_from_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = dict(getattr(read_settings(), name)) or ITEMS.get(
        name, {"one": "adaptive", "two": "none"}
    )
    for text in (
        json.dumps(pairs),
        ",".join(f"{key}={value}" for key, value in pairs.items()),
        ", ".join(f"{key} = {value}" for key, value in pairs.items()),
    ):
        monkeypatch.setenv(f"GRAPH_MEMORY_{name.upper()}", text)
        assert getattr(read_settings(), name) == pairs, text


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("text", ["['a', 'b']", "[1, 2", "(a, b)", "a;b", '"a","b"', "{a}"])
def test_every_list_in_another_notation_is_refused(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"GRAPH_MEMORY_{name.upper()}", text)
    with pytest.raises(SettingsError, match=f"GRAPH_MEMORY_{name.upper()}"):
        read_settings()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("text", ["{'a': 'b'}", "a", "a:b", "a=", "a=b;c=d", '"a"="b"', "[1]"])
def test_every_table_in_another_notation_is_refused(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"GRAPH_MEMORY_{name.upper()}", text)
    with pytest.raises(SettingsError, match=f"GRAPH_MEMORY_{name.upper()}"):
        read_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DECAY_ENABLED_GROUPS", "first,sec-ond"),
        ("DECAY_ENABLED_GROUPS", '["a b"]'),
        ("PORT", "65536"),
        ("TOOLSETS", "core,magic"),
        ("GROUP_ID", "a-b"),
        ("FULLTEXT_ANALYZER", "simple"),
        ("NEO4J_URI", "http://127.0.0.1"),
        ("NEO4J_URI", "bolt://[::1:7687"),
        ("NEO4J_URI", "bolt://127.0.0.1:99999"),
        ("NEO4J_URI", "bolt://:7687"),
        ("SEARCH_WEIGHTS", "0.5,0.5,0.5"),
        ("SEARCH_WEIGHTS", "nan,nan,nan"),
        ("HYBRID_WEIGHTS", "nan,0,0,1"),
        ("SEARCH_RECENCY_HALF_LIFE_DAYS", "inf"),
        ("TEMPORAL_DECAY_LAMBDA", "nan"),
        ("BACKUP_INTERVAL_HOURS", "inf"),
        ("GROUP_DECAY_POLICIES", "{"),
        ("GROUP_DECAY_POLICIES", "[]"),
        ("QUERY_TIMEOUT_SECONDS", "-1"),
        ("SOFT_DELETE_RETENTION_DAYS", "36501"),
        ("OBSOLETE_RETENTION_DAYS", "1e12"),
        ("UNDO_RETENTION_DAYS", "inf"),
        ("SESSION_TTL_DAYS", "1e6"),
        ("DORMANT_DAYS", "1e20"),
        ("HALF_LIFE_BASE_DAYS", "1e-320"),
        ("HALF_LIFE_TABLE_DAYS", '{"1": null}'),
        ("HALF_LIFE_BASE_DAYS", "1e15"),
        ("BACKUP_KEY", "thirty-one characters, not more"),
        ("BACKUP_EARLIER_KEYS", f"{'a' * 32},short"),
        ("BACKUP_EARLIER_KEYS", "[1]"),
        ("CLASSIFICATION_FALLBACK", "3,6"),
        ("CLASSIFICATION_FALLBACK", "3"),
        ("CLASSIFICATION_FALLBACK", "3,x"),
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"prot = 1", "'prot' in .*settings.toml is not a setting; did you mean port?"),
        (b"port = ", "settings.toml is not valid TOML"),
        (b"host = '\xff'", "settings.toml is not valid TOML"),
        (b"port = 'high'", "PORT='high' in .*settings.toml: it should be a valid integer"),
        (b"typed_floors = {fact = 11}", r"TYPED_FLOORS\[fact\]=11 in .*settings.toml: .* 10"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_it(
    text: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(text)
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(file))
    with pytest.raises(SettingsError, match=said):
        read_settings()


def test_a_setting_of_an_earlier_version_is_ignored_with_what_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("feedback_max_shift = 0.2\nport = 9000")
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(file))
    assert read_settings().port == 9000
    (warning,) = caplog.messages
    assert warning.startswith("'feedback_max_shift' in ")
    assert warning.endswith('has no effect any more; use learn = ["weights"].')


def test_a_value_is_shown_unless_it_is_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("neo4j_password = 12345")
    monkeypatch.setenv("GRAPH_MEMORY_CONFIG", str(file))
    monkeypatch.setenv("GRAPH_MEMORY_PORT", "70000")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", "bolt://me:hunter2@127.0.0.1:99999")
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert "GRAPH_MEMORY_PORT='70000': it should be less than or equal to 65535" in str(
        caught.value
    )
    assert "12345" not in str(caught.value) + str(caught.value.__cause__)
    assert "hunter2" not in str(caught.value) + str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BACKUP_KEY", "hunter2"),
        ("BACKUP_EARLIER_KEYS", "hunter2"),
        ("BACKUP_EARLIER_KEYS", '["hunter2"'),
        ("BACKUP_EARLIER_KEYS", '"hunter2"'),
    ],
)
def test_an_unusable_key_is_not_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"GRAPH_MEMORY_{name}", value)
    with pytest.raises(SettingsError, match=f"GRAPH_MEMORY_{name}") as caught:
        read_settings()
    shown = "".join(traceback.format_exception(caught.value))
    assert "hunter2" not in shown


def test_white_space_around_a_key_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "correct horse battery staple, and so on"
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_KEY", f" {key}\n")
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_EARLIER_KEYS", json.dumps([f"{key}\n"]))
    settings = read_settings()
    assert settings.backup_key.get_secret_value() == key
    assert [each.get_secret_value() for each in settings.backup_earlier_keys] == [key]
    assert key not in repr(settings) + settings.model_dump_json()


def test_a_misspelt_name_in_the_environment_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("PORTT", "TEST_NEO4J_URI", "CONFIG"):
        monkeypatch.setenv(f"GRAPH_MEMORY_{name}", "")
    read_settings()
    (told,) = caplog.messages
    assert told.startswith("GRAPH_MEMORY_PORTT is not a setting; did you mean GRAPH_MEMORY_PORT?")


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


@pytest.mark.parametrize("name", Settings.model_fields)
def test_the_shipped_file_tells_the_range_and_the_choices_of_a_setting(name: str) -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    comment = re.search(rf"((?:^# (?!\w+ = ).*\n)*)^(?:# )?{name} = ", text, re.MULTILINE)
    assert comment is not None
    field = Settings.model_fields[name]
    for sign, bound in (("≥", "ge"), (">", "gt"), ("≤", "le")):
        for limit in (getattr(part, bound, None) for part in field.metadata):
            told = re.findall(rf"{sign} ([\d.]+)", comment[1])
            assert limit is None or limit in map(float, told), f"{sign} {limit}"
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    for part in field.metadata:
        if listed := re.fullmatch(r"\^\(([\w|]+)\)\$", getattr(part, "pattern", None) or ""):
            choices += listed[1].split("|")
    if name == "toolsets":
        choices += [*TOOLSETS, "all"]
    assert [choice for choice in choices if not re.search(rf"\b{choice}\b", comment[1])] == []
