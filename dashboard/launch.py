"""Start the dashboard: ``python -m dashboard.launch STUDY… -- STREAMLIT OPTIONS``.

Streamlit runs in this process, so a signal ends both. The port opens first, so that the browser
can load; meanwhile a thread imports what the first page needs and reads the study. What only a
second look needs comes after the first page. torch is never among it.
"""

from __future__ import annotations

import gc
import json
import os
import re
import socket
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard import state

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "dashboard" / "app.py"
STUDIES_VARIABLE = "FORESEEN_STUDIES"
FOLDER_VARIABLE = "FORESEEN_STARTED_IN"
ADDRESS, PORT = "localhost", 8501
SWITCH_SECONDS = 0.0001
CATCH_UP_SECONDS = 1.0
FIRST_PAGE_NEEDS = (
    "pandas",
    "PIL.ImageFile",
    "plotly.graph_objs._figure",
    "plotly.tools",
    "streamlit.elements.plotly_chart",
    "streamlit.material_icon_names",
    "core.study",
    "core.cache",
    "dashboard.sidebar",
    "dashboard.components",
    "dashboard.charts.correlations",
    "dashboard.charts.distributions",
)
first_page_drawn = threading.Event()


def main(words: list[str]) -> None:
    """Run the server until it is told to stop; exits with Streamlit's code."""
    # Imports leave no garbage, and looking for it takes a sixth of a start.
    gc.disable()
    studies, options = part(words)
    studies = [str(Path(study).resolve()) for study in studies]
    os.environ[STUDIES_VARIABLE] = json.dumps(studies)
    options = with_defaults([_absolute(option) for option in options])
    os.environ[FOLDER_VARIABLE] = os.getcwd()
    # Streamlit reads .streamlit/config.toml of the folder it is started in.
    os.chdir(ROOT)
    sys.path[:] = [str(ROOT), *(place for place in sys.path if place not in ("", str(ROOT)))]
    from streamlit import delta_generator
    from streamlit.web.cli import main as streamlit

    # Streamlit would ask once, in the first run, whether it runs under Python's prompt, by a look
    # at the file of every loaded module.
    delta_generator._use_warning_has_been_displayed = True
    threading.Thread(target=_accompany, args=(options, studies), daemon=True).start()
    streamlit(["run", str(APP), *options], prog_name="foreseen")


def part(words: list[str]) -> tuple[list[str], list[str]]:
    """Studies before the "--", Streamlit's options after it."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1 :]


def with_defaults(options: list[str]) -> list[str]:
    """Streamlit's options, what they and the environment leave open settled.

    Only who changes the program's source wants it watched, so it is not.
    """
    given = {option.split("=", 1)[0] for option in options}
    settled = list(options)
    for name, own in (
        ("--server.address", lambda: ADDRESS),
        ("--server.port", lambda: free_port(value(settled, "--server.address", ADDRESS))),
        ("--server.headless", lambda: "false" if can_open_browser() else "true"),
        ("--server.fileWatcherType", lambda: "none"),
    ):
        if name not in given and _variable(name) not in os.environ:
            settled.append(f"{name}={own()}")
    return settled


def value(options: list[str], name: str, default: str) -> str:
    """The last value that the options, else the environment, give to ``name``."""
    found = [option.split("=", 1)[1] for option in options if option.startswith(f"{name}=")]
    return found[-1] if found else os.environ.get(_variable(name), default)


def _variable(name: str) -> str:
    """The environment variable that Streamlit reads an option from."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removeprefix("--").replace(".", "_"))
    return f"STREAMLIT_{words.upper()}"


def free_port(address: str, first: int = PORT) -> int:
    """8501, else the next port that is free, else any."""
    for port in (*range(first, first + 50), 0):
        try:
            with socket.create_server((address, port)) as server:
                return int(server.getsockname()[1])
        except OSError:
            continue
    return first


def can_open_browser() -> bool:
    """Whether somebody sits before a screen on this machine."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def _accompany(options: list[str], studies: list[str]) -> None:
    """Beside the server: print its address, prepare the first page, then what comes after it."""
    usual = sys.getswitchinterval()
    # The server answers a browser's many small requests while this thread loads: let it in often.
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        if _announce(options):
            warm_up()
            prepared = _prepare(studies)
            first_page_drawn.wait()
            # The browser draws it now.
            time.sleep(CATCH_UP_SECONDS)
            _catch_up(*prepared)
    finally:
        gc.freeze()
        gc.enable()
        sys.setswitchinterval(usual)


def _announce(options: list[str]) -> bool:
    """Wait for the port and print the address; False where it does not open."""
    address = value(options, "--server.address", ADDRESS)
    port = int(value(options, "--server.port", str(PORT)))
    base = value(options, "--server.baseUrlPath", "").strip("/")
    host = ADDRESS if address in ("0.0.0.0", "::") else address  # noqa: S104
    for _ in range(1500):
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
            continue
        scheme = "https" if value(options, "--server.sslCertFile", "") else "http"
        print(f"Foreseen is at {scheme}://{host}:{port}/{base}  (Ctrl-C ends it)", flush=True)
        return True
    return False


def warm_up() -> None:
    """Import what the first page needs; what fails here fails, and tells why, on the page."""
    for name in FIRST_PAGE_NEEDS:
        with suppress(Exception):
            import_module(name)


def _prepare(studies: list[str]) -> list[state.View]:
    """Read the first study and its score into the caches while the browser loads the page."""
    with suppress(Exception):
        from dashboard import cached, state

        folder = Path(studies[0])
        study = cached.open_study(folder, cached.signature(folder))
        base = state.base_settings(study, study.config.preset)
        view = state.View(study=study, settings=base, base=base)
        cached.score(view)
        return [view]
    return []


def _catch_up(*views: state.View) -> None:
    """Load what a moved setting needs, so that the first move takes no longer than the next."""
    for view in views:
        with suppress(Exception):
            view.study.score(view.settings)


def _absolute(option: str) -> str:
    """An option's value that names a file of the caller's folder, by its whole path."""
    name, equals, text = option.partition("=")
    if equals and text and not os.path.isabs(text) and os.path.isfile(text):
        return f"{name}={os.path.abspath(text)}"
    return option


if __name__ == "__main__":
    # By its own name, so that pages meet the same module.
    import_module("dashboard.launch").main(sys.argv[1:])
