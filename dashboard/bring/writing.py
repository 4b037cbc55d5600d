"""Planned imports written to a study: all of them or none. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import DataError
from core.ingest.importing import ImportPlan
from core.ingest.report import ImportReport
from core.ingest.tabular import replacing
from core.judging.locking import writing
from core.study import Study, table_file


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
        before = {plan.table: _kept(folder, plan.table) for plan in plans}
        try:
            return tuple(plan.apply()[1] for plan in plans)
        except BaseException as error:
            for name, old in before.items():
                _put_back(folder, name, old)
            if isinstance(error, OSError):
                raise DataError(
                    f"Nothing was written: {error}. Make room or mend the rights, and confirm"
                    " again."
                ) from None
            raise


def _kept(folder: Path, name: str) -> tuple[Path, bytes] | None:
    path = table_file(folder, name)
    return None if path is None else (path, path.read_bytes())


def _put_back(folder: Path, name: str, old: tuple[Path, bytes] | None) -> None:
    path = table_file(folder, name)
    if old is None:
        if path is not None:
            path.unlink()
    elif path != old[0] or path.read_bytes() != old[1]:
        with replacing(old[0]) as file:
            file.write(old[1])
