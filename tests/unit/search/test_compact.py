"""The compact form of memories, and the tokens that it takes."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph_memory.domain.attachments import Attachment
from graph_memory.domain.models import BriefMemory, LifecycleState, MemoryType
from graph_memory.domain.origin import Authority
from graph_memory.domain.passages import Passage
from graph_memory.search.compact import (
    LEAD,
    compact_memory,
    compact_origin,
    compact_scores,
    json_tokens,
    listed_memory,
)
from graph_memory.server.views.lean import line

TODAY = datetime(2026, 6, 1, 12, tzinfo=UTC)
IDS = {"m-1": "m-1"}
PLAIN = BriefMemory(
    memory_id="m-1",
    content="Ada prefers tea",
    memory_type=MemoryType.GENERAL,
    tags=[],
    importance=5,
    lifecycle_state=LifecycleState.ACTIVE,
    created_at=TODAY,
    valid_at=TODAY,
    invalid_at=None,
)
RICH = replace(
    PLAIN,
    memory_type=MemoryType.FACT,
    tags=["茶", "tea"],
    lifecycle_state=LifecycleState.DORMANT,
    valid_at=TODAY - timedelta(days=1),
    invalid_at=TODAY,
    attachments=(
        Attachment("https://example.com/plan.png", "image/png", title="Plan", sha256="a" * 64),
        Attachment("file:///tap.py", "text/x-python", language="python"),
        *(Attachment(f"s3://bucket/{number}", language="c++") for number in range(5)),
    ),
)


def test_defaults_are_left_out_and_the_rest_is_there():
    plain = {"memory_id": "m-1", "content": "Ada prefers tea", "date": "2026-06-01"}
    assert compact_memory(PLAIN, IDS) == plain
    assert compact_memory(RICH, IDS) == plain | {
        "type": "fact",
        "tags": ["茶", "tea"],
        "valid_at": "2026-05-31",
        "invalid_at": "2026-06-01",
        "state": "DORMANT",
        "attachments": [
            {"uri": "https://example.com/plan.png", "media_type": "image/png", "title": "Plan"},
            {"uri": "file:///tap.py", "media_type": "text/x-python"},
            *({"uri": f"s3://bucket/{number}", "language": "c++"} for number in range(3)),
        ],
        "more_attachments": 2,
    }


@pytest.mark.parametrize("authority", Authority)
def test_an_authority_below_agent_is_shown(authority: Authority):
    shown = compact_origin(authority).get("authority")
    assert shown == (None if authority in ("agent", "person") else authority)


def test_scores_have_three_decimals_and_no_nulls():
    assert compact_scores(0.12345, None, 0.0) == {"score": 0.123, "similarity": 0.0}


def test_a_long_content_is_a_part_in_lists():
    long = replace(PLAIN, content="x" * (LEAD + 1))
    listed = listed_memory(long, IDS)
    assert (listed["content"], listed["passage"]) == ("x" * LEAD, [0, LEAD])
    found = listed_memory(long, IDS, Passage(3, 7, "xxxx"))
    assert (found["content"], found["passage"]) == ("xxxx", [3, 7])
    assert "passage" not in listed_memory(replace(long, content="x" * LEAD), IDS)
    assert compact_memory(long, IDS)["content"] == long.content


@pytest.mark.parametrize("memory", [PLAIN, RICH])
@pytest.mark.parametrize(
    "content", ["a", "tea " * 300, 'say "tea"\n' * 50, "茶" * 500, "\U00012000"]
)
@pytest.mark.parametrize("passage", [None, (0, 5)])
def test_the_tokens_bound_the_json_and_the_text(
    memory: BriefMemory, content: str, passage: tuple[int, int] | None
):
    memory = replace(memory, content=content)
    fields = compact_memory(memory, IDS, Passage.of(content, passage)) | compact_scores(
        0.5, 0.25, 0.75
    )
    whole = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    assert json_tokens(fields) >= math.ceil((len(whole) + 1) / 3.4)
    assert json_tokens(fields, 10_000) > 10_000
    assert len(line(fields)) < len(whole)
