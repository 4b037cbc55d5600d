"""Shared terms: what counts as one, and that marking loses nothing of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hindsight.shared_terms import segments, shared_terms, terms


def test_words_are_folded_and_common_ones_left_out() -> None:
    # 'The', 'of', 'and' are common; 'models' and 'model' are one term, met twice.
    assert terms("The Models of diffusion and the model") == {"model": 2, "diffusion": 1}


def test_short_words_count_only_with_a_digit() -> None:
    assert terms("3D in CV on an A100, k 5") == {"3d": 1, "a100": 1}


def test_hyphens_part_words() -> None:
    assert shared_terms("self-cascade denoising", "Cascade of denoisers") == ("cascade",)


def test_the_most_frequent_in_both_come_first() -> None:
    # graph: min(2, 2) = 2; attention: min(3, 1) = 1; tie between attention and sparse by name.
    first = "graph graph attention attention attention sparse"
    assert shared_terms(first, "sparse attention graph graph") == ("graph", "attention", "sparse")


def test_segments_mark_each_form_of_a_term() -> None:
    found = segments("Diffusion MODELS, a model.", {"model"})
    assert [(piece.text, piece.shared) for piece in found] == [
        ("Diffusion ", False),
        ("MODELS", True),
        (", a ", False),
        ("model", True),
        (".", False),
    ]


@pytest.mark.parametrize(
    "text", ["", "   ", "<script>alert(1)</script>", "$x_1$ **b**", "שלום עולם 🎉", "a" * 100_000]
)
def test_any_text_comes_back_whole(text: str) -> None:
    assert "".join(piece.text for piece in segments(text, terms(text))) == text


@given(st.text(), st.text())
def test_sharing_is_mutual_and_within_both(first: str, second: str) -> None:
    shared = shared_terms(first, second)
    assert set(shared) == set(shared_terms(second, first))
    assert set(shared) == set(terms(first)) & set(terms(second))
    assert "".join(piece.text for piece in segments(first, shared)) == first


def test_a_text_shares_all_its_terms_with_itself() -> None:
    text = "Cascaded latent diffusion with distilled stages"
    marked = [piece.text for piece in segments(text, shared_terms(text, text)) if piece.shared]
    assert marked == ["Cascaded", "latent", "diffusion", "distilled", "stages"]
