"""A transformer as recorded graphs, which read a short question in a third of the time.

Of a question of a dozen tokens, a model of a hundred small modules spends most of its time in being
called and in laying out weights that never change. PyTorch can record what it computes once, and
oneDNN, which is part of it, lay the weights out for the processor: without being told, PyTorch
multiplies by them as they are with MKL, which takes twice as long on processors of AMD.

What is left of a question's time is spent in fetching the weights, more of them than a processor's
cache holds. So questions are multiplied by weights of half the digits, in another recording: all
else is computed as before, and two texts are as similar as before to the third decimal (measured:
they differ by 0.0001). Texts to be stored come in numbers, would be no quicker by it, and keep all.

PyTorch names `torch.compile` as the successor of TorchScript, but that needs a C++ compiler where
it runs. So a recording is used only as long as it can be made, and only if it reads as the model.
"""

import copy
import logging
import warnings
from collections.abc import Callable
from typing import Any

#: Makes a module of a linear one.
_Linear = Callable[[Any], Any]

#: Computes the vectors of tokens from the features of texts.
_Recording = Callable[[Any], Any]

_log = logging.getLogger(__name__)

#: What a model is told of a text; a model that needs more is left as it is.
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

#: Recorded with these, of different lengths, so that padding is in the recording.
_EXAMPLE = ["Who moved to Bern last winter, and why?", "tea"]
#: Read by both, a short one, many, and one that is cut.
_PROBES = (["tea"], ["a", "Ada sold the piano.", "word " * 60], ["a long day " * 400])

#: Most by which a number of a token's vector may differ: as much as those of two machines do, and
#: as halves make them.
_TOLERANCE = 1e-4
_TOLERANCE_OF_HALVES = 5e-3


def trace(model: Any) -> None:
    """Put recordings in the place of the transformer of a sentence-transformers model.

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
            own, example = transformer.model, model.preprocess(_EXAMPLE)
            whole = _recorded(own, example, _laid_out())
            halves = _recorded(own, example, _halved())
            differs = max(_difference(model, whole, probe) for probe in _PROBES)
            halves_differ = max(_difference(model, halves, probe) for probe in _PROBES)
        except Exception as error:  # each kind of model raises its own
            _log.info("the model is used as it is, as it cannot be recorded: %s", error)
            return
    if differs > _TOLERANCE or halves_differ > _TOLERANCE_OF_HALVES:
        _log.info(
            "the model is used as it is, as its recordings differ by %g and %g",
            differs,
            halves_differ,
        )
    else:
        transformer.model = _replacing(own, whole, halves)


def read_questions(model: Any, of_questions: bool) -> None:
    """Have a model that was recorded read questions from now on, or else texts to be stored."""
    transformer: Any = getattr(model[0], "model", None)
    if hasattr(transformer, "of_questions"):
        transformer.of_questions = of_questions


def _reads_tokens(transformer: Any) -> bool:
    told = getattr(transformer, "modality_config", {}).get("text", {})
    expected = {"method": "forward", "method_output_name": "last_hidden_state"}
    return told == expected


def _recorded(own: Any, example: Any, linear: _Linear | None) -> _Recording:
    """Return what a transformer computes of features like the example's.

    Args:
        own: The transformer.
        example: The features of some texts.
        linear: What to put in the place of each of its linear modules; None leaves them.
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


def _replacing(own: Any, whole: _Recording, halves: _Recording) -> Any:
    """Return a module that computes what a transformer does, from the same features."""
    import torch

    class Recorded(torch.nn.Module):
        config = own.config
        of_questions = False

        def forward(self, **features: Any) -> dict[str, Any]:
            read = halves if self.of_questions else whole
            return {"last_hidden_state": read(features)}

    return Recorded().eval()


def _with_linear(own: Any, linear: _Linear) -> Any:
    """Return a copy of a module with others in the place of its linear ones."""
    import torch

    own = copy.deepcopy(own)
    for module in list(own.modules()):
        for name, child in module.named_children():
            if type(child) is torch.nn.Linear:
                setattr(module, name, linear(child))
    return own


def _laid_out() -> _Linear | None:
    """Return a linear module whose weights lie as oneDNN reads them, where there is oneDNN."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return None

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

    return LaidOut


def _halved() -> _Linear | None:
    """Return a linear module whose weights have half the digits, where there is FBGEMM.

    It is the part of PyTorch that widens them within the processor, number by number.
    """
    import torch

    if "fbgemm" not in torch.backends.quantized.supported_engines:
        return _laid_out()

    half: Any = torch.ops.quantized

    class Halved(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear) -> None:
            super().__init__()
            self.packed = half.linear_prepack_fp16(linear.weight.detach(), linear.bias)

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = half.linear_dynamic_fp16(values, self.packed)
            return made

    return Halved


def _difference(model: Any, recording: _Recording, texts: list[str]) -> float:
    """Return by how much the vectors of the texts' tokens differ at most."""
    features = model.preprocess(texts)
    real = features["attention_mask"].bool()
    made = recording(features)
    return float((model[0](features)["token_embeddings"] - made)[real].abs().max())
