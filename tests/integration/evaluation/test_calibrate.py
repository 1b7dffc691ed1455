"""A calibration made from one's own data, and what a service does with it."""

from pathlib import Path

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluation.calibrate import collect, fit
from graph_memory.evaluation.dataset import Evaluation

#: Answers and questions of two groups.
TEXTS = {
    "home": [
        ("The boiler was replaced by a heat pump in May", "when did we get the heat pump?"),
        ("Minka the cat sleeps in the laundry basket", "where does Minka sleep?"),
        ("Grandmother adds nutmeg to her plum dumplings", "what spice is in the plum dumplings?"),
        ("The choir meets on Thursday behind the library", "on which day does the choir meet?"),
        ("Tomatoes on the balcony need water each morning", "how often do tomatoes need water?"),
        ("The passport of Lena expires in spring", "when does the passport of Lena expire?"),
        ("The neighbour repairs bicycles in his cellar", "who repairs bicycles?"),
        ("The dentist moved to Harbour Street", "what street is the dentist in?"),
        ("Our piano is tuned by a man from Bremen", "where is the man from who tunes the piano?"),
        ("The garden shed was painted dark green", "what colour is the garden shed?"),
        ("Oskar is allergic to hazelnuts", "what is Oskar allergic to?"),
    ],
    "work": [
        ("The release branch is cut every second Monday", "when is the release branch cut?"),
        ("Invoices are stored in the bucket ledger-eu", "which bucket holds the invoices?"),
        ("Priya is on call for the payment service", "who is on call for payments?"),
        ("The staging database runs PostgreSQL 16", "which PostgreSQL does staging run?"),
        ("Audit logs are kept for seven years", "how long do we keep audit logs?"),
        ("The style guide forbids tabs in Python files", "may Python files have tabs?"),
        ("Feature flags are served by LaunchPad", "what serves the feature flags?"),
        ("The nightly build takes forty minutes", "how long does the nightly build take?"),
        ("Customers in Norway pay in euros", "in which currency do customers in Norway pay?"),
        ("The printer on the third floor has no toner", "which printer has no toner?"),
        ("Tomas approved the budget for the new cluster", "who approved the cluster budget?"),
    ],
}


def data(*groups: str) -> Evaluation:
    """Return the memories and questions of some groups."""
    pairs = [(group, *pair) for group in groups for pair in TEXTS[group]]
    memories = [
        {"id": str(n), "content": fact, "group": group} for n, (group, fact, _) in enumerate(pairs)
    ]
    questions = [
        {"text": question, "evidence": [str(n)], "group": group}
        for n, (group, _, question) in enumerate(pairs)
    ]
    return Evaluation.model_validate({"memories": memories, "questions": questions})


def with_model(memory: GraphMemory, folder: Path) -> GraphMemory:
    """Return the service with a model that has no packaged calibration."""
    changed = {"embedding_model": "another", "data_dir": folder}
    settings = memory.settings.model_copy(update=changed)
    context = memory.context
    return GraphMemory.over(context.graph, context.embedder, settings, clock=memory.clock)


async def test_a_calibration_from_own_data_gives_a_relevance(
    memory: GraphMemory, tmp_path: Path
) -> None:
    own = with_model(memory, tmp_path)
    await own.add_many([{"content": fact} for fact, _ in TEXTS["home"]])
    before = await own.search("when did we get the heat pump?")
    assert (before.known, before[0].relevance) == (None, None)
    assert "python -m graph_memory.evaluation.calibrate own:DATA.json" in (
        before.known_reason or ""
    )

    examples = await collect(own, [data("home", "work")])
    assert [len(kind) for kind in examples] == [44]
    calibration = fit(own.settings.embedding_model, examples)
    assert 0 < calibration.known_no_below <= calibration.known_yes_from < 1
    calibration.write(tmp_path)

    for group, others in (("home", False), ("work", True)):
        answers = [await own.search(question) for _, question in TEXTS[group]]
        assert sum(found.known == ("no" if others else "yes") for found in answers) >= 10
    found = await own.search("when did we get the heat pump?", min_relevance=0.5)
    assert [hit.memory.content for hit in found] == [TEXTS["home"][0][0]]
    assert (await memory.search("when did we get the heat pump?")).known


def in_one_group(given: Evaluation, unanswered: int) -> Evaluation:
    """Return data in one group, with more questions that nothing answers."""
    both = given.model_dump()
    both["questions"] += [
        {"text": f"who is number {n}?", "evidence": []} for n in range(unanswered)
    ]
    for each in both["memories"] + both["questions"]:
        each["group"] = ""
    return Evaluation.model_validate(both)


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        (data("home"), "11 with evidence"),
        (in_one_group(data("home", "work"), 0), "0 that nothing answers"),
        (in_one_group(data("home", "work"), 19), "19 that nothing answers"),
    ],
    ids=["few", "one group", "few unanswered"],
)
async def test_data_without_enough_of_both_kinds_of_questions_are_refused(
    memory: GraphMemory, given: Evaluation, counted: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{counted}.*at least 20.*second `group`"):
        await collect(memory, [given])
