"""``foreseen new``, ``import`` and ``check`` as a person types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from foreign_files import FILES
from typer.testing import CliRunner, Result

from core.cli import app
from core.errors import DataError, ForeseenError, UsageError
from core.study import Study

IDEAS = "ID,Condition,Title,Problem\n1,AI,One,p\n2,Human,Two,q\n"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def done(*words: object) -> Result:
    result = run(*words)
    assert result.exit_code == 0, (result.exception, result.stderr)
    return result


def refused(kind: type[ForeseenError], *words: object) -> str:
    result = run(*words)
    assert isinstance(result.exception, kind), result.exception
    return str(result.exception)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    done("new", tmp_path / "s", "--cutoff", "2024-06-30", "--horizon-months", 24)
    return tmp_path / "s"


@pytest.fixture
def ideas(tmp_path: Path) -> Path:
    (tmp_path / "their ideas.csv").write_text(IDEAS)
    return tmp_path / "their ideas.csv"


def test_new_writes_what_was_asked(tmp_path: Path) -> None:
    done("new", tmp_path / "s", "--cutoff", "2023-06-01", "--preset", "ideaforecastbench",
         "--encoder", "specter2", "--name", "Mine", "--snapshot", "2026-01-31")  # fmt: skip
    config = Study.open(tmp_path / "s").config
    assert (config.name, config.encoder, config.preset) == ("Mine", "specter2", "ideaforecastbench")
    assert (config.horizon_months, str(config.snapshot)) == (3, "2026-01-31")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cutoff", "June 2023"), "--cutoff 'June 2023': must be a day as YYYY-MM-DD"),
        (("--cutoff", "2023-02-30"), "day is out of range"),
        (("--cutoff", "2023-06-01", "--preset", "hindsigt"), "Did you mean 'hindsight'?"),
        (("--cutoff", "2023-06-01", "--horizon-months", "0"), "'horizon_months': "),
    ],
)
def test_new_refuses_what_it_cannot_make(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in refused(UsageError, "new", tmp_path / "s", *options)
    assert not (tmp_path / "s" / "study.toml").exists()


def test_new_leaves_a_study_alone(folder: Path) -> None:
    assert "already holds a study" in refused(UsageError, "new", folder, "--cutoff", "2020-01-01")


def test_import_shows_the_mapping_and_prints_json(folder: Path, ideas: Path) -> None:
    result = done("import", "ideas", ideas, "--into", folder, "--json")
    assert "Condition → system (guessed)" in result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    assert (report["rows_before"], report["rows_after"], report["written"]) == (0, 2, True)
    assert report["files"][0]["kept"] == 2
    again = json.loads(done("import", "ideas", ideas, "--into", folder, "--json").stdout)
    assert (again["files"][0]["unchanged"], again["rows_after"], again["written"]) == (2, 2, False)


def test_every_option_reaches_the_table(folder: Path, tmp_path: Path) -> None:
    rows = [{"key": "a", "x": "one", "y": "two", "cites": -1, "memo": "m", "secret": "s"}]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done("import", "papers", tmp_path / "p.jsonl", "--into", folder, "--map", "key=paper_id",
         "--map", "x+y=title", "--join", r"\n", "--map", "cites=citations", "--missing",
         "citations=-1", "--set", "venue=ICML", "--drop", "secret", "--report",
         tmp_path / "report.json")  # fmt: skip
    (row,) = Study.open(folder).papers.to_dict("records")
    assert (row["paper_id"], row["title"], row["venue"]) == ("a", "one two", "ICML")
    assert row["citations"] != row["citations"]
    assert row["extra"] == {"memo": "m"}
    assert json.loads((tmp_path / "report.json").read_text())["files"][0]["left_out"] == ["secret"]


def test_a_dry_run_writes_nothing(folder: Path, ideas: Path) -> None:
    result = done("import", "ideas", ideas, "--into", folder, "--dry-run")
    assert "0 rows before, 2 now (nothing was written)" in result.stderr
    assert [path.name for path in folder.iterdir()] == ["study.toml"]


def test_one_bad_file_stops_the_whole_import(folder: Path, ideas: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text('ID,Condition,Title\n1,AI,"open\n')
    said = refused(DataError, "import", "ideas", ideas, tmp_path / "bad.csv", "--into", folder)
    assert "bad.csv, line 2" in said
    assert [path.name for path in folder.iterdir()] == ["study.toml"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("idea",), "No table 'idea'. Did you mean 'ideas'?"),
        (("ideas", "--format", "genric"), "Did you mean 'generic'?"),
        (("ideas", "--set", "system"), "must be COLUMN=VALUE"),
        (("ideas", "--map", "Titel=title"), "Did you mean 'Title'?"),
    ],
)
def test_wrong_usage_is_told(folder: Path, ideas: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refused(UsageError, "import", words[0], ideas, "--into", folder, *words[1:])


def test_check_ends_with_1_where_something_is_wrong(folder: Path, ideas: Path) -> None:
    done("import", "ideas", ideas, "--into", folder)
    sound = json.loads(done("check", folder, "--json").stdout)
    assert (sound["ok"], sound["problems"], sound["rows"]) == (True, [], {"ideas": 2})
    assert {note["code"] for note in sound["notes"]} >= {"no_method", "lone_system"}
    (folder / "scores.csv").write_text("idea_id,judge,novelty\n1,j,11\n")
    result = run("check", folder)
    assert result.exit_code == 1
    assert (
        "scores.csv, row 1, column 'novelty': must be from 1 to 10 (found '11.0')" in result.stdout
    )
    broken = json.loads(run("check", folder, "--json").stdout)
    assert broken["problems"][0]["row"] == 1


def test_import_help_tells_the_syntax() -> None:
    text = " ".join(done("import", "--help").stdout.split())
    for words in ("--map rater=judge", "externalIds.DOI=identifiers.doi", '"problem+motivation'):
        assert words in text


def test_ideas_are_not_written_where_their_marks_cannot_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, data = FILES["ai-scientist"]
    (folder.parent / "ideas.json").write_bytes(data)
    true_write = Study.write

    def write(self: Study, name: str, frame: pd.DataFrame) -> Study:
        if name == "scores":
            raise OSError(28, "No space left on device")
        return true_write(self, name, frame)

    with monkeypatch.context() as full:
        full.setattr(Study, "write", write)
        told = refused(DataError, "import", "ideas", folder.parent / "ideas.json", "--into", folder)
    assert "Nothing was written" in told
    assert "No space left" in told
    assert [path.name for path in folder.iterdir()] == ["study.toml"]
    done("import", "ideas", folder.parent / "ideas.json", "--into", folder)
    assert len(Study.open(folder).scores)
