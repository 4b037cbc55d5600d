"""Agreement between judges: coefficients, intervals, and the reason where one is undefined.

Pure functions of arrays. A unit is what is judged; a category is its number on the declared
scale, −1 where the judge gave none; a mark is a number, nan where there is none.
"""

from __future__ import annotations

from core.stats.agreement.alpha import LEVELS, Level, krippendorff_alpha
from core.stats.agreement.bland_altman import Limits, bland_altman
from core.stats.agreement.estimate import Estimate, draw_units
from core.stats.agreement.gwet import fleiss_kappa, gwet_ac, unit_counts
from core.stats.agreement.icc import OneWay, TwoWay, one_way, two_way
from core.stats.agreement.kappa import CategoryAgreement, category_agreement, cohen_kappa
from core.stats.agreement.ranks import Concordance, RankCorrelation, kendall_w, spearman
from core.stats.agreement.tables import (
    WEIGHTS,
    Weights,
    agreement_weights,
    category_shares,
    cross_table,
    pabak,
    raw_agreement,
    specific_agreement,
)

__all__ = [
    "LEVELS",
    "WEIGHTS",
    "CategoryAgreement",
    "Concordance",
    "Estimate",
    "Level",
    "Limits",
    "OneWay",
    "RankCorrelation",
    "TwoWay",
    "Weights",
    "agreement_weights",
    "bland_altman",
    "category_agreement",
    "category_shares",
    "cohen_kappa",
    "cross_table",
    "draw_units",
    "fleiss_kappa",
    "gwet_ac",
    "kendall_w",
    "krippendorff_alpha",
    "one_way",
    "pabak",
    "raw_agreement",
    "spearman",
    "specific_agreement",
    "two_way",
    "unit_counts",
]
