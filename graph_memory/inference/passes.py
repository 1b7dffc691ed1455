"""Passes of a model over texts of similar length."""

from collections.abc import Iterator, Sequence

#: Tokens in one pass, padding included. Larger passes are not faster, and delay other callers.
PASS_TOKENS = 1024


def plan_passes(counts: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield indices of texts of similar length: padding to the longest of a pass is wasted work.

    Args:
        counts: Tokens of each text.
        most: Most texts of a pass.
    """
    order = sorted(range(len(counts)), key=counts.__getitem__, reverse=True)
    while order:
        size = min(most, max(1, PASS_TOKENS // max(1, counts[order[0]])))
        yield order[:size]
        order = order[size:]
