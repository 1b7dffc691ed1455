"""TorchScript graphs of a transformer for the CPU, which embed a query in a third of the time.

A model of a hundred small modules spends most of the time of a short query on calls and on the
layout of weights. TorchScript records the computation once, and oneDNN stores the weights in the
layout that the processor needs. Without oneDNN, PyTorch multiplies with MKL, which takes twice as
long on AMD.

The rest of the time goes into reading the weights, which exceed the processor's cache. For this
reason queries use fp16 weights, in a second graph, and documents use fp32 weights. Activations stay
fp32. Cosines change by 0.0001 (measured). Documents come in batches, which fp16 would not speed up.

PyTorch names `torch.compile` as the successor of TorchScript, but that needs a C++ compiler at run
time. A graph is used only if it can be compiled and computes the same as the model.
"""

import copy
import logging
import warnings
from collections.abc import Callable
from typing import Any

#: Makes a replacement of a linear module.
_Linear = Callable[[Any], Any]

#: Computes token vectors from the features of texts.
_Compiled = Callable[[Any], Any]

_log = logging.getLogger(__name__)

#: Inputs of a model; a model that needs others is not compiled.
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

#: Texts of the trace; they differ in length, so that the graph contains padding.
_EXAMPLE = ["Who moved to Bern last winter, and why?", "tea"]
#: Texts that model and graph both embed: a short one, several, and one that is cut.
_PROBES = (["tea"], ["a", "Ada sold the piano.", "word " * 60], ["a long day " * 400])

#: Largest difference of a token vector's numbers: about that of two machines, and that of fp16.
_TOLERANCE = 1e-4
_FP16_TOLERANCE = 5e-3


def compile_for_cpu(model: Any) -> tuple[Any, Any]:
    """Return two models, for documents and for queries, with a compiled transformer each.

    Both are the sentence-transformers model itself if it runs on another device, has other inputs
    than tokens, or cannot be compiled, or if a graph computes other vectors.
    """
    import torch

    transformer = model[0]
    if model.device.type != "cpu" or not _reads_tokens(transformer):
        return model, model
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # about its deprecation, and about branches in the trace
        try:
            own, example = transformer.model, model.preprocess(_EXAMPLE)
            fp32 = _compile(own, example, _prepacked_linear())
            fp16 = _compile(own, example, _fp16_linear())
            differs = max(_difference(model, fp32, probe) for probe in _PROBES)
            fp16_differs = max(_difference(model, fp16, probe) for probe in _PROBES)
        except Exception as error:  # each kind of model raises its own
            _log.warning("the model runs without TorchScript, which cannot compile it: %s", error)
            return model, model
    if differs > _TOLERANCE or fp16_differs > _FP16_TOLERANCE:
        _log.warning(
            "the model runs without TorchScript, whose graphs differ by %g (fp32) and %g (fp16)",
            differs,
            fp16_differs,
        )
        return model, model
    return _with_transformer(model, fp32), _with_transformer(model, fp16)


def _reads_tokens(transformer: Any) -> bool:
    """Return True if a transformer computes token vectors from tokens alone."""
    actual = getattr(transformer, "modality_config", {}).get("text", {})
    expected = {"method": "forward", "method_output_name": "last_hidden_state"}
    return actual == expected


def _compile(own: Any, example: Any, linear: _Linear | None) -> _Compiled:
    """Return the compiled graph of a transformer.

    Args:
        own: The transformer.
        example: Features of the texts of the trace.
        linear: Replacement of its linear modules; None keeps them.
    """
    import torch

    inputs = [name for name in _INPUTS if name in example]
    changed = _with_linear(own, linear) if linear else own

    class Plain(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = changed

        def forward(self, *values: Any) -> Any:
            return self.own(**dict(zip(inputs, values, strict=True))).last_hidden_state

    values = tuple(example[name] for name in inputs)
    jit: Any = torch.jit
    graph = jit.freeze(jit.trace(Plain().eval(), values, check_trace=False))
    graph = jit.optimize_for_inference(graph)
    return lambda features: graph(*(features[name] for name in inputs))


def _with_transformer(model: Any, compiled: _Compiled) -> Any:
    """Return a copy of a model that computes token vectors by a compiled graph."""
    import torch

    class CompiledTransformer(torch.nn.Module):
        config = model[0].model.config

        def forward(self, **features: Any) -> dict[str, Any]:
            return {"last_hidden_state": compiled(features)}

    copied, transformer = _shallow_copy(model), _shallow_copy(model[0])
    transformer.model = CompiledTransformer().eval()
    copied[0] = transformer
    return copied


def _shallow_copy(module: Any) -> Any:
    """Return a copy of a module that shares its submodules, which can be replaced in the copy."""
    copied = copy.copy(module)
    copied._modules = dict(module._modules)
    return copied


def _with_linear(own: Any, linear: _Linear) -> Any:
    """Return a copy of a module with other linear modules."""
    import torch

    own = copy.deepcopy(own)
    for module in list(own.modules()):
        for name, child in module.named_children():
            if type(child) is torch.nn.Linear:
                setattr(module, name, linear(child))
    return own


def _prepacked_linear() -> _Linear | None:
    """Return a linear module with weights in the layout of oneDNN; None without oneDNN."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return None

    jit: Any = torch.jit
    onednn: Any = torch.ops.mkldnn

    # TorchScript needs the element type of an empty list.
    @jit.script
    def multiplied(
        values: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        none = jit.annotate(list[int | float | complex | None], [])
        return onednn._linear_pointwise(values, weight, bias, "none", none, "")

    class PrepackedLinear(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear) -> None:
            super().__init__()
            self.register_buffer("weight", onednn._reorder_linear_weight(linear.weight.detach()))
            self.bias = linear.bias

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = multiplied(values, self.weight, self.bias)
            return made

    return PrepackedLinear


def _fp16_linear() -> _Linear | None:
    """Return a linear module with fp16 weights, or `_prepacked_linear()` without FBGEMM.

    FBGEMM converts each weight to fp32 inside the processor.
    """
    import torch

    if "fbgemm" not in torch.backends.quantized.supported_engines:
        return _prepacked_linear()

    quantized: Any = torch.ops.quantized

    class Fp16Linear(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear) -> None:
            super().__init__()
            self.packed = quantized.linear_prepack_fp16(linear.weight.detach(), linear.bias)

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = quantized.linear_dynamic_fp16(values, self.packed)
            return made

    return Fp16Linear


def _difference(model: Any, compiled: _Compiled, texts: list[str]) -> float:
    """Return the largest difference between the token vectors of model and graph."""
    features = model.preprocess(texts)
    real = features["attention_mask"].bool()
    made = compiled(features)
    return float((model[0](features)["token_embeddings"] - made)[real].abs().max())
