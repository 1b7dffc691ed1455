"""The origin of stored texts: the way in, the caller, and the authority that follows from both."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any


class Authority(StrEnum):
    """The authority of a stored text, the least first; the way in sets it, never the payload."""

    DERIVED = "derived"  #: made by a run or an extraction, or said to be derived
    IMPORT = "import"  #: read from a file
    TOOL = "tool"  #: captured by a hook
    AGENT = "agent"  #: written by a program or an agent
    PERSON = "person"  #: written by a person

    @property
    def rank(self) -> int:
        """The position in the order, from 0."""
        return list(Authority).index(self)

    @classmethod
    def least(cls, given: Iterable["Authority | None"]) -> "Authority | None":
        """Return the least of some authorities; None, an unknown one, is below all."""
        known = list(given)
        if None in known:
            return None
        return min((each for each in known if each), key=lambda each: each.rank)

    def and_above(self) -> tuple["Authority", ...]:
        """Return this authority and all that are higher."""
        return tuple(Authority)[self.rank :]


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a text.

    Attributes:
        way_in: The tool or command, `Python`, or the stage that wrote it.
        caller: The name and the id of a token, the subject of a JWT, or `local`.
        authority: The authority of the text; None for an unknown one.
        origin_id: The import or the run that wrote it, if any.
    """

    way_in: str
    caller: str
    authority: Authority | None
    origin_id: str | None = None

    def at_most(self, *others: Authority | None) -> "Origin":
        """Return this origin with at most the authorities of `others`."""
        return replace(self, authority=Authority.least((self.authority, *others)))

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return the parameter `origin` of a statement that stores a text or a relation.

        Beside the fields it has `above`, the authorities above this one, which a change lowers.
        """
        above = () if self.authority is None else self.authority.and_above()[1:]
        return {"origin": {**asdict(self), "above": list(above)}}

    def __str__(self) -> str:
        """Return the way in, with the caller unless it is local."""
        return self.way_in if self.caller == LOCAL else f"{self.way_in} by {self.caller}"


#: The caller of a process that needs no token.
LOCAL = "local"

#: The origin of texts and relations that the service itself makes.
INTERNAL = Origin("maintenance", "graph-memory", Authority.DERIVED)
