"""Models: embeddings, cross-encoder, language model and token counts.

- `embedder`: the door to both sources of embeddings, `sentence_transformer` on this machine
  (compiled by `torchscript`) and `openai_embeddings`.
- `cross_encoder`: scores of question and memory. `token_counter`: tokens of texts.
- `llm`: JSON answers of a language model. `openai`: the HTTP client of both endpoints.
"""
