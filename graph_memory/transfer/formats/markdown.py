"""The notes of basic-memory: front matter, prose, observations and relations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ITEM = re.compile(r"\s*[-*+]\s+(.*)")
_OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)")
_RELATION = re.compile(
    r"""(?: "(?P<double>[^"]+)" | '(?P<single>[^']+)' | (?P<bare>[^\s"'\[]\S*) )
        \s* \[\[ (?P<target>[^\[\]]+) \]\] \s* (?: \( (?P<context>[^()]*) \) )?""",
    re.VERBOSE,
)
_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")

#: Text in brackets that is not a category: a task's mark, a time in a transcript.
_NO_CATEGORY = re.compile(r"[xX\W]|[\d:.,\s-]*\d:\d\d[\d:.,\s-]*")

_FENCES = ("```", "~~~")
_OWN_HEADINGS = ("observations", "relations")


@dataclass(frozen=True, slots=True)
class Observation:
    """A statement of a note about its subject."""

    category: str | None
    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A relation of a note, with the name of its target."""

    relation_type: str
    target: str
    context: str | None = None


@dataclass(slots=True)
class Body:
    """The parts of a note below its front matter."""

    prose: list[str] = field(default_factory=list[str])
    observations: list[Observation] = field(default_factory=list[Observation])
    links: list[NoteLink] = field(default_factory=list[NoteLink])


def parts(text: str) -> tuple[str, str]:
    """Return the front matter, or '', and the rest of a text."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() == "---":
        for end, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "---":
                return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :])
    return "", "\n".join(lines)


def body(text: str) -> Body:
    """Return the observations, the relations and the remaining prose of a text."""
    found = Body()
    for line, literal in _lines(text):
        if literal or not _taken(line, found):
            found.prose.append(line)
    return found


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and True if it is code or a quotation, which holds no markup."""
    fence = ""
    for line in text.split("\n"):
        start = line.lstrip()[:3]
        if fence:
            yield line, True
            fence = "" if start == fence else fence
        else:
            fence = start if start in _FENCES else ""
            yield line, bool(fence) or start.startswith(">")


def _taken(line: str, found: Body) -> bool:
    """Collect the observation or relations of a line; return True if it is not prose as well."""
    item = _ITEM.fullmatch(line)
    if item is None:
        found.links.extend(_linked(line))
        return line.lstrip("# ").strip().lower() in _OWN_HEADINGS and line.startswith("#")
    text = item[1].strip()
    if relation := _RELATION.fullmatch(text):
        kind = relation["double"] or relation["single"] or relation["bare"]
        found.links.append(NoteLink(kind.strip(), relation["target"], relation["context"]))
        return True
    found.links.extend(_linked(text))
    if observation := _observation(text):
        found.observations.append(observation)
    return observation is not None


def _linked(text: str) -> Iterator[NoteLink]:
    return (NoteLink("links_to", target) for target in _LINK.findall(text))


def _observation(text: str) -> Observation | None:
    match = _OBSERVATION.fullmatch(text)
    marked = text.startswith("[") and not text.startswith("[[")
    if match and not _NO_CATEGORY.fullmatch(match[1].strip()):
        return Observation(match[1].strip(), match[2].strip(), tuple(_TAG.findall(match[2])))
    if not marked and (tags := _TAG.findall(text)):
        return Observation(None, text, tuple(tags))
    return None
