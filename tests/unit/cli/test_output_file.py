"""Where commands write: what is there is replaced whole, or stays as it is."""

import os
import stat
from pathlib import Path

import pytest

from graph_memory.cli.output_file import replacing, require_writable
from graph_memory.errors import InvalidArgumentError


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def write(file: Path, text: str) -> None:
    with replacing(file) as path:
        path.write_text(text)


def test_a_new_file_is_its_owners_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    write(file, "new")
    assert (file.read_text(), mode_of(file)) == ("new", 0o600)
    file.chmod(0o640)
    write(file, "newer")
    assert (file.read_text(), mode_of(file)) == ("newer", 0o640)


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("where nothing was", "where something was"):
        require_writable(link, "--output")
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text


def test_a_device_is_written_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (pipe, Path(os.devnull)):
        require_writable(file, "--output")
        with replacing(file) as path:
            assert path == file


def test_a_failure_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(file) as path:
        path.write_text("half, and then \ud800", encoding="utf-8")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_to_write_names_the_path_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught, replacing(tmp_path / "x"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(tmp_path / "x")


@pytest.mark.parametrize(
    ("name", "remedy"), [("", "name a file"), (".", "name a file"), ("no/where", "create it first")]
)
def test_a_path_that_cannot_be_written_is_refused(name: str, remedy: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=f"--output=.*{remedy}"):
        require_writable(tmp_path / name, "--output")
    assert list(tmp_path.iterdir()) == []
