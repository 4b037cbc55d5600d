"""The app without a browser: every page runs, every widget moves what it says, links hold."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from app_reading import Open, settings_of, words
from builders import study_folder
from streamlit.testing.v1 import AppTest

from core.config import Settings
from dashboard import navigation, state

PAGES = [info.name for info in navigation.infos()]
FINDINGS = ("overview", "thresholds", "robustness")


def check(app: AppTest) -> AppTest:
    """No error of any kind on the page."""
    assert not app.exception
    assert not app.error
    assert app.title
    return app


@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_on_a_whole_study(open_app: Open, page: str) -> None:
    app = check(open_app(page=page))
    assert "its papers and citations are invented" in words(app)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_with_three_systems_and_no_judge(
    open_app: Open, three_systems: Path, page: str
) -> None:
    app = check(open_app(three_systems, page=page))
    assert "invented" not in words(app)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_with_one_system(open_app: Open, one_system: Path, page: str) -> None:
    check(open_app(one_system, page=page))


@pytest.mark.parametrize("page", [*FINDINGS, "quadrants"])
def test_a_page_of_findings_runs_above_every_similarity(open_app: Open, page: str) -> None:
    app = check(open_app(page=page, theta="0.97"))
    assert settings_of(app).theta == 0.97
    if page == "overview":
        assert app.title[0].value == "No idea met a later paper at θ = 0.970"


@pytest.mark.parametrize("page", PAGES)
def test_a_study_that_was_not_matched_says_what_to_run(
    open_app: Open, tmp_path: Path, page: str
) -> None:
    folder = study_folder(tmp_path / "unmatched", candidates=False)
    app = check(open_app(folder, page=page))
    if page in FINDINGS:
        assert app.title[0].value == "This study has not been matched yet"
        assert app.code[0].value == f"foreseen match {folder}"


MOVES = [
    ("slider", "theta", 0.55),
    ("slider", "k", 7),
    ("selectbox", "normalizer", "log"),
    ("selectbox", "judge", "strict"),
    ("selectbox", "aggregate", "mean"),
    ("number_input", "citation_weight", 0.2),
    ("number_input", "venue_weight", 0.9),
    ("multiselect", "venues", ["ACL", "ICLR"]),
    ("selectbox", "unknown_citations", "zero"),
    ("selectbox", "title_only", "exclude"),
    ("selectbox", "ambiguous_dates", "include"),
    ("selectbox", "leakage", "exclude"),
    ("number_input", "false_match_rate", 0.1),
    ("number_input", "draws", 300),
    ("number_input", "seed", 3),
]


def test_every_setting_moves_stays_on_other_pages_and_resets(open_app: Open) -> None:
    app = open_app()
    own = settings_of(app)
    moved = set()
    for kind, name, value in MOVES:
        getattr(app, kind)(key=name).set_value(value).run()
        moved.add(name)
        assert settings_of(check(app)).changed(own).keys() == moved
        assert getattr(settings_of(app), name) == settled(value)
    everything = settings_of(app)
    app.switch_page("../pages/thresholds.py").run()
    assert settings_of(check(app)) == everything
    app.button(key="reset").click().run()
    assert settings_of(check(app)) == own
    assert app.button(key="reset").disabled


def test_a_link_holds_every_setting(open_app: Open) -> None:
    address = {name: value if isinstance(value, list) else str(value) for _, name, value in MOVES}
    app = check(open_app(**address))
    for _, name, value in MOVES:
        assert getattr(settings_of(app), name) == settled(value)
    assert not app.warning


def settled(value: object) -> object:
    """A widget's value as settings hold it."""
    return tuple(value) if isinstance(value, list) else value


def test_theta_changes_the_numbers_on_the_page(open_app: Open) -> None:
    app = open_app()
    before = [metric.value for metric in app.metric]
    app.slider(key="theta").set_value(0.7).run()
    assert [metric.value for metric in check(app).metric] != before


def test_a_preset_is_put_under_the_studys_own_settings(open_app: Open) -> None:
    app = open_app()
    app.selectbox(key="preset").set_value("ideaforecastbench").run()
    moved = settings_of(check(app))
    assert (moved.k, moved.pool) == (10, "topic")
    assert moved.theta == 0.62
    app.button(key="reset").click().run()
    assert settings_of(app).k == 20
    assert app.selectbox(key="preset").value == "hindsight"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("theta", "abc", "'theta'"),
        ("theta", "7", "'theta'"),
        ("k", "0", "'k'"),
        ("normalizer", "logg", "'normalizer'"),
        ("judge", "nobody", "judge"),
        ("thetta", "0.5", "Did you mean 'theta'"),
        ("depth", "50", "belongs to the search"),
        ("preset", "hindsigt", "Did you mean 'hindsight'"),
        ("seed", "-1", "'seed'"),
        ("unknown_citations", "maybe", "'unknown"),
    ],
)
def test_a_bad_value_in_a_link_is_refused_in_words(
    open_app: Open, name: str, value: str, told: str
) -> None:
    app = open_app(**{name: value})
    assert not app.exception
    assert len(app.warning) == 1
    assert told in app.warning[0].value.replace("\\", "")
    view = app.session_state["_view"]
    assert view.settings == view.base


def test_the_notice_on_a_link_can_be_dismissed(open_app: Open) -> None:
    app = open_app(theta="abc")
    app.button(key="dismiss_link").click().run()
    assert not app.warning


def test_studies_are_picked_by_name_and_bring_their_own_settings(
    open_app: Open, small_study: Path, three_systems: Path
) -> None:
    app = open_app(small_study, three_systems)
    assert app.selectbox(key="study").options == ["Small", "Three"]
    app.slider(key="theta").set_value(0.5).run()
    app.selectbox(key="study").set_value("Three").run()
    assert check(app).session_state["_view"].study.config.name == "Three"
    assert settings_of(app).theta == 0.62
    assert app.title[0].value.startswith(("A\\*b\\_c ideas", "No clear winner"))


def test_a_link_names_the_study(open_app: Open, small_study: Path, three_systems: Path) -> None:
    app = check(open_app(small_study, three_systems, study="Three"))
    assert app.session_state["_view"].study.config.name == "Three"
    wrong = open_app(small_study, three_systems, study="Threee")
    assert "Did you mean 'Three'" in wrong.warning[0].value.replace("\\", "")


def test_two_studies_of_one_name_are_told_apart(open_app: Open, tmp_path: Path) -> None:
    first, second = study_folder(tmp_path / "first"), study_folder(tmp_path / "second")
    app = check(open_app(first, second))
    assert app.selectbox(key="study").options == ["Small", "Small (second)"]


def test_a_study_deleted_while_open_says_what_to_do(open_app: Open, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "gone")
    app = check(open_app(folder))
    shutil.rmtree(folder)
    app.run()
    assert not app.exception
    assert app.title[0].value == "This study cannot be read as it is"
    assert "no longer there" in words(app)
    study_folder(folder)
    assert check(app.run()).title[0].value != "This study cannot be read as it is"


def test_a_file_broken_while_open_is_named_by_row(open_app: Open, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "broken")
    app = check(open_app(folder))
    (folder / "scores.parquet").unlink()
    (folder / "scores.csv").write_text("idea_id,judge,repeat,overall\nretrieval-00,a,1,99\n")
    app.run()
    assert not app.exception
    assert "row 1" in words(app)


def test_a_broken_settings_table_is_told(open_app: Open, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "toml")
    app = check(open_app(folder))
    (folder / "study.toml").write_text("name = \n")
    app.run()
    assert not app.exception
    assert "study.toml" in words(app).replace("\\", "")


def test_files_changed_on_disk_are_read_again(open_app: Open, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "changed")
    app = check(open_app(folder))
    text = (folder / "study.toml").read_text().replace('"Small"', '"Renamed"')
    (folder / "study.toml").write_text(text)
    app.run()
    assert app.session_state["_view"].study.config.name == "Renamed"


def test_the_metric_against_theta_changes_the_chart(open_app: Open) -> None:
    app = open_app(page="thresholds")
    assert "How many ideas match" in words(app)
    app.segmented_control(key="metric").set_value("Mean score").run()
    assert "How high they score" in words(check(app))


def test_a_pair_can_be_chosen_among_three(open_app: Open, three_systems: Path) -> None:
    app = open_app(three_systems, page="robustness")
    app.selectbox(key="pair").set_value("beta / gamma").run()
    title = check(app).title[0].value
    assert title.startswith(("Beta", "Gamma"))


def test_what_is_ticked_is_crossed(open_app: Open) -> None:
    app = open_app(page="robustness")
    for key, value in (("spec_theta", ["0.62"]), ("spec_k", ["20"]), ("spec_weight", ["0.6"])):
        app.pills(key=key).set_value(value)
    app.pills(key="spec_normalizer").set_value(["minmax", "log"])
    app.pills(key="spec_aggregate").set_value(["max"]).run()
    assert "of 2 ways" in check(app).title[0].value
    app.pills(key="spec_aggregate").set_value([]).run()
    assert "Tick at least one option" in words(check(app))


def test_theta_does_not_touch_the_specifications(open_app: Open) -> None:
    app = open_app(page="robustness")
    before = app.title[0].value
    app.slider(key="theta").set_value(0.5).run()
    assert check(app).title[0].value == before


def test_names_with_marks_show_as_text(open_app: Open, three_systems: Path) -> None:
    app = open_app(three_systems)
    assert "a*b_c" not in app.title[0].value + app.markdown[0].value


def test_the_papers_theta_with_another_encoder_is_one_click_from_a_better(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dashboard import components

    monkeypatch.setattr(components, "suggested_theta", lambda view: 0.587)
    folder = study_folder(tmp_path / "paper", theta=Settings().theta)
    app = open_app(folder)
    assert any("was set for" in warning.value for warning in app.warning)
    app.button(key="use_suggested_theta").click().run()
    assert settings_of(check(app)).theta == 0.587
    assert not any("was set for" in warning.value for warning in app.warning)


def test_every_widget_key_is_known_to_links(open_app: Open) -> None:
    known = {*state.MOVABLE, state.STUDY, state.PRESET, *state.PAGE_KEYS}
    buttons = {"reset", "dismiss_link"}
    for page in FINDINGS:
        app = open_app(page=page)
        groups = (app.slider, app.selectbox, app.number_input, app.multiselect, app.pills)
        keys = {item.key for group in (*groups, app.segmented_control) for item in group}
        assert keys <= known, page
    assert not buttons & known
