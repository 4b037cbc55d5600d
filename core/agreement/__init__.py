"""How far the judges of a study agree: with each other, and with themselves.

``agreement`` gives the whole; the other functions are one view each, for a page or a notebook.
All are pure functions of (study, settings).
"""

from __future__ import annotations

from core.agreement.marks import DIMENSIONS, Dimension, Marks, marks_of, present_dimensions
from core.agreement.overall import WithoutJudge
from core.agreement.probes import (
    FamilyProbe,
    Halo,
    LengthProbe,
    family_probe,
    halo,
    length_probe,
)
from core.agreement.results import (
    Agreement,
    JudgeStates,
    OverallAgreement,
    PairAgreement,
    RepeatAgreement,
    WorstCase,
)
from core.agreement.views import (
    Confusion,
    Disagreements,
    PairedMarks,
    RepeatSpread,
    confusion,
    disagreements,
    leave_one_judge_out,
    paired_marks,
    repeat_spread,
)
from core.agreement.whole import agreement

__all__ = [
    "DIMENSIONS",
    "Agreement",
    "Confusion",
    "Dimension",
    "Disagreements",
    "FamilyProbe",
    "Halo",
    "JudgeStates",
    "LengthProbe",
    "Marks",
    "OverallAgreement",
    "PairAgreement",
    "PairedMarks",
    "RepeatAgreement",
    "RepeatSpread",
    "WithoutJudge",
    "WorstCase",
    "agreement",
    "confusion",
    "disagreements",
    "family_probe",
    "halo",
    "leave_one_judge_out",
    "length_probe",
    "marks_of",
    "paired_marks",
    "present_dimensions",
    "repeat_spread",
]
