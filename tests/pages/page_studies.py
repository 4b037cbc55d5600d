"""Studies on disk for the pages: a small one, and one of foreign texts."""

from __future__ import annotations

import copy
from datetime import date
from pathlib import Path
from typing import Any

from builders import INFO, case_tables, table

from core.study import Study

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "**bold** [link](javascript:alert(1)) :red[x] :material/home: `code`",
    r"$\int_0^1 x$ and $$E = mc^2$$",
    '=HYPERLINK("http://evil.example")',
    "שלום עולם 🎉 مرحبا",
    ("word " * 20_000).strip(),
    "| a | b |\n|---|---|\n# head\n- list\n```\nfence",
)

Tables = dict[str, list[dict[str, Any]]]


def write_study(folder: Path, tables: Tables, **config: Any) -> Path:
    """A study's folder with these tables; candidates too where there are some."""
    values: dict[str, Any] = {
        "settings": {"theta": 0.5, "draws": 100},
        "name": folder.name,
    } | config
    study = Study.create(folder, cutoff=date(2023, 6, 30), horizon_months=30, **values)
    for name, rows in tables.items():
        if name != "candidates":
            study = study.write(name, table(name, rows), suffix=".jsonl")
    if tables.get("candidates"):
        study.write_candidates(table("candidates", tables["candidates"]), INFO, suffix=".jsonl")
    return folder


def hostile_tables() -> Tables:
    """The small study with foreign texts in every place that holds text."""
    tables = copy.deepcopy(case_tables())
    for n, text in enumerate(HOSTILE):
        tables["ideas"][n] |= {
            "title": text[:300].strip(),
            "problem": text,
            "method": text,
            "topic": text[:60].strip(),
            "extra": {text[:30]: text},
        }
        for row in tables["scores"]:
            if row["idea_id"] == f"i{n + 1}" and row["state"] == "ok":
                row["reason"] = text
    for n, paper in enumerate(tables["papers"]):
        paper |= {"title": HOSTILE[n][:300].strip(), "abstract": HOSTILE[n]}
        paper |= {"venue": HOSTILE[n][:60].strip(), "url": "javascript:alert(1)"}
    for idea in tables["ideas"][:4]:
        idea["system"] = "<b>sys*tem*</b>"
    return tables
