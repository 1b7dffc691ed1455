"""The records that an interrupted copy of a group has written, which a repeated copy leaves out.

A record is known by a hash of its contents without ids; a relationship also by its nodes on the
target. Each record of the source takes an equal one of the target. A record that is left over is
not of this copy, or it has an equal one and was paired with the wrong record.
"""

from array import array
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from graph_memory.backup import dump

#: The bytes of a hash by which records are told apart: two of a million rarely share them, and a
#: copy that lacks one for this reason is not accepted.
_KEY_BYTES = 8

#: Rows of the statements that read the nodes or the relationships of a group.
_Block = list[list[Any]]


class _Records:
    """Records by their keys, each to be taken once, in the order in which they were read."""

    def __init__(self, keys: Sequence[int], numbers: Sequence[int]) -> None:
        unsorted = np.array(keys, np.uint64)
        order = np.argsort(unsorted, kind="stable")
        self._keys, self._numbers = unsorted[order], np.array(numbers, np.int64)[order]
        self._taken = np.zeros(len(keys), np.uint32)  # at the first record of each key
        self.left = len(keys)

    def take(self, key: int) -> int | None:
        """Return the number of a record with this key that was not taken yet, else None."""
        first = int(np.searchsorted(self._keys, np.uint64(key)))
        if first == len(self._keys):
            return None
        at = first + int(self._taken[first])
        if at == len(self._keys) or self._keys[at] != key:
            return None
        self._taken[first] += 1
        self.left -= 1
        return int(self._numbers[at])


class PartialCopy:
    """The nodes and relationships of a group on the target of a move, to be taken one by one."""

    def __init__(self) -> None:
        self._prefix = ""
        self._nodes = _Records((), ())
        self._edges = _Records((), ())

    @classmethod
    async def read(cls, nodes: AsyncIterable[_Block], edges: AsyncIterable[_Block]) -> Self:
        """Read the nodes and the relationships of the target, as blocks of rows."""
        found = cls()
        keys, numbers = array("Q"), array("q")
        async for block in nodes:
            for element_id, *fields in block:
                found._prefix = element_id.rpartition(":")[0]
                record = dump.node(element_id, *fields)
                keys.append(_key(record))
                numbers.append(record["id"])
        found._nodes = _Records(keys, numbers)
        keys = array("Q")
        async for block in edges:
            keys.extend(_key(dump.edge(*row), *row[:2]) for row in block)
        found._edges = _Records(keys, range(len(keys)))
        return found

    @property
    def nodes_left(self) -> int:
        """Number of nodes that were not taken."""
        return self._nodes.left

    @property
    def edges_left(self) -> int:
        """Number of relationships that were not taken."""
        return self._edges.left

    def take_node(self, record: Mapping[str, Any]) -> str | None:
        """Return the element id of a node of the target that equals a node of the source."""
        number = self._nodes.take(_key(record)) if self.nodes_left else None
        return None if number is None else f"{self._prefix}:{number}"

    def take_edge(self, record: Mapping[str, Any], made: Mapping[int, str]) -> bool:
        """Return True if the target has a relationship, between the nodes `made` for its ends."""
        if not self.edges_left:
            return False
        key = _key(record, made[record["from"]], made[record["to"]])
        return self._edges.take(key) is not None


def _key(record: Mapping[str, Any], *ends: str) -> int:
    return int.from_bytes(dump.digest(record, " ".join(ends).encode())[:_KEY_BYTES])
