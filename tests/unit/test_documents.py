"""What is written for agents, registries and upgrades names what there is, and only that."""

import json
import re
from pathlib import Path

from graph_memory import Settings, __version__
from graph_memory.database.migrations import MIGRATIONS
from graph_memory.domain.models import RelationType
from graph_memory.server.app import _INSTRUCTIONS, TOOLSETS
from graph_memory.server.schemas import listed_schema

CONFIG = Path(__file__).parents[2] / "config"
UPGRADE = (CONFIG.parent / "docs" / "guides" / "upgrade.md").read_text(encoding="utf-8")
PROMPT = (CONFIG / "SYSTEM_PROMPT.md").read_text(encoding="utf-8")
ENTRY = json.loads((CONFIG / "server.json").read_text(encoding="utf-8"))
BUNDLE = json.loads((CONFIG / "mcpb" / "manifest.json").read_text(encoding="utf-8"))


DEFAULT = [
    tool
    for name in Settings.model_fields["toolsets"].default
    for part in TOOLSETS[name]
    for tool in part.tools
]
TOOLS = {tool.name for tool in DEFAULT}

#: The arguments that a client sees, and the only ones that a strict client can give.
LISTED = {name for tool in DEFAULT for name in listed_schema(tool.parameters)["properties"]}


def test_the_system_prompt_names_only_listed_tools_and_arguments() -> None:
    notice, _, advice = PROMPT.partition("\n---\n")
    named = set(re.findall(r"`([a-z_]+)`", advice))
    assert named - {"duplicate", "related_to"} - set(RelationType) <= TOOLS | LISTED
    assert {"session_id", "as_of", "superseded_by"} <= LISTED
    assert not LISTED & {"known_at", "stability", "resolve"}
    assert {"retrieve_memories", "memory_relate", "memory_traverse"} <= named
    assert "`memory_graph_search` for `memory_traverse`" in notice.replace("\n", " ")


def test_the_instructions_of_the_server_advise_as_the_system_prompt_does() -> None:
    """What was true before is found by `as_of` if it was superseded, not if it was rewritten."""
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", _INSTRUCTIONS))
    assert named - {"memory_type", "existing_id", "group_id", "superseded_by"} <= TOOLS
    for text in (PROMPT, _INSTRUCTIONS):
        assert re.search(r"chang(?:es|ed)\b[^.]*\badd [^.]*mark_memory_obsolete", text)
        assert "touch_memory" not in text  # what was read is counted by itself


def test_the_system_prompt_lists_every_relation_type() -> None:
    (listed,) = re.findall(r"`memory_relate`: ([a-z_,\s]+)\.", PROMPT)
    assert set(re.split(r",\s+", listed)) == set(RelationType)


def test_the_registry_entry_is_of_this_version_and_names_real_settings() -> None:
    (package,) = ENTRY["packages"]
    assert ENTRY["version"] == package["version"] == __version__
    assert len(ENTRY["description"]) <= 100
    known = {f"GRAPH_MEMORY_{name.upper()}" for name in Settings.model_fields}
    assert {each["name"] for each in package["environmentVariables"]} <= known


def test_the_bundle_is_of_this_version_and_sets_real_settings_from_its_options() -> None:
    assert BUNDLE["version"] == __version__
    given = BUNDLE["server"]["mcp_config"]["env"]
    assert set(given) <= {f"GRAPH_MEMORY_{name.upper()}" for name in Settings.model_fields}
    assert set(given.values()) == {f"${{user_config.{key}}}" for key in BUNDLE["user_config"]}
    assert all("default" in option for option in BUNDLE["user_config"].values())


def test_the_page_on_upgrades_has_every_migration() -> None:
    _, _, section = UPGRADE.partition("\n## How long migrations take\n")
    section, _, _ = section.partition("\n## ")
    named = {int(number) for number in re.findall(r"\b\d+\b", section)}
    assert named >= {step.version for step in MIGRATIONS}
