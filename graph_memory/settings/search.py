"""The settings of search, retrieval and walks."""

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode

from graph_memory.settings.types import Days, FromListText

#: The permitted difference between a sum of weights and 1.
UNIT_SUM_TOLERANCE = 1e-6


class SearchSettings(BaseSettings):
    """Ranking, retrieval for a conversation, and walks."""

    # Recall
    fulltext_analyzer: str = Field(
        "english",
        description=(
            "Full-text analyser of Neo4j, such as english or standard. A change needs "
            "`migrate reindex`."
        ),
    )
    vector_quantization: str = Field(
        "NONE",
        pattern="^(NONE|SCALAR|BINARY)$",
        description=(
            "Compression of the vector index: NONE, SCALAR or BINARY. A smaller index finds less."
        ),
    )
    vector_expansion: float = Field(
        3.0,
        ge=1,
        le=100,
        description="Nodes of the vector index that are examined for each result.",
    )
    recall_candidates: int = Field(
        50, ge=10, le=1000, description="Candidates from each index, before fusion."
    )
    recall_pool: int = Field(
        60, ge=10, le=1000, description="Candidates of both indexes that are ranked in full."
    )
    recall_hits_per_word: int = Field(
        300, ge=10, le=100_000, description="Hits read for each word of a question."
    )
    recall_hits_per_common_word: int = Field(
        100, ge=1, le=100_000, description="Hits kept of a word that has as many hits as were read."
    )
    recall_word_saturation: float = Field(
        0.5,
        ge=0,
        le=1,
        description=(
            "Exponent of a word's BM25: 0 counts only that the word occurs, 1 the whole BM25."
        ),
    )
    recall_vector_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        description=(
            "Share of the vector score in semantic and text together; the rest is full text's."
        ),
    )
    recall_late_weight: float = Field(
        1.3,
        ge=0,
        le=10,
        description=(
            "Weight of late interaction; semantic and text together weigh 2. 0 stores "
            "no word vectors."
        ),
    )
    recall_late_candidates: int = Field(
        50, ge=10, le=1000, description="Candidates that late interaction compares."
    )
    recall_cross_encoder: str = Field(
        "",
        description="Name or folder of a sentence-transformers CrossEncoder, an extra; empty for "
        "none.",
    )
    recall_cross_encoder_weight: float = Field(
        2.0, gt=0, le=10, description="Weight of the cross-encoder, if there is one."
    )
    recall_cross_encoder_candidates: int = Field(
        20,
        ge=1,
        le=200,
        description="Best candidates that the cross-encoder reads with each question.",
    )
    recall_time_weight: float = Field(
        0.5,
        ge=0,
        le=10,
        description=(
            "Weight of time: twice for a question that names a time, once for one that "
            "asks for a time."
        ),
    )
    recall_form_weight: float = Field(
        1.6,
        ge=0,
        le=10,
        description="Weight of the form: less for short and long memories, least for questions.",
    )
    recall_short_characters: float = Field(
        140.0, gt=0, le=1e6, description="Length of a memory that counts as short, characters."
    )
    recall_long_characters: float = Field(
        700.0, gt=0, le=1e6, description="Length at which the form of a memory halves, characters."
    )
    recall_context_characters: float = Field(
        220.0,
        ge=0,
        le=1e6,
        description=(
            "Distance at which words of neighbouring memories count half, characters; "
            "0 turns this off."
        ),
    )
    recall_speaker_weight: float = Field(
        0.5,
        ge=0,
        le=10,
        description="Weight of the speaker that a question names; less for long memories.",
    )
    recall_sitting_weight: float = Field(
        4.0,
        ge=0,
        le=10,
        description=(
            "Weight of the best memory of the same conversation and time; less for long memories."
        ),
    )
    search_weights: Annotated[tuple[float, float, float], NoDecode, FromListText] = Field(
        (0.60, 0.25, 0.15),
        description=(
            "Weights of similarity, recency and importance in the profile weighted; their sum is 1."
        ),
    )
    search_recency_half_life_days: float = Field(
        30.0, gt=0, description="Half-life of recency in the profile weighted, days."
    )
    search_overfetch: int = Field(
        3,
        ge=1,
        le=100,
        description="Candidates for each result in the profiles weighted and hybrid.",
    )
    hybrid_weights: Annotated[tuple[float, float, float, float], NoDecode, FromListText] = Field(
        (0.4, 0.3, 0.2, 0.1),
        description=(
            "Weights of similarity, nearness, time and importance in the profile "
            "hybrid; their sum is 1."
        ),
    )
    hybrid_importance: Literal["stored", "computed"] = Field(
        "stored",
        description=(
            "Importance in the profile hybrid: stored, or computed from centrality and use where "
            "a run has measured the centrality."
        ),
    )
    temporal_decay_lambda: float = Field(
        0.0001, ge=0, description="Rate of time in the profile hybrid, per unit since the last use."
    )
    temporal_decay_unit: Literal["seconds", "minutes", "hours", "days"] = Field(
        "hours", description="Unit of that rate: seconds, minutes, hours or days."
    )
    density_boost: float = Field(
        0.0, ge=0, le=1, description="Gain in nearness for a memory with many relations."
    )
    density_degree_cap: int = Field(
        10, ge=1, le=10_000, description="Relations that count as many."
    )

    # Retrieval for a conversation
    default_token_budget: int = Field(
        2000, ge=1, le=1_000_000, description="Tokens in one answer of a retrieval."
    )
    token_counter: Literal["model", "characters"] = Field(
        "model",
        description=(
            "Counter of tokens: model uses the embedding model's tokenizer, "
            "characters counts characters / 4."
        ),
    )
    retrieval_candidates: int = Field(
        60, ge=10, le=200, description="Candidates that are ranked for a budget."
    )
    retrieve_min_relevance: float = Field(
        0.02,
        ge=0,
        le=1,
        description=(
            "Relevance that the best memory of a retrieval must reach, or none is returned; 0 "
            "returns memories anyway."
        ),
    )
    access_min_relevance: float = Field(
        0.07,
        ge=0,
        le=1,
        description="Relevance from which a result of a search or retrieval counts as an access.",
    )
    anchor_count: int = Field(
        3, ge=1, le=50, description="Best candidates from which relations are followed."
    )
    traversal_depth: int = Field(
        2, ge=0, le=5, description="Relations followed from an anchor, steps."
    )
    spread_relations: int = Field(
        20, ge=1, le=1000, description="Relations followed from one memory, the strongest ones."
    )
    spread_memories: int = Field(100, ge=1, le=1000, description="Memories that one step may add.")
    spread_weight: float = Field(
        0.2, ge=0, le=1, description="Weight of nearness to an anchor in the profile recall."
    )
    staleness_threshold: int = Field(
        4096, ge=0, description="Tokens after which a conversation may receive a memory again."
    )
    session_ttl_days: Days = Field(
        30.0, description="Time after which an unused session is deleted, days."
    )
    session_max_loaded: int = Field(
        10_000, ge=100, le=100_000, description="Memories that a session remembers."
    )
    session_history: int = Field(
        50, ge=0, le=1000, description="Retrievals that a session remembers."
    )
    hook_token_budget: int = Field(
        1500,
        ge=1,
        le=100_000,
        description="Tokens that one hook adds to the context of a conversation, at most.",
    )

    # Walks
    traversal_max_depth: int = Field(
        5, ge=1, le=5, description="Steps of a walk from its start, at most."
    )
    traversal_max_nodes: int = Field(
        1000, ge=1, le=1000, description="Memories in one walk, at most."
    )
    traversal_time_budget_ms: int | None = Field(
        None, ge=1, le=60_000, description="Time for a walk, milliseconds. By default no limit."
    )
    traversal_fan: int = Field(
        500, ge=10, le=100_000, description="Relations of one memory that a walk compares at once."
    )
    analysis_max_relations: int = Field(
        20_000, ge=10, le=1_000_000, description="Relations that one analysis reads, at most."
    )

    @field_validator("fulltext_analyzer")
    @classmethod
    def _distinguishes_groups(cls, value: str) -> str:
        if value in ("simple", "stop", "keyword"):  # drop digits, or keep a text as one word
            raise ValueError("it cannot distinguish groups; set english, standard or a language")
        return value

    @field_validator("search_weights", "hybrid_weights")
    @classmethod
    def _weights_sum_to_one(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if min(value) < 0 or abs(sum(value) - 1) > UNIT_SUM_TOLERANCE:
            raise ValueError("each weight must be at least 0, and their sum 1")
        return value
