"""The texts that are compared: what of an idea and of a paper is encoded.

⊕ joins two parts with the encoder's own separator token ('[SEP]' for BERT-type models), written
without spaces as the SPECTER models were trained; an encoder without one gets a line break. An
empty part is left out together with its separator.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

NO_SEPARATOR = "\n"
_IDEA_PARTS = ("problem", "method")
_FALLBACK_PARTS = ("title", "rationale")
_FORECAST_PARTS = ("title", "rationale", "method", "key_terms")
_PAPER_PARTS = ("title", "abstract")


@dataclass(frozen=True, kw_only=True, eq=False)
class Texts:
    """One text a row, in the table's row order.

    ``flagged`` marks ideas that had neither problem nor method (their title and rationale stand
    in), and papers without an abstract (their title stands alone). An empty text is ''.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    flagged: NDArray[np.bool_]

    @property
    def empty(self) -> tuple[str, ...]:
        """Ids of rows without any text."""
        return tuple(name for name, text in zip(self.ids, self.texts, strict=True) if not text)


def idea_texts(ideas: pd.DataFrame, separator: str) -> Texts:
    """Idea text = problem ⊕ method; of a forecast (an idea with a rank) title ⊕ rationale ⊕
    method ⊕ key terms.

    An idea with neither problem nor method has title ⊕ rationale, and is flagged.
    Source: arXiv 2603.15164, section 3; forecasts: IdeaForecastBench.
    """
    forecast = ideas["rank"].notna().to_numpy(dtype=bool)
    own = _joined(ideas, _IDEA_PARTS, separator)
    spare = _joined(ideas, _FALLBACK_PARTS, separator)
    ranked = _joined(ideas, _FORECAST_PARTS, separator) if forecast.any() else own
    flagged = np.array([not text for text in own], dtype=bool) & ~forecast
    texts = [
        ranked[row] if forecast[row] else spare[row] if flagged[row] else own[row]
        for row in range(len(own))
    ]
    return Texts(ids=tuple(ideas["idea_id"]), texts=tuple(texts), flagged=flagged)


def paper_texts(papers: pd.DataFrame, separator: str) -> Texts:
    """Paper text = title ⊕ abstract; a paper without an abstract has its title alone, flagged."""
    return Texts(
        ids=tuple(papers["paper_id"]),
        texts=tuple(_joined(papers, _PAPER_PARTS, separator)),
        flagged=np.array([not text for text in _parts(papers["abstract"])], dtype=bool),
    )


def text_digest(text: str) -> str:
    """Digest that tells texts apart, 128 bits in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _joined(table: pd.DataFrame, names: tuple[str, ...], separator: str) -> list[str]:
    columns = [_parts(table[name]) for name in names]
    return [separator.join(filter(None, row)) for row in zip(*columns, strict=True)]


def _parts(column: pd.Series) -> list[str]:
    return [_part(cell) for cell in column.to_numpy(dtype=object)]


def _part(cell: object) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, Iterable):
        return ", ".join(filter(None, (str(term).strip() for term in cell)))
    return ""
