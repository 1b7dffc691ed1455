"""The judgement whether the candidates of a question answer it, with the reason. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graph_memory.domain.models import Known
from graph_memory.errors import InvalidArgumentError
from graph_memory.ranking.assessment import Assessment
from graph_memory.ranking.candidates import Query
from graph_memory.ranking.profiles import Profile
from graph_memory.ranking.relevance import calibration_for
from graph_memory.ranking.scoring import RELEVANCE_DECIMALS
from graph_memory.ranking.terms import content_words, names
from graph_memory.settings.base import Settings

#: Words that a reason names.
_NAMED = 3

_BASE = {
    Known.YES: "The best result probably bears on the question",
    Known.PERHAPS: "The best result may bear on the question",
    Known.NO: "The best result probably does not bear on the question",
}


_NO_CONVERSATION = "The question names a conversation that is not stored."

#: The reason that informs of nothing but `Known.YES`.
PLAIN_REASON = f"{_BASE[Known.YES]}."


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement whether the candidates of a question answer it.

    Attributes:
        known: None without a calibration for the embedding model.
        reason: The reason, or what a calibration needs, as a sentence.
        best: Best relevance of the candidates; None without a calibration.
        unmet: Share of the question's words that no candidate contains, by rarity; and 1 if a name
            is among them, else 0.
    """

    known: Known | None = None
    reason: str | None = None
    best: float | None = None
    unmet: tuple[float, float] = (0.0, 0.0)


#: The judgement of a group without memories, and of filters that no memory passes.
EMPTY = Judgement(Known.NO, "This group has no memories.")
FILTERED = Judgement(Known.NO, "No memory matches the filters.")


def judge(
    query: Query, rarity: Sequence[float], assessment: Assessment, settings: Settings
) -> Judgement:
    """Judge the candidates of a question by their best relevance.

    Args:
        query: The question.
        rarity: Rarity of each lookup of the question in the group.
        assessment: The assessment of the candidates.
        settings: The embedding model, and the analyser of words.
    """
    calibration = calibration_for(settings)
    if calibration is None or assessment.relevance is None:
        return Judgement(reason=how_to_calibrate(settings.embedding_model))
    best = round(float(assessment.relevance.max()), RELEVANCE_DECIMALS)
    known = calibration.known(best)
    reason = _reason(known, *_missing(query, rarity, assessment, settings.fulltext_analyzer))
    if query.lacks_conversation and known is not Known.YES:
        reason = _NO_CONVERSATION
    unmet, unmet_name = assessment.features[0, 2:].tolist()
    return Judgement(known, reason, best, (unmet, unmet_name))


def relevance_without_words(
    similarity: float | None, judgement: Judgement, settings: Settings
) -> float | None:
    """Return the relevance of a memory that contains no word of the question.

    Args:
        similarity: (1 + cosine) / 2 of question and memory; None counts as a cosine of 0.
        judgement: The judgement of the candidates of the question.
        settings: The embedding model.

    Returns:
        The relevance, 0 to 1; None for a model without a calibration.
    """
    calibration = calibration_for(settings)
    if calibration is None:
        return None
    cosine = 0.0 if similarity is None else 2 * similarity - 1
    relevance = calibration.relevance(np.array([[cosine, 0.0, *judgement.unmet]]))
    return round(float(relevance[0]), RELEVANCE_DECIMALS)


def least_known(settings: Settings) -> float | None:
    """Return the relevance below which `known` is no; None for a model without a calibration."""
    calibration = calibration_for(settings)
    return calibration and calibration.known_no_below


def require_calibration(min_relevance: float, profile: Profile, settings: Settings) -> None:
    """Check that a search can leave out memories below `min_relevance`.

    Raises:
        InvalidArgumentError: It is above 0, and the profile or the model has no relevance.
    """
    if not min_relevance:
        return
    if profile is not Profile.RECALL:
        what = f"the profile {profile} has no relevance; use recall, or omit it"
    elif calibration_for(settings) is None:
        what = f"{how_to_calibrate(settings.embedding_model)[:-1]}; or omit it"
    else:
        return
    raise InvalidArgumentError("min_relevance", min_relevance, what)


def how_to_calibrate(model: str) -> str:
    """Return that a model has no calibration, and how to make one, as a sentence."""
    return (
        f"The embedding model {model} has no calibration of the relevance; "
        "`python -m graph_memory.evaluation.calibrate own:DATA.json` makes one from questions with "
        "known answers, and the next start uses it."
    )


def _missing(
    query: Query, rarities: Sequence[float], assessment: Assessment, analyzer: str
) -> tuple[list[str], list[str]]:
    """Return the names, then all words, of a question that no candidate contains, rarest first.

    The spelling is that of the question. Stop words of the analyser have the rarity 0.
    """
    contained: list[bool] = np.any(assessment.contained, axis=0).tolist()
    each = zip(query.terms, rarities[: len(query.terms)], contained, strict=True)
    rarity = {term: rarity for term, rarity, met in each if rarity and not met}
    if not rarity:
        return [], []
    words: dict[str, str] = {}
    for word, start, end in content_words(query.text, analyzer):
        words.setdefault(word, query.text[start:end])

    def rarest(spelling: dict[str, str]) -> list[str]:
        missing = (word for word in spelling if word in rarity)
        return [spelling[word] for word in sorted(missing, key=lambda word: -rarity[word])][:_NAMED]

    return rarest(names(query.text, analyzer)), rarest(words)


def _reason(known: Known, named: Sequence[str], words: Sequence[str]) -> str:
    """Return the reason of a judgement, with the missing names or else words."""
    missing = named or (words if known is Known.NO else ())
    if not missing:
        return f"{_BASE[known]}."
    *others, last = missing
    listed = f"{', '.join(others)} or {last}" if others else last
    if known is Known.NO:
        return f"Nothing found mentions {listed}."
    return f"{_BASE[known]}, but nothing found mentions {listed}."
