"""References in the shape of PAIR-IQ's listing (LigBench, Appendix C)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.export.ideas import plain_value
from core.schema import FORMAL_PARTS
from core.study import Study

_NAMES = {
    "title": "title",
    "venue": "conference",
    "year": "year",
    "decision": "label",
    "abstract": "abstract",
    "area": "primary area",
    "rating": "rating",
    "contribution": "contribute",
    "soundness": "soundness",
}
_YEAR = re.compile(r"\s*(?:19|20)\d\d\s*$")


def references_jsonl(study: Study) -> Iterator[str]:
    """One line a reference, marks on 0 to 5: title, url, conference, year, label, abstract,
    keywords, primary area, rating, contribute, soundness, analysis; and ``id``, ours.

    Unknown values are left out, never 0; an invented reference says ``simulated``.
    """
    for row in study.references.to_dict("records"):
        record: dict[str, Any] = {"id": row["reference_id"]}
        for ours, theirs in _NAMES.items():
            value = plain_value(row[ours])
            if ours == "venue" and value and plain_value(row["year"]) is not None:
                value = _YEAR.sub("", str(value)) or value
            if value is not None:
                record[theirs] = value
        extra = row.get("extra") or {}
        record |= {name: extra[name] for name in ("url", "keywords") if extra.get(name)}
        analysis = {part: text for part in FORMAL_PARTS if (text := plain_value(row[part]))}
        if analysis:
            record["analysis"] = analysis
        if study.config.simulated:
            record["simulated"] = True
        yield json.dumps(record, ensure_ascii=False)
