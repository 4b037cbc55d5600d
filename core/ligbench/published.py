"""What the LigBench paper prints, as plain data with its table, to stand beside a study's own.

They are facts of the paper's data, never results of ours. Source: arXiv 2608.13136.
"""

from __future__ import annotations

from typing import Any

PAPER = "LigBench (arXiv 2608.13136)"

PAIR_ACCURACY: tuple[dict[str, Any], ...] = tuple(
    {"judge": judge, "rating": rating, "contribution": contribution, "soundness": soundness}
    for judge, rating, contribution, soundness in (
        ("GPT-5", 0.820, 0.695, 0.826),
        ("GPT-4o", 0.549, 0.615, 0.747),
        ("Qwen2.5-7B", 0.514, 0.496, 0.488),
        ("Qwen2.5-7B (trained)", 0.714, 0.710, 0.712),
    )
)
"""Table 2: accuracy on 269 pairs of references close in theme."""

WRONG_GAP = {"judge": "GPT-5", "rating": 0.114, "contribution": 0.196, "soundness": 0.138}
"""Table 3: mean difference of the debiased scores in the pairs that the judge got wrong."""

EXPERT_AGREEMENT = {"rating": 0.71, "contribution": 0.79, "soundness": 0.73}
"""Table 4: agreement with experts on 100 pairs."""

ACCEPTED_REJECTED = {
    "rating": (2.547, 2.043),
    "contribution": (2.432, 2.030),
    "soundness": (1.853, 1.542),
    "novelty": (2.627, 2.234),
}
"""Table 5: means of accepted and of rejected papers."""

ONE_SOURCE: tuple[dict[str, Any], ...] = tuple(
    {"venue": venue, "rating": rating, "contribution": contribution, "soundness": soundness}
    for venue, rating, contribution, soundness in (
        ("ICLR 2024", 0.032, 0.009, 0.015),
        ("ICLR 2025", 0.020, 0.041, 0.034),
        ("NeurIPS 2024", 0.023, 0.020, 0.026),
    )
)
"""Table 6: size of the relative difference between one source and all."""

SYSTEMS: tuple[dict[str, Any], ...] = tuple(
    {"system": system, "rating": r, "contribution": c, "soundness": s, "novelty": n}
    for system, r, c, s, n in (
        ("GPT-5.2", 3.974, 3.392, 3.022, 2.583),
        ("GPT-5", 3.686, 3.210, 2.866, 2.528),
        ("CoI", 3.468, 2.996, 2.487, 2.474),
        ("SciPIP", 2.621, 1.900, 3.243, 2.267),
        ("GPT-4.1", 1.000, 0.760, 1.877, 2.194),
        ("GPT-4o", 0.672, 0.514, 1.264, 1.877),
    )
)
"""Table 7: systems of 110 ideas each."""

VENUE_MEANS: tuple[dict[str, Any], ...] = tuple(
    {"venue": venue, "rating": r, "contribution": c, "soundness": s}
    for venue, r, c, s in (
        ("ICLR 2024", 2.740, 2.689, 2.472),
        ("ICLR 2025", 2.821, 2.687, 2.498),
        ("NeurIPS 2024", 2.918, 2.914, 2.721),
        ("all", 2.825, 2.758, 2.559),
    )
)
"""Table 1: means before debiasing."""

SCALE_GRID: dict[float, tuple[float, float, float]] = {
    0.50: (0.412, 0.723, 0.89),
    0.75: (0.356, 0.761, 0.92),
    1.00: (0.298, 0.789, 0.94),
    1.25: (0.267, 0.812, 0.96),
    1.50: (0.251, 0.831, 0.97),
    1.75: (0.263, 0.819, 0.95),
    2.00: (0.289, 0.798, 0.93),
}
"""Table 9, by d: mean absolute error, rank correlation, share converged."""

STEP_GRID: dict[tuple[float, float], tuple[float, float, float]] = {
    (0.3, 0.90): (28.4, 0.287, 0.91),
    (0.3, 0.95): (35.2, 0.264, 0.94),
    (0.5, 0.90): (18.7, 0.271, 0.89),
    (0.5, 0.95): (22.3, 0.251, 0.97),
    (0.5, 0.98): (31.6, 0.249, 0.96),
    (0.7, 0.90): (14.2, 0.298, 0.82),
    (0.7, 0.95): (17.8, 0.273, 0.88),
}
"""Table 10, by K_max and γ: games, mean absolute error, stability."""

NOISE: dict[float, tuple[float, float, float]] = {
    0.0: (0.251, 0.831, 1.0),
    0.1: (0.267, 0.812, 0.992),
    0.2: (0.298, 0.784, 0.976),
    0.3: (0.342, 0.751, 0.941),
}
"""Table 11, by share of wrong judgements: mean absolute error, rank correlation, converged."""
