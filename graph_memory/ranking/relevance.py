"""The relevance of memories for a question: the calibrated probability that they bear on it.

    relevance = 1 / (1 + e^−(intercept + c · cosine + m · met + u · unmet + n · unmet_name))

- `cosine`: of question and memory.
- `met`: share of the question's words that the memory contains, by rarity.
- `unmet`: share of the question's words that no candidate contains, by rarity.
- `unmet_name`: 1 if no candidate contains some name of the question, as `terms.names` finds them;
  else 0. The words for a time do not count as names.

No feature is relative to the best candidate, so relevances of different questions can be compared.
So can those of groups: in the rarity, a group of fewer than a hundred memories counts as one of a
hundred. The best relevance of all candidates decides whether the group has an answer: no below
`known_no_below`, yes from `known_yes_from`, else perhaps.

A calibration has the coefficients, these limits and the embedding model that they are for.
`calibration.json` is that of the default model. `graph_memory/evaluation/calibrate.py` makes
others, which the file `calibrations.json` of the data folder keeps.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from graph_memory.domain.models import Known
from graph_memory.errors import SettingsError
from graph_memory.settings.base import Settings

Numbers = npt.NDArray[np.float64]

_PACKAGED = Path(__file__).with_name("calibration.json")

#: The file of the data folder with the user's calibrations.
_OWN = "calibrations.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The coefficients and the limits of the relevance for an embedding model."""

    model: str
    intercept: float
    cosine: float
    met: float
    unmet: float
    unmet_name: float
    known_no_below: float
    known_yes_from: float

    @classmethod
    def packaged(cls) -> Self:
        """Return the calibration that this version contains, for the default model."""
        return cls(**json.loads(_PACKAGED.read_text(encoding="utf-8")))

    def write(self, data_dir: Path) -> Path:
        """Keep this calibration in the data folder, in place of one for the same model.

        Returns:
            The file, with the calibrations of all models.

        Raises:
            SettingsError: The file is not one of calibrations.
        """
        kept = _own(data_dir) | {self.model: self}
        data_dir.mkdir(parents=True, exist_ok=True)
        file = data_dir / _OWN
        written = file.with_suffix(".part")
        written.write_bytes(_CALIBRATIONS.dump_json(list(kept.values()), indent=2) + b"\n")
        written.replace(file)
        _calibrations.cache_clear()
        return file

    def relevance(self, features: Numbers) -> Numbers:
        """Return the relevance of memories, 0 to 1, array (n,); `features` is (n, 4)."""
        weights = np.array([self.cosine, self.met, self.unmet, self.unmet_name])
        logit = self.intercept + features @ weights
        return 1 / (1 + np.exp(-logit))

    def known(self, best: float) -> Known:
        """Return whether a group has an answer, for the best relevance of its memories."""
        if best < self.known_no_below:
            return Known.NO
        return Known.YES if best >= self.known_yes_from else Known.PERHAPS


_CALIBRATIONS = TypeAdapter(list[Calibration])


def calibration_for(settings: Settings) -> Calibration | None:
    """Return the calibration for the configured embedding model; None if there is none.

    One in the data folder counts before the packaged one. The file is read once.

    Raises:
        SettingsError: The file is not one of calibrations.
    """
    return _calibrations(settings.data_dir).get(settings.embedding_model)


@cache
def _calibrations(data_dir: Path) -> Mapping[str, Calibration]:
    packaged = Calibration.packaged()
    return {packaged.model: packaged} | _own(data_dir)


def _own(data_dir: Path) -> dict[str, Calibration]:
    """Return the calibrations in the data folder by model."""
    file = data_dir / _OWN
    try:
        found = _CALIBRATIONS.validate_json(file.read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        fault = error.errors()[0]["msg"]
        raise SettingsError(
            f"{file} is not a file of calibrations of this version ({fault}). Remove it, and make "
            "it again with `python -m graph_memory.evaluation.calibrate`."
        ) from error
    return {each.model: each for each in found}


def features(
    cosines: Numbers,
    contained: npt.NDArray[np.bool_],
    rarity: Numbers,
    named: npt.NDArray[np.bool_],
) -> Numbers:
    """Return `cosine`, `met`, `unmet` and `unmet_name` of each candidate, array (n, 4).

    A question without words of known rarity has 0 for all but `cosine`.

    Args:
        cosines: Array (n,), cosine of question and memory.
        contained: Array (n, terms), True for a query term that a memory contains.
        rarity: Array (terms,), rarity of each query term in the group.
        named: Array (terms,), True for a query term that is a name.
    """
    measured = np.zeros((len(cosines), 4))
    measured[:, 0] = cosines
    share = np.maximum(rarity, 0)
    if share.any():
        share = share / share.sum()
        missing = ~contained.any(axis=0)
        measured[:, 1] = contained @ share
        measured[:, 2] = share[missing].sum()
        measured[:, 3] = (missing & named & (share > 0)).any()
    return measured
