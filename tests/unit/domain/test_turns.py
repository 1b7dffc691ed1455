"""Computations pause while calls are answered, and at no other time."""

import time
from collections.abc import Iterator

import pytest

from graph_memory.domain.turns import first_in_turn, giving_turns

ITEMS = range(5)


def slowly() -> Iterator[int]:
    """Yield items that take longer than a turn each."""
    for item in ITEMS:
        began = time.perf_counter()
        while time.perf_counter() - began < 0.003:
            pass
        yield item


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses in seconds, none of which takes place."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


@first_in_turn
async def computed() -> list[int]:
    return list(giving_turns(slowly()))


@first_in_turn
async def failing() -> None:
    raise ValueError


async def test_a_computation_pauses_after_each_turn_while_a_call_is_answered(
    pauses: list[float],
) -> None:
    assert await computed() == list(ITEMS)
    assert len(pauses) == len(ITEMS)


async def test_a_computation_does_not_pause_after_the_calls(pauses: list[float]) -> None:
    with pytest.raises(ValueError):
        await failing()
    assert list(giving_turns(slowly())) == list(ITEMS)
    assert pauses == []
