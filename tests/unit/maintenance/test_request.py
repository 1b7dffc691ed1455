"""A request decides the stages, the groups and the limits of a run, together with the settings."""

import pytest

from graph_memory.domain.inputs import validate
from graph_memory.errors import SettingsError
from graph_memory.maintenance.request import RunRequest, Stage, run_options
from graph_memory.settings.base import read_settings

LEARNING = "entities, proposals, strengths, centrality, clusters, weights, briefs"


def test_stages_run_in_their_order_whatever_the_order_of_the_request() -> None:
    request = validate(RunRequest, {"stages": [" Purge ", "protection"]})
    assert request.stages_to_run(read_settings()) == [Stage.PROTECTION, Stage.PURGE]
    learning = LEARNING.split(", ")
    usual = [stage for stage in Stage if stage not in learning]
    assert RunRequest().stages_to_run(read_settings()) == usual


def test_a_run_learns_if_the_setting_or_the_request_names_the_stage() -> None:
    settings = read_settings(learn=LEARNING)
    assert RunRequest().stages_to_run(settings) == list(Stage)
    request = RunRequest(stages=(Stage.PROPOSALS,))
    assert request.stages_to_run(read_settings()) == ["proposals"]
    with pytest.raises(SettingsError, match="choose from entities, proposals, strengths, centr"):
        read_settings(learn="nonsense")


def test_without_decay_a_run_leaves_out_the_stages_that_let_memories_fade() -> None:
    settings = read_settings(decay_enabled=False, learn=LEARNING)
    left = RunRequest().stages_to_run(settings)
    assert set(Stage) - set(left) == {"protection", "decay", "confidence", "purge"}


@pytest.mark.parametrize(
    ("enabled", "asked", "treated"),
    [
        ([], None, None),
        (["a", "b"], None, ["a", "b"]),
        ([], ("c",), ["c"]),
        (["a", "b"], ("b", "c"), ["b"]),
    ],
)
def test_a_run_treats_the_groups_asked_for_that_the_settings_enable(
    enabled: list[str], asked: tuple[str, ...] | None, treated: list[str] | None
) -> None:
    settings = read_settings(decay_enabled_groups=enabled)
    assert RunRequest(groups=asked).groups_to_treat(settings) == treated


def test_an_option_of_the_request_wins_over_its_setting() -> None:
    settings = read_settings(maintenance_batch_size=7, maintenance_concurrency=2)
    options = run_options(settings, RunRequest(batch_size=3), lambda done, of: None)
    assert (options.batch_size, options.concurrency) == (3, 2)
