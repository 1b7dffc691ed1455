"""The settings of the language model, and of what it is asked for; without a URL there is none."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode

Rated = Annotated[int, Field(ge=1, le=5)]


class LlmSettings(BaseSettings):
    """How a language model is reached, and how much it may be asked; a base of `Settings`."""

    # The language model; without a URL nothing is classified and no episode is read
    llm_url: str | None = Field(
        None, pattern=r"^https?://.+", description="Base URL of an OpenAI-compatible API."
    )
    llm_model: str = Field("gpt-5-mini", min_length=1, description="A model of `llm_url`.")
    llm_api_key: SecretStr = SecretStr("")
    llm_answer_format: Literal["json_schema", "json_object"] = Field(
        "json_schema", description="json_object for APIs that enforce no schema."
    )
    llm_timeout_seconds: float = Field(120.0, gt=0, le=3600, description="For one answer.")
    llm_breaker_failures: int = Field(
        3, ge=1, le=100, description="After so many failures in a row the model is left alone."
    )
    llm_breaker_seconds: float = Field(60.0, ge=0, le=3600, description="And for so long.")

    # Importance and stability by the language model
    classification_enabled: bool = Field(
        True, description="Whether the language model, if there is one, rates new memories."
    )
    classification_fallback: Annotated[tuple[Rated, Rated], NoDecode] = Field(
        (3, 3), description="Importance and stability, 1 to 5, of what is not rated yet."
    )
    classification_timeout_seconds: float = Field(15.0, gt=0, le=3600, description="For a batch.")
    classification_batch_size: int = Field(
        20, ge=1, le=200, description="Memories in a request; calls that add more leave it to runs."
    )
    classification_budget: int = Field(
        500, ge=0, le=1_000_000, description="Memories that one run asks about."
    )
    classification_characters: int = Field(
        2000, ge=100, le=100_000, description="Of a memory, sent to be rated."
    )
    classification_attempts: int = Field(
        5, ge=1, le=100, description="After so many answers without a rating none is asked for."
    )

    # Episodes, read by Graphiti with the language model
    episode_max_characters: int = Field(100_000, ge=1, le=10_000_000)
    episode_attempts: int = Field(3, ge=1, le=100, description="Then an episode has failed.")
    episode_retry_seconds: float = Field(
        30.0, ge=0, le=86_400, description="After the first attempt; doubled after each."
    )
    episode_timeout_seconds: float = Field(1800.0, gt=0, le=86_400, description="For an attempt.")
    episode_lease_seconds: float = Field(
        60.0, ge=1, le=3600, description="After this a reader that has fallen silent is gone."
    )
    episode_wait_characters: int = Field(
        4000, ge=0, le=1_000_000, description="Longer ones are not waited for."
    )
    episode_wait_seconds: float = Field(120.0, gt=0, le=3600, description="For a short one.")
    episode_retention_days: float = Field(
        30.0, ge=0, le=36_500, description="How long it is told what became of one."
    )

    @property
    def classifies(self) -> bool:
        """Whether new memories are rated by a language model."""
        return self.llm_url is not None and self.classification_enabled
