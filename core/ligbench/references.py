"""What a study's references are: venues, decisions, areas, and their means before and after
debiasing (LigBench Figures 2–3 and Table 1, for the user's own set)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from core.ligbench.debias import DIMENSIONS, debias
from core.study import Study

UNSTATED = "not stated"
_ACCEPTED = re.compile(r"accept|poster|oral|spotlight|notable|talk|award", re.IGNORECASE)
_REJECTED = re.compile(r"reject|not accept|decline", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ReferencesReport:
    """The reference set as counts, shares and means.

    ``venues``: venue, year, n, share, reviewed (with any score), scale (how raw scores became
    0 to 5, as the import stated it). ``decisions`` and ``areas``: name, n, share, the most first.
    ``means``: venue, year, dimension, n, before, after (debiased), note. ``overall``: the mean
    of each dimension over all. ``unreviewed``: references without any score. ``repeated``:
    titles that stand under more than one id.
    """

    n: int
    venues: pd.DataFrame
    decisions: pd.DataFrame
    areas: pd.DataFrame
    means: pd.DataFrame
    overall: dict[str, float | None]
    unreviewed: int
    repeated: tuple[str, ...]


def references_report(study: Study) -> ReferencesReport:
    """Counts, shares and means of ``study.references``; every frame is empty where it is."""
    references = study.references
    shifted = debias(references)
    reviewed = references[list(DIMENSIONS)].notna().any(axis=1)
    return ReferencesReport(
        n=len(references),
        venues=_venues(references, reviewed),
        decisions=_shares(references["decision"]),
        areas=_shares(references["area"]),
        means=_means(shifted.groups),
        overall=shifted.overall,
        unreviewed=int((~reviewed).sum()),
        repeated=repeated_titles(references),
    )


def venue_names(references: pd.DataFrame) -> pd.Series:
    """'ICLR 2024' for each reference: conference and year, the unit of debiasing."""
    venue = references["venue"].fillna("")
    year = references["year"].astype("string").fillna("")
    return (venue + " " + year).str.strip().replace("", UNSTATED)


def verdict_of(decision: object) -> str | None:
    """'accepted', 'rejected', or None where a decision says neither (withdrawn, unknown)."""
    if not isinstance(decision, str):
        return None
    if _REJECTED.search(decision):
        return "rejected"
    return "accepted" if _ACCEPTED.search(decision) else None


def plain_title(title: object) -> str:
    """A title in lower-case letters and digits, by which two references are one paper."""
    return re.sub(r"[\W_]+", " ", title.lower()).strip() if isinstance(title, str) else ""


def repeated_titles(references: pd.DataFrame) -> tuple[str, ...]:
    """Titles of references that stand under more than one id."""
    plain = references["title"].map(plain_title)
    twice = references[plain.duplicated(keep=False) & (plain != "")]
    return tuple(sorted(twice.groupby(plain)["title"].first()))


def _venues(references: pd.DataFrame, reviewed: pd.Series) -> pd.DataFrame:
    rows = []
    known = references.assign(
        reviewed=reviewed,
        scale=[extra.get("scale") if extra else None for extra in references["extra"]],
        venue=references["venue"].fillna(""),
        year=references["year"].astype("Float64").fillna(-1).astype(int),
    )
    for (venue, year), group in known.groupby(["venue", "year"], sort=True):
        scales = sorted({str(scale) for scale in group["scale"].dropna()})
        rows.append(
            {
                "venue": venue or None,
                "year": None if year < 0 else int(year),
                "n": len(group),
                "share": len(group) / len(references),
                "reviewed": int(group["reviewed"].sum()),
                "scale": "; ".join(scales) or None,
            }
        )
    return pd.DataFrame(rows, columns=["venue", "year", "n", "share", "reviewed", "scale"])


def _shares(names: pd.Series) -> pd.DataFrame:
    counts = names.fillna(UNSTATED).value_counts()
    frame = pd.DataFrame({"name": counts.index.astype(str), "n": counts.to_numpy(int)})
    frame["share"] = frame["n"] / max(len(names), 1)
    return frame.sort_values(["n", "name"], ascending=[False, True], ignore_index=True)


def _means(groups: pd.DataFrame) -> pd.DataFrame:
    frame = groups.rename(columns={"mean": "before"})
    frame["after"] = frame["before"] + frame["shift"]
    return frame[["venue", "year", "dimension", "n", "before", "after", "note"]]
