"""Load `cypher/**/*.cypher` into checked statements.

A file opens with a comment header and holds one statement:

    // Sentence saying what it does.
    //
    // access  read | stream | write | schema | batch | fragment
    // param   name : TYPE [unit] — range or meaning        (TYPE? where null is allowed)
    // returns name : TYPE                              (MAP<ANY> where it may hold instants)
    // source  where a rule or formula comes from

A body line `// include folder/name` is replaced by the body of that fragment, and the fragment's
parameters become the statement's. Declared and used parameters must agree in both directions.
`// include folder/*` stands for the arms of a CASE: `WHEN 'name' THEN` and the body, for each
fragment of the folder. So `decay/policies` can be added to from a folder of the user's own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, LiteralString, cast, get_args

import numpy as np

from graph_memory.errors import StatementError

Access = Literal["read", "stream", "write", "schema", "batch", "fragment"]

#: One dialect for all statements, whatever the database's default is.
_DIALECT = "CYPHER 25\n"

#: The folder of the decay policies.
POLICIES = "decay/policies/"

_POLICY_NAME = re.compile(rf"{POLICIES}[a-z][a-z0-9_]{{0,63}}")

_PARAMETER = re.compile(r"(?P<name>\w+)\s*:\s*(?P<type>[A-Z]+(?:<[A-Z]+>)?)(?P<null>\?)?(?:\s|$)")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")

#: Types of columns that hold instants as the driver has them; others hold them as text, if at all.
_TEMPORAL = ("ZONED", "MAP<ANY>")

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "STRING": (str,),
    "INTEGER": (int,),
    "FLOAT": (float, int),
    "BOOLEAN": (bool,),
    "BYTES": (bytes,),
    "MAP": (dict,),
    "VECTOR": (np.ndarray,),
    "LIST": (list, tuple),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared parameter; `type` is Cypher's own, as in `LIST<STRING>`."""

    name: str
    type: str
    nullable: bool

    def accepts(self, value: object) -> bool:
        """Tell whether `value` has the declared type; of a list, the first item decides."""
        if value is None:
            return self.nullable
        outer, _, inner = self.type.partition("<")
        if outer != "BOOLEAN" and isinstance(value, bool):
            return False
        if not isinstance(value, _PYTHON_TYPES[outer]):
            return False
        items = cast("list[object]", value)
        return not inner or not items or isinstance(items[0], _PYTHON_TYPES[inner.rstrip(">")])


@dataclass(frozen=True, slots=True, eq=False)  # one object a file; it is its own key
class Statement:
    """One Cypher statement, checked and ready to run."""

    name: str
    summary: str
    access: Access
    parameters: Mapping[str, Parameter]
    returns: tuple[str, ...]
    temporal: bool  #: whether an instant is among what it returns
    text: LiteralString

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse missing, extra and wrongly typed parameters before the driver sees them.

        Raises:
            StatementError: The parameters differ from the declared ones.
        """
        if parameters.keys() != self.parameters.keys():
            missing = sorted(self.parameters.keys() - parameters.keys())
            extra = sorted(parameters.keys() - self.parameters.keys())
            raise StatementError(f"'{self.name}' was called without {missing} and with {extra}.")
        for name, parameter in self.parameters.items():
            if not parameter.accepts(parameters[name]):
                raise StatementError(
                    f"'{self.name}' wants ${name} as {parameter.type}"
                    f"{' or null' if parameter.nullable else ''}, "
                    f"not {type(parameters[name]).__name__}."
                )


@dataclass(frozen=True, slots=True)
class _File:
    """A parsed file, its includes still unresolved."""

    name: str
    summary: str
    access: Access
    parameters: Mapping[str, Parameter]
    returns: tuple[Parameter, ...]
    body: tuple[str, ...]

    @property
    def includes(self) -> list[str]:
        return [name for line in self.body if (name := _included(line))]


def root() -> Path | Traversable:
    """Return the packaged folder, or the checkout's when installed in editable mode."""
    packaged = resources.files("graph_memory") / "cypher"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "cypher"


@cache
def statements(policy_dir: Path | None = None) -> Mapping[str, Statement]:
    """Return every statement of the package by its name, `folder/name`.

    Raises:
        StatementError: A policy in `policy_dir` is malformed, or has the name of one of ours.
    """
    return load(root(), policy_dir)


@cache
def policies(policy_dir: Path | None = None) -> Mapping[str, str]:
    """Return the text of each decay policy by its name."""
    files = _read(root(), policy_dir)
    names = [name for name in files if name.startswith(POLICIES)]
    return MappingProxyType(
        {name.removeprefix(POLICIES): "\n".join(files[name].body) for name in names}
    )


def load(folder: Path | Traversable, policy_dir: Path | None = None) -> Mapping[str, Statement]:
    """Read, check and assemble every statement below `folder`, and the policies of a user.

    `policy_dir` is the folder they are in, or the file of the only one.

    Raises:
        StatementError: A file is malformed; the message names file, line and remedy.
    """
    files = _read(folder, policy_dir)
    return MappingProxyType(
        {name: _assemble(file, files) for name, file in files.items() if file.access != "fragment"}
    )


def _read(folder: Path | Traversable, policy_dir: Path | None) -> dict[str, _File]:
    files = {name: _parse(name, text) for name, text in _walk(folder)}
    for name, text in _walk(policy_dir, POLICIES) if policy_dir else ():
        if name in files or not _POLICY_NAME.fullmatch(name):
            raise _malformed(name, 1, "name it otherwise: a new word of a-z, 0-9 and _")
        files[name] = _parse(name, text)
        if files[name].access != "fragment":
            raise _malformed(name, 2, "a policy's `// access` is fragment")
    return files


def _walk(folder: Path | Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    entries = [folder] if folder.is_file() else folder.iterdir()
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".cypher"):
            yield prefix + entry.name.removesuffix(".cypher"), entry.read_text(encoding="utf-8")


def _parse(name: str, text: str) -> _File:
    lines = text.rstrip().splitlines()
    end = next((i for i, line in enumerate(lines) if not _is_comment(line)), len(lines))
    header = [line.removeprefix("//").strip() for line in lines[:end]]
    if not header or not header[0].endswith("."):
        raise _malformed(name, 1, "the first line must say what it does: `// Sentence.`")
    access: str | None = None
    parameters: dict[str, Parameter] = {}
    returns: list[Parameter] = []
    for number, line in enumerate(header[1:], start=2):
        keyword, _, rest = line.partition(" ")
        match keyword:
            case "access":
                access = rest.strip()
            case "param":
                parameter = _parameter(name, number, rest)
                if parameter.name in parameters:
                    problem = f"${parameter.name} is declared twice; remove the line"
                    raise _malformed(name, number, problem)
                parameters[parameter.name] = parameter
            case "returns":
                returns.append(_parameter(name, number, rest))
            case _:
                pass  # prose, sources and blank lines
    if access not in get_args(Access):
        raise _malformed(name, 2, f"`// access` must be one of {', '.join(get_args(Access))}")
    body = tuple(line for line in lines[end:] if line.strip() and not _is_comment(line))
    file = _File(name, header[0], cast(Access, access), parameters, tuple(returns), body)
    _check_parameters(file, lines)
    return file


def _parameter(name: str, number: int, text: str) -> Parameter:
    match = _PARAMETER.match(text.strip())
    if match is None or match["type"].partition("<")[0] not in {*_PYTHON_TYPES, "ANY", "ZONED"}:
        raise _malformed(name, number, "write `// param name : TYPE [unit] — range`")
    return Parameter(match["name"], match["type"], match["null"] is not None)


def _check_parameters(file: _File, lines: list[str]) -> None:
    """Refuse a file whose declared and used parameters differ, in either direction."""
    used = {found: line for line in file.body for found in _USED.findall(_QUOTED.sub("", line))}
    for name in sorted(used.keys() - file.parameters.keys()):
        number = lines.index(used[name]) + 1
        raise _malformed(file.name, number, f"${name} is used but not declared; add a `// param`")
    for name in sorted(file.parameters.keys() - used.keys()):
        number = next(
            i for i, line in enumerate(lines, 1) if re.match(rf"//\s*param\s+{name}\b", line)
        )
        raise _malformed(file.name, number, f"${name} is declared but not used; remove the line")


def _assemble(file: _File, files: Mapping[str, _File]) -> Statement:
    body, parameters = _expand(file, files, ())
    if file.access in ("read", "write") and file.returns:
        _collect(file, body)
    # Our own files are trusted as literals; pyright then refuses every other string in graph.py.
    text = cast(LiteralString, _DIALECT + "\n".join(body))
    names = tuple(column.name for column in file.returns)
    temporal = any(column.type in _TEMPORAL for column in file.returns)
    return Statement(file.name, file.summary, file.access, parameters, names, temporal, text)


def _collect(file: _File, body: list[str]) -> None:
    """Return all rows in one record, each as a list: the driver takes 0.1 ms over every record."""
    last = max((i for i, line in enumerate(body) if line.startswith("RETURN ")), default=None)
    if last is None:
        raise _malformed(file.name, 1, "it declares columns, but no line begins with RETURN")
    body[last] = body[last].replace("RETURN ", "WITH ", 1)
    columns = ", ".join(column.name for column in file.returns)
    body.append(f"RETURN collect([{columns}]) AS rows")


def _expand(
    file: _File, files: Mapping[str, _File], above: tuple[str, ...]
) -> tuple[list[str], dict[str, Parameter]]:
    if file.name in above:
        raise _malformed(file.name, 1, f"it includes itself through {' → '.join(above)}")
    body: list[str] = []
    parameters = dict(file.parameters)
    for line in file.body:
        included = _included(line)
        if included is None:
            body.append(line)
            continue
        for fragment in _fragments(file, included, files):
            lines, more = _expand(fragment, files, (*above, file.name))
            _refuse_disagreement(file, parameters, more)
            if included.endswith("/*"):
                body.append(f"WHEN '{fragment.name.rpartition('/')[2]}' THEN")
            body.extend(lines)
            parameters |= more
    return body, parameters


def _fragments(file: _File, included: str, files: Mapping[str, _File]) -> list[_File]:
    """Return the fragment that an include names, or all of the folder it names."""
    folder = included.removesuffix("*")
    names = [n for n in files if n == included or (folder != included and n.startswith(folder))]
    if not names or any(files[name].access != "fragment" for name in names):
        raise _malformed(file.name, 1, f"`// include {included}` names no fragment file")
    return [files[name] for name in sorted(names)]


def _refuse_disagreement(
    file: _File, ours: Mapping[str, Parameter], theirs: Mapping[str, Parameter]
) -> None:
    for name in ours.keys() & theirs.keys():
        if ours[name] != theirs[name]:
            raise _malformed(file.name, 1, f"${name} has another type in an included fragment")


def _included(line: str) -> str | None:
    words = line.split()
    return words[2] if words[:2] == ["//", "include"] and len(words) == 3 else None


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("//") and _included(line) is None


def _malformed(name: str, line: int, problem: str) -> StatementError:
    return StatementError(f"cypher/{name}.cypher:{line}: {problem}.")
