"""Names that sources give to our columns, the likelier first.

Compared in lower case without spaces and signs, so 'paperId', 'Paper ID' and 'paper_id' are one.
A name stands here only where it means the same thing: a listing day, ``updated`` or
``version_dates`` is never taken for ``published``, which is the first submission.
"""

from __future__ import annotations

import re

# Parts that make up a paper's date or identifiers; each has the column's name before the dot.
YEAR, MONTH, ID_MONTH = "published.year", "published.month", "published.id_month"
TRACK, STATUS = "venue.track", "venue.status"

_STATE = {"state": ("state",), "call_id": ("callid",)}
_REASON = ("reason", "rationale", "reasoning", "justification", "comment", "comments", "explanation",
           "overallrationale")  # fmt: skip
_JUDGE = ("judge", "rater", "expert", "reviewer", "annotator", "evaluator", "judgemodel",
          "criticmodel", "judgename")  # fmt: skip
_REPEAT = ("repeat", "run", "trial", "repetition", "replicate", "sample", "runid")
_IDEA_ID = ("ideaid", "idea", "itemid", "proposalid", "id")
_REFERENCE_ID = ("referenceid", "reference", "forum", "submissionid", "paperid", "id")
_PAPER_ID = ("paperid", "paper", "corpusid", "openalexid", "arxivid", "id", "doi", "hashid", "uid")
_FORMAL = {
    "main_target": ("maintarget",),
    "core_breakthrough": ("corebreakthrough",),
    "innovative_methods": ("innovativemethods",),
    "experimental_design": ("experimentaldesign",),
}


def _mark(name: str, *more: str) -> dict[str, tuple[str, ...]]:
    return {name: (name, f"{name}score", f"{name}rating", f"{name}mark", f"score{name}", *more)}


SYNONYMS: dict[str, dict[str, tuple[str, ...]]] = {
    "ideas": {
        "idea_id": ("ideaid", "id", "hashid", "itemid", "proposalid", "uid"),
        "system": ("system", "condition", "model", "ideamodel", "generator", "agent", "systemname",
                   "modelname", "approachname"),
        "topic": ("topic", "topicname", "topicdescription", "researchtopic", "domain", "area"),
        "cutoff": ("cutoff", "cutoffdate", "cutoffmonth"),
        "rank": ("rank", "ranking", "position"),
        "title": ("title", "ideatitle", "ideaname", "name", "proposaltitle"),
        "problem": ("problem", "problemstatement", "researchproblem", "problemdefinition",
                    "researchquestion"),
        "rationale": ("rationale", "motivation", "problemrationale", "shorthypothesis"),
        "method": ("method", "proposedmethod", "approach", "proposedapproach", "methodology",
                   "ideatext", "idea", "proposal", "hypothesis", "ideadescription", "description",
                   "content", "text", "abstract", "body"),
        "key_terms": ("keyterms", "keywords", "terms", "keyword"),
        **_FORMAL,
        "extra": ("extra",),
    },
    "papers": {
        "paper_id": _PAPER_ID,
        "title": ("title", "papertitle", "displayname", "name"),
        "abstract": ("abstract", "abstracttext", "summary", "paperabstract"),
        "published": ("published", "publisheddate", "datepublished", "publicationdate", "v1date",
                      "firstsubmission", "firstsubmitted", "submitted", "submissiondate",
                      "submitteddate", "dateofpublication", "pubdate", "date"),
        "date_precision": ("dateprecision",),
        YEAR: ("year", "publicationyear", "pubyear", "yearpublished"),
        MONTH: ("bibtexmonth", "month", "publicationmonth"),
        ID_MONTH: ("idmonth", "arxividmonth"),
        "venue": ("venue", "venuename", "conference", "booktitle", "journal", "journalname",
                  "journalref", "publicationvenue"),
        TRACK: ("track",),
        STATUS: ("status",),
        "citations": ("citations", "citationcount", "citedbycount", "gscitation", "numcitations",
                      "ncitations", "numcitedby", "timescited", "citationnum", "citedby"),
        "topics": ("topics", "topic", "topicnames"),
        "url": ("url", "link", "site", "paperurl", "landingpageurl", "pdfurl", "openreview"),
        "identifiers": ("identifiers", "externalids", "ids"),
        "identifiers.arxiv": ("arxivid", "arxiv", "eprint"),
        "identifiers.doi": ("doi", "paperdoi"),
        "identifiers.openalex": ("openalexid",),
        "identifiers.corpusid": ("corpusid",),
        "extra": ("extra",),
    },
    "scores": {
        "idea_id": _IDEA_ID,
        "judge": _JUDGE,
        "repeat": _REPEAT,
        **_mark("novelty"),
        **_mark("feasibility"),
        **_mark("impact", "expectedimpact", "expectedimpactscore"),
        **_mark("overall"),
        "reason": _REASON,
        **_STATE,
    },
    "references": {
        "reference_id": _REFERENCE_ID,
        "title": ("title", "papertitle"),
        "abstract": ("abstract", "summary"),
        "venue": ("venue", "conference"),
        "year": ("year",),
        "decision": ("decision", "status"),
        "area": ("area", "primaryarea", "subjectarea"),
        "rating": ("rating", "ratingavg", "ratingmean", "overall"),
        "contribution": ("contribution", "contributionavg", "contributionmean"),
        "soundness": ("soundness", "soundnessavg", "soundnessmean"),
        **_FORMAL,
        "extra": ("extra",),
    },
    "starts": {
        "idea_id": _IDEA_ID,
        "judge": _JUDGE,
        "repeat": _REPEAT,
        **_mark("rating", "overall"),
        **_mark("contribution"),
        **_mark("soundness"),
        **_mark("novelty"),
        "reason": _REASON,
        **_STATE,
    },
    "comparisons": {
        "idea_id": _IDEA_ID,
        "reference_id": _REFERENCE_ID[:-1],
        "judge": _JUDGE,
        "order": ("order", "presentationorder"),
        "repeat": _REPEAT,
        "rating": ("rating", "overall"),
        "contribution": ("contribution",),
        "soundness": ("soundness",),
        "reason": _REASON,
        **_STATE,
    },
    "verdicts": {
        "idea_id": _IDEA_ID,
        "paper_id": ("paperid", "paper", "matchedpaperid"),
        "judge": _JUDGE,
        **_mark("problem"),
        **_mark("method"),
        **_mark("specificity"),
        "reason": _REASON,
        **_STATE,
    },
}  # fmt: skip


def plain_name(name: str) -> str:
    """A column's name in lower-case letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
