"""The relevance of memories for a question: the calibrated probability that they bear on it.

    relevance = 1 / (1 + e^−(intercept + c · cosine + m · met + u · unmet + n · unmet_names))

- `cosine`: of question and memory.
- `met`: share of the question's words that the memory contains, by rarity.
- `unmet`: share of the question's words that no candidate contains, by rarity.
- `unmet_names`: the part of `unmet` that is names, as `terms.names` finds them.

All four are absolute, so relevances of different questions and groups can be compared. The best
relevance of all candidates decides whether the group has an answer: no below `known_no_below`, yes
from `known_yes_from`, else perhaps. The file `calibration.json` has the coefficients, these limits
and the embedding model that they are for. `graph_memory/evaluation/calibrate.py` makes it.
"""

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from graph_memory.domain.models import Known

Numbers = npt.NDArray[np.float64]

CALIBRATION = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The coefficients and the limits of the relevance for an embedding model."""

    model: str
    intercept: float
    cosine: float
    met: float
    unmet: float
    unmet_names: float
    known_no_below: float
    known_yes_from: float

    @classmethod
    def read(cls) -> Self:
        """Read the calibration that this version contains."""
        return cls(**json.loads(CALIBRATION.read_text(encoding="utf-8")))

    def write(self) -> None:
        """Replace the calibration that this version contains."""
        CALIBRATION.write_text(f"{json.dumps(asdict(self), indent=2)}\n", encoding="utf-8")

    def relevance(self, features: Numbers) -> Numbers:
        """Return the relevance of memories, 0 to 1, array (n,); `features` is (n, 4)."""
        weights = np.array([self.cosine, self.met, self.unmet, self.unmet_names])
        logit = self.intercept + features @ weights
        return 1 / (1 + np.exp(-logit))

    def known(self, best: float) -> Known:
        """Return whether a group has an answer, for the best relevance of its memories."""
        if best < self.known_no_below:
            return Known.NO
        return Known.YES if best >= self.known_yes_from else Known.PERHAPS


@cache
def calibration_for(model: str) -> Calibration | None:
    """Return the calibration for an embedding model, or None if it is for another one."""
    calibration = Calibration.read()
    return calibration if calibration.model == model else None


def features(
    cosines: Numbers,
    contained: npt.NDArray[np.bool_],
    rarity: Numbers,
    named: npt.NDArray[np.bool_],
) -> Numbers:
    """Return `cosine`, `met`, `unmet` and `unmet_names` of each candidate, array (n, 4).

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
        measured[:, 3] = share[missing & named].sum()
    return measured
