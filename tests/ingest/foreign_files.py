"""Small files in the shape of each known format, oddities included, written for these tests."""

from __future__ import annotations

import gzip
import json
from typing import Any


def _csv(*rows: str) -> bytes:
    return ("\n".join(rows) + "\n").encode()


def _lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


ATOM = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">
<opensearch:totalResults>4</opensearch:totalResults>
<entry><id>http://arxiv.org/abs/2401.00001v3</id><updated>2024-09-01T00:00:00Z</updated>
<published>2024-01-02T03:04:05Z</published><title>A title that is
  broken over lines</title><summary> First line
second line </summary><author><name>A. Author</name></author><arxiv:doi>10.2/Y</arxiv:doi>
<category term="cs.CL"/><category term="cs.LG"/></entry>
<entry><id>http://arxiv.org/abs/cs/0501001v1</id><published>2005-01-03T00:00:00Z</published>
<updated>2005-01-03T00:00:00Z</updated><title>An old style identifier here</title></entry>
<entry><id>http://arxiv.org/abs/2401.00001v1</id><published>2024-01-02T03:04:05Z</published>
<title>A title that is broken over lines</title><category term="stat.ML"/></entry>
<entry><id>http://arxiv.org/api/errors#bad</id><title>Error</title><summary>bad id</summary></entry>
</feed>"""

BIBTEX = rb"""% an export
@string{acl = {Association for Computational Linguistics}}
@inproceedings{mueller-2024-bert,
    title = "{BERT} goes to {\'E}cole: {$\alpha$} na{\"\i}ve",
    author = "M{\"u}ller, Anna  and  Li, Bo",
    booktitle = acl,
    month = aug # "/" # sep,
    year = "2024",
    url = "https://aclanthology.org/2024.acl-long.1",
    doi = "10.18653/v1/2024.ACL-long.1",
}
@proceedings{acl-2024, title = "Proceedings", year = "2024"}
@article{open, title = {Never closed
@misc{ok, title = {A second good paper here}, year = 2023, month = {June},
    eprint = {2306.00009}, archiveprefix = {arXiv}}
"""

_CACHE = {
    "topic_description": "bias in language models",
    "ideas": [
        {
            "First Idea": {
                "Problem": "P1", "Existing Methods": "E1", "Motivation": "M1",
                "Proposed Method": ["Step a", "Step b"], "Experiment Plan": {"Step 1": "Data"},
            },
            "Second Idea": {"Problem": "P2", "Proposed Method": {"Part": "text"}},
            "Broken Idea": "only text",
        },
        3,
    ],
}  # fmt: skip
_PLAN = {
    "Title": "A Plan", "Problem Statement": "P", "Motivation": "M", "Proposed Method": "X",
    "Step-by-Step Experiment Plan": {"Step 1": "S"}, "Test Case Examples": "T",
    "Fallback Plan": "F",
}  # fmt: skip
_LIVE = (
    "timestamp,keywords,idea_model,critic_model,idea,raw_critique,parsed_scores,parsed_reasoning,"
    "critique_reasoning,error,full_response,first_was_rejected,first_reject_response"
)
_AGENT = (
    "idea_model,critic_model,track,domain,subdomain,idea_index,item_id,idea_text,"
    "score_originality,score_feasibility,score_clarity,score_impact,score_specificity,error,"
    "created_at,ss_paper_id"
)
_IDEABENCH = (
    "paperId,title,abstract,year,venue,citationCount,publicationTypes,externalIds,targetPaperId,"
    "abstract_summary,hypotheses"
)

_WINDOW = {
    "cutoff_month": "2024-07", "cutoff_date": "2024-07-31",
    "predictions": [
        {"rank": 1, "title": "T", "rationale": "R", "approach": "A", "score": 0.5,
         "confidence": 0.9, "key_terms": ["k"], "metadata": {}},
        {"rank": 2, "title": "U", "rationale": "R", "approach": "", "key_terms": []},
    ],
}  # fmt: skip


def _candidate(paper: str, *marks: object) -> dict[str, Any]:
    names = ("problem_score", "method_score", "specificity_score", "reasoning")
    return {"paper_id": paper, "embed_score": 0.5, **dict(zip(names, marks, strict=True))}


# By format: the table it fills and the file's bytes. No name tells what a file is.
FILES: dict[str, tuple[str, bytes]] = {
    "ai-researcher-cache": ("ideas", _json(_CACHE)),
    "ai-researcher-proposal": (
        "ideas",
        _json(
            {
                "topic_description": "bias", "idea_name": "name", "raw_idea": {"Problem": "p"},
                "novelty_queries": [], "novelty": "yes", "full_experiment_plan": _PLAN,
            }
        ),
    ),
    "ai-researcher-scores": (
        "scores",
        _csv(
            "idea_id,topic,condition,familiarity,novelty_score,novelty_rationale,feasibility_score,"
            "effectiveness_score,excitement_score,overall_score,overall_rationale,"
            "confidence_score,soundness_score,reviewer_email",
            'A_1 _AI,Bias,AI,3,4,"no, ""really""\nno",5,6,7,8,fine,3,5,x@example.org',
            "A_1 _AI,Bias,AI,2,5,,5,6,7,7,,3,,",
            "B_2_AI_Rerank,Bias,AI_Rerank,,,,,,,,,,,",
        ),
    ),
    "ai-scientist": (
        "ideas",
        _json(
            [
                {"Name": "n", "Title": "T", "Experiment": "Do it", "Interestingness": 7,
                 "Feasibility": 8, "Novelty": 6, "novel": True},
                {"Name": "m", "Title": "U", "Experiment": "Do that", "Novelty": 11},
                {"Name": "o", "Title": "V", "Experiment": "Unmarked"},
            ]
        ),
    ),
    "ai-scientist-v2": (
        "ideas",
        _json(
            [
                {"Name": "n", "Title": "T", "Short Hypothesis": "H", "Related Work": "R",
                 "Abstract": "A", "Experiments": ["E"], "Risk Factors and Limitations": ["L"]},
                {"Name": "m", "Title": "U", "Short Hypothesis": "H2", "Experiments": ["E1", "E2"]},
            ]
        ),
    ),
    "research-agent": (
        "ideas",
        _lines(
            {"problem": "P", "problem_rationale": "R", "method": "M", "method_rationale": "MR",
             "problem_feedbacks": {"Clarity": {"rating": 4}}, "history": [], "experiment": "E"},
            {"problem": "P2", "method": "M2", "problem_feedbacks": {}},
        ),
    ),
    "coi-agent": (
        "ideas",
        _json({"idea": "I", "experiment": "E", "entities": "N", "idea_chain": "C", "trend": "T",
               "future": "F", "year": [2021, 2022], "human": "H", "related_experiments": []}),
    ),
    "scipip": (
        "ideas",
        _json([{"hash_id": 1, "background": "B", "entities_bg": [], "brainstorm": "S",
                "related_paper": [], "input": "", "ideas": ["One", {"title": "T", "idea": "Two"},
                                                            ""]},
               {"hash_id": 2, "background": "B", "ideas": []}]),
    ),
    "ai-idea-bench": (
        "ideas",
        _json([{"index": 3, "summary": {"topic": "T", "revised_topic": "R"},
                "model_result": {"motivation": "M", "method": {"targeted_designs_details": [
                    {"design_name": "D1", "description": "X"}, {"design_name": "D2"}]}}},
               {"index": 4, "summary": {"topic": "T"}, "model_result": None}]),
    ),
    "ideabench": (
        "ideas",
        _csv(
            _IDEABENCH,
            "A,T,Abs,2024,V,3,,,Z,Sum,\"['Hypothesis one', 'Hypothesis two']\"",
            'B,T,Abs,2024,V,3,,,Z2,Sum,"[__import__(\'os\').getcwd()]"',
            "C,T,Abs,2024,V,3,,,Z3,Sum,[]",
        ),
    ),
    "liveideabench": (
        "ideas",
        _csv(
            _LIVE,
            't,cells,m1,c1,An idea,raw,"{\'originality\': 7, \'feasibility\': 6, \'clarity\': 8}",'
            "why,,,,False,",
            "t,cells,m1,c2,An idea,gibberish,,,,,,False,",
            "t,cells,m1,c3,An idea,,,,,timed out,,False,",
            "t,cells,m1,c4,An idea,,,,,blocked by safety filter,,False,",
            "t,cells,m2,c1,,,,,,refused,,True,No.",
        ),
    ),
    "agentideabench": (
        "ideas",
        gzip.compress(
            _csv(_AGENT, "m,c1,t,d,s,1,x,The idea,5,6,7,8,9,,now,p",
                 "m,c2,t,d,s,1,x,The idea,,,,,,timeout,now,p"),
            mtime=0,
        ),
    ),
    "semantic-scholar": (
        "papers",
        _json(
            {
                "total": 3, "token": "next",
                "data": [
                    {"paperId": "a1", "externalIds": {"ArXiv": "2306.01234", "DOI": "10.1/X"},
                     "title": "A long enough title here", "abstract": None, "venue": "",
                     "publicationVenue": {"name": "ACL"}, "year": 2024,
                     "publicationDate": "2024-05-01", "citationCount": 3,
                     "tldr": {"text": "Short."}, "authors": [{"authorId": "1", "name": "N"}]},
                    None,
                    {"paperId": "a2", "externalIds": None, "title": "Another title of some length",
                     "year": 2023, "publicationDate": None, "citationCount": None},
                ],
            }
        ),
    ),
    "openalex": (
        "papers",
        _lines(
            {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1/X",
             "display_name": "A work with a title", "publication_date": "2024-01-15",
             "abstract_inverted_index": {"is": [1], "this": [0, 2]}, "publication_year": 2024,
             "primary_location": {"source": {"display_name": "J"},
                                  "landing_page_url": "https://arxiv.org/abs/2312.00001v2"},
             "cited_by_count": 2, "fwci": 1.5,
             "authorships": [{"author": {"id": "A", "display_name": "Q", "orcid": "o"}}]},
            {"id": "https://openalex.org/W2", "title": "Another work with a title",
             "publication_date": "2024-02-01", "abstract_inverted_index": {"broken": "x"},
             "primary_location": None},
        ),
    ),
    "arxiv-atom": ("papers", ATOM),
    "arxiv": (
        "papers",
        _json(
            [
                {"id": "0704.0001", "submitter": "S", "title": "A dumped paper title",
                 "abstract": "Text", "categories": "hep-ph cs.CL", "update_date": "2008-11-26",
                 "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
                              {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"}]},
                {"id": "2403.00002v2", "title": "Only its revision is dated",
                 "updated": "2024-09-01", "categories": ["cs.AI"]},
            ]
        ),
    ),
    "paperlists": (
        "papers",
        _json(
            [
                {"id": "x1", "title": "Listed paper number one", "abstract": "A", "status": "Poster",
                 "keywords": "a;b", "author": "A;B", "rating": "5;7;7;7", "gs_citation": -1,
                 "site": "https://iclr.cc/virtual/2025/poster/1", "author_orcid": "x"},
                {"id": "x2", "title": "Listed paper number two", "status": "Reject", "rating": "",
                 "site": "https://openreview.net/forum?id=x2", "gs_citation": 4},
                {"id": "x3", "title": "Listed paper number three", "status": "Oral",
                 "rating": "8-10-8-8", "site": "https://icml.cc/virtual/2024/oral/3",
                 "gs_citation": 0},
            ]
        ),
    ),
    "bibtex": ("papers", BIBTEX),
    "ideaforecastbench": (
        "ideas",
        _json(
            {
                "config": {"start_month": "2024-07", "end_month": "2024-09", "top_k": 5},
                "topic_results": {"gnn": {"topic_name": "Graphs", "backtest": {"windows": [
                    _WINDOW, {"cutoff_month": "2024-08", "predictions": []}, _WINDOW,
                    {"cutoff_month": "soon", "predictions": []},
                ]}}},
            }
        ),
    ),
    "ideaforecastbench-paper": (
        "papers",
        "# A paper: of graphs\npaper_id: 2407.00001v2\ndate: 2024-07-03\nkeywords: gnn, é\n\n"
        "## Abstract\n\nTwo\nlines.\n\n## Notes\nnot this\n".encode(),
    ),
    "foreseen-ideas": (
        "ideas",
        _lines(
            {"idea_id": "i1", "system": "a", "topic": "t", "cutoff": "2024-06-30", "title": "T",
             "key_terms": ["k"], "extra": {"note": 1}, "hindsight": {"score": 0.5}, "scores": [
                 {"judge": "ann", "repeat": 2, "novelty": 5, "state": "ok", "reason": "R"},
                 {"judge": "bob", "repeat": 1, "state": "refused"}]},
            {"idea_id": "i2", "system": "a", "title": "U", "hindsight": None, "scores": []},
        ),
    ),
    "rater-table": ("scores", _csv("1,1,2,2,", "1,2,2,2,3")),
    "pair-labels": (
        "comparisons",
        _csv("idx,pair,ann,ben,model,note", "0,a_b,1,1,Tie,x", "1,a_c,2,2,garbage,y",
             "2,b_c,0,9,2,z", "3,,1,1,1,w", "4,a_b,,1,2,v", "5,x_y_z,1,1,1,u"),
    ),
    "pair-winners": (
        "comparisons",
        _csv("left,right,winner,rater", "a,b,left,ann", "a,b,left,ann", "b,a,tie,ann",
             "c,c,tie,ann", "a,c,nobody,ann", "a,c,garbage,ann"),
    ),
}  # fmt: skip

# Further shapes of the same formats: what is in each, the format, the table and the bytes.
SHAPES: dict[str, tuple[str, str, bytes]] = {
    "judged forecasts": (
        "ideaforecastbench",
        "ideas",
        _json(
            {
                "mode": "llm_judge_eval", "source_json": "runs/direct.json", "top_r": 10,
                "judge_model": "j", "embed_model": "e", "config": {"top_k": 5},
                "topic_results": {"gnn": {"topic_name": "Graphs", "windows": [
                    {"cutoff_month": "2024-07", "per_prediction": [{
                        "rank": 1, "title": "T", "metadata": {"fallback_events": ["call"]},
                        "top_candidates": [
                            _candidate("p1", 0, 0, 0, ""), _candidate("p2", None, None, None, "x"),
                            _candidate("p3", 3, 2, 2, "alike"), _candidate("p4", 0, 0, 0, "apart"),
                        ]}]},
                ]}},
            }
        ),
    ),
    "a case of CoI": (
        "coi-agent", "ideas",
        _json({"title": "T", "idea": {"Core": "I"}, "experiment": "E", "score": 3}),
    ),
    "a failed run first": (
        "ai-idea-bench", "ideas",
        _json([{"index": 1, "summary": None, "model_result": None},
               {"index": 2, "summary": {"topic": "T"}, "model_result": {
                   "motivation": "M", "method": {"targeted_designs_details": [
                       {"design_name": "D", "description": {"step": "X"}, "pseudo_code": "y"}]}}}]),
    ),
    "a dump of the citation graph": (
        "semantic-scholar", "papers",
        _lines({"corpusid": 7, "externalids": {"DOI": "10.1/Y"}, "title": "A dumped title of it",
                "publicationdate": None, "year": 2024, "citationcount": 0, "authors": []}),
    ),
    "a page of works": (
        "openalex", "papers",
        _json({"meta": {"next_cursor": "x"}, "results": [
            {"id": "https://openalex.org/W3", "title": None, "display_name": "Named by its display",
             "publication_date": "2024-02-30", "publication_year": 2024},
            {"id": "https://openalex.org/W4", "title": "A work of the year 2024",
             "publication_date": None, "publication_year": 2024, "cited_by_count": None}]}),
    ),
    "a daily dump": (
        "arxiv", "papers",
        _json({"papers": [
            {"paper_id": "http://arxiv.org/abs/cs/0501001v2", "title": "An old style identifier",
             "summary": "A", "published": "2005-01-03T00:00:00Z", "updated": "2009-01-01",
             "primary_category": "cs.DL", "id": 7},
            {"paper_id": "2403.00002v1", "title": "A paper that is listed twice",
             "published": "2024-03-01", "updated": "2024-03-01", "categories": ["cs.AI"]},
            {"paper_id": "2403.00002v3", "title": "A paper that is listed twice",
             "published": "2024-03-01", "updated": "2024-05-01", "categories": ["cs.LG"]}]}),
    ),
    "the execution study": (
        "ai-researcher-scores", "scores",
        _csv("idea_id,condition,soundness_score,codebase_quality_score,faithfulness_score,"
             "overall_score,experience,minutes,topic,overall_rationale",
             "A_1_AI,AI,5,6,7,4,3,60,Bias,why", "A_1_AI,AI,5,6,7,,3,60,Bias,"),
    ),
}  # fmt: skip

# Reviewed papers, for references: the shape and the bytes.
REVIEWED: dict[str, tuple[str, bytes]] = {
    "the listing of PAIR-IQ": (
        "pair-iq",
        _json([{"title": "T", "url": "u", "conference": "ICLR", "year": 2024, "label": "poster",
                "abstract": "A", "keywords": ["k"], "primary area": "x", "rating": 3.125,
                "contribute": 2.5, "soundness": 3, "novelty": "0", "embedding": [0.5],
                "analysis": {"main_target": "M", "core_breakthrough": "C",
                             "innovative_methods": ["1", "2"], "experimental_design": "E"}},
               {"title": "U", "conference": "ICLR", "year": 2024, "rating": 9, "contribute": 1}]),
    ),
    "one paper of PAIR-IQ": (
        "pair-iq",
        _json({"main": "M", "approach": "A", "rating": 3, "conference": "ICLR", "year": 2025,
               "primary area": "x", "title": "T"}),
    ),
    "notes of version 1": (
        "openreview",
        _json([{"id": "n", "forum": "n", "signatures": ["~A_B1"],
                "content": {"title": "T", "authorids": ["~A_B1"], "venue": "ICLR 2023 poster"},
                "details": {"directReplies": [
                    {"signatures": ["~C_D1"], "content": {
                        "rating": "6: marginally above", "confidence": "4: confident"}},
                    {"content": {"decision": "Accept (Poster)"}}]}}]),
    ),
    "notes of version 2": (
        "openreview",
        _lines({"id": "n", "forum": "n", "content": {
                    "title": {"value": "T"}, "venueid": {"value": "ICLR.cc/2024/Conference"}}},
               {"id": "r", "forum": "n", "content": {
                   "rating": {"value": "8: accept"}, "soundness": {"value": "3 good"},
                   "contribution": {"value": "2 fair"}, "presentation": {"value": "4 excellent"},
                   "confidence": {"value": 3}}}),
    ),
    "three ways to write ratings": (
        "openreview",
        _json([{"id": "a", "title": "T", "status": "Poster", "rating": "5;7;7;7",
                "site": "https://iclr.cc/virtual/2025/poster/1"},
               {"id": "b", "title": "U", "status": "Reject", "rating": "3, 3, 5, 5",
                "site": "https://iclr.cc/virtual/2025/poster/2"},
               {"id": "c", "title": "V", "status": "Oral", "rating": "8-10-8-8",
                "site": "https://iclr.cc/virtual/2025/poster/2"},
               {"id": "d", "title": "W", "status": "Reject", "rating": "",
                "site": "https://iclr.cc/virtual/2025/poster/2"},
               {"id": "e", "title": "X", "status": "Reject", "rating": "6",
                "site": "https://iclr.cc/virtual/2025/poster/2"}]),
    ),
}  # fmt: skip
