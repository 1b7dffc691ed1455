"""Graphs in parts: any lines come back, an insertion changes one part, and damage is refused."""

import gzip
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.backup import archives, dump, partials
from graph_memory.backup.encryption import key_of
from graph_memory.backup.files import MANIFEST, BackupReader, BackupWriter, Keyring, Manifest
from graph_memory.backup.parts import FOLDER, PARTS, PartsWriter, join, read_index, read_part
from graph_memory.backup.restore import check
from graph_memory.errors import BackupError

KEY = "a key of the tests, with thirty-two characters"
Record = dict[str, Any]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["id", "from", "to", "labels", "properties", "floats", "bytes"]) | texts
records = st.dictionaries(names, values, max_size=6)


@given(st.lists(records, max_size=40), st.integers(1, 5))
@settings(deadline=None)
def test_any_records_come_back(given_records: list[Record], times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        writer = PartsWriter(path, None)
        for record in given_records * times:
            writer.add(record)
        writer.finish()
        index = read_index((path / PARTS).read_bytes())
        streams = (
            (line for each in digests for line in read_part(path, None, each))
            for digests in (index.records, index.values)
        )
        assert [json.loads(line) for line in join(*streams)] == given_records * times


def node(number: int, **properties: Any) -> Record:
    own = {"uuid": f"id-{number}", "embedding": [number / 7] * 8, **properties}
    return dump.node(f"4:x:{number}", ["Memory"], own)


#: Nodes with gaps between their ids, and relationships.
NODES = [node(2 * n, content=f"content {n}") for n in range(2000)]
EDGES = [dump.edge(f"4:x:{2 * n}", f"4:x:{2 * n + 2}", "R", {"at": n}) for n in range(1999)]


def write(
    path: Path, graph: list[Record], *, key: str | None = None, sources: tuple[Path, ...] = ()
) -> BackupReader:
    """Write a backup without memories for people."""
    path.mkdir()
    files = BackupWriter(path, key_of(key) if key else None, sources)
    checksum = dump.Checksum()
    with files.writing_graph() as writer:
        for each in graph:
            (checksum.node if "labels" in each else checksum.edge)(each)
            writer.add(each)
    counts = checksum.nodes, checksum.nodes, checksum.edges
    when = "2026-11-27T12:00:00.000Z"
    files.write_manifest(Manifest(files.format, when, *counts, checksum.hexdigest()))
    return BackupReader(path, Keyring((key,), encrypts=True) if key else Keyring())


def unshared(path: Path, other: Path) -> list[str]:
    """Return the names of the parts of a backup that are not linked to those of another."""
    known = {each.stat().st_ino for each in (other / FOLDER).iterdir()}
    return [each.name for each in (path / FOLDER).iterdir() if each.stat().st_ino not in known]


KEYS = pytest.mark.parametrize("key", [None, KEY], ids=["clear", "encrypted"])


@KEYS
def test_an_unchanged_graph_is_linked(tmp_path: Path, key: str | None) -> None:
    first = write(tmp_path / "backup_1", NODES + EDGES, key=key)
    second = write(tmp_path / "backup_2", NODES + EDGES, key=key, sources=(first.path,))
    assert len(list((first.path / FOLDER).iterdir())) > 20
    assert unshared(second.path, first.path) == []
    own = [each for each in second.path.iterdir() if each.is_file()]
    assert second.new_bytes(first.path) == sum(each.stat().st_size for each in own)
    assert second.size() == pytest.approx(first.size(), abs=2)
    shutil.rmtree(first.path)
    assert check(second).nodes == 2000


@KEYS
@pytest.mark.parametrize("change", ["insert", "remove", "edit"])
def test_a_change_is_written_with_its_part_alone(
    tmp_path: Path, key: str | None, change: str
) -> None:
    first = write(tmp_path / "backup_1", NODES, key=key)
    changed = {
        "insert": [*NODES[:1000], node(1999, content="new"), *NODES[1000:]],
        "remove": NODES[:1000] + NODES[1001:],
        "edit": [*NODES[:1000], node(2000, content="edited"), *NODES[1001:]],
    }[change]
    second = write(tmp_path / "backup_2", changed, key=key, sources=(first.path,))
    # Vectors are parts of their own; an edit does not change them.
    assert len(unshared(second.path, first.path)) == (1 if change == "edit" else 2)
    assert list(second.records()) == changed
    assert list(first.records()) == NODES


def test_parts_under_another_key_are_not_linked(tmp_path: Path) -> None:
    first = write(tmp_path / "backup_1", NODES, key=KEY)
    for key in (None, f"another {KEY}"):
        other = write(tmp_path / f"backup_{key}", NODES, key=key, sources=(first.path,))
        assert len(unshared(other.path, first.path)) == len(list((first.path / FOLDER).iterdir()))
        assert check(other).nodes == 2000


@KEYS
def test_a_damaged_part_is_written_instead_of_linked(tmp_path: Path, key: str | None) -> None:
    first = write(tmp_path / "backup_1", NODES, key=key)
    damaged, cut, empty, *_ = (first.path / FOLDER).iterdir()
    flip(damaged)
    cut.write_bytes(cut.read_bytes()[:-9])
    empty.write_bytes(b"")
    second = write(tmp_path / "backup_2", NODES, key=key, sources=(first.path,))
    assert set(unshared(second.path, first.path)) == {each.name for each in (damaged, cut, empty)}
    assert check(second).nodes == 2000
    with pytest.raises(BackupError, match="is damaged"):
        check(first)


def test_parts_are_written_where_files_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("links are not supported")

    first = write(tmp_path / "backup_1", NODES)
    monkeypatch.setattr(os, "link", refuse)
    second = write(tmp_path / "backup_2", NODES, sources=(first.path,))
    assert len(unshared(second.path, first.path)) == len(list((first.path / FOLDER).iterdir()))
    assert check(second).nodes == 2000


def test_many_lines_without_an_end_are_cut(tmp_path: Path) -> None:
    """A part is held in memory, so it ends at a number of bytes."""
    one = [dump.edge("4:x:0", "4:x:2", "R", {"n": "x" * 1000})] * 10_000
    large = [dump.edge("4:x:0", "4:x:2", "R", {"n": "x" * 2**20})] * 10
    backup = write(tmp_path / "backup_1", [*NODES[:2], *one, *large])
    texts = [gzip.decompress(each.read_bytes()) for each in (backup.path / FOLDER).iterdir()]
    assert 4 * 2**20 < max(map(len, texts)) < 6 * 2**20
    assert check(backup).edges == 10_010


def flip(file: Path) -> None:
    stored = bytearray(file.read_bytes())
    stored[len(stored) // 2] ^= 16
    file.write_bytes(stored)


def parts(backup: BackupReader) -> list[Path]:
    """Return the parts by size, the largest first."""
    return sorted((backup.path / FOLDER).iterdir(), key=lambda each: -each.stat().st_size)


def list_of(backup: BackupReader) -> Path:
    (found,) = backup.path.glob(f"{PARTS}*")
    return found


def flip_a_part(backup: BackupReader) -> Path:
    flip(parts(backup)[0])
    return parts(backup)[0]


def cut_a_part(backup: BackupReader) -> Path:
    part = parts(backup)[0]
    part.write_bytes(part.read_bytes()[:-4])
    return part


def exchange_parts(backup: BackupReader) -> Path:
    first, second, *_ = parts(backup)
    whole = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(whole)
    return backup.path / FOLDER


def take_a_part_of_another(backup: BackupReader) -> Path:
    key = backup.keys.texts[0] if backup.keys.texts else None
    graph = [node(2 * n, content=f"other {n}", embedding=[n / 9] * 8) for n in range(2000)]
    shutil.copy(parts(write(backup.path / "other", graph, key=key))[0], parts(backup)[0])
    return parts(backup)[0]


def remove_a_part(backup: BackupReader) -> Path:
    part = parts(backup)[0]
    part.unlink()
    return backup.path / FOLDER


def remove_the_list(backup: BackupReader) -> Path:
    list_of(backup).unlink()
    return backup.path / PARTS


def flip_the_list(backup: BackupReader) -> Path:
    flip(list_of(backup))
    return backup.path


def take_the_list_of_another(backup: BackupReader) -> Path:
    key = backup.keys.texts[0] if backup.keys.texts else None
    other = write(backup.path / "other", NODES[:1000], key=key, sources=(backup.path,))
    for each in unshared(other.path, backup.path):
        shutil.copy(other.path / FOLDER / each, backup.path / FOLDER)
    shutil.copy(list_of(other), list_of(backup))
    return backup.path


def listed(text: str) -> Callable[[BackupReader], Path]:
    def replace_the_list(backup: BackupReader) -> Path:
        list_of(backup).write_text(text)
        return list_of(backup)

    return replace_the_list


def reverse(stream: str) -> Callable[[BackupReader], Path]:
    def reverse_the_list(backup: BackupReader) -> Path:
        found = list_of(backup)
        index = json.loads(found.read_text())
        found.write_text(json.dumps(index | {stream: index[stream][::-1]}))
        return backup.path

    return reverse_the_list


def shorten(stream: str) -> Callable[[BackupReader], Path]:
    def shorten_the_list(backup: BackupReader) -> Path:
        found = list_of(backup)
        index = json.loads(found.read_text())
        found.write_text(json.dumps(index | {stream: index[stream][:-1]}))
        return backup.path

    return shorten_the_list


DAMAGE: dict[str, Callable[[BackupReader], Path]] = {
    "a flipped bit of a part": flip_a_part,
    "a cut part": cut_a_part,
    "exchanged parts": exchange_parts,
    "a part of another backup": take_a_part_of_another,
    "a missing part": remove_a_part,
    "a missing list": remove_the_list,
    "a flipped bit of the list": flip_the_list,
    "the list of another backup": take_the_list_of_another,
    "an empty list": listed("{}"),
    "a list that is a number": listed("5"),
    "a list of numbers": listed('{"records": [1], "values": []}'),
    "a list out of the folder": listed('{"records": ["../../etc"], "values": []}'),
}

#: Changes of a list in clear, which has no key that protects it.
OF_A_LIST = {
    f"{name} {stream}": change(stream)
    for name, change in (("reversed", reverse), ("fewer", shorten))
    for stream in ("records", "values")
}


@KEYS
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_backup_is_refused_with_the_file(
    tmp_path: Path, key: str | None, damage: Callable[[BackupReader], Path]
) -> None:
    backup = write(tmp_path / "backup_1", NODES + EDGES, key=key)
    begin = damage(backup)
    with pytest.raises(BackupError, match=r"is damaged(?s:.*)Nothing was changed; use") as caught:
        check(backup)
    assert str(caught.value).startswith(str(begin))


@pytest.mark.parametrize("damage", OF_A_LIST.values(), ids=OF_A_LIST)
def test_a_changed_list_in_clear_is_refused(
    tmp_path: Path, damage: Callable[[BackupReader], Path]
) -> None:
    test_a_damaged_backup_is_refused_with_the_file(tmp_path, None, damage)


class Nothing:
    """No erased texts besides memories."""

    def held(self, group_id: str, text: str) -> bool:
        return False

    def named(self, group_id: str, text: str) -> bool:
        return False


@pytest.mark.parametrize("key", [None, KEY], ids=["clear", "encrypted"])
def test_an_erased_memory_is_in_no_part_of_any_backup(tmp_path: Path, key: str | None) -> None:
    token = secrets.token_hex(16)
    graph = [*NODES[:1000], node(2000, content=token), *NODES[1001:]]
    folder = tmp_path / "backups"
    folder.mkdir()
    made: list[BackupReader] = []
    for number in range(3):
        sources = tuple(each.path for each in made)
        path = folder / f"backup_{number}"
        made.append(write(path, graph[: 1500 + 100 * number], key=key, sources=sources))
    for backup in made:
        with BackupWriter(backup.path, key_of(key) if key else None).writing_text(
            "memories.json"
        ) as text:
            json.dump({"memories": [], "total_memories": 0}, text)
    erased = {"id-2000"}
    vector = graph[1000]["floats"]["embedding"][1]
    assert sum(token in line for backup in made for line in backup.lines()) == 3
    for backup in made:
        assert archives.rewrite(backup, erased, lambda ids: Nothing()).nodes_removed == 1
    for backup in made:
        for part in (backup.path / FOLDER).iterdir():
            digest = part.name.split(".")[0]
            text = b"".join(read_part(backup.path, backup.key(), digest))
            assert token.encode() not in text
            assert vector.encode() not in text
    # What has not changed is still linked, within a backup and between them.
    assert len({each.stat().st_ino for each in folder.rglob("*.gz*")}) < sum(
        len(list((each.path / FOLDER).iterdir())) for each in made
    )
    newest = made[-1]
    assert newest.new_bytes(made[-2].path) < newest.size() / 2


def test_only_folders_of_killed_backups_are_taken_over(tmp_path: Path) -> None:
    def left(*names: str) -> Path:
        path = tmp_path / f".partial_{names}"
        path.mkdir()
        for name in names:
            (path / name).touch()
        return path

    killed, complete, old = left("lock"), left("lock", MANIFEST), left("spool")
    with partials.partial_folder(tmp_path, "running") as running:
        with suppress(BackupError), partials.abandoned(tmp_path) as found:
            assert found == [killed]
            with partials.abandoned(tmp_path) as again:  # another backup takes none of them
                assert again == []
            raise BackupError("The disk is full.")  # so it is left for the next one
        assert set(tmp_path.iterdir()) == {killed, complete, old, running.path}
        with partials.abandoned(tmp_path) as found:
            assert found == [killed]
        assert set(tmp_path.iterdir()) == {complete, old, running.path}
    assert set(tmp_path.iterdir()) == {complete, old}
