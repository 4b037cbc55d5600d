"""How long a change of the gate on the page Forecasting takes, against bare pages with its charts.

``python tests/benchmarks/bench_gate.py [STUDY] [--rounds 3]``. The page is opened and the gate is
moved with the keyboard through every pair of P + M and S but the first, so that each is new to
the page; the time runs from the key to the page's last change before it stands still. The bare pages have the same two sliders, title, sentence and charts and compute nothing: one shows the charts of
one gate whatever is chosen, so the browser redraws none of them; the other shows those of two
gates in turn, so that it redraws what ours must redraw. All run in turn in one browser, each
round in sessions and servers of its own. Prints the least over rounds of each median, and the
ratios (aim: at most 1.5).
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_theta import CHROMIUM, FLAGS, ROOT, Server, moved

BARE = """
import pickle
import streamlit as st

@st.cache_resource
def made():
    with open({path!r}, "rb") as file:
        return pickle.load(file)

st.set_page_config(layout="wide")
results = made()
left, right = st.columns(2)
pm = left.slider("Gate: P + M at least", 0, 6, 0, key="gate_pm", bind="query-params")
s = right.slider("Gate: S at least", 0, 3, 0, key="gate_s", bind="query-params")
result = results[(pm + s) % {results}]
st.title(result["title"])
st.markdown(result["sentence"])
st.caption(f"P + M ≥ {{pm}}, S ≥ {{s}}")
left, right = st.columns(2)
for place, (name, figure) in zip((left, right, st, st), result["figures"]):
    place.plotly_chart(figure, key=name, config={{"displayModeBar": False}})
"""
PM, S = "Gate: P + M at least", "Gate: S at least"
MOVES = [
    move
    for s in range(4)
    for move in [(PM, "ArrowLeft" if s % 2 else "ArrowRight")] * 6 + [(S, "ArrowRight")]
][:-1]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("study", nargs="?", default=str(ROOT / "data" / "demo-forecasts"))
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    from playwright.sync_api import sync_playwright

    rounds = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        made = Path(place) / "made.pickle"
        made.write_bytes(pickle.dumps([shown(given.study, gate_pm=pm) for pm in (5, 4)]))
        for _ in range(given.rounds):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            rounds.append(one_round(browser, Path(place), made, given.study))
            browser.close()
            print("  ".join(f"{median:.0f} ms" for median in rounds[-1]), file=sys.stderr)
    still, redrawn, own = (min(medians) for medians in zip(*rounds, strict=True))
    ratios = [(mine / stood, mine / drawn) for stood, drawn, mine in rounds]
    print(f"bare page, one gate              {still:.0f} ms")
    print(f"bare page, two gates in turn     {redrawn:.0f} ms")
    print(f"Foreseen's forecasting           {own:.0f} ms")
    print(f"ratio to the first               {statistics.median(r for r, _ in ratios):.2f}")
    print(
        f"ratio to the second              {statistics.median(r for _, r in ratios):.2f}"
        "   (aim: at most 1.5; medians over rounds)"
    )


def one_round(browser: Any, place: Path, made: Path, study: str) -> list[float]:
    """The median of the moves of each page."""
    servers = [bare(place, made, results) for results in (1, 2)]
    servers.append(
        Server([sys.executable, "-c", "from core.cli import main; main()", "open", study])
    )
    try:
        address = ["/?gate_pm=0&gate_s=0"] * 2 + ["/forecasting?gate_pm=0&gate_s=0"]
        pages = [server.page(browser, to) for server, to in zip(servers, address, strict=True)]
        times: list[list[float]] = [[] for _ in servers]
        for slider, key in MOVES:
            for page, milliseconds in zip(pages, times, strict=True):
                milliseconds.append(moved(page, key, slider))
    finally:
        for server in servers:
            server.end()
    return [statistics.median(milliseconds[3:]) for milliseconds in times]


def bare(place: Path, made: Path, results: int) -> Server:
    """A plain Streamlit page that shows ``results`` gates in turn."""
    script = place / f"bare{results}.py"
    script.write_text(BARE.format(path=str(made), results=results))
    quiet = ["--browser.gatherUsageStats=false"]
    return Server([sys.executable, "-m", "streamlit", "run", str(script), *quiet])


def shown(study: str, *, gate_pm: int) -> dict[str, Any]:
    """The page's title, sentence and figures at one gate."""
    sys.path.insert(0, str(ROOT))
    from core import Study
    from core.forecast.episode_view import episode_names, outcomes
    from core.forecast.inspector import inspect_episode
    from dashboard.charts.forecast import cutoffs_chart, differences_chart, systems_chart
    from dashboard.charts.forecast_parts import candidates_chart
    from dashboard.charts.theme import LIGHT, system_styles
    from dashboard.forecast.findings import forecasting
    from dashboard.forecast.inspector import telling

    opened = Study.open(study)
    settings = opened.settings.model_copy(update={"gate_pm": gate_pm})
    score = opened.forecast(settings)
    judge, system = (
        sorted(set(opened.verdicts["judge"]))[0],
        sorted(set(score.systems["system"]))[0],
    )
    styles = system_styles(sorted(set(opened.ideas["system"])))
    found = forecasting(score, judge, "hit")
    names = episode_names(score.episodes)
    name = names[telling(score, judge, names)]
    episode = inspect_episode(
        opened, settings, system=name.system, topic=name.topic, cutoff=name.cutoff
    )
    first = episode.forecasts[0]
    own = [each for each in outcomes(episode, judge) if each.rank == first.rank]
    return {
        "title": found.title,
        "sentence": found.sentence,
        "figures": [
            ("systems", systems_chart(score, judge, "hit", styles, LIGHT).figure),
            ("differences", differences_chart(score, judge, "hit", system, styles, LIGHT).figure),
            ("cutoffs", cutoffs_chart(score, judge, "hit", styles, LIGHT).figure),
            ("candidates", candidates_chart(first, own, judge, styles[name.system], LIGHT).figure),
        ],
    }


if __name__ == "__main__":
    main()
