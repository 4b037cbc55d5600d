"""The real files beside the checkout, through the product's own commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.ingest.merge import recorded_merges
from core.study import Study

PAPERS = ("arxiv_cscl_2025", "venues", "cvpr_icml_2025")


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stderr


def printed(*words: object) -> dict[str, Any]:
    """The one JSON object that a command prints."""
    words = (*words, "--json", "--draws", 100)
    return dict(json.loads(CliRunner().invoke(app, [str(w) for w in words]).stdout))


def new(folder: Path) -> Path:
    run("new", folder, "--cutoff", "2024-06-30")
    return folder


@pytest.fixture(scope="module")
def study(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder, data = tmp_path_factory.mktemp("si") / "s", shared_data / "si2024"
    run("new", folder, "--cutoff", "2024-06-30", "--horizon-months", 24)
    run("import", "ideas", data / "ideas.csv", "--into", folder, "--split-sections", "Content")
    files = [data / f"papers_{name}.jsonl.gz" for name in PAPERS]
    run("import", "papers", *files, "--into", folder)
    run("import", "scores", data / "reviews.jsonl", "--into", folder, "--set", "judge=expert",
        "--map", "effectiveness_score=impact")  # fmt: skip
    return Study.open(folder)


def test_every_idea_has_its_four_sections(study: Study) -> None:
    assert study.ideas["system"].value_counts().to_dict() == {"Human": 48, "AI": 45}
    assert study.ideas[["title", "problem", "rationale", "method"]].notna().all(axis=None)
    extras = {name for extra in study.ideas["extra"] for name in extra}
    assert extras == {
        "step_by_step_experiment_plan", "test_case_examples", "fallback_plan", "Title / Filename",
    }  # fmt: skip
    # No section swallowed the next one's heading.
    for column in ("problem", "rationale"):
        assert not study.ideas[column].str.contains("Proposed Method:").any()


def test_papers_are_merged_and_unknown_stays_unknown(study: Study) -> None:
    papers = study.papers
    merges = recorded_merges(papers)
    assert len(papers) + len(merges) == 9374 + 3525 + 1268
    assert {merge.by for merge in merges} == {"title", "paper_id"}
    assert not (papers["citations"] < 0).any()
    assert not papers["published"].isna().any()
    assert set(papers["date_precision"]) == {"month", "year"}
    assert not papers["abstract"].str.contains("\n(?!\n)(?<!\n\n)", regex=True, na=False).any()


def test_reviews_keep_ideas_without_a_text(study: Study) -> None:
    assert len(study.scores) == 337
    assert study.scores["idea_id"].nunique() == 147
    assert set(study.scores["judge"]) == {"expert"}
    known = study.scores["idea_id"].isin(study.ideas["idea_id"])
    assert (known.sum(), (~known).sum()) == (216, 121)
    rerank = study.scores["idea_id"].str.contains("Rerank")
    assert study.scores.loc[rerank, "novelty"].mean() == pytest.approx(5.81, abs=0.005)


def test_stray_spaces_and_a_third_condition(study: Study) -> None:
    stray = study.scores.loc[study.scores["idea_id"].str.contains(" "), "idea_id"]
    # Such ids stay as they are only where no idea of the study differs by spaces alone.
    assert stray.nunique() == 6
    assert not set(stray.str.replace(" ", "")) & set(study.ideas["idea_id"])
    per_idea = study.scores.groupby("idea_id").size()
    assert (per_idea.min(), per_idea.max()) == (2, 4)


def test_reviews_are_known_by_their_shape(shared_data: Path, tmp_path: Path) -> None:
    run("new", tmp_path / "s", "--cutoff", "2024-06-30")
    told = run("import", "scores", shared_data / "si2024" / "reviews.jsonl", "--into",
               tmp_path / "s")  # fmt: skip
    assert "ai-researcher-scores" in told
    assert "(n): AI 5.64 (109), AI_Rerank 5.81 (109), Human 4.84 (119)" in told
    scores = Study.open(tmp_path / "s").scores
    rerank = scores["idea_id"].str.contains("Rerank")
    human = scores["idea_id"].str.contains("Human")
    # The means that the study's authors published, over reviews.
    for rows, mean in ((human, 4.84), (rerank, 5.81), (~human & ~rerank, 5.64)):
        assert scores.loc[rows, "novelty"].mean() == pytest.approx(mean, abs=0.005)


def test_one_title_under_two_ids_and_months_that_differ(shared_data: Path, tmp_path: Path) -> None:
    run("new", tmp_path / "s", "--cutoff", "2024-06-30", "--preset", "ideaforecastbench")
    run("import", "papers", shared_data / "arxiv-topics" / "papers.jsonl.gz", "--into",
        tmp_path / "s")  # fmt: skip
    papers = Study.open(tmp_path / "s").papers
    (merge,) = recorded_merges(papers)
    assert (merge.by, merge.merged_id, merge.paper_id) == ("title", "2505.04163", "2411.08249")
    dated = papers[papers["published"].notna()]
    by_id = "20" + dated["paper_id"].str[:2] + "-" + dated["paper_id"].str[2:4]
    # The day of version 1 stands, and not the month in the id, where the two differ.
    assert (by_id != dated["published"].dt.strftime("%Y-%m")).sum() in range(195, 203)
    assert set(papers["topics"].explode()) >= {"Time Series", "Trajectory"}


def test_papers_never_looked_up_are_unknown_and_not_zero(study: Study) -> None:
    papers = study.papers
    assert papers["citations"].isna().sum() > 700
    assert (papers["citations"] == 0).sum() > 0


def test_submissions_with_zero_ratings_and_without_reviews(
    shared_data: Path, tmp_path: Path
) -> None:
    run("new", tmp_path / "s", "--cutoff", "2025-09-30", "--preset", "ligbench")
    told = run("import", "references", shared_data / "iclr2026-reviews" / "papers.jsonl",
               "--into", tmp_path / "s")  # fmt: skip
    assert "read as openreview, known by its content" in told
    references = Study.open(tmp_path / "s").references
    assert (len(references), references["rating"].isna().sum()) == (100, 4)
    raw = [extra["reviews"]["rating"] for extra in references["extra"] if extra.get("reviews")]
    assert 0 in {mark for marks in raw for mark in marks}
    assert (references["decision"] == "Unknown").sum() == 30


def test_first_dates_only(shared_data: Path, tmp_path: Path) -> None:
    run("new", tmp_path / "s", "--cutoff", "2024-06-30", "--preset", "ideaforecastbench")
    run("import", "papers", shared_data / "arxiv-topics" / "papers.jsonl.gz", "--into",
        tmp_path / "s")  # fmt: skip
    papers = Study.open(tmp_path / "s").papers
    assert len(papers) + len(recorded_merges(papers)) == 8581
    # 340 rows have no v1_date; no revision's date is put in its place.
    assert papers["published"].isna().sum() in range(330, 341)
    assert set(papers["date_precision"].dropna()) == {"day"}


def test_coded_units_have_the_published_alpha(shared_data: Path, tmp_path: Path) -> None:
    folder = new(tmp_path / "s")
    told = run("import", "scores", shared_data / "agreement" / "codings.csv", "--into", folder)
    assert "41 rows read, 41 kept" in told
    assert "each row is a rater (4), each column a unit (12)" in told
    overall = printed("agreement", folder)["overall"]
    assert overall["alpha_nominal"] == pytest.approx(0.7434211, abs=5e-8)


def test_words_of_raters_are_nominal(shared_data: Path, tmp_path: Path) -> None:
    """Units NN NN NN, NN VBP VBP NN, VBP VBP VBP NN, VBP NN NN VBP: of 15 labels 8 are NN.

    Within units, pairs that differ over (marks − 1): 0, 8/3, 6/3, 8/3, so D_o = (22/3)/15;
    D_e = 2·8·7/(15·14) = 8/15; α = 1 − (22/45)/(8/15) = 1/12.
    """
    file, folder = shared_data / "agreement" / "gcl.csv", new(tmp_path / "s")
    done = CliRunner().invoke(app, ["import", "scores", str(file), "--into", str(folder)])
    assert "--code" in str(done.exception)
    told = run("import", "scores", file, "--into", folder, "--code", "NN=1", "--code", "VBP=2")
    assert "15 rows read, 15 kept" in told
    assert printed("agreement", folder)["overall"]["alpha_nominal"] == pytest.approx(1 / 12)


def test_labels_of_pairs_have_the_published_kappas(shared_data: Path, tmp_path: Path) -> None:
    folder = new(tmp_path / "s")
    file = shared_data / "agreement" / "pandalm_labels.csv"
    assert "4995 rows read, 4995 kept" in run("import", "comparisons", file, "--into", folder)
    found = printed("agreement", folder)
    pairs = {(pair["judge_a"][-1], pair["judge_b"][-1]): pair for pair in found["pairs"]}
    kappas = {
        names: round(pairs[names]["kappa"], 2) for names in (("1", "2"), ("1", "3"), ("2", "3"))
    }
    assert kappas == {("1", "2"): 0.85, ("1", "3"): 0.88, ("2", "3"): 0.86}
    assert {pairs[names]["n"] for names in kappas} == {999}
    failed = {row["judge"]: row["parse_failed"] for row in found["states"] if row["parse_failed"]}
    assert failed == {"gpt_3_5": 25}
    garbled = next(pair for pair in found["pairs"] if pair["judge_b"] == "gpt_3_5")
    assert (garbled["n"], garbled["left_out_b"]) == (974, {"parse_failed": 25})


PUBLISHED_JUDGES = {
    "gpt-4o-2024-05-13_temp_0_1_pages_all": 0.66,
    "gpt-4o-2024-05-13_temp_0_1_reflect_5_pages_all": 0.68,
    "gpt-4o-2024-05-13_temp_0_1_reflect_5_ensemble_5_pages_all": 0.68,
    "gpt-4o-2024-05-13_temp_0_1_fewshot_1_reflect_5_ensemble_5_pages_all": 0.70,
}


def test_judges_have_the_published_accuracy(shared_data: Path, tmp_path: Path) -> None:
    """Accept and reject are named by two numbers, so accuracy is raw agreement with people."""
    folder, own = new(tmp_path / "s"), shared_data / "iclr2022-judges"
    codes = ("--code", "Reject=1", "--code", "Accept=10")
    run("import", "scores", own / "llm_judge_scores.csv", "--into", folder, "--map",
        "paper_id=idea_id", "--map", "Decision=overall", *codes)  # fmt: skip
    kinds = [word for kind in ("Poster", "Spotlight", "Oral")
             for word in ("--code", f"Accept ({kind})=10")]  # fmt: skip
    run("import", "scores", own / "papers.jsonl", "--into", folder, "--map", "paper_id=idea_id",
        "--map", "decision=overall", "--set", "judge=people", *codes, *kinds)  # fmt: skip
    pairs = {
        pair["judge_a"]: pair
        for pair in printed("agreement", folder)["pairs"]
        if pair["judge_b"] == "people"
    }
    found = {judge: pairs[judge]["agreement"] for judge in PUBLISHED_JUDGES}
    assert found == pytest.approx(PUBLISHED_JUDGES, abs=0.005)
    lenient = next(pair for judge, pair in pairs.items() if judge.startswith("claude"))
    assert lenient["n"] == 500
    # It accepts 485 of 500, so it agrees no better than chance would.
    assert lenient["shares_a"][-1] == pytest.approx(0.97)
    assert lenient["kappa"] < 0.1


def test_joined_marks_of_which_0_is_none(shared_data: Path, tmp_path: Path) -> None:
    file = shared_data / "iclr2022-judges" / "papers.jsonl"
    words = ("import", "references", file, "--format", "openreview", "--set", "venue=ICLR", "--set",
             "year=2022", "--map", "title_papercopilot=title", "--map", "correctness=soundness",
             "--map", "empirical_novelty=contribution", "--into", new(tmp_path / "s"))  # fmt: skip
    records = [json.loads(line) for line in file.read_text().splitlines()]
    zeros = sum(record["empirical_novelty"].split(";").count("0") for record in records)
    told = run(*words, "--missing", "contribution=0")
    assert f"contribution: {zeros} × 0 read as no mark" in told
    assert "500 rows read, 500 kept" in told
    first = Study.open(tmp_path / "s").references.set_index("reference_id").loc["tDirSp3pczB"]
    # 2;0;1;3;3 without the 0: mean 9/4 on 1 to 4.
    assert first["contribution"] == pytest.approx((9 / 4 - 1) / 3 * 5)
