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
        description="Root of the local database, its password and the backups.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("graph-memory"),
        description="Downloads that can be fetched again: the jars of the local Neo4j.",
    )

    # Neo4j; without a URI the service runs a local one of its own
    neo4j_uri: Neo4jUri | None = None
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr = SecretStr("")
    neo4j_database: str = "neo4j"
    neo4j_pool_size: int = Field(50, ge=1, le=1000, description="Connections at most.")
    neo4j_concurrent_reads: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="By default as many as processors if Neo4j is on this machine.",
    )
    connect_timeout_seconds: float = Field(3.0, gt=0, le=60)
    query_timeout_seconds: float = Field(30.0, gt=0, le=3600)
    retry_seconds: float = Field(4.0, ge=0, le=300, description="How long a deadlock is retried.")
    migrate_on_start: bool = Field(
        True, description="Apply missing schema migrations when opening."
    )

    # The local Neo4j
    java: Path | None = Field(
        None, description="A `java` of version 21 or newer; searched if unset."
    )
    maven_repository: str | None = Field(None, description="A mirror to fetch the jars from.")
    local_heap_mebibytes: int | None = Field(None, ge=128, description="By default by RAM size.")
    local_page_cache_mebibytes: int | None = Field(None, ge=8, description="By default by RAM.")
    local_start_seconds: float = Field(180.0, ge=10, le=3600, description="Readiness limit.")
    local_fast_start: bool = Field(False, description="Less optimised JVM code; for tests.")

    # The server
    host: str = "127.0.0.1"
    port: int = Field(8765, ge=0, le=65535)
    toolsets: Annotated[tuple[str, ...], NoDecode] = ("core", "graph", "lifecycle", "admin")
    group_id: str = "default"
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Host names, besides the loopback ones, under which clients reach the server.",
    )
    max_request_bytes: int = Field(8 * 2**20, ge=2**10, le=2**30)
    metrics_enabled: bool = True
    metrics_host: str = "127.0.0.1"
    metrics_port: int = Field(9090, ge=0, le=65535)

    # Embeddings
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="A sentence-transformers model, or a model of `embedding_url`.",
    )
    embedding_dimensions: int = Field(384, ge=1, le=4096)
    embedding_url: str | None = Field(None, description="Base URL of an OpenAI-compatible API.")
    embedding_api_key: SecretStr = SecretStr("")
    embedding_batch_size: int = Field(64, ge=1, le=4096)
    graphiti_vectors: bool = Field(
        False, description="Also write the vectors that Graphiti's search compares by."
    )
    embedding_cache_size: int = Field(1024, ge=0, le=1_000_000, description="Queries kept.")

    # Limits on what one call may carry
    max_content_characters: int = Field(1_000_000, ge=1, le=10_000_000)
    max_batch: int = Field(1000, ge=1, le=10_000, description="Memories in one add_memories.")

    # Defaults of a new memory
    importance_default: float = Field(5.0, ge=1, le=10)
    stability_default: int = Field(3, ge=1, le=5)
    confidence_default: float | None = Field(None, ge=0, le=1)

    # Recall
    fulltext_analyzer: str = Field("english", description="A Neo4j full-text analyser.")
    vector_quantization: str = Field("NONE", pattern="^(NONE|SCALAR|BINARY)$")
    vector_expansion: float = Field(3.0, ge=1, le=100, description="Nodes examined per result.")
    recall_candidates: int = Field(50, ge=10, le=1000, description="Per leg, before fusion.")
    recall_pool: int = Field(60, ge=10, le=1000, description="Of both legs, ranked in full.")
    recall_hits_per_word: int = Field(300, ge=10, le=100_000, description="Listed per word.")
    recall_hits_per_common_word: int = Field(
        100, ge=1, le=100_000, description="Of a word with as many hits or more."
    )
    recall_word_saturation: float = Field(
        0.5, ge=0, le=1, description="0 counts that a word occurs, 1 all that BM25 makes of it."
    )
    recall_vector_weight: float = Field(0.5, ge=0, le=1, description="1 − this is full text's.")
    recall_late_weight: float = Field(
        1.0,
        ge=0,
        le=10,
        description="Of words met one by one; meaning and full text have 2. 0 stores no vectors.",
    )
    recall_late_candidates: int = Field(50, ge=10, le=1000, description="Met word by word.")
    recall_cross_encoder: str = Field(
        "", description="Name or folder of a sentence-transformers CrossEncoder; empty for none."
    )
    recall_cross_encoder_weight: float = Field(
        2.0, gt=0, le=10, description="Of what it says, once it is there."
    )
    recall_cross_encoder_candidates: int = Field(
        20, ge=1, le=200, description="The best, which it reads with each question."
    )
    recall_time_weight: float = Field(
        0.5, ge=0, le=10, description="Where a question names a time or asks for one, for each."
    )
    recall_form_weight: float = Field(
        0.6, ge=0, le=10, description="Of saying much: of length, and of being no question."
    )
    recall_short_characters: float = Field(
        140.0, gt=0, le=1e6, description="Length at which a memory says half."
    )
    recall_context_characters: float = Field(
        220.0,
        ge=0,
        le=1e6,
        description="Distance at which words of the same conversation count half; 0: none do.",
    )
    recall_speaker_weight: float = Field(
        0.4,
        ge=0,
        le=10,
        description="Of being said by whom a question names; the less, the longer memories are.",
    )
    recall_sitting_weight: float = Field(
        1.6,
        ge=0,
        le=10,
        description="Of the best told in the same sitting; the less, the longer memories are.",
    )
    search_weights: Annotated[tuple[float, float, float], NoDecode] = Field(
        (0.60, 0.25, 0.15), description="semantic, recency, importance; they sum to 1."
    )
    search_recency_half_life_days: float = Field(30.0, gt=0)
    search_overfetch: int = Field(3, ge=1, le=100)
    hybrid_weights: Annotated[tuple[float, float, float, float], NoDecode] = Field(
        (0.4, 0.3, 0.2, 0.1), description="semantic, topological, temporal, importance; sum 1."
    )
    temporal_decay_lambda: float = Field(0.0001, ge=0, description="Per unit since the last use.")
    temporal_decay_unit: Literal["seconds", "minutes", "hours", "days"] = "hours"
    density_boost: float = Field(
        0.0, ge=0, le=1, description="How much many relations add to nearness in the graph."
    )
    density_degree_cap: int = Field(10, ge=1, le=10_000, description="Relations that are many.")

    # Retrieval for a conversation
    default_token_budget: int = Field(2000, ge=1, le=1_000_000, description="Tokens in one answer.")
    token_counter: Literal["model", "characters"] = Field(
        "model",
        description="The embedding model's own, where it runs here; else characters / 4.",
    )
    retrieval_candidates: int = Field(60, ge=10, le=200, description="Ranked for the budget.")
    anchor_count: int = Field(3, ge=1, le=50, description="Best candidates, to spread from.")
    traversal_depth: int = Field(2, ge=0, le=5, description="Relations from an anchor.")
    spread_relations: int = Field(
        20, ge=1, le=1000, description="Relations of one memory that are followed, the strongest."
    )
    spread_memories: int = Field(100, ge=1, le=1000, description="Memories one step may add.")
    spread_weight: float = Field(
        0.2, ge=0, le=1, description="Of nearness to an anchor, in profile recall."
    )
    staleness_threshold: int = Field(
        4096, ge=0, description="Tokens after which a loaded memory may be given again."
    )
    session_ttl_days: Days = Field(30.0, description="Unused sessions are then forgotten.")
    session_max_loaded: int = Field(10_000, ge=100, le=100_000, description="Memories remembered.")
    session_history: int = Field(50, ge=0, le=1000, description="Retrievals remembered.")
    feedback_max_shift: float = Field(
        0.0,
        ge=0,
        le=0.5,
        description="How far feedback may move the weight of meaning; 0 turns it off.",
    )
    feedback_rate: float = Field(0.1, gt=0, le=1, description="Weight of the latest feedback.")

    # Walks
    traversal_max_depth: int = Field(5, ge=1, le=5, description="Relations from the start.")
    traversal_max_nodes: int = Field(1000, ge=1, le=1000, description="Memories in one walk.")
    traversal_time_budget_ms: int | None = Field(
        None, ge=1, le=60_000, description="None unless the caller sets one."
    )
    traversal_fan: int = Field(
        500, ge=10, le=100_000, description="Relations of one memory that are compared at a time."
    )
    analysis_max_relations: int = Field(
        20_000, ge=10, le=1_000_000, description="Relations that one analysis looks at."
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
