"""The values that options list and shells complete are those of the domain."""

from collections.abc import Iterable
from typing import get_args

import pytest

from graph_memory.api.groups import GroupSetting
from graph_memory.api.types import Scope
from graph_memory.cli import values
from graph_memory.cli.completion import completing
from graph_memory.database.statements import policies
from graph_memory.domain.inputs import Clearable
from graph_memory.domain.models import (
    LifecycleState,
    MemoryType,
    ProposalKind,
    RelationType,
    ResultOrder,
    SortOrder,
)
from graph_memory.domain.origin import Authority
from graph_memory.evaluation.dataset import Form
from graph_memory.maintenance.stages import Stage
from graph_memory.memories.lifecycle import Resolution
from graph_memory.memories.pending import Kind
from graph_memory.memories.slots import slots
from graph_memory.ranking.profiles import Profile
from graph_memory.transfer.formats import FORMATS
from graph_memory.transfer.import_export import OnTaken
from graph_memory.traversal.traverse import Algorithm, Direction


@pytest.mark.parametrize(
    ("given", "known"),
    [
        (values.TYPES, MemoryType),
        (values.STATES, LifecycleState),
        (values.RELATION_TYPES, RelationType),
        (values.SORTS, SortOrder),
        (values.RESULT_ORDERS, ResultOrder),
        (values.POLICIES, sorted(policies())),
        (values.PROFILES, Profile),
        (values.ALGORITHMS, Algorithm),
        (values.DIRECTIONS, Direction),
        (values.RESOLUTIONS, Resolution),
        (values.STAGES, Stage),
        (values.SCOPES, Scope),
        (values.AUTHORITIES, reversed(Authority)),
        (values.SLOTS, (slot.name for slot in slots())),
        (values.GROUP_SETTINGS, get_args(GroupSetting)),
        (values.PROPOSAL_KINDS, ProposalKind),
        (values.WRITE_KINDS, get_args(Kind)),
        (values.DATA_FORMS, Form),
        (values.STORES, FORMATS),
        (values.CLEARABLE, get_args(Clearable)),
        (values.ON_TAKEN, get_args(OnTaken)),
    ],
    ids=lambda value: "",
)
def test_values_are_those_of_the_domain(given: tuple[str, ...], known: Iterable[str]) -> None:
    assert given == tuple(known)


def test_a_completion_keeps_what_is_typed() -> None:
    complete = completing(values.STATES)
    assert complete("AR") == ["ARCHIVED"]
    assert complete("ar") == ["arCHIVED"]
    assert complete("x") == []
    assert complete("") == list(values.STATES)
