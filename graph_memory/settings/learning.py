"""The settings of learning: the stages that run, and their limits."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, NoDecode

from graph_memory.domain.models import ProposalKind, RelationType
from graph_memory.settings.types import Days, Fraction, FromTableText, Words

#: A stage that learns.
LearningStage = Literal[
    "entities", "proposals", "strengths", "centrality", "clusters", "weights", "briefs"
]


#: The types of relations that become stronger by use. Common use does not show that one memory
#: supersedes, contradicts or precedes another.
_STRENGTHENED = tuple(
    kind.value
    for kind in RelationType
    if kind
    not in (
        RelationType.CONTRADICTS,
        RelationType.PRECEDES,
        RelationType.FOLLOWS,
        RelationType.SUPERSEDES,
    )
)


def _as_relation_types(names: tuple[str, ...]) -> tuple[str, ...]:
    known = list(RelationType)
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is not a type of relation; choose from {', '.join(known)}")
    return names


def _as_stages(names: tuple[str, ...]) -> tuple[str, ...]:
    known = get_args(LearningStage)
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is not a stage of learning; choose from {', '.join(known)}")
    return names


class LearningSettings(BaseSettings):
    """Stages of maintenance runs that learn, and the limits of what they propose."""

    learn: Annotated[Words, AfterValidator(_as_stages)] = Field(
        (),
        description=(
            "Stages of learning in maintenance runs: any of `entities`, `proposals`, `strengths`, "
            "`centrality`, `clusters`, `weights` and `briefs`."
        ),
    )
    entities_per_memory: int = Field(
        100, ge=1, le=1000, description="Entities to which one memory is linked, at most."
    )
    proposal_min_score: Fraction = Field(
        0.8, description="Score from which a relation between two memories is proposed."
    )
    duplicate_min_similarity: Fraction = Field(
        0.9, description="Cosine from which two memories with the same words are duplicates."
    )
    proposals_per_memory: int = Field(
        5, ge=1, le=100, description="Relations proposed for one memory in a run, at most."
    )
    cluster_min_similarity: Fraction = Field(
        0.5, description="Cosine from which near memories connect a cluster."
    )
    proposal_auto_accept: Annotated[dict[ProposalKind, Fraction], NoDecode, FromTableText] = Field(
        {},
        description=(
            "Score from which runs accept proposals, by kind; other kinds wait for a review."
        ),
    )
    strength_relation_types: Annotated[Words, AfterValidator(_as_relation_types)] = Field(
        _STRENGTHENED, description="Types of relations whose strength is learned from use."
    )
    strength_half_life_days: Days = Field(
        90.0, description="Time without use in which half of a learned strength is lost, days."
    )
    brief_min_answers: int = Field(
        5, ge=1, le=1000, description="Used answers from which a long memory gets a brief."
    )
    brief_max_tokens: int = Field(
        80, ge=20, le=160, description="Tokens of the sentences in a brief, at most."
    )
