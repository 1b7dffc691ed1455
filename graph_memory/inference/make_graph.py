"""Make the graph of `all-MiniLM-L6-v2`: run `python -m graph_memory.inference.make_graph`.

The graph has no weights. Its inputs of fixed value have the names of the tensors in the file of
weights, so that `onnx_model` can pass them. This module needs the package onnx, which the
development environment has; the service only reads the graph.

Token vectors stay in one matrix (texts x tokens, width) between the attentions, because `Gemm`
reads the weights in the layout that the file has. The operators are those of the ONNX standard.
"""

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import helper

from graph_memory.inference.packaged_model import GRAPH, NAME

_LAYERS = 6
_HEADS = 12
_WIDTH = 384
_INNER = 1536
_POSITIONS = 512
_EPSILON = 1e-12

#: Versions of the operators and of the file format.
_OPSET = 23
_FORMAT = 11


class _Graph:
    """Nodes and weights of a graph. A name stands for an array."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        output = attributes.pop("output", f"{operator}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def weight(self, name: str, *shape: int) -> str:
        """Add a tensor of the file of weights."""
        tensor = onnx.TensorProto(
            name=name,
            dims=shape,
            data_type=onnx.TensorProto.FLOAT,
            data_location=onnx.TensorProto.EXTERNAL,
        )
        tensor.external_data.add(key="location", value="model.safetensors")
        self.initializers.append(tensor)
        return name

    def integers(self, name: str, values: Sequence[int]) -> str:
        """Add a constant array of integers."""
        kind = onnx.TensorProto.INT64
        self.initializers.append(helper.make_tensor(name, kind, [len(values)], values))
        return name

    def dense(self, values: str, name: str, inputs: int, outputs: int) -> str:
        """Add a linear layer."""
        weight = self.weight(f"{name}.weight", outputs, inputs)
        return self.node("Gemm", values, weight, self.weight(f"{name}.bias", outputs), transB=1)

    def normalized(self, values: str, name: str) -> str:
        """Add a layer normalisation."""
        weight, bias = (self.weight(f"{name}.{part}", _WIDTH) for part in ("weight", "bias"))
        return self.node("LayerNormalization", values, weight, bias, epsilon=_EPSILON)


def make_graph() -> bytes:
    """Return the graph of the model.

    Its inputs are `word_vectors`, (texts, tokens, 384), and `attention_mask`, (texts, tokens). Its
    output is `token_vectors`, (texts, tokens, 384). The graph does not contain the table of word
    vectors, because ONNX Runtime would copy it: half of the model's memory for few of its rows.
    """
    graph = _Graph()
    shape, matrix, mask = _embeddings(graph)
    for layer in range(_LAYERS):
        matrix = _layer(graph, matrix, shape, mask, f"encoder.layer.{layer}")
    graph.node("Reshape", matrix, shape, output="token_vectors")
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            NAME,
            [
                _array("word_vectors", onnx.TensorProto.FLOAT, _WIDTH),
                _array("attention_mask", onnx.TensorProto.INT64),
            ],
            [_array("token_vectors", onnx.TensorProto.FLOAT, _WIDTH)],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_FORMAT,
    )
    return model.SerializeToString(deterministic=True)


def _embeddings(graph: _Graph) -> tuple[str, str, str]:
    """Add the sum of the vectors of word, position and text kind.

    Returns:
        The shape of the token vectors, the token vectors as a matrix, and the mask of attention,
        (texts, 1, tokens, tokens).
    """
    zero, one = graph.integers("zero", [0]), graph.integers("one", [1])
    tokens = graph.node("Shape", "attention_mask", start=1, end=2)
    places = graph.weight("embeddings.position_embeddings.weight", _POSITIONS, _WIDTH)
    kinds = graph.weight("embeddings.token_type_embeddings.weight", 2, _WIDTH)
    vectors = graph.node(
        "Add",
        "word_vectors",
        graph.node(
            "Add",
            graph.node("Slice", places, zero, tokens, zero),
            graph.node("Gather", kinds, zero),
        ),
    )
    matrix = graph.node("Reshape", vectors, graph.integers("matrix", [-1, _WIDTH]))
    # The mask is the same for each token of a text, but the operator reads one for each.
    mask = graph.node("Cast", "attention_mask", to=onnx.TensorProto.BOOL)
    mask = graph.node("Unsqueeze", mask, graph.integers("mask_axes", [1, 2]))
    square = graph.node("Concat", one, one, tokens, one, axis=0)
    return (
        graph.node("Shape", vectors),
        graph.normalized(matrix, "embeddings.LayerNorm"),
        graph.node("Expand", mask, square),
    )


def _layer(graph: _Graph, matrix: str, shape: str, mask: str, name: str) -> str:
    parts = [
        graph.node(
            "Reshape", graph.dense(matrix, f"{name}.attention.self.{part}", _WIDTH, _WIDTH), shape
        )
        for part in ("query", "key", "value")
    ]
    seen = graph.node("Attention", *parts, mask, q_num_heads=_HEADS, kv_num_heads=_HEADS)
    seen = graph.dense(
        graph.node("Reshape", seen, "matrix"), f"{name}.attention.output.dense", _WIDTH, _WIDTH
    )
    read = graph.normalized(graph.node("Add", seen, matrix), f"{name}.attention.output.LayerNorm")
    inner = graph.node("Gelu", graph.dense(read, f"{name}.intermediate.dense", _WIDTH, _INNER))
    outer = graph.dense(inner, f"{name}.output.dense", _INNER, _WIDTH)
    return graph.normalized(graph.node("Add", outer, read), f"{name}.output.LayerNorm")


def _array(name: str, kind: int, *width: int) -> Any:
    return helper.make_tensor_value_info(name, kind, ["texts", "tokens", *width])


if __name__ == "__main__":
    GRAPH.write_bytes(make_graph())
