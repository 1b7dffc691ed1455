"""The suggestion for a misspelt tool: each slip of a letter suggests the tool that was meant."""

import pytest

from graph_memory.domain.spelling import nearest
from graph_memory.server.app import TOOLSETS, _remedy

NAMES = sorted({tool.name for sets in TOOLSETS.values() for each in sets for tool in each.tools})


def slips(name: str) -> set[str]:
    """Return a name with two letters exchanged, one dropped, or one doubled."""
    places = range(len(name))
    exchanged = {name[:i] + name[i + 1 : i + 2] + name[i] + name[i + 2 :] for i in places}
    dropped = {name[:i] + name[i + 1 :] for i in places}
    doubled = {name[:i] + name[i] + name[i:] for i in places}
    return (exchanged | dropped | doubled) - set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_slip_of_a_letter_suggests_the_tool(name: str) -> None:
    for slip in slips(name):
        said = _remedy(slip)
        assert said.startswith("Did you mean "), slip
        suggested = said.removeprefix("Did you mean ").removesuffix("?").split(" or ")
        assert name in suggested, slip
        assert len(suggested) <= 2, slip


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("memory_grpah", ["memory_graph_search"]),
        ("memory_grpah_serach", ["memory_graph_search"]),
        ("serch_memory", ["search_memory"]),
        ("Search_Memory", ["search_memory"]),
        ("relate", ["memory_relate"]),
        ("paint", []),
        ("", []),
    ],
)
def test_cut_and_misspelt_names_suggest_the_nearest_and_others_nothing(
    given: str, meant: list[str]
) -> None:
    assert nearest(given, NAMES) == meant


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("search_facts", "GRAPH_MEMORY_TOOLSETS."),
        ("add_episode", "GRAPH_MEMORY_TOOLSETS and GRAPH_MEMORY_LLM_URL."),
        ("save_memory", "GRAPH_MEMORY_TOOLSETS."),
    ],
)
def test_a_tool_that_is_left_out_names_the_settings_that_bring_it(name: str, settings: str) -> None:
    assert _remedy(name).endswith(f"the operator sets {settings}")
