"""Encrypted backups on a Neo4j of their own: made, restored, searched and rewritten by a key."""

import base64
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from neo4j import AsyncDriver
from pydantic import SecretStr

from graph_memory import GraphMemory, Settings
from graph_memory.backup import archives, create
from graph_memory.backup.encryption import key_of
from graph_memory.backup.files import MANIFEST, BackupReader, Keyring
from graph_memory.backup.parts import FOLDER
from graph_memory.backup.restore import restore, unfinished
from graph_memory.backup.schedule import AutoBackup
from graph_memory.errors import BackupError
from tests.e2e.test_cli import Run, cli, environment
from tests.integration.backup.test_backup import everything, own, own_driver

__all__ = ["cli", "environment", "own", "own_driver"]  # fixtures

KEY, NEW = (
    "a key of the tests, which has enough characters",
    "the key that follows, as long as it",
)
NAME = "Quendolyn Zabransky"


def keyed(memory: GraphMemory, key: str = KEY, earlier: tuple[str, ...] = ()) -> GraphMemory:
    """Return the service with a key of backups."""
    keys = {"backup_key": SecretStr(key), "backup_earlier_keys": tuple(map(SecretStr, earlier))}
    settings = memory.settings.model_copy(update=keys)
    return GraphMemory.over(memory.context.graph, memory.context.embedder, settings)


def in_clear(folder: Path, *texts: str) -> list[str]:
    """Return the texts that are in a file of a folder, as they are or in base64."""
    stored = b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())
    assert len(stored) > 1000
    return [
        text
        for text in texts
        if text.encode() in stored
        or any(base64.b64encode(b"x" * n + text.encode())[4:-4] in stored for n in range(3))
    ]


def new_token() -> str:
    return f"z{secrets.token_hex(12)}"


async def kept_by(memory: GraphMemory) -> tuple[str, str]:
    """Store a memory with a name and a token; return the token and the id."""
    token = new_token()
    content = f"{NAME} keeps the letter {token}"
    added = await memory.add(content, tags=[token], metadata={"secret": token}, group_id="g")
    return token, added.memory_id


@pytest.mark.parametrize("snapshot_from", [1_000_000, 0], ids=["held", "snapshot"])
async def test_an_encrypted_backup_restores_everything(
    own: GraphMemory, own_driver: AsyncDriver, snapshot_from: int
):
    memory = keyed(own)
    token, memory_id = await kept_by(memory)
    before = await everything(own_driver)
    made = await create.create(own.context.graph, memory.settings, snapshot_from=snapshot_from)
    assert made.key_id == key_of(KEY).id
    assert in_clear(made.backup_path, token, NAME, memory_id) == []
    await own.delete_all(confirm="DELETE ALL", permanent=True, group_id="g")
    report = await restore(own.context.graph, memory.settings, made.backup_path, replace=True)
    assert report.memories == 1
    assert await everything(own_driver) == before
    clear = await own.backups.create()  # the search itself finds what is in clear
    assert clear.key_id is None
    assert in_clear(clear.backup_path, NAME) == [NAME]


async def test_the_backup_before_a_restore_is_encrypted_too(own: GraphMemory):
    clear = await own.backups.create()
    memory = keyed(own)
    token, _ = await kept_by(memory)
    report = await restore(own.context.graph, memory.settings, clear.backup_path, replace=True)
    assert report.backup_before is not None
    assert in_clear(report.backup_before, token, NAME) == []
    again = await restore(own.context.graph, memory.settings, report.backup_before)
    assert again.memories == 1


async def test_automatic_backups_are_encrypted_and_the_oldest_go_without_their_key(
    own: GraphMemory,
):
    settings = keyed(own).settings.model_copy(update={"backup_every_n": 1, "backup_keep": 1})
    service = GraphMemory.over(own.context.graph, own.context.embedder, settings)
    old = await keyed(own, NEW).backups.create()  # this key is not in the settings
    automatic = AutoBackup(service.context)
    service.context.on_saved = automatic.saved
    await own.context.graph.run(
        "backup/create/record",
        at="2000-01-01T00:00:00.000Z",
        held_seconds=0.0,
        busy_seconds=0.0,
        memories=0,
    )
    token, _ = await kept_by(service)
    await automatic.wait()
    (made,) = await service.backups.list()
    assert made.path != old.backup_path
    assert (made.format, made.memories, made.key_id) == (4, 1, key_of(KEY).id)
    assert in_clear(made.path, token, NAME) == []


def damage(file: Path, changed: Callable[[bytes], bytes]) -> None:
    file.write_bytes(changed(file.read_bytes()))


async def test_a_changed_backup_or_a_missing_key_changes_nothing(
    own: GraphMemory, own_driver: AsyncDriver
):
    memory = keyed(own)
    await kept_by(memory)
    path = (await memory.backups.create()).backup_path
    await own.add("later", group_id="g")
    other = (await memory.backups.create()).backup_path
    before = await everything(own_driver)
    parts, manifest = {each.name: each for each in (path / FOLDER).iterdir()}, path / MANIFEST
    graph_file = max(parts.values(), key=lambda part: part.stat().st_size)
    foreign = next(each for each in (other / FOLDER).iterdir() if each.name not in parts)
    whole, shown = graph_file.read_bytes(), manifest.read_bytes()
    middle = len(whole) // 2
    for changed in (
        whole[:-1],
        whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        whole + whole[-60:],
        foreign.read_bytes(),
        b"",
    ):
        graph_file.write_bytes(changed)
        with pytest.raises(BackupError, match="damaged"):
            await restore(own.context.graph, memory.settings, path, replace=True)
    graph_file.write_bytes(whole)
    manifest.write_bytes((other / MANIFEST).read_bytes())
    with pytest.raises(BackupError, match="damaged"):
        await restore(own.context.graph, memory.settings, path, replace=True)
    manifest.write_bytes(shown)
    for settings, said in (
        (own.settings, "no key is set. Set GRAPH_MEMORY_BACKUP_KEY"),
        (keyed(own, NEW).settings, "Add this key to GRAPH_MEMORY_BACKUP_EARLIER_KEYS"),
    ):
        with pytest.raises(BackupError, match=f"the key {key_of(KEY).id}, .*{said}"):
            await restore(own.context.graph, settings, path, replace=True)
    assert await everything(own_driver) == before
    assert await unfinished(own.context.graph) is None


async def test_what_was_erased_goes_from_encrypted_backups(own: GraphMemory):
    memory = keyed(own, NEW, earlier=(KEY,))
    token, memory_id = await kept_by(memory)
    kept = new_token()
    other = (await memory.add(f"The cellar has {kept}", group_id="g")).memory_id
    old = (await keyed(own, KEY).backups.create()).backup_path
    receipt = await memory.erasure.erase([memory_id], group_id="g")
    (place,) = [each for each in receipt.places if each.place.startswith("backup ")]
    assert place.remaining == 1
    found = await memory.erasure.verify(receipt, words=[token])
    assert {each.place for each in found.findings} == {f"backup {old.name}"}

    unread = await keyed(own, NEW).erasure.verify(receipt, words=[token])
    (finding,) = unread.findings
    assert f"cannot be read: {old} is encrypted with the key {key_of(KEY).id}" in finding.what
    with pytest.raises(BackupError, match="BACKUP_EARLIER_KEYS"):
        await keyed(own, NEW).erasure.prune_backups()

    (rewritten,) = await memory.erasure.prune_backups()
    assert rewritten.memories_removed == 1
    assert (await memory.erasure.verify(receipt, words=[token])).clean
    (stored,) = archives.backups(memory.settings)
    assert stored.key() == key_of(NEW)
    assert archives.held_ids(stored, {memory_id, other}) == {other}
    assert token not in "".join(stored.lines())
    with stored.reading_text("memories.json") as text:
        assert kept in text.read()
    assert in_clear(old.parent, kept, other) == []
    report = await restore(own.context.graph, memory.settings, old, replace=True)
    assert report.memories == 1


def test_keys_are_made_set_and_changed_by_commands(
    cli: Run,
    own_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", own_settings.neo4j_uri or "")
    monkeypatch.setenv(
        "GRAPH_MEMORY_NEO4J_PASSWORD", own_settings.neo4j_password.get_secret_value()
    )
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_KEY", "short")
    refused = cli("backup")
    assert (refused.code, "`graph-memory backup key` makes one" in refused.err) == (2, True)
    first, second = (cli("backup", "key", "--json").json for _ in range(2))
    assert first["key"] != second["key"]
    printed = cli("backup", "key")
    assert len(printed.out.strip()) == 43
    assert "Its id is " in printed.err

    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_KEY", "")
    token = new_token()
    cli("add", f"{NAME} wrote {token}")
    clear = Path(cli("backup", "--json").json["backup_path"])
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_KEY", first["key"])
    made = cli("backup", "--json").json
    path = Path(made["backup_path"])
    assert made["key_id"] == first["key_id"]
    assert in_clear(path, token, NAME, first["key"]) == []

    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_KEY", second["key"])
    listed = cli("backup", "list", "--json").json["backups"]
    assert [each["key_id"] for each in listed] == [None, first["key_id"]]
    assert listed[0]["problem"] == ""
    assert "GRAPH_MEMORY_BACKUP_EARLIER_KEYS" in listed[1]["problem"]
    refused = cli("restore", path, "--replace")
    assert (refused.code, f"the key {first['key_id']}" in refused.err) == (1, True)
    assert cli("backup", "encrypt").code == 1
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_EARLIER_KEYS", first["key"])
    assert set(cli("backup", "encrypt", "--json").json["encrypted"]) <= {str(clear), str(path)}
    assert in_clear(clear.parent, token, NAME) == []
    monkeypatch.delenv("GRAPH_MEMORY_BACKUP_EARLIER_KEYS")
    listed = cli("backup", "list", "--json").json["backups"]
    assert {each["key_id"] for each in listed} == {second["key_id"]}
    restored = cli("restore", path, "--replace", "--json")
    assert restored.code == 0, restored.err
    assert token in cli("list").out
    keys = Keyring((second["key"],))
    assert BackupReader(Path(restored.json["backup_before"]), keys).manifest().memories >= 1
    assert not any(each["key"] in restored.err + cli("doctor").out for each in (first, second))
