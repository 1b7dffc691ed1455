"""The tenant, the instant and the origin of a call."""

from dataclasses import dataclass
from datetime import datetime

from graph_memory.domain.origin import INTERNAL, Origin
from graph_memory.domain.timestamps import instant


@dataclass(frozen=True, slots=True)
class CallScope:
    """The tenant that a call reads or changes, its present instant, and the origin of its texts."""

    group_id: str
    now: datetime  #: ages, decay and validity count up to it, and changes take place at it
    origin: Origin = INTERNAL

    def parameters(self) -> dict[str, str]:
        """Return the parameters `group_id` and `now` of a statement."""
        return {"group_id": self.group_id, "now": instant(self.now)}
