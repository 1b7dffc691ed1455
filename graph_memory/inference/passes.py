"""Passes of a model over texts of similar length."""

from collections.abc import Iterator, Sequence


def plan_passes(counts: Sequence[int], texts: int, tokens: int) -> Iterator[list[int]]:
    """Yield indices of texts of similar length: padding to the longest of a pass is wasted work.

    Args:
        counts: Tokens of each text.
        texts: Most texts of a pass.
        tokens: Most tokens of a pass with several texts, padding included.
    """
    order = sorted(range(len(counts)), key=counts.__getitem__, reverse=True)
    while order:
        size = min(texts, max(1, tokens // max(1, counts[order[0]])))
        yield order[:size]
        order = order[size:]
