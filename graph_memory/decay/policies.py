"""The rules by which memories fade: the numbers of the policies, their hash, and their checks.

The formulas are in `cypher/decay`. This module computes their parameters.
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
from graph_memory.database.statements import policies
from graph_memory.errors import InvalidArgumentError, SettingsError
from graph_memory.settings.base import Settings
from graph_memory.settings.decay import DecaySettings
from graph_memory.wording import way_in

_MS_A_DAY = 86_400_000

#: Characters of metadata up to which the history of a memory keeps it; beyond, it keeps the size.
_HISTORY_METADATA_CHARACTERS = 4096

#: The ways in which a policy may change the lifecycle state.
_STATES = ("stepwise", "by_score", "unchanged")


@dataclass(frozen=True, slots=True)
class Probe:
    """The curve that a policy gives to a made-up memory."""

    importance: float
    stability: int
    curve: dict[str, Any]


def parameters(
    settings: Settings, run_id: str | None = None, by: str | None = None
) -> dict[str, Any]:
    """Return the map `$decay` of the statements; rates are per day, spans in milliseconds.

    Args:
        settings: The policy and its numbers.
        run_id: The maintenance run that the history of a memory names; None outside of runs.
        by: The cause that the history names before the run; None for the run, or without a run for
            the tool or command of the call.
    """
    numbers = rules(settings)
    run = run_id and f"run {run_id}"
    return {
        **numbers,
        "rules": _hash(settings, numbers),
        "run_id": run_id,
        "by": ", ".join(filter(None, (by, run))) or way_in(),
        "history_metadata_characters": _HISTORY_METADATA_CHARACTERS,
    }


def rules(settings: Settings) -> dict[str, Any]:
    """Return the part of `parameters` that scores depend on; a change of state needs all of it."""
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
    """Return a hash of the texts of the policies and their numbers, twelve hexadecimal digits.

    Two runs with the same hash treat a memory in the same way.
    """
    return _hash(settings, rules(settings))


def _hash(settings: Settings, rules: dict[str, Any]) -> str:
    texts = dict(policies(settings.policy_dir))
    return hashlib.sha256(json.dumps([texts, rules], sort_keys=True).encode()).hexdigest()[:12]


def with_overrides(settings: Settings, policy: str | None, numbers: Mapping[str, Any]) -> Settings:
    """Return the settings with another policy and other numbers.

    Args:
        settings: The present settings.
        policy: The name of a policy, or the path of a `.cypher` file with one. It replaces the
            policies of groups too. A policy that a memory has of its own stays.
        numbers: Decay settings by name: values, or their text, which for a table is JSON.

    Raises:
        InvalidArgumentError: A name is not a decay setting, a value is out of its range, or the
            policy or file does not exist.
    """
    # A caller over the network may assume numbers, but must not name a folder to read.
    known = DecaySettings.model_fields.keys() - {"policy_dir", "decay_policy"}
    given = {name.lower(): value for name, value in numbers.items()}
    if unknown := {name: value for name, value in given.items() if name not in known}:
        expected = f"not a decay setting; choose from {', '.join(sorted(known))}"
        raise InvalidArgumentError("numbers", unknown, expected)
    changes: dict[str, Any] = {name: _read(value) for name, value in given.items()}
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
    """Return settings that read the file `policy`, if it is one, instead of the policy folder."""
    if policy is None or not policy.endswith(".cypher"):
        return settings
    if not Path(policy).is_file():
        raise InvalidArgumentError("policy", policy, "there is no such file; name one, or a policy")
    return settings.model_copy(update={"policy_dir": Path(policy)})


def _misfit(
    detail: ErrorDetails, policy: str | None, given: Mapping[str, Any]
) -> InvalidArgumentError:
    """Return the error for an assumed value, without the other settings, which contain secrets."""
    context: Mapping[str, Any] = detail.get("ctx", {})
    about = context.get("names", detail["loc"][:1])
    numbers = {name: value for name, value in given.items() if name in about}
    rule = context.get("rule", detail["msg"].removeprefix("Value error, "))
    return InvalidArgumentError("numbers" if numbers else "policy", numbers or policy, rule)


def _read(value: object) -> object:
    """Parse a text as JSON, for tables and truth values; any other value stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def require_policy(settings: Settings, name: str | None, argument: str = "decay_policy") -> None:
    """Check that a policy of this name exists; None passes.

    Raises:
        InvalidArgumentError: The policy does not exist; the message lists all names.
    """
    known = policies(settings.policy_dir)
    if name is not None and name not in known:
        raise InvalidArgumentError(argument, name, f"choose from {', '.join(sorted(known))}")


async def check_policies(graph: Graph, settings: Settings) -> None:
    """Compute the curves of the user's own policies for a few made-up memories, and check them.

    Raises:
        SettingsError: A setting names an unknown policy, or a policy returns an invalid curve.
        StatementError: A policy is not valid Cypher.
    """
    known = policies(settings.policy_dir)
    wanted = [
        settings.decay_policy,
        settings.capture_decay_policy,
        *settings.group_decay_policies.values(),
    ]
    if unknown := sorted(set(wanted) - set(known)):
        raise SettingsError(
            "GRAPH_MEMORY_DECAY_POLICY, GRAPH_MEMORY_CAPTURE_DECAY_POLICY or "
            f"GRAPH_MEMORY_GROUP_DECAY_POLICIES names {unknown}; "
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
                    f"{probe.importance:g} and stability {probe.stability}. "
                    "docs/guides/change-how-fast-memories-fade.md describes the keys of a policy."
                )


def _problem(curve: dict[str, Any]) -> str | None:
    """Return the first fault of a policy's curve, in words, or None."""
    for name in ("amplitude", "offset", "rate"):
        value = curve.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name} {value!r}, not a number,"
        if not 0 <= value < math.inf:
            return f"{name} {value:g}, below 0 or infinite,"
    if curve.get("places") not in range(10):
        return f"places {curve.get('places')!r}, not 0 to 9,"
    if curve.get("states") not in _STATES:
        return f"states {curve.get('states')!r}, not one of {', '.join(_STATES)},"
    if not isinstance(curve.get("expires"), bool):
        return f"expires {curve.get('expires')!r}, not true or false,"
    return None
