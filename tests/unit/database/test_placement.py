"""The placement file: its rules, the hash of a group, and the errors of malformed files."""

import re
from pathlib import Path

import pytest

from graph_memory import Settings, read_settings
from graph_memory.database.placement import Placement, hash_of, read_placement
from graph_memory.errors import SettingsError

SERVERS = """
[servers.east]
neo4j_uri = "bolt://127.0.0.1:7001"
neo4j_password = "secret"

[servers.west]
neo4j_uri = "neo4j+s://west.example"
neo4j_user = "west"
neo4j_database = "memories"
neo4j_password_env = "WEST_PASSWORD"
"""
RULES = """
[[rules]]
server = "home"
groups = ["bot_home"]

[[rules]]
server = "east"
groups = ["acme", "bot_*"]

[[rules]]
server = "west"
hash = [0.0, 0.5]

[[rules]]
server = "east"
groups = ["shard_*"]
hash = [0.5, 1.0]
"""


def settings_with(folder: Path, text: str) -> Settings:
    path = folder / "placement.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(placement_file=path, neo4j_uri="bolt://127.0.0.1:7000", data_dir=folder)


@pytest.fixture
def placement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placement:
    monkeypatch.setenv("WEST_PASSWORD", "of west")
    found = read_placement(settings_with(tmp_path, SERVERS + RULES))
    assert found
    return found


def test_without_a_file_nothing_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_placement(read_settings()) is None
    monkeypatch.setenv("GRAPH_MEMORY_PLACEMENT_FILE", "")
    assert read_placement(read_settings()) is None


def test_the_first_matching_rule_decides(placement: Placement) -> None:
    assert placement.server_of("bot_home") == "home"
    assert placement.server_of("bot_7") == "east"
    assert placement.server_of("acme") == "east"
    assert placement.server_of("ACME") == ("west" if hash_of("ACME") < 0.5 else "home")


def test_hash_ranges_take_the_lower_end_and_leave_the_upper(placement: Placement) -> None:
    groups = [f"shard_{number}" for number in range(1000)]
    by_server = {group: placement.server_of(group) for group in groups}
    assert all((server == "west") is (hash_of(group) < 0.5) for group, server in by_server.items())
    assert set(by_server.values()) == {"west", "east"}
    assert 400 < list(by_server.values()).count("west") < 600


def test_the_hash_of_a_group_never_changes() -> None:
    assert hash_of("acme") == pytest.approx(0.5084717081697409, abs=1e-15)
    assert hash_of("default") == pytest.approx(0.21742145759171694, abs=1e-15)


def test_a_place_is_explained(placement: Placement) -> None:
    found = placement.explain("bot_7")
    assert (found.server, found.rule) == ("east", "rule 2: groups acme, bot_*")
    high = next(name for name in map(str, range(99)) if hash_of(name) >= 0.5)
    assert (placement.explain(high).server, placement.explain(high).rule) == ("home", None)


def test_a_server_has_its_connection_and_its_folder_of_backups(
    placement: Placement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEST_PASSWORD", "of west")
    settings = read_settings(data_dir=tmp_path)
    west = placement.servers["west"].over(settings, "west")
    assert (west.neo4j_uri, west.neo4j_user, west.neo4j_database) == (
        "neo4j+s://west.example",
        "west",
        "memories",
    )
    assert west.neo4j_password.get_secret_value() == "of west"
    assert west.backup_folder == tmp_path / "backups" / "west"


MALFORMED = [
    ("rules = 3", r"rules=3: it should be"),
    ("[servers.east]", r"servers\.east\.neo4j_uri: field required"),
    ('[servers.east]\nneo4j_uri = "http://x"', r"servers\.east\.neo4j_uri='http://x': .*match"),
    ('[servers.home]\nneo4j_uri = "bolt://x"', r"servers\.home is the configured database"),
    ('[servers."a b"]\nneo4j_uri = "bolt://x"', r"servers\.a b.*: .*match pattern"),
    ('[servers.a]\nneo4j_uri = "bolt://x"\nport = 7', r"servers\.a\.port=7: this key is unknown"),
    (
        '[servers.a]\nneo4j_uri = "bolt://x"\nneo4j_password_env = "NO_SUCH"',
        r"servers\.a: the variable NO_SUCH of its password is not set",
    ),
    (
        '[servers.a]\nneo4j_uri = "bolt://x"\nneo4j_password = "p"\nneo4j_password_env = "P"',
        r"servers\.a: give neo4j_password or neo4j_password_env, not both",
    ),
    (
        '[servers.a]\nneo4j_uri = "bolt://127.0.0.1:7000"',
        r"servers\.a is the database of home, 'neo4j' at bolt://127.0.0.1:7000",
    ),
    ('[[rules]]\nserver = "a"\ngroups = ["x"]', r"rules\[0\]\.server='a' is not among .* home"),
    ('[[rules]]\nserver = "home"', r"rules\[0\]: give groups or hash"),
    ('[[rules]]\nserver = "home"\ngroups = ["a b"]', r"rules\[0\]\.groups\[0\]='a b': .*match"),
    (
        '[[rules]]\nserver = "home"\nhash = [0.5, 0.2]',
        r"rules\[0\]\.hash=\[0\.5, 0\.2\]: the first",
    ),
    ('[[rules]]\nserver = "home"\nhash = [0.5, 1.2]', r"rules\[0\]\.hash\[1\]=1\.2: .*less than"),
    ("[[rules]", "is not valid TOML"),
]


@pytest.mark.parametrize(("text", "problem"), MALFORMED)
def test_a_malformed_file_is_named_with_key_value_and_remedy(
    text: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as raised:
        read_placement(settings_with(tmp_path, text))
    message = str(raised.value)
    assert re.search(problem, message, re.IGNORECASE), message
    assert str(tmp_path / "placement.toml") in message
    assert message.endswith("Correct the file; docs/guides/placement.md describes it.")
    assert "'p'" not in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    settings = read_settings(placement_file=tmp_path / "none.toml")
    with pytest.raises(SettingsError, match=r"none\.toml cannot be read .* Correct or unset it"):
        read_placement(settings)
