"""Demo data for `graph-memory demo`: a year of an agent's memories of one small team."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from graph_memory.api.service import GraphMemory
from graph_memory.domain.models import FoundMemory
from graph_memory.domain.timestamps import instant
from graph_memory.memories.update import CONFIRMATION
from graph_memory.transfer.import_export import ImportReport, import_lines

GROUP = "demo"

QUESTIONS = (
    "What does Nora drink in the morning?",
    "Which database holds the sightings, and why?",
    "Why was the launch moved?",
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A memory of the story; `links` holds relation types by the names of earlier entries."""

    days_ago: int
    name: str
    memory_type: str
    content: str
    tags: tuple[str, ...] = ()
    importance: float = 5
    links: dict[str, str] = field(default_factory=dict[str, str])


async def store_story(memory: GraphMemory) -> ImportReport:
    """Store the story in the group `demo`; existing memories stay."""
    return await import_lines(memory, _lines(memory.clock()), GROUP)


async def answer_questions(memory: GraphMemory, limit: int = 3) -> dict[str, list[FoundMemory]]:
    """Search for the three questions, and return the memories found for each."""
    return {
        question: await memory.search(question, limit=limit, group_id=GROUP)
        for question in QUESTIONS
    }


async def delete_story(memory: GraphMemory) -> int:
    """Erase the story permanently, and return the number of memories erased."""
    erased = await memory.delete_all(confirm=CONFIRMATION, permanent=True, group_id=GROUP)
    return erased.deleted


def _lines(now: datetime) -> Iterator[str]:
    """Yield the lines of the story for an import; its last day is the day before `now`."""
    at = {entry.name: now - timedelta(days=entry.days_ago) for entry in _STORY}
    ends = {
        old: at[entry.name]
        for entry in _STORY
        for old, how in entry.links.items()
        if how == "supersedes"
    }
    for entry in _STORY:
        yield json.dumps(
            {
                "memory_id": f"demo-{entry.name}",
                "content": entry.content,
                "memory_type": entry.memory_type,
                "tags": entry.tags,
                "importance": entry.importance,
                "created_at": instant(at[entry.name]),
                "relationships": [
                    {
                        "target_id": f"demo-{name}",
                        "relation_type": how,
                        "strength": 0.8,
                        "created_at": instant(at[entry.name]),
                    }
                    for name, how in entry.links.items()
                ],
                # The import computes the score, which people see in Neo4j Browser.
                "lifecycle": {"lifecycle_state": "ACTIVE"}
                | ({"invalid_at": instant(ends[entry.name])} if entry.name in ends else {}),
            }
        )


_STORY = (
    _Entry(
        364,
        "nora",
        "fact",
        "Nora Berg leads the Tidepool project at the marine station in Karlsund.",
        ("nora", "identity"),
        8,
    ),
    _Entry(
        362,
        "tidepool",
        "concept",
        "Tidepool is an app in which volunteers log the animals they find in rock pools.",
        ("tidepool",),
        8,
        {"nora": "relates_to"},
    ),
    _Entry(
        360,
        "team",
        "fact",
        "Three people make Tidepool: Nora, Emil, who writes the app, and Sunniva, a biologist.",
        ("team",),
        7,
        {"tidepool": "part_of", "nora": "references"},
    ),
    _Entry(
        355,
        "coffee",
        "preference",
        "Nora drinks black coffee in the morning, before anybody may ask her anything.",
        ("nora",),
        4,
        {"nora": "relates_to"},
    ),
    _Entry(
        348,
        "short_answers",
        "preference",
        "Nora wants the number first and the reasoning after it, in three sentences at most.",
        ("nora", "style"),
        7,
        {"nora": "relates_to"},
    ),
    _Entry(
        341,
        "no_signal",
        "fact",
        "Between the rocks there is no signal, so the app has to work without a network.",
        ("app", "offline"),
        7,
        {"tidepool": "part_of"},
    ),
    _Entry(
        335,
        "sqlite",
        "fact",
        "Sightings are kept in one SQLite database on the station's server.",
        ("database",),
        6,
        {"tidepool": "part_of"},
    ),
    _Entry(
        322,
        "monday",
        "procedure",
        "The team meets on Mondays at nine, for a quarter of an hour, standing on the pier.",
        ("team",),
        4,
        {"team": "relates_to"},
    ),
    _Entry(
        310,
        "species",
        "fact",
        "The species list has 412 names; Sunniva checked each against the national register.",
        ("species",),
        6,
        {"team": "references", "tidepool": "part_of"},
    ),
    _Entry(
        301,
        "release",
        "procedure",
        "To release: freeze on Thursday, try it on Emil's oldest phone, publish on Monday.",
        ("app", "release"),
        7,
        {"tidepool": "part_of"},
    ),
    _Entry(
        288,
        "launch_spring",
        "task",
        "The public launch of Tidepool is planned for the spring tide festival.",
        ("launch",),
        7,
        {"tidepool": "part_of"},
    ),
    _Entry(
        274,
        "emil_night",
        "preference",
        "Emil writes best after ten in the evening; send him reviews then, never at lunch.",
        ("emil",),
        4,
        {"team": "references"},
    ),
    _Entry(
        263,
        "photos",
        "fact",
        "A sighting carries up to four photos, which are shrunk to 1600 pixels on the phone.",
        ("app", "photos"),
        5,
        {"no_signal": "supports"},
    ),
    _Entry(
        251,
        "duplicates",
        "fact",
        "After a weekend of storms, one starfish was logged eleven times by eleven people.",
        ("data",),
        5,
        {"species": "references"},
    ),
    _Entry(
        246,
        "merge_rule",
        "procedure",
        "Sightings of one species within ten metres and one hour are shown as one.",
        ("data", "decision"),
        6,
        {"duplicates": "caused_by"},
    ),
    _Entry(
        230,
        "locked",
        "fact",
        "With forty volunteers syncing at once, SQLite answered that the database is locked.",
        ("database", "incident"),
        7,
        {"sqlite": "contradicts"},
    ),
    _Entry(
        226,
        "postgres",
        "fact",
        "Sightings moved to a PostgreSQL database, because many volunteers write at once.",
        ("database", "decision"),
        8,
        {"sqlite": "supersedes", "locked": "caused_by", "tidepool": "part_of"},
    ),
    _Entry(
        214,
        "backup",
        "procedure",
        "The PostgreSQL database is copied every night to the harbour office across the bay.",
        ("database",),
        6,
        {"postgres": "depends_on"},
    ),
    _Entry(
        199,
        "colour_blind",
        "fact",
        "Two of the testers are colour-blind, so states on the map differ in shape as well.",
        ("app", "accessibility"),
        6,
        {"tidepool": "part_of"},
    ),
    _Entry(
        188,
        "doctor",
        "context",
        "Nora's doctor told her to stop drinking coffee.",
        ("nora",),
        3,
        {"coffee": "contradicts"},
    ),
    _Entry(
        185,
        "tea",
        "preference",
        "Nora now drinks green tea in the morning, and would rather not talk about coffee.",
        ("nora",),
        5,
        {"coffee": "supersedes", "doctor": "caused_by"},
    ),
    _Entry(
        170,
        "seals",
        "fact",
        "The cove at Hestvik is closed to visitors while the seals have pups.",
        ("places",),
        6,
        {"tidepool": "references"},
    ),
    _Entry(
        158,
        "launch_autumn",
        "task",
        "The launch was moved to the autumn, because the seal cove is closed in spring.",
        ("launch", "decision"),
        8,
        {"launch_spring": "supersedes", "seals": "caused_by"},
    ),
    _Entry(
        140,
        "translation",
        "task",
        "Sunniva translates the species names into Northern Sami before the launch.",
        ("species", "launch"),
        6,
        {"species": "extends", "launch_autumn": "precedes"},
    ),
    _Entry(
        121,
        "map_slow",
        "fact",
        "On Emil's oldest phone the map takes six seconds to open with all sightings shown.",
        ("app", "performance"),
        5,
        {"release": "references"},
    ),
    _Entry(
        110,
        "map_tiles",
        "fact",
        "Grouping sightings by map tile brought the map's opening from six seconds to one.",
        ("app", "performance"),
        6,
        {"map_slow": "extends", "merge_rule": "supports"},
    ),
    _Entry(
        87,
        "school",
        "conversation",
        "The school in Karlsund asked whether a class of twelve-year-olds may take part.",
        ("volunteers",),
        5,
        {"tidepool": "references"},
    ),
    _Entry(
        80,
        "consent",
        "procedure",
        "Children take part through their teacher's account; no names of children are stored.",
        ("volunteers", "decision"),
        8,
        {"school": "caused_by"},
    ),
    _Entry(
        45,
        "launched",
        "fact",
        "Tidepool was launched on a windy Saturday in autumn; 183 people signed up on that day.",
        ("launch",),
        8,
        {"launch_autumn": "follows", "tidepool": "part_of"},
    ),
    _Entry(
        30,
        "rare",
        "fact",
        "A volunteer logged a stalked jellyfish, the first seen in the fjord for twenty years.",
        ("species", "data"),
        7,
        {"launched": "follows", "species": "extends"},
    ),
    _Entry(
        9,
        "article",
        "task",
        "Nora and Sunniva write an article about the stalked jellyfish, due at the month's end.",
        ("nora", "species"),
        6,
        {"rare": "caused_by"},
    ),
    _Entry(
        1,
        "pier",
        "ephemeral",
        "The pier is being painted this week, so Monday's meeting is in the boat house.",
        ("team",),
        2,
        {"monday": "references"},
    ),
)
