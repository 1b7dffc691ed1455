"""Files that an attacker made: each is refused in a sentence, or read as the text it is."""

import json
import random
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from graph_memory.errors import SourceFormatError
from graph_memory.transfer.formats import translate
from tests.integration.transfer.test_formats import STORES, basic_memory, doobidoo

_FILES = [name for name in STORES if name != "basic-memory"]
_JSON = [name for name in _FILES if name not in ("doobidoo", "forgetful", "longterm-memory")]


def read(name: str, path: Path) -> list[str]:
    """Return the lines of a store, or none if it is refused in a sentence."""
    try:
        lines = list(translate(name, path, "g"))
    except SourceFormatError:
        return []
    return [json.dumps(json.loads(line)) for line in lines]


@pytest.mark.parametrize("name", _FILES)
def test_cut_and_changed_files_are_refused_or_read(name: str, tmp_path: Path) -> None:
    path = STORES[name](tmp_path)
    whole, chance = path.read_bytes(), random.Random(zlib.crc32(name.encode()))
    for _ in range(60):
        place = chance.randrange(len(whole))
        path.write_bytes(whole[:place])
        read(name, path)
        path.write_bytes(whole[:place] + chance.randbytes(8) + whole[place + 8 :])
        read(name, path)


@pytest.mark.parametrize("name", _JSON)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "utf-8-sig"])
def test_other_encodings_are_refused_or_read(name: str, encoding: str, tmp_path: Path) -> None:
    path = STORES[name](tmp_path)
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding, errors="replace"))
    read(name, path)


@pytest.mark.parametrize("name", _JSON)
@pytest.mark.parametrize(
    "bomb",
    [b"[" * 200_000, b'{"a":' * 200_000, b'[{"memory": ' + b"[" * 100_000, b"[" + b"9" * 100_000],
    ids=["lists", "objects", "in a record", "a number"],
)
def test_bombs_of_json_are_refused(name: str, bomb: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.json"
    path.write_bytes(bomb)
    assert read(name, path) == []


def test_a_view_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = doobidoo(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
        shown = ", ".join(f"CAST(n AS TEXT) AS {name}" for name in names)
        connection.execute("DROP TABLE memories")
        connection.execute(
            "CREATE VIEW memories AS WITH RECURSIVE c(n) AS "
            f"(SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT {shown} FROM c"
        )
    with pytest.raises(SourceFormatError, match="a view"):
        list(translate("doobidoo", path, "g"))


def test_triggers_and_extensions_of_a_database_do_not_run(tmp_path: Path) -> None:
    path = doobidoo(tmp_path)
    expected = read("doobidoo", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for event in ("INSERT", "UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER on_{event} AFTER {event} ON memories BEGIN "
                "SELECT load_extension('/tmp/evil'); END"
            )
    before = path.read_bytes()
    assert read("doobidoo", path) == expected
    assert path.read_bytes() == before


@pytest.mark.parametrize("link", ["file", "folder", "loop"])
def test_links_out_of_a_folder_of_notes_are_not_followed(link: str, tmp_path: Path) -> None:
    notes = basic_memory(tmp_path)
    expected = read("basic-memory", notes)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n\n- [fact] the canary sings\n")
    targets: dict[str, Callable[[], Path]] = {
        "file": lambda: outside / "secret.md",
        "folder": lambda: outside,
        "loop": lambda: notes,
    }
    (notes / "linked.md").symlink_to(targets[link]())
    (notes / "linked").symlink_to(targets[link]())
    assert read("basic-memory", notes) == expected
