"""JSON files of any size, read one object at a time.

This is not ijson: that fails on a byte that is not UTF-8, which here affects only its own memory,
and needs as much code for lines, lists and named lists in one file.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO, cast

from graph_memory.errors import SourceFormatError

_CHUNK = 65_536

_decoder = json.JSONDecoder()


def objects(
    path: Path, expected: str, lists: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of a file, with the name of its list, '' for none.

    The file holds one object after another (JSON lines), a list of objects, or an object with some
    of the named lists.

    Args:
        path: The file.
        expected: A description of the expected file, for the error.
        lists: Names of members that are lists of objects.

    Raises:
        SourceFormatError: The file is not valid JSON, or holds values other than objects.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        scanner = _Scanner(file)
        try:
            if not scanner.next_character():
                raise SourceFormatError(path, expected, "an empty file")
            while scanner.next_character():
                yield from _top(scanner, lists)
        except (ValueError, RecursionError) as error:
            raise SourceFormatError(path, expected, f"invalid JSON ({error})") from error


def text_object(value: Any) -> dict[str, Any]:
    """Return an object, or the object that a text holds; a text that is not JSON becomes `text`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {"text": value} if value.strip() else {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def text_list(value: Any) -> list[Any]:
    """Return a list, the list that a JSON text holds, or the parts of a text between commas."""
    if not isinstance(value, str):
        return cast(list[Any], value) if isinstance(value, list) else []
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = None
    if isinstance(parsed, list):
        return cast(list[Any], parsed)
    parts = (part.strip().strip('"') for part in value.strip("{}").split(","))
    return [part for part in parts if part]


def _top(scanner: "_Scanner", lists: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if scanner.next_character() == "[":
        yield from _elements(scanner, "")
    else:
        yield from _members(scanner, lists)


def _members(scanner: "_Scanner", lists: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of an object's lists; without any, the object itself."""
    scanner.take("{")
    held: dict[str, Any] = {}
    listed = False
    while scanner.next_character() != "}":
        key = scanner.value()
        scanner.take(":")
        if key in lists and scanner.next_character() == "[":
            listed = True
            yield from _elements(scanner, key)
        else:
            held[str(key)] = scanner.value()
        if scanner.next_character() != "}":
            scanner.take(",")
    scanner.take("}")
    if not listed:
        yield "", held


def _elements(scanner: "_Scanner", name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    scanner.take("[")
    while scanner.next_character() != "]":
        value = scanner.value()
        if not isinstance(value, dict):
            raise ValueError(f"a list of {type(value).__name__} instead of objects")
        yield name, cast(dict[str, Any], value)
        if scanner.next_character() != "]":
            scanner.take(",")
    scanner.take("]")


class _Scanner:
    """A moving window over a text, as large as one value needs."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0

    def next_character(self) -> str:
        """Return the next character after white space without consuming it; '' at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if not self._grow():
                return ""

    def take(self, character: str) -> None:
        """Consume the next character, which must be the one given."""
        found = self.next_character()
        if found != character:
            raise ValueError(f"{found or 'the end'!r} instead of {character!r}")
        self._at += 1

    def value(self) -> Any:
        """Return and consume the next value."""
        self.next_character()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._grow():
                    raise
                continue
            if end == len(self._text) and self._grow():
                continue  # a number may continue in the next chunk
            self._at = end
            return value

    def _grow(self) -> bool:
        """Read at least as much as is held, so that a long value is decoded only a few times."""
        rest = self._text[self._at :]
        more = self._file.read(max(_CHUNK, len(rest)))
        self._text, self._at = rest + more, 0
        return bool(more)
