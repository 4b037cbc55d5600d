"""The study's folder: what is written comes back, and what is wrong is named."""

from __future__ import annotations

import calendar
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from builders import study, table
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import Settings, StudyConfig, window_end
from core.errors import DataError, TableError, UsageError
from core.ingest import tabular
from core.schema import PAPERS, SCORES, TABLES, admit
from core.study import Study, frame_digest, table_file

PAPER_ROWS = [
    {
        "paper_id": "p1",
        "title": "A title, with a comma",
        "published": "2024-06",
        "citations": 3,
        "topics": ["a", "b"],
        "identifiers": {"doi": "10.1/x"},
        "extra": {"n": 1.5, "nested": {"list": [1, None, "ü"]}},
    },
    {"paper_id": "p2", "title": 'Quotes "and"\nline\rbreaks\r\nx', "published": "2024-06-05"},
    {"paper_id": "3", "title": "=1+1", "published": "2024", "abstract": "نص 🧪"},
]
IDEA_ROWS = [
    {"idea_id": "1", "system": "A", "rank": 2, "cutoff": "2023-01-31", "key_terms": ["x; y", "z"]},
    {"idea_id": "02", "system": "B", "title": "NaN is text here", "topic": "1e5"},
]
SCORE_ROWS = [
    {"idea_id": "1", "judge": "j", "novelty": 7.25, "state": "ok"},
    {"idea_id": "1", "judge": "j", "repeat": 2, "state": "refused", "reason": "no"},
]
TABLE_ROWS = {"papers": PAPER_ROWS, "ideas": IDEA_ROWS, "scores": SCORE_ROWS}
SUFFIXES = [s + gz for s in (".parquet", ".jsonl", ".csv", ".tsv") for gz in ("", ".gz")]


@pytest.fixture
def made(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s", cutoff=date(2023, 6, 1))


def folder_of(made: Study) -> Path:
    assert made.folder is not None
    return made.folder


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", TABLE_ROWS)
def test_a_table_reads_alike_from_every_format(made: Study, name: str, suffix: str) -> None:
    frame = table(name, TABLE_ROWS[name])
    made.write(name, frame, suffix=".jsonl")
    as_jsonl = Study.open(folder_of(made))
    made.write(name, frame, suffix=suffix)
    again = Study.open(folder_of(made))
    pd.testing.assert_frame_equal(getattr(again, name), frame)
    assert again.digest == as_jsonl.digest
    assert [p.name for p in folder_of(made).glob(f"{name}.*")] == [f"{name}{suffix}"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_written_date_keeps_its_precision(made: Study, suffix: str) -> None:
    made.write("papers", table("papers", PAPER_ROWS), suffix=suffix)
    papers = Study.open(folder_of(made)).papers
    assert papers["date_precision"].tolist() == ["month", "day", "year"]


@settings(deadline=None, max_examples=25)
@given(order=st.permutations(range(3)))
def test_the_digest_is_free_of_row_order(order: list[int]) -> None:
    whole = study(papers=PAPER_ROWS)
    assert study(papers=[PAPER_ROWS[place] for place in order]).digest == whole.digest


def test_the_digest_sees_every_cell() -> None:
    digests = {frame_digest(table("papers", PAPER_ROWS))}
    for name, value in (
        ("title", "t"), ("published", "2024-07"), ("citations", 4), ("topics", ["b", "a"]),
        ("identifiers", {"doi": "10.1/y"}), ("abstract", "x"), ("extra", {}),
    ):  # fmt: skip
        digests.add(
            frame_digest(table("papers", [{**PAPER_ROWS[0], name: value}, *PAPER_ROWS[1:]]))
        )
    assert len(digests) == 8
    assert study().digest != study(config_values={"horizon_months": 29}).digest


def test_two_files_for_one_table_are_refused(made: Study) -> None:
    for suffix in (".csv", ".jsonl"):
        (folder_of(made) / f"ideas{suffix}").write_text("")
    with pytest.raises(DataError, match=r"ideas\.jsonl and ideas\.csv are the same table"):
        Study.open(folder_of(made))


def test_a_table_keeps_its_format_when_it_is_replaced(made: Study) -> None:
    frame = table("ideas", IDEA_ROWS)
    made.write("ideas", frame, suffix=".csv.gz")
    made.write("ideas", frame.iloc[:1])
    assert table_file(folder_of(made), "ideas") == folder_of(made) / "ideas.csv.gz"
    assert Study.open(folder_of(made)).ideas["idea_id"].tolist() == ["1"]


def test_a_failed_write_leaves_the_old_table(made: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    made.write("ideas", table("ideas", IDEA_ROWS))
    before = (folder_of(made) / "ideas.parquet").read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tabular.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        made.write("ideas", table("ideas", IDEA_ROWS[:1]))
    assert (folder_of(made) / "ideas.parquet").read_bytes() == before
    assert sorted(p.name for p in folder_of(made).iterdir()) == ["ideas.parquet", "study.toml"]


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_a_killed_write_leaves_the_old_table(made: Study, root: Path) -> None:
    made.write("ideas", table("ideas", IDEA_ROWS), suffix=".csv")
    before = (folder_of(made) / "ideas.csv").read_bytes()
    code = (
        "import os, signal, sys; from pathlib import Path; from core.ingest.tabular import replacing\n"
        "with replacing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder_of(made) / "ideas.csv")], cwd=root
    )
    assert done.returncode == -9
    assert (folder_of(made) / "ideas.csv").read_bytes() == before
    assert Study.open(folder_of(made)).ideas["idea_id"].tolist() == ["1", "02"]


@pytest.mark.parametrize(
    ("cutoff", "months", "end"),
    [
        # 2023-06 + 30 months: 2023-06 + 2 years = 2025-06, + 6 = 2025-12, whose last day is 31.
        (date(2023, 6, 1), 30, date(2025, 12, 31)),
        (date(2023, 6, 30), 30, date(2025, 12, 31)),
        # 2023-12 + 2 = 2024-02: 2024 is divisible by 4, so 29 days; 2025-02 has 28.
        (date(2023, 12, 31), 2, date(2024, 2, 29)),
        (date(2024, 12, 31), 2, date(2025, 2, 28)),
        # 2099-12 + 2 = 2100-02: a century not divisible by 400.
        (date(2099, 12, 1), 2, date(2100, 2, 28)),
        (date(2024, 6, 30), 24, date(2026, 6, 30)),
        (date(2024, 11, 30), 1, date(2024, 12, 31)),
    ],
)
def test_the_window_ends_with_its_month(cutoff: date, months: int, end: date) -> None:
    assert window_end(cutoff, months) == end
    assert StudyConfig(name="s", cutoff=cutoff, horizon_months=months).window_end() == end


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 600))
@settings(deadline=None)
def test_the_window_ends_on_a_last_day_that_many_months_on(cutoff: date, months: int) -> None:
    end = window_end(cutoff, months)
    assert (end.year - cutoff.year) * 12 + end.month - cutoff.month == months
    assert end.day == calendar.monthrange(end.year, end.month)[1]


TOML = 'name = "s"\ncutoff = 2023-06-30\nhorizon_months = 30\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TOML + 'cutof = "x"\nhorizon = 3\n', r"no key 'cutof'\. Did you mean 'cutoff'\?"),
        (
            TOML + 'cutof = "x"\nhorizon = 3\n',
            r"no key 'horizon'\. Did you mean 'horizon_months'\?",
        ),
        (TOML + 'preset = "hindsite"\n', r"'preset'.*Did you mean 'hindsight'\?"),
        (TOML + "[settings]\nthetta = 0.5\n", r"\[settings\].*Did you mean 'theta'\?"),
        (TOML + "[settings]\ntheta = 1.5\n", r"'theta'.*less than or equal to 1 \(given: 1\.5\)"),
        (TOML + '[knowledge_cutoff]\nA = "soon"\n', r"'knowledge_cutoff\.A'"),
        ('name = "s"\ncutoff = 2023-06-30\n', r"'horizon_months': Field required"),
        (TOML.replace("= 30", "= 0"), r"'horizon_months': .*greater than or equal to 1"),
        (TOML.replace("2023-06-30", '"2023-13-40"'), r"'cutoff'"),
        ("name = \n", "not readable as TOML"),
    ],
)
def test_study_toml_names_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(DataError, match=said) as caught:
        StudyConfig.read(tmp_path / "study.toml")
    assert "study.toml" in str(caught.value)


def test_study_toml_comes_back(tmp_path: Path) -> None:
    config = StudyConfig(
        name="Ünï", cutoff=date(2023, 6, 30), horizon_months=30, encoder="specter2",
        snapshot=date(2026, 1, 1), settings={"theta": 0.6}, knowledge_cutoff={"A": date(2023, 12, 1)},
    )  # fmt: skip
    (tmp_path / "study.toml").write_text("\ufeff" + config.to_toml(), encoding="utf-8")
    assert StudyConfig.read(tmp_path / "study.toml") == config
    assert config.resolved().theta == 0.6
    assert Settings.of({"theta": 0.7}, base=config.resolved()).theta == 0.7


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"preset": "ligbensh"}, "Did you mean 'ligbench'"),
        ({"horizon_months": 0}, "'horizon_months'"),
        ({"name": ""}, "'name'"),
    ],
)
def test_a_study_that_cannot_be_is_not_made(
    tmp_path: Path, values: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        Study.create(tmp_path / "s", cutoff=date(2023, 6, 1), **values)  # type: ignore[arg-type]
    assert not (tmp_path / "s").exists()


def test_a_folder_without_a_study_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Make a study with `foreseen new`"):
        Study.open(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        Study.open(tmp_path / "none")


def test_opening_lists_every_problem_of_every_table(made: Study) -> None:
    (folder_of(made) / "ideas.csv").write_text("idea_id,system\ni1,\n")
    (folder_of(made) / "scores.csv").write_text("idea_id,judge,novelty\ni1,j,11\ni1,j,2\n")
    with pytest.raises(TableError) as caught:
        Study.open(folder_of(made))
    assert [(p.file, p.row, p.column) for p in caught.value.problems] == [
        ("ideas.csv", 1, "system"),
        ("scores.csv", 1, "novelty"),
        ("scores.csv", 2, "idea_id, judge, repeat"),
    ]


@pytest.mark.parametrize("name", TABLES)
def test_an_empty_file_is_an_empty_table(made: Study, name: str) -> None:
    (folder_of(made) / f"{name}.csv").write_text("")
    assert getattr(Study.open(folder_of(made)), name).columns.tolist() == list(TABLES[name].names)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("published", "June 2023", "must be a date"),
        ("published", "2023-13-40", "month must be in 1..12"),
        ("published", "2023-06-01 later", "must be a date"),
        ("citations", "NaN", "must be a finite number"),
        ("citations", "inf", "must be a finite number"),
        ("citations", "-1", "must be at least 0"),
        ("citations", 10**400, "must be a finite number"),
        ("title", "\ud800", "whole characters"),
        ("title", ["a"], "must be text"),
        ("topics", "[1", "must be a list"),
        ("identifiers", "doi", "must be a JSON object"),
        ("paper_id", " p", "must not begin or end with a space"),
        ("date_precision", "week", "must be one of day, month, year"),
    ],
)
def test_a_bad_cell_is_named_with_what_is_allowed(column: str, cell: object, said: str) -> None:
    raw = pd.DataFrame([{"paper_id": "p", "title": "T", column: cell}], dtype=object)
    _, problems = admit(PAPERS, raw, file="papers.csv")
    assert [(p.file, p.row, p.column) for p in problems] == [("papers.csv", 1, column)]
    assert said in problems[0].message


@pytest.mark.parametrize("name", ["scores", "starts", "comparisons", "verdicts"])
def test_no_judge_is_named_as_all_of_them_are(name: str) -> None:
    """The setting judge = all means every judge, so none can be told apart by that name."""
    raw = pd.DataFrame([{"judge": "all"}, {"judge": "overall"}])
    _, problems = admit(TABLES[name], raw, file=f"{name}.csv")
    told = [p for p in problems if p.column == "judge"]
    assert [(p.row, p.value) for p in told] == [(1, "all")]
    assert "all judges together" in told[0].message
    assert "another name" in told[0].message


def test_a_missing_column_names_the_nearest() -> None:
    raw = pd.DataFrame([{"idea_id": "i", "judges": "j", "novelty": 3}])
    _, problems = admit(SCORES, raw, file="scores.csv")
    assert "is missing. Found: idea_id, judges, novelty. Did you mean 'judges'?" in {
        p.message for p in problems
    }
