"""The paper's studies of its own method, each as one call on the user's study.

=====================  =======================================================  ==========
call                   what it asks                                             table
=====================  =======================================================  ==========
``pair_accuracy``      does a judge name the better of two reviewed papers?     T2, T3
``expert_agreement``   do judges choose as people do?                           T4
``accepted_rejected``  are accepted papers rated above rejected ones?           T5
``one_source``         does one venue's references rate ideas as all do?        T6
=====================  =======================================================  ==========

Grids over parameters and noise are in :mod:`core.ligbench.simulated_games`, training pairs in
:mod:`core.ligbench.training_pairs`, the report of the references in
:mod:`core.ligbench.references`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.config import Settings


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """How often a judge names the better of two references (Table 2), and by how much the pairs
    that it gets wrong differ (Table 3).

    ``frame``: source ('comparisons' of two references, or 'scores' of each), judge, dimension,
    n (pairs whose debiased scores differ), accuracy (a tie counts ½), low, high (95 %), ties,
    equal_truth (pairs left out because the truth is equal), gap (mean |difference| of all),
    wrong_gap (of the wrong pairs; None where there is none), undefined.
    """

    settings: Settings
    frame: pd.DataFrame
    neighbours: int | None
    left_out: int
    n: int


@dataclass(frozen=True, kw_only=True)
class ExpertAgreement:
    """Agreement of judges with people on the same comparisons (Table 4).

    ``frame``: expert, judge, dimension, n, agreement (share of equal outcomes), decided_n and
    decided (both name a winner), undefined.
    """

    experts: tuple[str, ...]
    frame: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class AcceptedRejected:
    """Means of accepted and of rejected papers (Table 5).

    ``frame``: source ('reviews', debiased, or 'elo' where references were rated as ideas),
    dimension, accepted_n, accepted, rejected_n, rejected, difference, low, high, undefined.
    ``undecided``: references whose decision is neither, by decision.
    """

    settings: Settings
    frame: pd.DataFrame
    undecided: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class OneSource:
    """Ratings from one venue's references against those from all (Table 6).

    ``frame``: venue, dimension, n (ideas), mean_all, mean_one, difference, relative
    (difference / mean_all), undefined.
    """

    settings: Settings
    frame: pd.DataFrame
