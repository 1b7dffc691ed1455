"""Models: embeddings, cross-encoder, language model and token counts.

- `embedder`: the door to the three sources of embeddings: `onnx_model` runs the default model,
  `sentence_transformer` any other on this machine, and `openai_embeddings` asks an endpoint.
- `packaged_model`: the files of the default model. `make_graph`: makes its graph.
- `cross_encoder`: scores of question and memory. `token_counter`: tokens of texts.
- `llm`: JSON answers of a language model. `openai`: the HTTP client of both endpoints.
"""
