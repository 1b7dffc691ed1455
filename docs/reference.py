"""Write the reference pages from the code: `make reference`. A test compares both."""

import ast
import contextlib
import dataclasses
import importlib
import inspect
import io
import re
import runpy
import sys
import textwrap
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, get_type_hints, is_typeddict

import typer.main
from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

import graph_memory
from graph_memory import GraphMemory, Settings, errors
from graph_memory.api import arguments
from graph_memory.api.parts import Parts
from graph_memory.cli import app as command_line
from graph_memory.database.migrations import MIGRATIONS, creation_statement
from graph_memory.database.statements import statements
from graph_memory.domain.properties import FACT_PROPERTIES, MEMORY_PROPERTIES
from graph_memory.errors import GraphMemoryError
from graph_memory.server import record_handshake
from graph_memory.server.app import TOOLSETS

FOLDER = Path(__file__).parent / "reference"
REPOSITORY = Path(__file__).parents[1]

SKILL = REPOSITORY / "config/plugins/claude-code/skills/graph-memory/SKILL.md"

#: The names of the generated pages.
GENERATED = ("tools", "commands", "settings", "errors", "python-api", "properties", "licences")

#: The comment above each generated page.
NOTE = "<!-- Written by docs/reference.py from the code. Run `make reference`; do not edit. -->\n\n"


def pages() -> dict[str, str]:
    """Return the text of each generated page by its file name."""
    writers = (tools, commands, settings, errors_page, python_api, properties, licences)
    written = zip(GENERATED, writers, strict=True)
    return {f"{name}.md": NOTE + _tidy(write()) for name, write in written}


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}(?=[#*])", "\n\n", text).strip() + "\n"


def introduction(page: str) -> str:
    """Return the hand-written beginning of a page."""
    return (Path(__file__).parent / "_intro" / f"{page}.md").read_text(encoding="utf-8")


def skill() -> str:
    """Return the skill of the plugin: the advice for system prompts, below a description."""
    prompt = (REPOSITORY / "config/SYSTEM_PROMPT.md").read_text(encoding="utf-8")
    _, _, advice = prompt.partition("\n---\n")
    return f"---\nname: graph-memory\ndescription: {_SKILL}\n---\n{advice}"


_SKILL = (
    "Recall from the lasting memory graph-memory before an answer about a person, a project or a "
    "past decision, and store what will matter later."
)


def main() -> None:
    """Write the pages, the recorded answers of the server, and the skill."""
    record_handshake.main()
    SKILL.write_text(skill(), encoding="utf-8")
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|") or " "


def licences() -> str:
    """Return the page of licences, which the program of the bill of materials makes."""
    return str(runpy.run_path(str(REPOSITORY / "config/sbom/sbom.py"))["page"]())


# --- Schemas


def shape(schema: Mapping[str, Any]) -> str:
    """Return the type, choices and range of a JSON schema in a few words."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(shape(each) for each in schema["anyOf"] if each != _NULL))
    if "enum" in schema:
        return "one of " + ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    name = str(schema.get("type", "any value"))
    if name == "array":
        return _array(schema)
    if name == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"table of {shape(schema['additionalProperties'])}"
    name = _FORMATS.get(str(schema.get("format")), _TYPES.get(name, name))
    return ", ".join(filter(None, (name, _span(schema), _lengths(schema))))


_NULL = {"type": "null"}
_TYPES = {"string": "text", "boolean": "true or false"}
_FORMATS = {"date-time": "instant", "path": "path", "directory-path": "folder", "file-path": "file"}


def _array(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"list of {len(schema['prefixItems'])}: {shape(schema['prefixItems'][0])}"
    size = schema.get("maxItems")
    return f"list of {shape(schema.get('items', {}))}" + (f", {size} at most" if size else "")


def _span(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    parts = [
        f"> {above:g}" if above is not None else "",
        f"≥ {low:g}" if low is not None and high is None else "",
        f"≤ {high:g}" if high is not None and low is None else "",
        f"{low:g} to {_number(high)}" if low is not None and high is not None else "",
        f"< {below:g}" if below is not None else "",
    ]
    return ", ".join(filter(None, parts))


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _lengths(schema: Mapping[str, Any]) -> str:
    return f"at most {schema['maxLength']:,} characters" if "maxLength" in schema else ""


def default(schema: Mapping[str, Any]) -> str:
    """Return the default of a JSON schema, or a blank."""
    value = schema.get("default")
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list):
        return f"`{', '.join(map(str, value))}`"
    if isinstance(value, dict):
        return f"`{', '.join(f'{key} {each:g}' for key, each in value.items())}`"
    return f"`{value}`"


# --- Tools


def tools() -> str:
    """Return the page on MCP tools."""
    chosen = Settings.model_fields["toolsets"].default
    text = [introduction("tools").replace("DEFAULT", ", ".join(f"`{name}`" for name in chosen))]
    for name, parts in TOOLSETS.items():
        text.append(f"## Toolset `{name}`\n")
        text += [_tool(tool) for part in parts for tool in part.tools]
    return "\n".join(text)


def _tool(tool: Any) -> str:
    scope = f"Scope: `{tool.scope.value}`."
    alias = f" Deprecated alias of `{tool.alias_of}`." if tool.alias_of else ""
    required = tool.parameters.get("required", ())
    listed = tool.parameters["properties"]
    rows = (
        (
            f"`{name}`{' (required)' if name in required else '' if name in listed else ' *'}",
            shape(schema),
            default(schema),
            schema.get("description", ""),
        )
        for name, schema in tool.arguments["properties"].items()
    )
    arguments = table(("Argument", "Type and range", "Default", "Meaning"), rows)
    if not tool.arguments["properties"]:
        arguments = "It takes no arguments.\n"
    return f"### `{tool.name}`\n\n{tool.description}\n\n{scope}{alias}\n\n{arguments}"


# --- Commands


def commands() -> str:
    """Return the page on commands."""
    text = [introduction("commands")]
    for path, command in sorted(command_paths(), key=lambda each: each[0]):
        text.append(_command(path, command))
    return "\n".join(text)


def command_paths(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield each command with its words, as in `db start`."""
    group = group or typer.main.get_command(command_line.app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from command_paths(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def _command(path: str, command: Any) -> str:
    shown = [each for each in command.params if each.name not in ("group", "as_json", "help")]
    rows = ((_names(each), _values(each), each.help or "") for each in shown)
    options = table(("Argument or option", "Default", "Meaning"), rows) if shown else ""
    example = f"Example: `{(command.epilog or '').removeprefix('Example: ')}`"
    return f"## `{path}`\n\n{inspect.cleandoc(command.help or '')}\n\n{example}\n\n{options}"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{each}`" for each in parameter.opts)


def _values(parameter: Any) -> str:
    value = parameter.default
    plain = isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    return f"`{value}`" if plain else ""


# --- Settings


def settings() -> str:
    """Return the page on settings; its sections are those of `config/graph-memory.toml`."""
    schemas = Settings.model_json_schema()
    known: dict[str, Any] = schemas["properties"]
    text = [introduction("settings")]
    for title, names in _sections():
        rows = (
            (f"`{name}`", _described(name, known[name]), default(known[name]), shape(known[name]))
            for name in names
        )
        text += [f"## {title}\n", table(("Setting", "Meaning", "Default", "Type and range"), rows)]
    return "\n".join(text)


def _sections() -> Iterator[tuple[str, list[str]]]:
    shown = (REPOSITORY / "config" / "graph-memory.toml").read_text(encoding="utf-8")
    for section in re.split(r"^# --- ", shown, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        yield title.strip(), re.findall(r"^(?:# )?(\w+) = ", body, re.MULTILINE)


def _described(name: str, schema: Mapping[str, Any]) -> str:
    text = str(schema.get("description") or name.replace("_", " ") + ".")
    return text[:1].upper() + text[1:]


# --- Errors


def errors_page() -> str:
    """Return the page on errors, in the order of the tree that the module draws."""
    tree = textwrap.dedent(re.findall(r"((?:^    .*\n)+)", errors.__doc__ or "", re.MULTILINE)[0])
    kinds = [getattr(errors, name) for name in re.findall(r"\w+Error", tree)]
    rows = (
        (
            f"`{each.code}`",
            f"`{each.__name__}`",
            str(exit_code(each)),
            _summary(each),
            _example(each),
        )
        for each in kinds[1:]
    )
    header = ("Code", "Python type", "Exit code", "When", "Message")
    drawn = f"## The tree of types\n\n```text\n{tree.rstrip()}\n```\n"
    return f"{introduction('errors')}\n{table(header, rows)}\n{drawn}"


def exit_code(kind: type[GraphMemoryError]) -> int:
    """Return the code with which the command line ends on an error."""
    error = sample(kind)

    def fail(*_: object, **__: object) -> None:
        raise error

    with contextlib.redirect_stderr(io.StringIO()):
        before, command_line.app = command_line.app, fail  # type: ignore[assignment]
        try:
            return command_line.main([])
        finally:
            command_line.app = before


def sample(kind: type[GraphMemoryError]) -> GraphMemoryError:
    """Return an error of a type, with placeholders for its values."""
    if kind.__init__ is Exception.__init__:
        return kind("")
    numbers: dict[Any, object] = {
        int: 60,
        float: 30.0,
        Mapping[str, str]: {"relationships.0.target_id": "TARGET_ID"},
    }
    hints = get_type_hints(kind.__init__)
    names = [
        name
        for name, each in inspect.signature(kind).parameters.items()
        if each.default is inspect.Parameter.empty and each.kind is not each.VAR_KEYWORD
    ]
    return kind(*(numbers.get(hints.get(name), name.upper()) for name in names))


def _example(kind: type[GraphMemoryError]) -> str:
    return str(sample(kind)).replace("'", "`") or "depends on the case"


def _summary(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]


# --- Python API


#: Characters of a signature on one line.
WIDTH = 88

#: Members of `GraphMemory` for servers and tests.
INTERNAL = ("acting_for", "close", "over", "settle")

#: Exported types that another page or another section has.
_ELSEWHERE = (GraphMemory, Settings, GraphMemoryError)


def python_api() -> str:
    """Return the page on the Python API."""
    text = [introduction("python-api"), _methods(GraphMemory, "memory")]
    text += [_methods(kind, f"memory.{name}") for name, kind in parts()]
    text += [_keywords(kind) for kind in keyword_types()]
    for name in graph_memory.__all__:
        thing = getattr(graph_memory, name)
        if isinstance(thing, type) and not issubclass(thing, _ELSEWHERE):
            text.append(_type(thing))
    return "\n".join(text)


def parts() -> Iterator[tuple[str, type]]:
    """Yield the parts of `GraphMemory` with their names: `relations` is a `RelationsApi`."""
    for name, member in vars(Parts).items():
        if isinstance(member, cached_property) and not name.startswith("_"):
            module = importlib.import_module(f"graph_memory.api.{name}")
            yield name, getattr(module, f"{name.title()}Api")


def keyword_types() -> Iterator[type]:
    """Yield the types of keyword arguments."""
    yield from filter(is_typeddict, vars(arguments).values())


def _keywords(kind: type) -> str:
    names = ", ".join(f"`{name}`" for name in kind.__annotations__)
    return f"## `{kind.__name__}`\n\n{docstring(kind)}\n\nNames: {names}.\n"


def _methods(kind: type, owner: str) -> str:
    text = [f"## `{owner}`\n\n{docstring(kind)}\n"]
    for name, method in _public(kind):
        title = "GraphMemory.open" if name == "open" else f"{owner}.{name}"
        text.append(f"### `{title}`\n\n{_signature(name, method)}\n\n{docstring(method)}\n")
    return "\n".join(text)


def _public(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the methods of a class and of its bases, in their order."""
    for each in kind.__mro__[:-1]:
        for name, member in vars(each).items():
            function = getattr(member, "__func__", member)
            public = not name.startswith("_") and name not in INTERNAL
            if public and isinstance(function, FunctionType):
                yield name, function


def _signature(name: str, function: Any) -> str:
    """Return a signature as its source has it, so that types keep their short names."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError(f"{name} is not a function")
    tree.args.args = [each for each in tree.args.args if each.arg not in ("self", "cls")]
    word = "await " if isinstance(tree, ast.AsyncFunctionDef) else ""
    if any("contextmanager" in ast.unparse(each) for each in tree.decorator_list):
        word = "async with "
    listed = re.sub(r"(?<=[\w\]])=", " = ", ast.unparse(tree.args))
    shown = f"{word}{name}({listed})"
    if len(shown) > WIDTH:
        shown = f"{word}{name}(\n    {_lines(listed)},\n)"
    returns = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
    return f"```text\n{shown}{returns}\n```"


def _lines(listed: str) -> str:
    """Put each parameter on a line; commas in brackets do not part them."""
    return re.sub(r", (?![^\[(]*[\])])", ",\n    ", listed)


_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):\n((?:[ \t]+.*\n?|\n)*)", re.M)


def docstring(thing: Any) -> str:
    """Return a docstring as Markdown: its sections as lists."""
    text = inspect.cleandoc(thing.__doc__ or "")
    return _SECTION.sub(_section, _examples(text))


def _examples(text: str) -> str:
    """Fence the lines that a docstring shows as code."""
    code = re.compile(r"(?<=\n\n)((?: {4}.*\n)+|async with .*\n(?: {4}.*\n)+)")
    return code.sub(lambda m: f"```text\n{textwrap.dedent(m[0]).strip()}\n```\n", text)


def _section(match: re.Match[str]) -> str:
    body = textwrap.dedent(match[2]).strip()
    if match[1] in ("Returns", "Yields"):
        return f"**{match[1]}:** {' '.join(body.split())}\n\n"
    entries = re.findall(r"^(\w+): ((?:.*)(?:\n[ \t]+.*)*)", body, re.MULTILINE)
    listed = "".join(f"- `{name}`: {' '.join(text.split())}\n" for name, text in entries)
    title = match[1].replace("Args", "Arguments")
    return f"**{title}:**\n\n{listed}\n"


def _type(kind: type) -> str:
    title = f"## `{kind.__name__}`\n\n{docstring(kind)}\n"
    if issubclass(kind, Enum):
        values = ", ".join(f"`{each.value}`" for each in kind)
        return f"{title}\nValues: {values}.\n"
    if not dataclasses.is_dataclass(kind):
        return title
    shapes, told = _shapes(kind), _comments(kind)
    rows = (
        (f"`{each.name}`", shapes.get(each.name, ""), _default(each), told.get(each.name, ""))
        for each in dataclasses.fields(kind)
    )
    return f"{title}\n{table(('Field', 'Type and range', 'Default', 'Meaning'), rows)}"


def _shapes(kind: type) -> dict[str, str]:
    """Return the type of each field, from the JSON schema or, without one, as annotated."""
    try:
        schema = TypeAdapter(kind).json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema):
        fields = dataclasses.fields(kind)
        return {each.name: f"`{_annotated(each.type)}`" for each in fields}
    if "$ref" in schema:  # the type holds itself
        schema = schema["$defs"][kind.__name__]
    known: dict[str, Any] = schema["properties"]
    names = {each.name.rstrip("_"): each.name for each in dataclasses.fields(kind)}
    return {names.get(name, name): shape(schema) for name, schema in known.items()}


def _annotated(kind: Any) -> str:
    """Return a type as code writes it that imports our types from `graph_memory`."""
    return re.sub(r"\bgraph_memory[\w.]*\.", "", inspect.formatannotation(kind))


def _comments(kind: type) -> dict[str, str]:
    """Return the comments `#:` beside the fields of a dataclass and of its bases."""
    sources = (inspect.getsource(each) for each in kind.__mro__[:-1])
    return dict(re.findall(r"^    (\w+): .*#: (.*)$", "\n".join(sources), re.MULTILINE))


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
        return "" if value is None or value == () else f"`{getattr(value, 'value', value)}`"
    return "empty" if field.default_factory is not dataclasses.MISSING else "required"


# --- Stored properties


def properties() -> str:
    """Return the page on stored properties."""
    text = [introduction("properties")]
    for label, entries in (("Memory", MEMORY_PROPERTIES), ("RELATES_TO", FACT_PROPERTIES)):
        rows = ((f"`{name}`", *each.split(" — ", 1)) for name, each in entries.items())
        text += [f"## `{label}`\n", table(("Property", "Type", "Meaning"), rows)]
    return "\n".join([*text, _indexes()])


def _indexes() -> str:
    rows = (
        (f"`{name}`", str(step.version), statements()[creation_statement(name)].summary)
        for step in MIGRATIONS
        for name in (*step.constraints, *step.indexes)
    )
    title = "## Constraints and indexes\n\nEach migration of the schema adds some.\n"
    return f"{title}\n{table(('Name', 'Migration', 'Purpose'), rows)}"


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    main()
