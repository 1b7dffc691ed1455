"""The formats in which data with known answers is published, and their files."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from graph_memory.evaluation import conversions
from graph_memory.evaluation.conversions import Data


class Form(StrEnum):
    """The format of a file of data."""

    OWN = "own"
    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"
    BEAM = "beam"
    DEVMEMBENCH = "devmembench"
    PRECISIONMEMBENCH = "precisionmembench"


#: The files of a data set that has several, by the names that the conversion uses.
_FILES: dict[Form, dict[str, str]] = {
    Form.DEVMEMBENCH: {"sessions": "sessions.json", "questions": "questions.json"},
    Form.PRECISIONMEMBENCH: {
        "beliefs": "beliefs.seed.json",
        "cases": "retrieval.cases.json",
    },
}

_CONVERSIONS: dict[Form, Callable[[Any], Data]] = {
    Form.LOCOMO: conversions.from_locomo,
    Form.LONGMEMEVAL: conversions.from_longmemeval,
    Form.BEAM: conversions.from_beam,
    Form.DEVMEMBENCH: conversions.from_devmembench,
    Form.PRECISIONMEMBENCH: conversions.from_precisionmembench,
}


def read_form(path: Path, form: Form) -> Any:
    """Return the data of a file or folder in the format of `dataset`, not checked yet.

    BEAM, DevMemBench and PrecisionMemBench have several files: `path` is their folder or one of
    them. For BEAM it is the folder of a chat or of several chats.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: The data is not of that format.
        OSError: A file cannot be read.
    """
    given = _read_beam(path) if form is Form.BEAM else _read(path, _FILES.get(form, {}))
    convert = _CONVERSIONS.get(form)
    return convert(given) if convert else given


def _read(path: Path, names: Mapping[str, str]) -> Any:
    """Return the JSON of a file, or of the files `names` beside or below it."""
    if not path.is_dir():
        given = _json(path)
        if not names or names.keys() <= set(cast(Any, given) if isinstance(given, dict) else ()):
            return cast(Any, given)
        path = path.parent
    return {key: _json(path / name) for key, name in names.items()}


def _read_beam(path: Path) -> list[Data]:
    """Return the chats below a folder; a file has one chat, or all of them with their questions."""
    if path.is_file() and path.name != "chat.json":
        return _json(path)
    folder = path.parent if path.is_file() else path
    folders = [folder] if (folder / "chat.json").exists() else _numbered(folder)
    if not folders:
        raise LookupError(f"no chat.json in {folder} or a folder in it")
    return [
        {
            "conversation_id": each.name,
            "chat": _json(each / "chat.json"),
            "probing_questions": _json(each / "probing_questions" / "probing_questions.json"),
        }
        for each in folders
    ]


def _numbered(folder: Path) -> list[Path]:
    """Return the folders of chats in a folder, in the order of their numbers."""
    found = [file.parent for file in folder.glob("*/chat.json")]
    return sorted(found, key=lambda each: (len(each.name), each.name))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
