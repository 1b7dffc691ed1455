"""The settings of stored memories: embeddings, limits and defaults."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings

from graph_memory.domain.origin import Authority
from graph_memory.settings.types import Groups, Words


def _as_authorities(names: tuple[str, ...]) -> tuple[Authority, ...]:
    known = list(Authority)
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is not an authority; valid are {', '.join(known)}")
    return tuple(map(Authority, names))


def _as_patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"'{pattern}' is not a regular expression: {error}") from error
    return patterns


class MemorySettings(BaseSettings):
    """Embeddings, the limits on a call, and the defaults of a new memory."""

    # Embeddings
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="The packaged `all-MiniLM-L6-v2`, a model of sentence-transformers (an extra), "
        "or one at `embedding_url`.",
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

    # Secrets
    secrets: Literal["mask", "refuse", "store"] = Field(
        "mask",
        description="What becomes of keys, tokens, passwords and card numbers in a new content: "
        "mask them, refuse the memory, or store them.",
    )

    tombstone_key: SecretStr = Field(
        SecretStr(""),
        description="Key of the hashes of rejected statements, the same for all replicas. By "
        "default a random one in the database and its backups.",
    )

    # Authority
    authority_ceiling: Authority = Field(
        Authority.PERSON,
        description="Highest authority of what a caller without a token writes: person, agent, "
        "tool, import or derived.",
    )

    # Review
    review_authorities: Annotated[Words, AfterValidator(_as_authorities)] = Field(
        (),
        description="Authorities whose new texts wait for a review, such as tool for hooks and "
        "import for imports.",
    )
    review_ways: Words = Field(
        (),
        description="Tools and commands whose new texts wait for a review, such as add_episode.",
    )
    review_patterns: Annotated[Words, AfterValidator(_as_patterns)] = Field(
        (),
        description="Regular expressions; a new text that matches one waits for a review, unless "
        "a person wrote it.",
    )
    review_groups: Groups = Field(
        (), description="Groups in which texts wait for a review; none means all."
    )

    # Limits on what one call may carry
    max_content_characters: int = Field(
        1_000_000, ge=1, le=10_000_000, description="Length of a content, characters, at most."
    )
    max_batch: int = Field(
        1000, ge=1, le=10_000, description="Memories in one call of add_memories, at most."
    )

    # Conflicts
    conflict_neighbours: int = Field(
        3,
        ge=0,
        le=50,
        description=(
            "Earlier memories that a single new memory is compared with, to report possible "
            "conflicts, and that the stage `proposals` compares a memory with; 0 for none."
        ),
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

    # Capture of conversations
    capture_decay_policy: str = Field(
        "adaptive",
        pattern=r"^[a-z][a-z0-9_]{0,63}$",
        description="Policy by which captured turns of conversations fade.",
    )
    capture_decay_rate: float = Field(
        0.05, ge=0, le=100, description="Rate of captured turns in the policy adaptive, per day."
    )
