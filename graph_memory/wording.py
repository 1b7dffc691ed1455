"""The words of a surface in messages: names of operations and arguments in Python, MCP and CLI.

A message holds marks, made by `operation` and `argument`. `Words.put` replaces each mark by the
name that the reader of the message knows. Shown values hold no marks: `repr` escapes them.
`speaking` sets the words of the current call; without it, they are those of Python.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, IntEnum
from typing import Any, cast

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}(operation|argument) ([a-z_]+)(?: ([^{_CLOSE}]*))?{_CLOSE}")


class Surface(IntEnum):
    """A way in; the number is the position of its names in `OPERATIONS`."""

    PYTHON = 0
    MCP = 1
    CLI = 2


#: Names of each operation that a message recommends: in Python, in MCP, on the command line. A
#: command in place of a tool is for the operator of the service.
OPERATIONS: Mapping[str, tuple[str, str, str]] = {
    "add": ("`add`", "add_memory", "`graph-memory add`"),
    "episode_status": ("`episodes.status`", "episode_status", "`graph-memory episodes status`"),
    "mark_obsolete": (
        "`lifecycle.mark_obsolete`",
        "mark_memory_obsolete",
        "`graph-memory obsolete`",
    ),
    "relate": ("`relations.add`", "memory_relate", "`graph-memory relate`"),
    "recover": ("`lifecycle.recover`", "recover_soft_deleted", "`graph-memory recover`"),
    "resume": ("`maintenance.resume`", "`graph-memory resume`", "`graph-memory resume`"),
    "status": ("`maintenance.status`", "`graph-memory status`", "`graph-memory status`"),
    "token_create": (
        "`tokens.create`",
        "`graph-memory token create`",
        "`graph-memory token create`",
    ),
    "token_list": ("`tokens.list`", "`graph-memory token list`", "`graph-memory token list`"),
    "tombstone_lift": (
        "`tombstones.lift`",
        "`graph-memory tombstones lift`",
        "`graph-memory tombstones lift`",
    ),
    "tombstone_list": (
        "`tombstones.list`",
        "`graph-memory tombstones list`",
        "`graph-memory tombstones list`",
    ),
    "update": ("`update`", "update_memory", "`graph-memory update`"),
}


def operation(name: str) -> str:
    """Return the mark of an operation, a key of `OPERATIONS`."""
    return f"{_OPEN}operation {name}{_CLOSE}"


def argument(name: str, value: str | None = None) -> str:
    """Return the mark of an argument, by its name in Python, with a value to give it."""
    given = "" if value is None else f" {value}"
    return f"{_OPEN}argument {name}{given}{_CLOSE}"


@dataclass(frozen=True, slots=True)
class Words:
    """The names of operations and arguments for the reader of a message."""

    surface: Surface
    #: Tool or command of the call, which the history of a memory keeps.
    way_in: str
    #: Options of the command, by argument; others are spelt with hyphens.
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    def put(self, message: str) -> str:
        """Return a message with these names in the place of its marks."""
        return _MARK.sub(self._name, message)

    def _name(self, mark: re.Match[str]) -> str:
        kind, name, value = mark.groups()
        if kind == "operation":
            return OPERATIONS[name][self.surface]
        if self.surface is Surface.CLI:
            option = self.options.get(name, f"--{name.replace('_', '-')}")
            return option if value is None else f"{option} '{value}'"
        return name if value is None else f"{name}='{value}'"


_PYTHON = Words(Surface.PYTHON, "Python")
_words: ContextVar[Words] = ContextVar("words", default=_PYTHON)


@contextmanager
def speaking(words: Words) -> Generator[None]:
    """Set the words of the messages of the context."""
    token = _words.set(words)
    try:
        yield
    finally:
        _words.reset(token)


def use(words: Words) -> None:
    """Set the words until the end of the enclosing `speaking`."""
    _words.set(words)


def surface() -> Surface:
    """Return the surface of the current call."""
    return _words.get().surface


def way_in() -> str:
    """Return the tool or command of the current call; `Python` without one."""
    return _words.get().way_in


def put(message: str) -> str:
    """Return a message in the words of the current call."""
    return _words.get().put(message)


def install_command(extra: str) -> str:
    """Return the sentence that names the commands to install an extra."""
    package = f"'graph-memory[{extra}]'"
    return f"run `pip install {package}`, or `uv pip install {package}`."


def shown(value: object, limit: int = 80) -> str:
    """Return `value` as a caller would write it, in one line of at most `limit` characters."""
    try:
        text = repr(_plain(value))
    except RecursionError:
        text = f"<a deeply nested {type(value).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _plain(value: Any) -> Any:
    """Return enum members and instants as their text, in lists as well; leave the rest."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    items = cast(list[Any], value)
    return [_plain(item) for item in items] if isinstance(value, list | tuple) else value
