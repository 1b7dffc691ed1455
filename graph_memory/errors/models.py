"""Errors of the embedding model and the language model."""

from graph_memory.errors.base import GraphMemoryError
from graph_memory.wording import install_command


class DimensionMismatchError(GraphMemoryError):
    """The stored vectors are not of the configured model or width."""

    code = "dimension_mismatch"

    def __init__(self, stored: str, configured: str, back: str) -> None:
        """Build the message from both models and the settings that match the stored one."""
        self.stored, self.configured = stored, configured
        super().__init__(
            f"Memories hold vectors of {stored}, but {configured} is configured. Set "
            f"{back}, or run `graph-memory embeddings rebuild`."
        )


class EmbeddingError(GraphMemoryError):
    """The embedding model cannot be loaded or reached."""

    code = "embedding_failed"


class OnnxRuntimeError(EmbeddingError):
    """ONNX Runtime cannot be loaded, or refuses the processor or the graph."""

    def __init__(self, reason: object) -> None:
        fact = str(reason).rstrip(".")
        super().__init__(
            f"ONNX Runtime cannot run the default embedding model on this machine: {fact}. "
            "sentence-transformers runs the same model, and is used if it is installed: "
            f"{install_command('sentence-transformers')}"
        )


class LlmError(GraphMemoryError):
    """The language model cannot be reached, or its answer is not valid."""

    code = "llm_failed"
