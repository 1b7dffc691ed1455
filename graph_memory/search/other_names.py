"""The names of merged entities, as the searches of a process know them."""

from cachetools import TTLCache

from graph_memory.database.graph import Graph
from graph_memory.ranking.other_names import OtherNames, other_names

#: Groups whose names a process keeps, and the seconds after which it reads them again.
_GROUPS = 1000
_SECONDS = 10.0

#: Pairs of names of one group.
_PAIRS = 5000


class NameCache:
    """The other names of groups, as this process has read them in the last seconds."""

    def __init__(self, graph: Graph, analyzer: str) -> None:
        self._graph, self._analyzer = graph, analyzer
        self._known: TTLCache[str, OtherNames] = TTLCache(_GROUPS, _SECONDS)

    async def read(self, group_id: str) -> OtherNames:
        """Return the names of the entities of a group that have several."""
        known = self._known.get(group_id)
        if known is None:
            pairs = await merged_names(self._graph, group_id, limit=_PAIRS)
            known = self._known[group_id] = other_names(pairs, self._analyzer)
        return known

    def clear(self) -> None:
        """Read the names of all groups again when they are needed."""
        self._known.clear()


async def merged_names(graph: Graph, group_id: str, *, limit: int) -> list[list[str]]:
    """Return the two names of each pair of entities that a review made one, at most `limit`."""
    return await graph.rows("search/other_names/merged", list[str], group_id=group_id, limit=limit)
