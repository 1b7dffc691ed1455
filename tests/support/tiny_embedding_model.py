"""A real embedding model, small and of random numbers, as wide as the vectors of the tests."""

from pathlib import Path
from typing import Any

from graph_memory.inference import packaged_model


def write_embedding_model(folder: Path) -> Path:
    """Write a BERT with one layer and a tokenizer; sentence-transformers takes the mean."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer: Any = AutoTokenizer.from_pretrained(packaged_model.folder())
    config: Any = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=384,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model: Any = BertModel(config)
    model.save_pretrained(folder)
    tokenizer.model_max_length = 64
    tokenizer.save_pretrained(folder)
    return folder
