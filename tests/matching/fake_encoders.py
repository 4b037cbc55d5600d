"""Encoders that need no model, and studies to try them on."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


class WordEncoder:
    """Each word has a fixed random direction; a text is the sum of its words'."""

    def __init__(
        self, *, name: str = "words", digest: str = "words-1", dimensions: int = 16
    ) -> None:
        self.name = name
        self.revision = "1"
        self.digest = digest
        self.dimensions = dimensions
        self.separator = " | "
        self.calls: list[list[str]] = []

    @property
    def encoded(self) -> list[str]:
        """Every text encoded so far."""
        return [text for call in self.calls for text in call]

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        rows = [sum(self._word(word) for word in text.split()) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    def _word(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        return np.random.default_rng(seed).normal(size=self.dimensions)


class Killed(BaseException):
    """Stands for Ctrl-C or a kill: no handler of errors sees it."""


class DyingEncoder(WordEncoder):
    """Raises after a number of calls."""

    def __init__(self, *, calls: int, **values: Any) -> None:
        super().__init__(**values)
        self.left = calls

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not self.left:
            raise Killed
        self.left -= 1
        return super().encode(texts)
