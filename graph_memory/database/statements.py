"""Load `cypher/**/*.cypher` into checked statements.

A file opens with a comment header and holds one statement:

    // Sentence saying what it does.
    //
    // access  read | stream | write | schema | batch | fragment
    // param   name : TYPE [unit] — range or meaning        (TYPE? where null is allowed)
    // returns name : TYPE                              (MAP<ANY> where it may hold instants)
    // variant word                                  (a second statement, `name_word`)
    // source  where a rule or formula comes from

The body of a fragment replaces the body line `// include folder/name`, and the parameters of the
fragment become those of the statement. Declared and used parameters must agree in both directions.

`// include folder/*` writes the arms of a CASE: `WHEN 'name' THEN` and the body, for each fragment
of the folder. In this way a folder of the user's own adds to `decay/policies`.

`// variant word` makes a second statement of the file, called `name_word`. In it, an include of
`fragment` takes `fragment_word` where that fragment exists. A variant may have several words.
"""

import re
from collections import defaultdict
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

#: Statements whose parameters are sent one by one. A schema has no other way. A batch statement
#: uses its parameters in each of many rows, where the look-up in a map takes 4 % of its time.
_PLAIN: tuple[Access, ...] = ("schema", "batch")

#: The dialect of all statements, independent of the default of the database.
_DIALECT = "CYPHER 25\n"

#: The name prefix of the decay policies.
POLICIES = "decay/policies/"

_POLICY_NAME = re.compile(rf"{POLICIES}[a-z][a-z0-9_]{{0,63}}")

_PARAMETER = re.compile(r"(?P<name>\w+)\s*:\s*(?P<type>[A-Z]+(?:<[A-Z]+>)?)(?P<null>\?)?(?:\s|$)")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")

#: Column types that may hold instants of the driver; in other columns instants are text.
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
    """A declared parameter; `type` is a Cypher type, for example `LIST<STRING>`."""

    name: str
    type: str
    nullable: bool

    def accepts(self, value: object) -> bool:
        """Check whether `value` has the declared type; for a list, the first item decides."""
        if value is None:
            return self.nullable
        outer, _, inner = self.type.partition("<")
        if outer != "BOOLEAN" and isinstance(value, bool):
            return False
        if not isinstance(value, _PYTHON_TYPES[outer]):
            return False
        items = cast("list[object]", value)
        return not inner or not items or isinstance(items[0], _PYTHON_TYPES[inner.rstrip(">")])


@dataclass(frozen=True, slots=True, eq=False)  # identity is the key of caches
class Statement:
    """A Cypher statement, checked and ready to run."""

    name: str
    summary: str
    access: Access
    parameters: Mapping[str, Parameter]
    returns: tuple[str, ...]
    temporal: bool  #: whether a column may hold an instant
    text: LiteralString

    @property
    def packed(self) -> LiteralString:
        """The text as it is sent: each `$name` is `$p.name`, except in the accesses of `_PLAIN`."""
        return self.text if self.access in _PLAIN else _packed(self.text)

    def pack(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters as `packed` takes them."""
        return parameters if self.access in _PLAIN else {"p": parameters}

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Check that the parameters are the declared ones, with their types.

        Raises:
            StatementError: A parameter is missing, undeclared or of another type.
        """
        if parameters.keys() != self.parameters.keys():
            missing = sorted(self.parameters.keys() - parameters.keys())
            extra = sorted(parameters.keys() - self.parameters.keys())
            raise StatementError(f"'{self.name}' was called without {missing} and with {extra}.")
        for name, parameter in self.parameters.items():
            if not parameter.accepts(parameters[name]):
                raise StatementError(
                    f"'{self.name}' takes ${name} as {parameter.type}"
                    f"{' or null' if parameter.nullable else ''}, "
                    f"not {type(parameters[name]).__name__}."
                )


@dataclass(frozen=True, slots=True)
class _File:
    """A parsed file with unresolved includes."""

    name: str
    summary: str
    access: Access
    parameters: Mapping[str, Parameter]
    returns: tuple[Parameter, ...]
    variants: tuple[str, ...]
    body: tuple[str, ...]

    @property
    def includes(self) -> list[str]:
        return [name for line in self.body if (name := _included(line))]


def root() -> Path | Traversable:
    """Return the folder `cypher` of the package, or of the checkout in an editable install."""
    packaged = resources.files("graph_memory") / "cypher"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "cypher"


def statements(policy_dir: Path | None = None) -> Mapping[str, Statement]:
    """Return every statement of the package by its name, `folder/name`.

    Raises:
        StatementError: A policy in `policy_dir` is malformed, or has the name of a packaged one.
    """
    return _loaded(policy_dir)


@cache
def _loaded(policy_dir: Path | None) -> Mapping[str, Statement]:
    return _assembled(_files(policy_dir))


@cache
def _files(policy_dir: Path | None) -> dict[str, _File]:
    """Read the files once; each call of a command waits for it."""
    return _read(root(), policy_dir)


def forget_files() -> None:
    """Read the files again at the next use."""
    _loaded.cache_clear()
    _files.cache_clear()


def policies(policy_dir: Path | None = None) -> Mapping[str, str]:
    """Return the text of each decay policy by its name, without comments."""
    files = _files(policy_dir)
    names = [name for name in files if name.startswith(POLICIES)]
    return MappingProxyType(
        {name.removeprefix(POLICIES): "\n".join(files[name].body) for name in names}
    )


def spliced(body: str, policy_dir: Path | None = None) -> str:
    """Return the body of a statement with the packaged fragments that it includes in their places.

    Raises:
        StatementError: An include names no fragment.
    """
    lines = tuple(body.splitlines())
    file = _File("a query", "", "read", {}, (), (), lines)
    return "\n".join(_expand(file, _files(policy_dir), "", ())[0])


def load(folder: Path | Traversable, policy_dir: Path | None = None) -> Mapping[str, Statement]:
    """Read, check and assemble every statement below `folder`.

    Args:
        folder: Folder with the packaged statements.
        policy_dir: Folder with further decay policies, or the file of a single one.

    Raises:
        StatementError: A file is malformed; the message names file, line and remedy.
    """
    return _assembled(_read(folder, policy_dir))


def _assembled(files: Mapping[str, _File]) -> Mapping[str, Statement]:
    assembled = [
        _assemble(file, files, variant)
        for file in files.values()
        for variant in ("", *file.variants)
        if file.access != "fragment"
    ]
    return MappingProxyType({statement.name: statement for statement in assembled})


def _read(folder: Path | Traversable, policy_dir: Path | None) -> dict[str, _File]:
    files = {name: _parse(name, text) for name, text in _walk(folder)}
    for name, text in _walk(policy_dir, POLICIES) if policy_dir else ():
        if name in files or not _POLICY_NAME.fullmatch(name):
            raise _malformed(name, 1, "rename it: a policy needs a new name of a-z, 0-9 and _")
        files[name] = _parse(name, text)
        if files[name].access != "fragment":
            raise _malformed(name, 2, "the `// access` of a policy must be fragment")
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
    declared: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, line in enumerate(header[1:], start=2):
        keyword, _, rest = line.partition(" ")
        declared[keyword].append((number, rest.strip()))  # prose among them is not used
    access = declared["access"][-1][1] if declared["access"] else None
    if access not in get_args(Access):
        raise _malformed(name, 2, f"`// access` must be one of {', '.join(get_args(Access))}")
    file = _File(
        name,
        header[0],
        cast(Access, access),
        _parameters(name, declared["param"]),
        tuple(_parameter(name, number, rest) for number, rest in declared["returns"]),
        tuple(word for _, word in declared["variant"]),
        body=tuple(line for line in lines[end:] if line.strip() and not _is_comment(line)),
    )
    _check_parameters(file, lines)
    return file


def _parameters(name: str, declared: list[tuple[int, str]]) -> dict[str, Parameter]:
    parameters: dict[str, Parameter] = {}
    for number, rest in declared:
        parameter = _parameter(name, number, rest)
        if parameter.name in parameters:
            problem = f"${parameter.name} is declared twice; remove the line"
            raise _malformed(name, number, problem)
        parameters[parameter.name] = parameter
    return parameters


def _parameter(name: str, number: int, text: str) -> Parameter:
    match = _PARAMETER.match(text.strip())
    if match is None or match["type"].partition("<")[0] not in {*_PYTHON_TYPES, "ANY", "ZONED"}:
        raise _malformed(name, number, "write `// param name : TYPE [unit] — range`")
    return Parameter(match["name"], match["type"], match["null"] is not None)


def _check_parameters(file: _File, lines: list[str]) -> None:
    """Check that the declared parameters of a file are the used ones."""
    used = {found: line for line in file.body for found in _USED.findall(_QUOTED.sub("", line))}
    for name in sorted(used.keys() - file.parameters.keys()):
        number = lines.index(used[name]) + 1
        raise _malformed(file.name, number, f"${name} is used but not declared; add a `// param`")
    for name in sorted(file.parameters.keys() - used.keys()):
        number = next(
            i for i, line in enumerate(lines, 1) if re.match(rf"//\s*param\s+{name}\b", line)
        )
        raise _malformed(file.name, number, f"${name} is declared but not used; remove the line")


def _assemble(file: _File, files: Mapping[str, _File], variant: str) -> Statement:
    body, parameters = _expand(file, files, variant, ())
    if variant and body == _expand(file, files, "", ())[0]:
        raise _malformed(file.name, 1, f"no fragment that it includes has a variant '{variant}'")
    if file.access in ("read", "write") and file.returns:
        _collect(file, body)
    # The packaged files count as literals; so pyright rejects any other string in graph.py.
    text = cast(LiteralString, _DIALECT + "\n".join(body))
    names = tuple(column.name for column in file.returns)
    temporal = any(column.type in _TEMPORAL for column in file.returns)
    name = "_".join((file.name, *variant.split()))
    return Statement(name, file.summary, file.access, parameters, names, temporal, text)


@cache
def _packed(text: LiteralString) -> LiteralString:
    """Make the parameters keys of one map, so that one plan serves every call.

    Neo4j plans a statement again for each combination of the types and sizes of its parameters,
    which takes up to a second. The values of a map do not count.
    """

    def replaced(found: re.Match[str]) -> str:
        return f"$p.{found[1]}" if found[1] else found[0]

    return cast(LiteralString, re.sub(f"{_QUOTED.pattern}|{_USED.pattern}", replaced, text))


def _collect(file: _File, body: list[str]) -> None:
    """Return all rows in one record: the driver takes 0.1 ms for each record."""
    last = max((i for i, line in enumerate(body) if line.startswith("RETURN ")), default=None)
    if last is None:
        raise _malformed(file.name, 1, "it declares columns, but no line begins with RETURN")
    body[last] = body[last].replace("RETURN ", "WITH ", 1)
    columns = ", ".join(column.name for column in file.returns)
    body.append(f"RETURN collect([{columns}]) AS rows")


def _expand(
    file: _File, files: Mapping[str, _File], variant: str, above: tuple[str, ...]
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
        included = _special(included, variant, file, files)
        for fragment in _fragments(file, included, files):
            lines, more = _expand(fragment, files, variant, (*above, file.name))
            _check_types(file, parameters, more)
            if included.endswith("/*"):
                body.append(f"WHEN '{fragment.name.rpartition('/')[2]}' THEN")
            body.extend(lines)
            parameters |= more
    return body, parameters


def _special(included: str, variant: str, file: _File, files: Mapping[str, _File]) -> str:
    """Return the name of the fragment that a variant takes for an include."""
    for word in variant.split():
        special = f"{included}_{word}"
        # A special fragment may include the common one.
        if special in files and special != file.name:
            included = special
    return included


def _fragments(file: _File, included: str, files: Mapping[str, _File]) -> list[_File]:
    """Return the fragment that an include names, or every fragment of its folder."""
    folder = included.removesuffix("*")
    names = [included] if included in files else []
    if folder != included:
        names = [name for name in files if name.startswith(folder)]
    if not names or any(files[name].access != "fragment" for name in names):
        raise _malformed(file.name, 1, f"`// include {included}` names no fragment file")
    return [files[name] for name in sorted(names)]


def _check_types(
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
