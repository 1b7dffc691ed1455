"""Every setting, with unit, range and default.

Read from the environment (`GRAPH_MEMORY_<FIELD>`), then from the TOML file that
`GRAPH_MEMORY_CONFIG` names, then from the defaults below. `config/graph-memory.toml` shows them
all, and a test keeps it true.
"""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from graph_memory.domain.models import GROUP_ID_PATTERN
from graph_memory.settings.decay import Days, DecaySettings
from graph_memory.settings.hosts import Neo4jUri
from graph_memory.settings.llm import LlmSettings
from graph_memory.settings.service import ServiceSettings
from graph_memory.settings.sources import (
    PREFIX,
    Environment,
    file_source,
    malformed,
    warn_of_misspelt,
)

TOOLSETS = ("core", "graph", "lifecycle", "admin", "compat", "graphiti")

#: How far a sum of weights may be from 1.
UNIT_SUM_TOLERANCE = 1e-6


class Settings(ServiceSettings, DecaySettings, LlmSettings):
    """The service's configuration; immutable once read."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        frozen=True,
        extra="forbid",
        validate_default=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # a secret may be among them
    )

    # Where things are
    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("graph-memory"),
        description="Folder of the local database, its password and the backups. "
        "By default the data folder of the user.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("graph-memory"),
        description="Folder of downloads that can be fetched again: the jars of the local Neo4j. "
        "By default the cache folder of the user.",
    )

    # Neo4j; without a URI the service runs a local one of its own
    neo4j_uri: Neo4jUri | None = Field(
        None,
        description=(
            "Address of Neo4j; `bolt` or `neo4j`, with `+s` or `+ssc` for TLS. "
            "Without it a local Neo4j runs."
        ),
    )
    neo4j_user: str = Field("neo4j", description="User of Neo4j.")
    neo4j_password: SecretStr = Field(SecretStr(""), description="Password of that user.")
    neo4j_database: str = Field("neo4j", description="Database in that Neo4j.")
    neo4j_pool_size: int = Field(50, ge=1, le=1000, description="Connections to Neo4j, at most.")
    neo4j_concurrent_reads: int | None = Field(
        None,
        ge=1,
        le=1000,
        description=(
            "Reads of Neo4j at once. By default the number of processors if Neo4j is "
            "on this machine, else no limit."
        ),
    )
    connect_timeout_seconds: float = Field(
        3.0, gt=0, le=60, description="Timeout of a connection to Neo4j, seconds."
    )
    query_timeout_seconds: float = Field(
        30.0, gt=0, le=3600, description="Timeout of one statement, seconds."
    )
    retry_seconds: float = Field(
        4.0, ge=0, le=300, description="Time for which a deadlock is retried, seconds."
    )
    migrate_on_start: bool = Field(
        True,
        description="Apply missing migrations of the schema when the service opens the database.",
    )

    # The local Neo4j
    java: Path | None = Field(
        None, description="Path of a `java` of version 21 or newer. By default it is searched."
    )
    maven_repository: str | None = Field(
        None, description="Address of a mirror of Maven Central, for the jars of the local Neo4j."
    )
    local_heap_mebibytes: int | None = Field(
        None, ge=128, description="Heap of the local Neo4j, MiB. By default it follows the RAM."
    )
    local_page_cache_mebibytes: int | None = Field(
        None, ge=8, description="Page cache of the local Neo4j, MiB. By default it follows the RAM."
    )
    local_start_seconds: float = Field(
        180.0, ge=10, le=3600, description="Timeout for the start of the local Neo4j, seconds."
    )
    local_fast_start: bool = Field(
        False, description="Start the local Neo4j with less optimised JVM code; for tests."
    )

    # The server
    host: str = Field(
        "127.0.0.1",
        description=(
            "Address on which the server listens. On other than loopback addresses "
            "callers need tokens."
        ),
    )
    port: int = Field(8765, ge=0, le=65535, description="Port of the server.")
    toolsets: Annotated[tuple[str, ...], NoDecode] = Field(
        ("core", "graph", "lifecycle", "admin"),
        description=(
            "Toolsets that agents see: any of core, graph, lifecycle, admin, compat "
            "and graphiti, or `all`."
        ),
    )
    group_id: str = Field("default", description="Group, the tenant, of calls that name none.")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Host names under which clients reach the server, beside the loopback names.",
    )
    max_request_bytes: int = Field(
        8 * 2**20, ge=2**10, le=2**30, description="Size of a request, bytes, at most."
    )
    metrics_enabled: bool = Field(True, description="Publish metrics for Prometheus.")
    metrics_host: str = Field("127.0.0.1", description="Address on which metrics are published.")
    metrics_port: int = Field(9090, ge=0, le=65535, description="Port of the metrics.")

    # Embeddings
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="Name of a sentence-transformers model, or of a model at `embedding_url`.",
    )
    embedding_dimensions: int = Field(
        384, ge=1, le=4096, description="Width of the vectors of that model."
    )
    embedding_url: str | None = Field(
        None, description="Base URL of an OpenAI-compatible API that computes vectors."
    )
    embedding_api_key: SecretStr = Field(SecretStr(""), description="Key of that API.")
    embedding_batch_size: int = Field(
        64, ge=1, le=4096, description="Texts in one pass of the model."
    )
    graphiti_vectors: bool = Field(
        False, description="Also write the vectors that Graphiti's search compares."
    )
    embedding_cache_size: int = Field(
        1024, ge=0, le=1_000_000, description="Questions whose vectors are kept in memory."
    )

    # Limits on what one call may carry
    max_content_characters: int = Field(
        1_000_000, ge=1, le=10_000_000, description="Length of a content, characters, at most."
    )
    max_batch: int = Field(
        1000, ge=1, le=10_000, description="Memories in one call of add_memories, at most."
    )

    # Defaults of a new memory
    importance_default: float = Field(
        5.0, ge=1, le=10, description="Importance of a memory that has none, 1 to 10."
    )
    stability_default: int = Field(
        3, ge=1, le=5, description="Stability of a memory that has none, 1 to 5."
    )
    confidence_default: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Confidence of a memory that has none, 0 to 1. By default none.",
    )

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
        1.0,
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
        "", description="Name or folder of a sentence-transformers CrossEncoder; empty for none."
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
            "Weight of time: once for a question that names a time, once for one that "
            "asks for a time."
        ),
    )
    recall_form_weight: float = Field(
        0.6,
        ge=0,
        le=10,
        description="Weight of the form: less for short memories, least for questions.",
    )
    recall_short_characters: float = Field(
        140.0, gt=0, le=1e6, description="Length of a memory that counts half as long, characters."
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
        0.4,
        ge=0,
        le=10,
        description="Weight of the speaker that a question names; less for long memories.",
    )
    recall_sitting_weight: float = Field(
        1.6,
        ge=0,
        le=10,
        description=(
            "Weight of the best memory of the same conversation and time; less for long memories."
        ),
    )
    search_weights: Annotated[tuple[float, float, float], NoDecode] = Field(
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
    hybrid_weights: Annotated[tuple[float, float, float, float], NoDecode] = Field(
        (0.4, 0.3, 0.2, 0.1),
        description=(
            "Weights of similarity, nearness, time and importance in the profile "
            "hybrid; their sum is 1."
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
    feedback_max_shift: float = Field(
        0.0,
        ge=0,
        le=0.5,
        description="Largest shift of the weight of meaning by feedback; 0 turns it off.",
    )
    feedback_rate: float = Field(
        0.1, gt=0, le=1, description="Weight of the latest feedback in the moving average."
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

    @field_validator("toolsets", "allowed_hosts", mode="before")
    @classmethod
    def _split_words(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(word for word in re.split(r"[,\s]+", value) if word)
        return value

    @field_validator("search_weights", "hybrid_weights", "classification_fallback", mode="before")
    @classmethod
    def _split_numbers(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(float(word) for word in re.split(r"[,\s]+", value.strip()))
        return value

    @field_validator("toolsets")
    @classmethod
    def _known_toolsets(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value == ("all",):
            return TOOLSETS
        if unknown := sorted(set(value) - set(TOOLSETS)):
            raise ValueError(
                f"unknown toolset {unknown}; choose from {', '.join(TOOLSETS)} or 'all'"
            )
        return value

    @field_validator("group_id")
    @classmethod
    def _plain_group(cls, value: str) -> str:
        if not GROUP_ID_PATTERN.fullmatch(value):
            raise ValueError("a group id is 1 to 64 letters, digits or underscores")
        return value

    @field_validator("fulltext_analyzer")
    @classmethod
    def _tells_groups_apart(cls, value: str) -> str:
        if value in ("simple", "stop", "keyword"):  # drop digits, or take a text for one word
            raise ValueError("it cannot tell groups apart; take english, standard or a language")
        return value

    @field_validator("search_weights", "hybrid_weights")
    @classmethod
    def _weights_sum_to_one(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if min(value) < 0 or abs(sum(value) - 1) > UNIT_SUM_TOLERANCE:
            raise ValueError("the weights are at least 0 and sum to 1")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take arguments first, then the environment, then the file `GRAPH_MEMORY_CONFIG` names."""
        file = file_source(settings_cls)
        return (init_settings, Environment(settings_cls), *([file] if file else []))


def read_settings(**overrides: Any) -> Settings:
    """Read the settings; `overrides` win over the environment and the file.

    Raises:
        SettingsError: A value is malformed; the message names each variable, value and range.
    """
    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        raise malformed(error, Settings, overrides) from error
    warn_of_misspelt(Settings)
    return settings
