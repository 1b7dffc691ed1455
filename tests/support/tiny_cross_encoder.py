"""A real cross-encoder, small and of random numbers: it judges nonsense, but always the same."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graph_memory.inference import packaged_model

_WINDOW = 64


def write_cross_encoder(folder: Path, *, labels: int = 1) -> Path:
    """Write one as sentence-transformers finds it: a BERT with one layer, and a tokenizer."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer: Any = AutoTokenizer.from_pretrained(packaged_model.folder())
    config: Any = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=_WINDOW,
        initializer_range=0.5,  # at the usual 0.02 its judgements would differ by less than 1e-5
    )
    config.num_labels = labels
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = BertForSequenceClassification(config)
    model.save_pretrained(folder)
    tokenizer.model_max_length = _WINDOW
    tokenizer.save_pretrained(folder)
    return folder


def judged(folder: Path, question: str, texts: Sequence[str]) -> list[float]:
    """Judge pairs one by one with transformers alone, from 0 to 1."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = BertForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return [
            float(
                torch.sigmoid(
                    model(**tokenizer(question, text, truncation=True, return_tensors="pt")).logits
                )
            )
            for text in texts
        ]
