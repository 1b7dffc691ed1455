"""Briefs: the sentences of a long content that answered most, as places in it. No I/O.

A brief holds no text. It is of one version of a content, and does not apply to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from graph_memory.domain.encoding import content_hash
from graph_memory.domain.passages import Passage

#: Hexadecimal digits of a content's SHA-256 that identify its version.
VERSION_DIGITS = 16

#: Stands between two parts that do not follow each other.
_GAP = " … "


@dataclass(frozen=True, slots=True)
class Brief:
    """The sentences of a long content that answered most.

    Attributes:
        version: Start of the SHA-256 of the content.
        spans: Start and end of each part, in characters of the content, in their order.
        answers: Answers that were used, from which it was learned.
    """

    version: str
    spans: tuple[tuple[int, int], ...]
    answers: int

    def parts(self, content: str) -> tuple[Passage, ...]:
        """Return the parts of a content; none of another content than that of the brief."""
        if not content_hash(content).startswith(self.version):
            return ()
        return tuple(Passage(start, end, content[start:end]) for start, end in self.spans)

    def __str__(self) -> str:
        """Return the places, such as 0-80, 300-380."""
        return ", ".join(f"{start}-{end}" for start, end in self.spans)


_BRIEF = TypeAdapter(Brief)


def joined(parts: Sequence[Passage]) -> str:
    """Return the texts of parts as one text, with an ellipsis at each gap."""
    return _GAP.join(part.text for part in parts)


def brief_json(brief: Brief | None) -> str:
    """Return a brief as it is stored; empty for none. Equal briefs have an equal text."""
    return "" if brief is None else _BRIEF.dump_json(brief).decode()


def brief_of(stored: object) -> Brief | None:
    """Return a brief as it is stored; None for none, and for one that another client damaged."""
    if isinstance(stored, Brief):
        return stored
    try:
        return _BRIEF.validate_json(stored) if isinstance(stored, str) and stored else None
    except ValidationError:
        return None


#: A brief read from the database; left out of JSON if there is none.
StoredBrief = Annotated[
    Brief | None, BeforeValidator(brief_of), Field(exclude_if=lambda value: value is None)
]
