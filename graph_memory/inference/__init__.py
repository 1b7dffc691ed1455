"""Models: embeddings, cross-encoder, language model and token counts."""
