"""The tenant, the instant and the origin of a call."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graph_memory.domain.origin import INTERNAL, Authority, Origin
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

    def derived(self, run_id: str | None) -> dict[str, dict[str, Any]]:
        """Return the parameter `origin` of what a run derives for the caller."""
        return replace(self.origin.at_most(Authority.DERIVED), origin_id=run_id).parameters()
