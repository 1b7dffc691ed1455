"""A number of slots for concurrent work, with an order for the tasks that wait."""

import asyncio
from heapq import heappop, heappush
from itertools import count


class Slots:
    """A number of slots. The waiting task with the lowest tag is next, then the earliest."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def acquire(self, tag: float) -> None:
        """Take a slot, or wait for one.

        Args:
            tag: The lower, the earlier.
        """
        if self._free:
            self._free -= 1
            return
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (tag, next(self._numbers), slot))
        try:
            await slot
        except asyncio.CancelledError:
            if not slot.cancelled():  # the slot was handed over just before the cancellation
                self.release()
            raise

    def release(self) -> None:
        """Hand a slot to the first waiting task that is not cancelled, or free it."""
        while self._waiting:
            *_, slot = heappop(self._waiting)
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1
