"""Rules of plain English that a test can hold: words to avoid, and the length of a sentence.

A `Passage` is a text with the place it comes from. Collect passages, and check them with `faults`.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Words in a sentence, at most; the aim is about 20.
LONGEST = 35

#: A pattern, and the better way.
AVOIDED = {
    r"\b(?:told|tells?|telling)\b": "show, report, return or name",
    r"\b(?:says?|said|saying)\b": "show, report or state",
    r"\bmeanwhile\b": "during ..., or leave it out",
    r"\banew\b": "again",
    r"\b(?:whoever|whosever|whomever)\b": "the caller, the task or the person who",
    r"\b(?:nobody|somebody)\b": "no caller, a person",
    r"(?<!people )(?<!person )(?<!someone )(?<!everyone )(?<!anyone )\bwho\b": "which or that",
    r"\bwhom\b": "a noun",
    r"\bof (?:those|these|them) (?:is|are|was|were|has|have)\b": "the noun first",
    r"(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)": "is not a",
    r"\bfor good\b": "permanently",
    r"\bby itself\b": "automatically",
    r"\bwhat is (?:told|said)\b": "name the thing",
}


@dataclass(frozen=True)
class Passage:
    """A text, and where it stands."""

    where: str
    text: str


def faults(passages: Iterable[Passage]) -> list[str]:
    """Return a line for each word to avoid and for each sentence that is too long."""
    return [fault for passage in passages for fault in _faults(passage)]


def _faults(passage: Passage) -> Iterator[str]:
    for pattern, better in AVOIDED.items():
        if found := re.search(pattern, passage.text, re.IGNORECASE):
            yield f"{passage.where}: '{found[0]}' in '{_around(passage.text, found)}': {better}"
    for sentence in sentences(passage.text):
        if (words := len(re.findall(r"[\w'’-]+", sentence))) > LONGEST:
            yield f"{passage.where}: {words} words in '{sentence[:60]}...'; make two sentences"


def _around(text: str, found: re.Match[str]) -> str:
    return " ".join(text[max(0, found.start() - 30) : found.end() + 30].split())


def sentences(text: str) -> list[str]:
    """Split a text at the ends of its sentences."""
    return re.split(r"(?<=[.!?:;])[)\"']?\s+", text)


def markdown(where: str, text: str) -> Iterator[Passage]:
    """Yield the prose of a Markdown page, a passage for each paragraph, list item and cell."""
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\{[^}]*\})", r"\1", text)
    number = 1
    for part in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*:|#]|\d+\.) ?)|\|)", text):
        if words := part.strip(" \n-*:|#"):
            yield Passage(f"{where}:{number}", words)
        number += part.count("\n")


#: Words that do not begin the first line of a docstring or header: it begins with a verb or a noun.
OPENINGS = re.compile(r"(?:Tell|Say|What|Whether|How|Who|Where|When|Which|Of)\b")

_INDENTED = re.compile(r"^ {4}", re.MULTILINE)
_SECTIONS = ("Args:", "Returns:", "Raises:")


def first_lines(path: Path) -> list[Passage]:
    """Return the first paragraph of each docstring of a module, or of the header of a statement."""
    if path.suffix == ".cypher":
        return list(headers(path))[:1]
    return [Passage(place, _plain(found[0])) for place, found in _docstrings(path)]


def docstrings(path: Path) -> Iterator[Passage]:
    """Yield the paragraphs of every docstring of a module, except indented diagrams."""
    for place, paragraphs in _docstrings(path):
        for paragraph in paragraphs:
            if paragraph.startswith(_SECTIONS) or not _INDENTED.search(paragraph):
                yield Passage(place, _plain(paragraph))


def _docstrings(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if text := ast.get_docstring(node):
            yield f"{path.name}:{getattr(node, 'name', 'module')}", re.split(r"\n\s*\n", text)


def descriptions(path: Path) -> Iterator[Passage]:
    """Yield the descriptions and help texts that a module gives to fields and options."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.keyword)
            and node.arg in ("description", "help")
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield Passage(f"{path.name}:{node.value.lineno}", _plain(node.value.value))


def headers(path: Path) -> Iterator[Passage]:
    """Yield the comment lines of a Cypher file, except includes."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("//") and not line.startswith("// include"):
            text = re.sub(r"^ *(?:param|returns) +\w+ *:", "", line[2:])  # names are not prose
            yield Passage(f"{path.parent.name}/{path.name}:{number}", _plain(text))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"`[^`]*`", "CODE", text).split())
