"""The ranking profiles, and the parameters of their Cypher fragments."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from graph_memory.errors import InvalidArgumentError
from graph_memory.settings.base import Settings
from graph_memory.settings.search import UNIT_SUM_TOLERANCE

_UNIT_MS = {"seconds": 1e3, "minutes": 6e4, "hours": 3.6e6, "days": 8.64e7}

#: The share of connectivity in a computed importance, and the accesses that count as full use.
_CONNECTIVITY_SHARE = 0.5
_MUCH_USED = 20


class Profile(StrEnum):
    """A way to rank the memories that a search finds."""

    RECALL = "recall"
    WEIGHTED = "weighted"
    HYBRID = "hybrid"


#: Setting that holds the weights of a profile, and the names of the weighted components.
_WEIGHTS = {
    Profile.WEIGHTED: ("search_weights", "semantic, recency, importance"),
    Profile.HYBRID: ("hybrid_weights", "semantic, topological, temporal, importance"),
}


def with_weights(settings: Settings, profile: Profile, weights: Sequence[float] | None) -> Settings:
    """Return settings with other weights for a profile.

    Args:
        settings: The settings.
        profile: Profile `weighted` or `hybrid`.
        weights: One weight per component, at least 0, sum 1; None leaves the settings as they are.

    Raises:
        InvalidArgumentError: The profile takes no weights, or the weights are invalid.
    """
    if weights is None:
        return settings
    if profile not in _WEIGHTS:
        raise InvalidArgumentError(
            "weights", list(weights), "profile weighted or hybrid takes them"
        )
    name, meaning = _WEIGHTS[profile]
    if (
        len(weights) != len(getattr(settings, name))
        or min(weights) < 0
        or not abs(sum(weights) - 1) <= UNIT_SUM_TOLERANCE
    ):
        raise InvalidArgumentError(
            "weights", list(weights), f"{meaning}: each at least 0, and they sum to 1"
        )
    return settings.model_copy(update={name: tuple(weights)})


def weighted_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/ranking/score_weighted.cypher`."""
    return {
        "weights": list(settings.search_weights),
        "half_life_days": settings.search_recency_half_life_days,
    }


def importance_parameters() -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/ranking/computed_importance.cypher`."""
    return {"connectivity_share": _CONNECTIVITY_SHARE, "much_used": _MUCH_USED}


def hybrid_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/ranking/score_hybrid.cypher`."""
    return {
        "weights": list(settings.hybrid_weights),
        "temporal_lambda": settings.temporal_decay_lambda,
        "temporal_unit_ms": _UNIT_MS[settings.temporal_decay_unit],
        "density_boost": settings.density_boost,
        "density_cap": settings.density_degree_cap,
        "computes_importance": settings.hybrid_importance == "computed",
        **importance_parameters(),
    }


def spread_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/ranking/spread.cypher`."""
    return {
        "depth": settings.traversal_depth,
        "fan": settings.traversal_fan,
        "strand": settings.spread_relations,
        "reach": settings.spread_memories,
    }
