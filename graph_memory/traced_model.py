"""A transformer as one recorded graph, which reads a short question in half the time.

Of a question of a dozen tokens, a model of a hundred small modules spends most of its time in being
called and in laying out weights that never change. PyTorch can record what it computes once, and
oneDNN, which is part of it, lay the weights out for the processor: without being told, PyTorch
multiplies by them as they are with MKL, which takes twice as long on processors of AMD.

PyTorch names `torch.compile` as the successor of TorchScript, but that needs a C++ compiler where
it runs. So a recording is used only as long as it can be made, and only if it reads as the model.
"""

import copy
import logging
import warnings
from typing import Any

_log = logging.getLogger(__name__)

#: What a model is told of a text; a model that needs more is left as it is.
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

#: Recorded with these, of different lengths, so that padding is in the recording.
_EXAMPLE = ["Who moved to Bern last winter, and why?", "tea"]
#: Read by both, a short one, many, and one that is cut.
_PROBES = (["tea"], ["a", "Ada sold the piano.", "word " * 60], ["a long day " * 400])

#: Most by which a number of a token's vector may differ; those of two machines differ as much.
_TOLERANCE = 1e-4


def trace(model: Any) -> None:
    """Put a recording in the place of the transformer of a sentence-transformers model.

    A model that computes elsewhere than on the processor, reads more than tokens, or cannot be
    recorded faithfully stays as it is.
    """
    import torch

    transformer = model[0]
    if model.device.type != "cpu" or not _reads_tokens(transformer):
        return
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # of its deprecation, and of branches that are recorded
        try:
            recorded = _recorded(transformer, model.preprocess(_EXAMPLE))
            differs = max(_difference(model, recorded, probe) for probe in _PROBES)
        except Exception as error:  # each kind of model raises its own
            _log.info("the model is used as it is, as it cannot be recorded: %s", error)
            return
    if differs > _TOLERANCE:
        _log.info("the model is used as it is, as its recording differs by %g", differs)
    else:
        transformer.model = recorded


def _reads_tokens(transformer: Any) -> bool:
    told = getattr(transformer, "modality_config", {}).get("text", {})
    expected = {"method": "forward", "method_output_name": "last_hidden_state"}
    return told == expected


def _recorded(transformer: Any, features: Any) -> Any:
    """Return a module that computes what the transformer's model does, from the same inputs."""
    import torch

    inputs = [name for name in _INPUTS if name in features]
    own = _laid_out(transformer.model)

    class Plain(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = own

        def forward(self, *values: Any) -> Any:
            return self.own(**dict(zip(inputs, values, strict=True))).last_hidden_state

    example = tuple(features[name] for name in inputs)
    jit: Any = torch.jit
    graph = jit.freeze(jit.trace(Plain().eval(), example, check_trace=False))
    graph = jit.optimize_for_inference(graph)

    class Recorded(torch.nn.Module):
        config = own.config

        def forward(self, **features: Any) -> dict[str, Any]:
            return {"last_hidden_state": graph(*(features[name] for name in inputs))}

    return Recorded().eval()


def _laid_out(own: Any) -> Any:
    """Return a copy of a module whose weights lie as oneDNN reads them, where there is oneDNN."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return own

    jit: Any = torch.jit
    onednn: Any = torch.ops.mkldnn

    # A recording takes no empty list, unless it is told of what.
    @jit.script
    def multiplied(
        values: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        none = jit.annotate(list[int | float | complex | None], [])
        return onednn._linear_pointwise(values, weight, bias, "none", none, "")

    class LaidOut(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear) -> None:
            super().__init__()
            self.register_buffer("weight", onednn._reorder_linear_weight(linear.weight.detach()))
            self.bias = linear.bias

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = multiplied(values, self.weight, self.bias)
            return made

    own = copy.deepcopy(own)
    for module in list(own.modules()):
        for name, child in module.named_children():
            if type(child) is torch.nn.Linear:
                setattr(module, name, LaidOut(child))
    return own


def _difference(model: Any, recorded: Any, texts: list[str]) -> float:
    """Return by how much the vectors of the texts' tokens differ at most."""
    features = model.preprocess(texts)
    real = features["attention_mask"].bool()
    made = recorded(**features)["last_hidden_state"]
    return float((model[0](features)["token_embeddings"] - made)[real].abs().max())
