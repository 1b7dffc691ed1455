"""The settings of the language model, of classification and of episodes."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode

from graph_memory.settings.types import FromListText

Rated = Annotated[int, Field(ge=1, le=5)]


class LlmSettings(BaseSettings):
    """The language model, the classification of memories, and episodes."""

    # The language model; without its URL, classification and episodes are off
    llm_url: str | None = Field(
        None,
        pattern=r"^https?://.+",
        description=(
            "Base URL of an OpenAI-compatible API. Without it nothing is rated and no "
            "episode is read."
        ),
    )
    llm_model: str = Field("gpt-5-mini", min_length=1, description="Model at `llm_url`.")
    llm_api_key: SecretStr = Field(SecretStr(""), description="Key of that API.")
    llm_answer_format: Literal["json_schema", "json_object"] = Field(
        "json_schema",
        description=(
            "Format of answers: json_schema, or json_object for APIs that do not enforce a schema."
        ),
    )
    llm_timeout_seconds: float = Field(
        120.0, gt=0, le=3600, description="Timeout of one answer, seconds."
    )
    llm_breaker_failures: int = Field(
        3,
        ge=1,
        le=100,
        description="Failures in a row after which the model is not called for a while.",
    )
    llm_breaker_seconds: float = Field(
        60.0, ge=0, le=3600, description="Length of that while, seconds."
    )

    # Classification: importance and stability by the language model
    classification_enabled: bool = Field(
        True, description="Let the language model rate new memories."
    )
    classification_fallback: Annotated[tuple[Rated, Rated], NoDecode, FromListText] = Field(
        (3, 3), description="Importance and stability, 1 to 5, of a memory whose rating failed."
    )
    classification_timeout_seconds: float = Field(
        15.0, gt=0, le=3600, description="Timeout of the ratings of one batch, seconds."
    )
    classification_batch_size: int = Field(
        20,
        ge=1,
        le=200,
        description=(
            "Memories in one request. A call that adds more leaves the rating to maintenance runs."
        ),
    )
    classification_budget: int = Field(
        500, ge=0, le=1_000_000, description="Memories that one run rates, at most."
    )
    classification_characters: int = Field(
        2000, ge=100, le=100_000, description="Characters of a memory that are sent to be rated."
    )
    classification_attempts: int = Field(
        5, ge=1, le=100, description="Answers without a rating after which a memory is not rated."
    )

    # Episodes, processed by Graphiti with the language model
    episode_max_characters: int = Field(
        100_000, ge=1, le=10_000_000, description="Length of an episode, characters, at most."
    )
    episode_attempts: int = Field(
        3, ge=1, le=100, description="Attempts after which an episode has failed."
    )
    episode_retry_seconds: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description="Time after the first failed attempt, seconds; it doubles after each.",
    )
    episode_timeout_seconds: float = Field(
        1800.0, gt=0, le=86_400, description="Timeout of one attempt, seconds."
    )
    episode_lease_seconds: float = Field(
        60.0,
        ge=1,
        le=3600,
        description=(
            "Time without a heartbeat after which a reader has lost its episode, seconds."
        ),
    )
    episode_wait_characters: int = Field(
        4000,
        ge=0,
        le=1_000_000,
        description="Length of an episode for which a call may wait, characters.",
    )
    episode_wait_seconds: float = Field(
        120.0, gt=0, le=3600, description="Time for which such a call waits, seconds."
    )
    episode_retention_days: float = Field(
        30.0, ge=0, le=36_500, description="Time for which the outcome of an episode is kept, days."
    )

    @property
    def classifies(self) -> bool:
        """True if a language model rates new memories."""
        return self.llm_url is not None and self.classification_enabled
