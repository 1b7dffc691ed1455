"""The rules by which memories fade: the policies, their numbers, and how they are checked.

The formulas stand in `cypher/decay`; here are only the parameters that they are given.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from graph_memory.database.graph import Graph
from graph_memory.database.statements import POLICIES, policies
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.settings.base import Settings
from graph_memory.settings.decay import DecaySettings

_MS_A_DAY = 86_400_000

#: What a curve may do to the lifecycle state.
_STATES = ("stepwise", "by_score", "unchanged")


@dataclass(frozen=True, slots=True)
class Probe:
    """What a policy makes of a memory made up for the purpose."""

    importance: float
    stability: int
    curve: dict[str, Any]


def parameters(settings: Settings, run_id: str | None = None) -> dict[str, Any]:
    """Return the map `$decay` of the statements; rates are per day, spans in milliseconds.

    `run_id` is the maintenance run's whose numbers a change of state remembers.
    """
    numbers = rules(settings)
    return {**numbers, "rules": _hash(settings, numbers), "run_id": run_id}


def rules(settings: Settings) -> dict[str, Any]:
    """Return what scores are computed from; to change a state takes the rest of `parameters`."""
    retention = settings.obsolete_retention_days
    down = ("ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED")
    return {
        "steps_by_score": [
            {"from": before, "to": after, "days": -1.0, "level": 1.0 - threshold}
            for before, after, threshold in zip(
                down,
                down[1:],
                (
                    settings.adaptive_active_threshold,
                    settings.adaptive_archival_threshold,
                    settings.adaptive_expiration_threshold,
                ),
                strict=False,
            )
        ],
        "steps_stepwise": [
            {"from": before, "to": after, "days": days, "level": score}
            for before, after, days, score in zip(
                down,
                down[1:],
                (settings.dormant_days, settings.archived_days, settings.expired_days),
                (settings.dormant_score, settings.archived_score, settings.expired_score),
                strict=False,
            )
        ],
        "protected_tags": [*(tag.lower() for tag in settings.protected_tags), "preserved"],
        "policy": settings.decay_policy,
        "half_life_rate": math.log(2) / settings.half_life_base_days,
        "half_life_table_rates": [math.log(2) / days for days in settings.half_life_table_days],
        "typed_rates": {
            kind: math.log(2) / days for kind, days in settings.typed_half_life_days.items()
        },
        "soft_delete_retention_ms": int(settings.soft_delete_retention_days * _MS_A_DAY),
        "obsolete_retention_ms": None if retention is None else int(retention * _MS_A_DAY),
        "group_policies": settings.group_decay_policies,
        **{
            name: getattr(settings, name)
            for name in (
                "permanent_importance",
                "permanent_stability",
                "half_life_curve",
                "adaptive_base_decay_rate",
                "adaptive_access_boost",
                "adaptive_degree_boost",
                "adaptive_active_threshold",
                "adaptive_archival_threshold",
                "adaptive_expiration_threshold",
                "typed_floors",
                "typed_expires",
                "typed_write_back",
                "reinforce_step",
                "reinforce_write_back",
                "importance_max",
                "dormant_days",
                "dormant_score",
                "archived_days",
                "archived_score",
                "expired_days",
                "expired_score",
                "expired_below_importance",
                "state_history_length",
            )
        },
    }


def rules_hash(settings: Settings) -> str:
    """Return twelve hexadecimal digits that stand for the policies' texts and their numbers.

    Two runs with the same hash treat a memory alike.
    """
    return _hash(settings, rules(settings))


def _hash(settings: Settings, rules: dict[str, Any]) -> str:
    texts = dict(policies(settings.policy_dir))
    return hashlib.sha256(json.dumps([texts, rules], sort_keys=True).encode()).hexdigest()[:12]


def with_overrides(settings: Settings, policy: str | None, numbers: Mapping[str, str]) -> Settings:
    """Return the settings as they would be under another policy and with other numbers.

    Args:
        settings: As they are.
        policy: A policy's name, or the path of a `.cypher` file with one; also for the groups that
            have one of their own. A memory's own policy stays.
        numbers: Decay settings by name, as text; a table as JSON.

    Raises:
        InvalidArgumentError: A name is no setting of decay, or a value is out of its range.
    """
    # A caller over the network may suppose numbers, but name no folder to read.
    known = DecaySettings.model_fields.keys() - {"policy_dir", "decay_policy"}
    given = {name.lower(): text for name, text in numbers.items()}
    if unknown := {name: text for name, text in given.items() if name not in known}:
        expected = f"it is no setting of decay; there are {', '.join(sorted(known))}"
        raise InvalidArgumentError("numbers", unknown, expected)
    changes: dict[str, Any] = {name: _read(text) for name, text in given.items()}
    if policy is not None:
        changes |= {"group_decay_policies": {}, "decay_policy": policy}
        if policy.endswith(".cypher"):
            changes |= {"policy_dir": None, "decay_policy": Path(policy).stem}
    try:
        changed = Settings.model_validate({**settings.model_dump(), **changes})
        changed = _reading(changed, policy)
        require_policy(changed, changed.decay_policy, "policy")
    except ValidationError as error:
        raise _misfit(error.errors()[0], policy, given) from error
    return changed


def _reading(settings: Settings, policy: str | None) -> Settings:
    """Return settings whose only policy file is the one named, if one is; no folder is read."""
    if policy is None or not policy.endswith(".cypher"):
        return settings
    if not Path(policy).is_file():
        raise InvalidArgumentError("policy", policy, "there is no such file; name one, or a policy")
    return settings.model_copy(update={"policy_dir": Path(policy)})


def _misfit(
    detail: ErrorDetails, policy: str | None, given: Mapping[str, str]
) -> InvalidArgumentError:
    """Say what is supposed wrongly, and nothing of the settings that are not: they have secrets."""
    context: Mapping[str, Any] = detail.get("ctx", {})
    about = context.get("names", detail["loc"][:1])
    numbers = {name: text for name, text in given.items() if name in about}
    rule = context.get("rule", detail["msg"].removeprefix("Value error, "))
    return InvalidArgumentError("numbers" if numbers else "policy", numbers or policy, rule)


def _read(text: str) -> object:
    """Take what is JSON for that, so that tables and truth values can be given."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def require_policy(settings: Settings, name: str | None, argument: str = "decay_policy") -> None:
    """Refuse a policy that there is not.

    Raises:
        InvalidArgumentError: The message lists those there are.
    """
    known = policies(settings.policy_dir)
    if name is not None and name not in known:
        raise InvalidArgumentError(argument, name, f"choose from {', '.join(sorted(known))}")


async def check_policies(graph: Graph, settings: Settings) -> None:
    """Try every policy of the user's own on a few memories that are never stored.

    Raises:
        SettingsError: A setting names a policy that there is not, or a policy makes no curve.
        StatementError: Neo4j does not understand a policy.
    """
    known = policies(settings.policy_dir)
    wanted = [settings.decay_policy, *settings.group_decay_policies.values()]
    if unknown := sorted(set(wanted) - set(known)):
        raise SettingsError(
            f"GRAPH_MEMORY_DECAY_POLICY or GRAPH_MEMORY_GROUP_DECAY_POLICIES names {unknown}; "
            f"choose from {', '.join(sorted(known))}, or put a file into GRAPH_MEMORY_POLICY_DIR."
        )
    for name in sorted(set(known) - set(policies())):
        tried = await graph.rows(
            "decay/probe", Probe, policy=name, decay=parameters(settings), group_id="probe"
        )
        for probe in tried:
            if problem := _problem(probe.curve):
                raise SettingsError(
                    f"Policy '{name}' in GRAPH_MEMORY_POLICY_DIR makes {problem} of importance "
                    f"{probe.importance:g} and stability {probe.stability}; see {POLICIES} in "
                    "docs/guides/change-how-fast-memories-fade.md for what a policy is."
                )


def _problem(curve: dict[str, Any]) -> str | None:
    """Return what is wrong with a policy's curve."""
    for name in ("amplitude", "offset", "rate"):
        value = curve.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name} {value!r}, no number,"
        if not 0 <= value < math.inf:
            return f"{name} {value:g}, below 0 or without end,"
    if curve.get("places") not in range(10):
        return f"places {curve.get('places')!r}, not 0 to 9,"
    if curve.get("states") not in _STATES:
        return f"states {curve.get('states')!r}, none of {', '.join(_STATES)},"
    if not isinstance(curve.get("expires"), bool):
        return f"expires {curve.get('expires')!r}, not true or false,"
    return None
