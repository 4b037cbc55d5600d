"""Files brought into the open study: chosen, looked over, mapped, planned, confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from core.config import MAX_UPLOAD_BYTES
from core.errors import DataError, ForeseenError
from core.ingest.foreign import known_formats, plan_files
from core.ingest.importing import ImportPlan
from core.ingest.mapping import ImportOptions
from core.ingest.report import ImportReport
from core.schema import TABLES
from core.study import Study, frame_digest
from dashboard import components, state
from dashboard.bring import files as upload_files
from dashboard.bring import mapping, writing
from dashboard.bring import plan as upload_plan
from dashboard.bring.files import Upload
from dashboard.prose import count, plain

_ROUND = "_bring_round"
_DONE = "_bring_done"
_SHOWN = "_bring_shown"
_KINDS = "CSV, TSV, JSONL, JSON or Parquet, also .gz; files of other programs are known by content"


@dataclass(frozen=True, kw_only=True)
class _Planned:
    """The plans of one upload; ``digest`` tells them from others: the study before them and the
    tables after them."""

    plans: tuple[ImportPlan, ...]
    folder: Path | None
    digest: str

    @classmethod
    def of(cls, plans: tuple[ImportPlan, ...]) -> _Planned:
        study = plans[0].study
        parts = [study.digest, *(frame_digest(plan.frame) for plan in plans)]
        return cls(plans=plans, folder=study.folder, digest=" ".join(parts))


def draw(study: Study) -> None:
    """The whole part; every step shows once the one before it stands."""
    _done()
    name = st.selectbox(
        "Table",
        list(TABLES),
        key="bring_table",
        help="Ideas, papers and scores make a study; the others are for LigBench and forecasts",
        **state.BOUND,
    )
    st.caption(f"One row of {name} is {TABLES[name].row}.")
    turn = st.session_state.get(_ROUND, 0)
    files = st.file_uploader(
        f"Files for {name}",
        accept_multiple_files=True,
        key=f"bring_files_{turn}",
        max_upload_size=MAX_UPLOAD_BYTES >> 20,
        help=_KINDS,
    )
    if not files:
        st.caption(
            f"{_KINDS}. Up to {MAX_UPLOAD_BYTES >> 20} MB each; larger ones stream with"
            f" `foreseen import {name} FILE --into {plain(study.folder)}`. Nothing is written"
            " before you confirm."
        )
        return
    uploads = _read(files, name, study)
    if uploads is None:
        _cancel_button()
        return
    _preview(uploads, name)
    planned = _planned(study, name, uploads, tuple(file.file_id for file in files))
    if planned is None:
        _cancel_button()
        return
    _confirm(study, planned)


def _read(files: Sequence[Any], name: str, study: Study) -> list[Upload] | None:
    """The files' rows; None, and why, where any cannot be read."""
    by_hand = bool(st.session_state.get("bring_by_hand", False))
    uploads = upload_files.uploads_of(files, name, by_hand=by_hand, into=study.folder)
    known = [u for u in uploads if u.file is not None and u.file.tables[name].format]
    if known or by_hand:
        titles = known_formats()
        names = {u.file.format for u in known if u.file is not None}
        if names:
            told = ", ".join(sorted(plain(titles.get(each, each)) for each in names))
            st.markdown(f"Known format: {told}.")
        st.toggle("Map the columns by hand instead", key="bring_by_hand")
    bad = [upload for upload in uploads if upload.error]
    for upload in bad:
        st.error(plain(upload.error), icon=":material/block:")
    if bad:
        if len(bad) < len(uploads):
            st.caption("Take the files in error out of the list above, and the others can come in.")
        return None
    return upload_files.widened(uploads, name)


def _preview(uploads: Sequence[Upload], name: str) -> None:
    for place, upload in enumerate(uploads):
        if upload.file is None:
            continue
        raw = upload.file.tables[name]
        shown = upload_files.preview(raw)
        title = f"{plain(upload.name)}: {count(len(raw.lines), 'row')}, the first {len(shown)}"
        with st.expander(title, expanded=place == 0):
            st.dataframe(
                shown,
                key=f"bring_preview_{place}",
                alt=f"First rows of file {place + 1} as text",
                height=min(300, 40 + 36 * len(shown)),
            )


def _planned(
    study: Study, name: str, uploads: Sequence[Upload], ids: tuple[str, ...]
) -> _Planned | None:
    """What would come of the files; None, and why, where nothing can."""
    st.subheader("What becomes what", anchor=False)
    options = ImportOptions()
    read = [upload.file for upload in uploads if upload.file is not None]
    generic = [raw for raw in upload_files.raws_of(uploads, name) if not raw.format]
    try:
        if generic and len(generic) < len(uploads):
            raise DataError(
                "Files of a known format and others cannot be mapped together. Bring them one"
                " after the other, or map all by hand."
            )
        if generic:
            options = mapping.draw(TABLES[name], generic[0])
        else:
            st.caption("The format says which column is which.")
        if "judge" in TABLES[name].names:
            options = replace(options, codes=mapping.codes(name))
        key = (ids, name, repr(options), study.digest, bool(generic))
        return upload_files.remembered(
            "_bring_plan", key, lambda: _Planned.of(plan_files(study, name, read, options))
        )
    except ForeseenError as error:
        st.subheader("What is in the way", anchor=False)
        for line in str(error).splitlines():
            st.error(plain(upload_files.in_the_page(line)), icon=":material/block:")
        return None
    except (ValueError, TypeError, KeyError, RecursionError, MemoryError) as fault:
        st.error(
            f"These files cannot be imported as they are"
            f" ({plain(type(fault).__name__)}: {plain(fault)}). Look at the preview and mapping.",
            icon=":material/block:",
        )
        return None


def _confirm(study: Study, planned: _Planned) -> None:
    plans = planned.plans
    st.subheader("What would be written", anchor=False)
    for plan in plans:
        upload_plan.draw(plan)
    upload_plan.check(study, plans)
    st.session_state[_SHOWN] = planned
    changed = [plan for plan in plans if plan.changed]
    names = " and ".join(plan.table for plan in changed)
    if not changed:
        components.nothing("The study holds all of this already: there is nothing to write.")
    with st.container(horizontal=True):
        st.button(
            f"Write {names}" if changed else "Write",
            key="bring_write",
            type="primary",
            icon=":material/save:",
            disabled=not changed,
            on_click=_write,
            args=(planned.digest,),
        )
        _cancel_button()


def _write(expected: str) -> None:
    """Callback: exactly the plan that was on the screen, or nothing."""
    planned: _Planned | None = st.session_state.get(_SHOWN)
    if planned is None or planned.digest != expected or planned.folder is None:
        return
    try:
        reports = writing.write(planned.folder, planned.plans)
    except (ForeseenError, OSError) as error:
        st.session_state[_DONE] = str(error)
        return
    st.session_state[_DONE] = reports
    _next_round()


def _next_round() -> None:
    """Callback: the files are let go, with all that was remembered of them."""
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    for slot in ("_bring_read", "_bring_plan", "_bring_check", _SHOWN):
        st.session_state.pop(slot, None)


def _cancel_button() -> None:
    st.button(
        "Cancel",
        key="bring_cancel",
        icon=":material/close:",
        on_click=_next_round,
        help="Lets the files go; nothing is written",
    )


def _done() -> None:
    """What the last confirmation wrote, or why it wrote nothing."""
    done: tuple[ImportReport, ...] | str | None = st.session_state.pop(_DONE, None)
    if done is None:
        return
    if isinstance(done, str):
        for line in done.splitlines():
            st.error(plain(line), icon=":material/block:")
        return
    for report in done:
        st.success(f"Written. {upload_plan.sentence(report)}", icon=":material/check:")
    components.link("data", "Look the study over", icon=":material/database:")
