"""Encrypted backups: nothing in clear, and nothing read that was changed or has another key."""

import base64
import gzip
import json
import pickle
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Settings, read_settings
from graph_memory.backup import archives, dump
from graph_memory.backup.encryption import CHUNK, HEADER, TAG, key_of
from graph_memory.backup.files import (
    CLEAR,
    ENCRYPTED,
    GRAPH,
    MANIFEST,
    MEMORIES,
    WHOLE,
    WHOLE_ENCRYPTED,
    BackupReader,
    BackupWriter,
    Keyring,
    Manifest,
)
from graph_memory.backup.parts import FOLDER, PARTS
from graph_memory.backup.restore import check
from graph_memory.errors import BackupError

KEY, OTHER = (f"a {name} key of the tests, with thirty-two characters" for name in ("first", "new"))
KEYS = Keyring((KEY,), encrypts=True)
TOKEN = secrets.token_hex(16)
OLD_VERSIONS = sorted((Path(__file__).parents[2] / "data" / "old_versions").glob("*/backup"))


def record(number: int, content: str) -> dict[str, Any]:
    properties = {"uuid": f"id-{number}", "content": content, "name": "Zelda Quendler"}
    return dump.node(f"4:x:{number}", ["Memory", "Entity"], properties)


#: Texts that gzip cannot shorten much, so that the graph has several chunks.
RECORDS = [record(n, f"{TOKEN} {secrets.token_hex(4000)}") for n in range(100)]


def write(
    folder: Path,
    text: str | None,
    records: list[dict[str, Any]] = RECORDS,
    *,
    whole: bool = False,
    sources: Sequence[Path] = (),
) -> BackupReader:
    """Write a backup as a program would, and return it with its key.

    Args:
        folder: Its folder.
        text: Its key; None for one in clear.
        records: The nodes.
        whole: True to write the graph as one file, as earlier versions did.
        sources: Other backups, whose parts are linked.
    """
    folder.mkdir(parents=True)
    files = BackupWriter(folder, key_of(text) if text else None, sources)
    checksum = dump.Checksum()
    for each in records:
        checksum.node(each)
    if whole:
        with files.writing_text(GRAPH) as lines:
            lines.writelines(dump.to_line(each) + "\n" for each in records)
    else:
        with files.writing_graph() as graph:
            for each in records:
                graph.add(each)
    memories = [
        {"memory_id": each["properties"]["uuid"], "content": each["properties"]["content"]}
        for each in records
    ]
    with files.writing_text(MEMORIES) as readable:
        json.dump({"memories": memories, "total_memories": len(memories)}, readable)
    counts = len(records), len(records), 0
    when = "2026-11-27T12:00:00.000Z"
    earlier = WHOLE_ENCRYPTED if text else WHOLE
    number = earlier if whole else files.format
    files.write_manifest(Manifest(number, when, *counts, checksum.hexdigest()))
    return BackupReader(folder, Keyring((text,), encrypts=True) if text else Keyring())


def bytes_of(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file())


@pytest.fixture
def backup(tmp_path: Path) -> BackupReader:
    return write(tmp_path / "backup_20261127T120000Z", KEY)


@pytest.fixture
def whole(tmp_path: Path) -> BackupReader:
    """A backup of an earlier version, with the graph as one file."""
    return write(tmp_path / "backup_20261127T120000Z", KEY, whole=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(backup_path=tmp_path, backup_key=KEY)


def test_an_encrypted_backup_is_read_with_its_key(backup: BackupReader) -> None:
    manifest = check(backup)
    assert (manifest.format, manifest.memories) == (ENCRYPTED, 100)
    assert list(backup.records()) == RECORDS
    with backup.reading_text(MEMORIES) as text:
        assert json.load(text)["total_memories"] == 100


def test_an_encrypted_backup_of_an_earlier_version_is_read_with_its_key(
    whole: BackupReader,
) -> None:
    assert check(whole).format == WHOLE_ENCRYPTED
    assert list(whole.records()) == RECORDS
    with pytest.raises(BackupError, match="no key is set"):
        check(BackupReader(whole.path))


def test_nothing_of_the_contents_is_in_clear(backup: BackupReader) -> None:
    stored = bytes_of(backup.path)
    manifest = backup.manifest()
    for secret in (TOKEN, "Zelda", "Quendler", "id-7", manifest.checksum, KEY):
        assert secret.encode() not in stored
        assert base64.b64encode(secret.encode())[:-4] not in stored
    assert {each.name for each in backup.path.iterdir()} == {
        FOLDER,
        f"{PARTS}.enc",
        f"{MEMORIES}.enc",
        MANIFEST,
    }
    names = [each.name for each in (backup.path / FOLDER).iterdir()]
    assert all(name.endswith(".gz.enc") for name in names)
    other = write(backup.path.parent / "in clear", None)
    digests = {each.name.split(".")[0] for each in (other.path / FOLDER).iterdir()}
    assert digests.isdisjoint(name.split(".")[0] for name in names)
    shown = json.loads((backup.path / MANIFEST).read_text())
    del shown["sealed"]
    assert shown == {
        "format": 4,
        "created_at": "2026-11-27T12:00:00.000Z",
        "memories": 100,
        "nodes": 100,
        "edges": 0,
        "cipher": "AES-256-GCM",
        "key_id": key_of(KEY).id,
    }


def test_rows_that_wait_while_a_backup_is_made_are_encrypted(tmp_path: Path) -> None:
    files = BackupWriter(tmp_path, key_of(KEY))
    with files.writing("spool") as spool:
        pickle.dump(RECORDS[:50], spool)
        pickle.dump(RECORDS[50:], spool)
    assert TOKEN.encode() not in bytes_of(tmp_path)
    with files.reading("spool") as spool:
        assert pickle.load(spool) + pickle.load(spool) == RECORDS
        with pytest.raises(EOFError):
            pickle.load(spool)
    files.remove("spool")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", OLD_VERSIONS, ids=lambda path: path.parent.name)
def test_backups_of_earlier_versions_are_read_with_and_without_a_key(path: Path) -> None:
    assert check(BackupReader(path)) == check(BackupReader(path, KEYS))
    assert BackupReader(path, KEYS).key() is None


def test_a_backup_in_clear_has_plain_files(tmp_path: Path) -> None:
    backup = write(tmp_path / "clear", None)
    assert {each.name for each in backup.path.iterdir()} == {FOLDER, PARTS, MEMORIES, MANIFEST}
    stored = json.loads((backup.path / MANIFEST).read_text())
    assert stored == asdict(backup.manifest())
    assert stored["format"] == CLEAR
    text = b"".join(map(gzip.decompress, map(Path.read_bytes, (backup.path / FOLDER).iterdir())))
    assert text.count(TOKEN.encode()) == 100
    assert check(BackupReader(backup.path, KEYS)) == check(backup)  # with a key as well


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (Keyring(), "and no key is set. Set GRAPH_MEMORY_BACKUP_KEY to this key, or add it to"),
        (
            Keyring((OTHER,), encrypts=True),
            f"but the settings have {key_of(OTHER).id} only. Add this key to "
            "GRAPH_MEMORY_BACKUP_EARLIER_KEYS.",
        ),
    ],
    ids=["no key", "another key"],
)
def test_a_missing_key_is_named(backup: BackupReader, keys: Keyring, said: str) -> None:
    reader = BackupReader(backup.path, keys)
    for read in (reader.manifest, lambda: check(reader), lambda: list(reader.lines())):
        with pytest.raises(BackupError) as caught:
            read()
        begin = f"{backup.path} is encrypted with the key {key_of(KEY).id}, "
        assert str(caught.value).startswith(begin)
        assert said in str(caught.value)
        assert not {KEY, OTHER} & set(str(caught.value).split(" is "))
    assert KEY not in repr(keys)


def test_an_earlier_key_reads_and_the_present_one_writes(tmp_path: Path) -> None:
    old = write(tmp_path / "old", KEY)
    settings = read_settings(backup_key=OTHER, backup_earlier_keys=[KEY])
    keys = Keyring.of(settings)
    assert keys.present() == key_of(OTHER)
    assert check(BackupReader(old.path, keys)).memories == 100
    without = Keyring.of(read_settings(backup_earlier_keys=[KEY]))
    assert without.present() is None
    assert check(BackupReader(old.path, without)).memories == 100


def graph_of(backup: BackupReader) -> Path:
    """Return the graph in one file, or its largest part."""
    found = backup.path / f"{GRAPH}.enc"
    if found.exists():
        return found
    return max((backup.path / FOLDER).iterdir(), key=lambda each: each.stat().st_size)


def flip(backup: BackupReader) -> None:
    stored = bytearray(graph_of(backup).read_bytes())
    stored[len(stored) // 2] ^= 1
    graph_of(backup).write_bytes(stored)


def cut(backup: BackupReader) -> None:
    stored = graph_of(backup).read_bytes()
    graph_of(backup).write_bytes(stored[: HEADER + CHUNK + TAG])


def swap(backup: BackupReader) -> None:
    stored, size = graph_of(backup).read_bytes(), CHUNK + TAG
    first, second = stored[HEADER : HEADER + size], stored[HEADER + size : HEADER + 2 * size]
    assert len(second) == size
    graph_of(backup).write_bytes(stored[:HEADER] + second + first + stored[HEADER + 2 * size :])


def repeat(backup: BackupReader) -> None:
    stored = graph_of(backup).read_bytes()
    graph_of(backup).write_bytes(stored + stored[HEADER:])


def exchange(backup: BackupReader) -> None:
    shutil.copy(backup.path / f"{MEMORIES}.enc", graph_of(backup))


def remove(backup: BackupReader) -> None:
    graph_of(backup).unlink()


def take_the_graph_of_another(backup: BackupReader) -> None:
    whole = not (backup.path / FOLDER).exists()
    other = write(backup.path.parent / "another", KEY, RECORDS[:50], whole=whole)
    if whole:
        shutil.copy(graph_of(other), graph_of(backup))
        return
    shutil.rmtree(backup.path / FOLDER)
    shutil.copytree(other.path / FOLDER, backup.path / FOLDER)
    shutil.copy(other.path / f"{PARTS}.enc", backup.path)


def take_the_manifest_of_another(backup: BackupReader) -> None:
    other = write(backup.path.parent / "another", KEY, [*RECORDS[:99], record(99, "changed")])
    shutil.copy(other.path / MANIFEST, backup.path / MANIFEST)


def change(**values: Any) -> Callable[[BackupReader], None]:
    def change_manifest(backup: BackupReader) -> None:
        stored = json.loads((backup.path / MANIFEST).read_text())
        (backup.path / MANIFEST).write_text(json.dumps(stored | values))

    return change_manifest


CHANGES: dict[str, Callable[[BackupReader], None]] = {
    "a flipped bit": flip,
    "a cut between chunks": cut,
    "exchanged chunks": swap,
    "repeated chunks": repeat,
    "another file of the backup": exchange,
    "a missing file": remove,
    "the graph of another backup": take_the_graph_of_another,
    "the manifest of another backup": take_the_manifest_of_another,
    "fewer memories": change(memories=99),
    "another time": change(created_at="2020-01-01T00:00:00.000Z"),
    "an empty seal": change(sealed=""),
    "a seal that is no base64": change(sealed="?"),
    "the format of one in clear": change(format=1, checksum="0" * 64),
}


@pytest.mark.parametrize("damage", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("made", ["backup", "whole"])
def test_a_changed_backup_is_refused(
    request: pytest.FixtureRequest, made: str, damage: Callable[[BackupReader], None]
) -> None:
    backup: BackupReader = request.getfixturevalue(made)
    damage(backup)
    with pytest.raises(BackupError, match=r"is damaged(?s:.*)Nothing was changed; use another"):
        check(backup)


def test_a_seal_under_another_key_is_refused(backup: BackupReader) -> None:
    change(key_id=key_of(OTHER).id)(backup)
    with pytest.raises(BackupError, match=r"manifest\.json is damaged \(piece 1 does not decrypt"):
        check(BackupReader(backup.path, Keyring((KEY, OTHER), encrypts=True)))


class Nothing:
    """No erased texts besides memories."""

    def held(self, group_id: str, text: str) -> bool:
        return False

    def named(self, group_id: str, text: str) -> bool:
        return False


@pytest.mark.parametrize("whole", [False, True], ids=["parts", "whole"])
@pytest.mark.parametrize("before", [KEY, OTHER, None], ids=["same", "earlier", "clear"])
def test_a_rewritten_backup_is_encrypted_with_the_present_key(
    tmp_path: Path, before: str | None, whole: bool
) -> None:
    path = write(tmp_path / "backup_20261127T120000Z", before, whole=whole).path
    backup = BackupReader(path, Keyring((KEY, OTHER), encrypts=True))
    done = archives.rewrite(backup, {"id-7"}, lambda ids: Nothing())
    assert done.memories_removed == 1
    assert backup.key() == key_of(KEY)
    assert (check(backup).format, check(backup).memories) == (ENCRYPTED, 99)
    assert archives.held_ids(backup, {"id-7", "id-8"}) == {"id-8"}
    with backup.reading_text(MEMORIES) as text:
        assert '"id-7"' not in text.read()
    assert TOKEN.encode() not in bytes_of(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_rewritten_backup_keeps_an_earlier_key_rather_than_none(backup: BackupReader) -> None:
    reader = BackupReader(backup.path, Keyring((KEY,)))
    archives.rewrite(reader, {"id-7"}, lambda ids: Nothing())
    assert reader.key() == key_of(KEY)
    assert TOKEN.encode() not in bytes_of(backup.path)


def test_a_rewrite_without_the_key_changes_nothing(backup: BackupReader) -> None:
    before = bytes_of(backup.path)
    with pytest.raises(BackupError, match="no key is set"):
        archives.rewrite(BackupReader(backup.path), {"id-7"}, lambda ids: Nothing())
    assert bytes_of(backup.path) == before


def test_all_backups_are_encrypted_with_the_present_key(tmp_path: Path) -> None:
    texts = {"backup_0": None, "backup_1": None, "backup_2": OTHER, "backup_3": KEY}
    before = {
        name: check(write(tmp_path / name, text, whole=name == "backup_0"))
        for name, text in texts.items()
    }
    settings = read_settings(backup_path=tmp_path, backup_key=KEY, backup_earlier_keys=[OTHER])
    done = archives.encrypt_all(settings)
    assert [path.name for path in done] == ["backup_0", "backup_1", "backup_2"]
    for backup in archives.backups(read_settings(backup_path=tmp_path, backup_key=KEY)):
        assert check(backup) == replace(before[backup.path.name], format=ENCRYPTED)
        with backup.reading_text(MEMORIES) as text:
            assert json.load(text)["total_memories"] == 100
    assert TOKEN.encode() not in bytes_of(tmp_path)
    assert len({parts_of(tmp_path / name) for name in texts}) == 1  # all have the same files
    assert archives.encrypt_all(settings) == []
    assert {each.name for each in tmp_path.iterdir()} == set(texts)


def parts_of(path: Path) -> frozenset[tuple[str, int]]:
    """Return the names of the parts of a backup, with what shows whether they are linked."""
    return frozenset((each.name, each.stat().st_ino) for each in (path / FOLDER).iterdir())


def test_nothing_is_encrypted_without_a_key(tmp_path: Path) -> None:
    write(tmp_path / "backup_1", None)
    before = bytes_of(tmp_path)
    with pytest.raises(BackupError, match="No key is set, so no backup was encrypted"):
        archives.encrypt_all(read_settings(backup_path=tmp_path, backup_earlier_keys=[KEY]))
    assert bytes_of(tmp_path) == before


def test_a_damaged_backup_is_not_encrypted(tmp_path: Path, settings: Settings) -> None:
    backup = write(tmp_path / "backup_1", None)
    graph_of(backup).write_bytes(graph_of(backup).read_bytes()[:-30])
    before = bytes_of(tmp_path)
    with pytest.raises(BackupError, match="is damaged"):
        archives.encrypt_all(settings)
    assert bytes_of(tmp_path) == before


def test_backups_are_listed_without_their_keys(tmp_path: Path, settings: Settings) -> None:
    for name, text in (("backup_1", None), ("backup_2", KEY), ("backup_3", OTHER)):
        write(tmp_path / name, text)
    (tmp_path / "backup_4").mkdir()
    (tmp_path / "backup_4" / MANIFEST).write_text("{")
    listed = archives.stored_backups(settings)
    assert [(each.format, each.memories, each.key_id) for each in listed] == [
        (CLEAR, 100, None),
        (ENCRYPTED, 100, key_of(KEY).id),
        (ENCRYPTED, 100, key_of(OTHER).id),
        (None, None, None),
    ]
    assert [each.created_at is None for each in listed] == [False, False, False, True]
    sizes = [
        sum(file.stat().st_size for file in (tmp_path / f"backup_{n}").rglob("*") if file.is_file())
        for n in range(1, 5)
    ]
    assert [each.bytes for each in listed] == sizes
    assert [each.new_bytes for each in listed] == sizes  # no two have a key in common
    said = [each.problem for each in listed]
    assert said[:2] == ["", ""]
    assert f"is encrypted with the key {key_of(OTHER).id}, but the settings have" in said[2]
    assert "is not a backup: manifest.json cannot be read" in said[3]
