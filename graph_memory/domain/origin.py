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
        way_in: The tool or command, `Python`, or the stage of a run that wrote it. A fact that
            Graphiti found has that of its episode.
        caller: The name and the id of a token, the subject of a JWT, or `local`.
        authority: The authority of the text; None for an unknown one.
        origin_id: The import, the run or the job of the episode that wrote it, if any.
    """

    way_in: str
    caller: str
    authority: Authority | None
    origin_id: str | None = None

    @classmethod
    def of_stage(cls, stage: str, run_id: str) -> "Origin":
        """Return the origin of what a stage of a maintenance run makes."""
        return cls(f"stage {stage}", SERVICE, Authority.DERIVED, run_id)

    def at_most(self, *others: Authority | None) -> "Origin":
        """Return this origin with at most the authorities of `others`."""
        return replace(self, authority=Authority.least((self.authority, *others)))

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return the parameter `origin` of a statement that stores a text or a relation.

        Beside the fields it has `above`, the authorities above this one, which a change lowers.
        All are above an unknown one.
        """
        above = Authority if self.authority is None else self.authority.and_above()[1:]
        return {"origin": {**asdict(self), "above": list(above)}}

    def sentence(self) -> str:
        """Return the origin and the authority as the end of a sentence."""
        part = f", part of {self.origin_id}" if self.origin_id else ""
        return f"came in by {self}{part}; its authority is {self.authority or 'unknown'}."

    def __str__(self) -> str:
        """Return the way in, with the caller unless it is local."""
        return self.way_in if self.caller == LOCAL else f"{self.way_in} by {self.caller}"


#: The caller of a process that needs no token.
LOCAL = "local"

#: The caller of a maintenance run.
SERVICE = "graph-memory"

#: The origin of texts and relations that the service itself makes.
INTERNAL = Origin("maintenance", SERVICE, Authority.DERIVED)

#: The origin of what Graphiti writes outside of an episode.
FROM_GRAPHITI = Origin("Graphiti", SERVICE, Authority.DERIVED)
