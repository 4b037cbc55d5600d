"""Planned imports written to a study: all of them or none. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import DataError
from core.ingest.importing import ImportPlan, apply_all
from core.ingest.report import ImportReport
from core.judging.locking import writing
from core.study import Study


def write(folder: Path, plans: Sequence[ImportPlan]) -> tuple[ImportReport, ...]:
    """Apply the plans of one upload.

    Nothing is written where the study is no longer the one that was planned on, and where a later
    table cannot be written the earlier ones are put back. Raises :class:`DataError`.
    """
    with writing(folder):
        if Study.open(folder).digest != plans[0].study.digest:
            raise DataError(
                "The study's tables have changed since this was shown, so nothing was written."
                " Look over the new plan and confirm again."
            )
        return apply_all(plans)
