"""A prior over triples, learnt from the ideas of earlier episodes whose windows had closed.

Logistic regression (scikit-learn) on what the memory of an idea's own cutoff said of its triple;
the label is whether the idea was credited. An idea takes part only if its window ended on or
before the cutoff that is forecast from, so nothing that came later teaches the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.forecast.forecasters.triple_memory import TripleMemory
from core.forecast.forecasters.triples import OPERATORS, Triple

LEAST_IDEAS = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Prior:
    """``model`` is None where there was too little to learn from: ``untrained`` says why, and
    the memory's frequency, recency and utility decide alone."""

    model: Any
    ideas: int
    credited: int
    untrained: str | None

    def weights(self, triples: Sequence[Triple], memory: TripleMemory) -> Floats:
        """How promising each triple is; higher is better, comparable within one call."""
        rows = np.array([features(triple, memory) for triple in triples])
        if self.model is not None:
            return np.asarray(self.model.predict_proba(rows)[:, 1])
        return np.asarray(rows[:, :8].sum(axis=1))


def features(triple: Triple, memory: TripleMemory) -> list[float]:
    """log(1 + frequency), recency and utility of base and of gap, the operator's utility,
    log(1 + papers that did this to the base), whether a paper holds the whole triple, and which
    operator it is."""
    row: list[float] = []
    for kind in ("base", "gap"):
        item = memory.item(kind, getattr(triple, kind))
        row += [float(np.log1p(item.frequency)), item.recency, item.utility]
    row.append(memory.item("operator", triple.operator).utility)
    row.append(float(np.log1p(memory.moves[triple.base, triple.operator])))
    row.append(float(triple in memory.triples))
    return row + [float(triple.operator == name) for name in OPERATORS]


def train_prior(examples: Sequence[tuple[Triple, TripleMemory, bool]]) -> Prior:
    """Fit the prior; the order of examples plays no part."""
    credited = sum(label for _, _, label in examples)
    reason = None
    if len(examples) < LEAST_IDEAS:
        reason = f"only {len(examples)} judged ideas of closed windows, {LEAST_IDEAS} are needed"
    elif credited in (0, len(examples)):
        reason = f"of {len(examples)} judged ideas all or none were credited"
    if reason is not None:
        return Prior(model=None, ideas=len(examples), credited=credited, untrained=reason)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows = sorted((features(triple, memory), label) for triple, memory, label in examples)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5, class_weight="balanced"))
    model.fit(np.array([row for row, _ in rows]), np.array([label for _, label in rows]))
    return Prior(model=model, ideas=len(examples), credited=credited, untrained=None)
