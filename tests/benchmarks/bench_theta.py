"""How long a move of θ takes in the browser, against bare pages with the same charts.

``python tests/benchmarks/bench_theta.py [STUDY] [--moves 20]``. The overview is opened and θ is
moved by one step at a time with the keyboard; the time runs from the key to the page's last change
before it stands still. The bare pages have the same slider, title, cards and charts and compute
nothing: one shows the charts of one result whatever θ is, so the browser redraws none of them;
the other shows the charts of two results in turn, so that it redraws what ours must redraw. All
run in turn in one browser. Prints medians and the ratios to both (aim: at most 1.5).
"""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking"]
BARE = """
import pickle
import streamlit as st

@st.cache_resource
def made():
    with open({path!r}, "rb") as file:
        return pickle.load(file)

st.set_page_config(layout="wide")
results = made()
with st.sidebar:
    theta = st.slider("Threshold θ", 0.0, 1.0, 0.6, 0.001, format="%.3f", key="theta",
                      bind="query-params")
result = results[round(theta * 1000) % {results}]
st.title(result["title"])
st.markdown(result["sentence"])
st.caption(f"θ = {{theta:.3f}}")
for column, (name, value) in zip(st.columns(len(result["cards"])), result["cards"]):
    with column.container(border=True):
        st.metric(name, value)
left, right = st.columns(2)
for place, (name, figure) in zip((left, right, st), result["figures"]):
    place.plotly_chart(figure, key=name, config={{"displayModeBar": False}})
"""
# Resolves with the milliseconds from the key to the last change of the page before it stood still
# for a second with its script at rest. The state alone would not do: a short run's beginning and
# end can reach a busy browser together, and the state is then never seen to change.
_RESTS = """() => document.querySelector('[data-testid=stApp]')
  .getAttribute('data-test-script-state') === 'notRunning'"""
_WATCH = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const beside = '[data-testid=stToolbar], [data-testid=stStatusWidget], [data-testid=stSlider]';
  window.moved = new Promise((resolve, reject) => {
    let began = null, last = null;
    document.addEventListener('keydown', () => { began = performance.now(); },
      {once: true, capture: true});
    const watch = new MutationObserver(records => {
      const own = records.filter(record => {
        const at = record.target.nodeType === 1 ? record.target : record.target.parentElement;
        return at && !at.closest(beside);
      });
      if (began !== null && own.length) last = performance.now();
    });
    watch.observe(app, {subtree: true, childList: true, characterData: true, attributes: true});
    const end = () => { watch.disconnect(); clearInterval(look); clearTimeout(late); };
    const look = setInterval(() => {
      const rests = app.getAttribute('data-test-script-state') === 'notRunning';
      if (last !== null && rests && performance.now() - last > 1000) {
        end();
        resolve(last - began);
      }
    }, 50);
    const late = setTimeout(() => { end(); reject(new Error('the page did not move')); }, 20000);
  });
}"""


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("study", nargs="?", default=str(ROOT / "data" / "demo"))
    words.add_argument("--moves", type=int, default=20)
    given = words.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        made = Path(place) / "made.pickle"
        made.write_bytes(pickle.dumps(constant(given.study)))
        servers = [bare(Path(place), made, results) for results in (1, 2)]
        code = "from core.cli import main; main()"
        servers.append(Server([sys.executable, "-c", code, "open", given.study]))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            pages = [server.page(browser) for server in servers]
            times: list[list[float]] = [[] for _ in servers]
            for _ in range(given.moves + 3):
                for page, seconds in zip(pages, times, strict=True):
                    seconds.append(moved(page, "ArrowRight"))
        finally:
            for server in servers:
                server.end()
        browser.close()
    still, redrawn, own = (statistics.median(seconds[3:]) for seconds in times)
    print(f"bare page, one result            {still:.0f} ms")
    print(f"bare page, two results in turn   {redrawn:.0f} ms")
    print(f"Foreseen's overview              {own:.0f} ms")
    print(f"ratio to the first               {own / still:.2f}")
    print(f"ratio to the second              {own / redrawn:.2f}   (aim: at most 1.5)")


def bare(place: Path, made: Path, results: int) -> Server:
    """A plain Streamlit page that shows ``results`` results in turn."""
    script = place / f"bare{results}.py"
    script.write_text(BARE.format(path=str(made), results=results))
    quiet = ["--browser.gatherUsageStats=false"]
    return Server([sys.executable, "-m", "streamlit", "run", str(script), *quiet])


def constant(study: str) -> list[dict[str, Any]]:
    """The overview's title, cards and figures at the study's θ and a little above it."""
    sys.path.insert(0, str(ROOT))
    from core import Study

    opened = Study.open(study)
    above = opened.settings.model_copy(update={"theta": opened.settings.theta + 0.005})
    return [shown(opened.score(settings)) for settings in (opened.settings, above)]


def shown(score: Any) -> dict[str, Any]:
    """What the overview shows of a score."""
    from dashboard import findings
    from dashboard.charts.correlations import correlation_chart
    from dashboard.charts.distributions import JUDGE, SCORE, distribution_chart
    from dashboard.charts.theme import LIGHT, system_styles

    styles = system_styles([row.system for row in score.systems])
    found = findings.overview(score)
    return {
        "title": found.title,
        "sentence": found.sentence,
        "cards": [(card.label, card.value) for card in findings.cards(score)],
        "figures": [
            ("scores", distribution_chart(score, SCORE, styles, LIGHT).figure),
            ("marks", distribution_chart(score, JUDGE, styles, LIGHT).figure),
            ("correlations", correlation_chart(score, LIGHT).figure),
        ],
    }


class Server:
    """A Streamlit server on a free port."""

    def __init__(self, command: list[str]) -> None:
        with socket.create_server(("localhost", 0)) as free:
            self.port = free.getsockname()[1]
        options = ["--server.headless=true", "--server.address=localhost"]
        self.process = subprocess.Popen(
            [*command, f"--server.port={self.port}", *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def page(self, browser: Any, address: str = "/") -> Any:
        """The page at ``address``, with its charts drawn."""
        for _ in range(600):
            with socket.socket() as client:
                if client.connect_ex(("localhost", self.port)) == 0:
                    break
            time.sleep(0.05)
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.goto(f"http://localhost:{self.port}{address}")
        page.wait_for_selector(".js-plotly-plot", timeout=60_000)
        page.wait_for_timeout(2000)
        return page

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)


def moved(page: Any, key: str, slider: str = "Threshold θ") -> float:
    """Milliseconds that one step of a slider takes, from the key to a page at rest."""
    page.bring_to_front()
    page.wait_for_function(_RESTS)
    page.get_by_role("slider", name=slider).focus()
    page.evaluate(_WATCH)
    page.keyboard.press(key)
    return float(page.evaluate("() => window.moved"))


if __name__ == "__main__":
    main()
