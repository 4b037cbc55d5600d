"""Start the dashboard: ``python -m dashboard.launch STUDY… -- STREAMLIT OPTIONS``.

Streamlit runs in this process, so a signal ends both. While the browser loads, a thread imports
what the first page needs; torch is never among it.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "dashboard" / "app.py"
STUDIES_VARIABLE = "FORESEEN_STUDIES"
FOLDER_VARIABLE = "FORESEEN_STARTED_IN"
ADDRESS, PORT = "localhost", 8501
SWITCH_SECONDS = 0.0005
FIRST_PAGE_NEEDS = (
    "pandas",
    "plotly.graph_objects",
    "scipy.special",
    "streamlit.elements.plotly_chart",
    "core.study",
    "core.hindsight.score",
)


def main(words: list[str]) -> None:
    """Run the server until it is told to stop; exits with Streamlit's code."""
    studies, options = part(words)
    studies = [str(Path(study).resolve()) for study in studies]
    os.environ[STUDIES_VARIABLE] = json.dumps(studies)
    options = with_defaults([_absolute(option) for option in options])
    os.environ[FOLDER_VARIABLE] = os.getcwd()
    # Streamlit reads .streamlit/config.toml of the folder it is started in.
    os.chdir(ROOT)
    sys.path[:] = [str(ROOT), *(place for place in sys.path if place not in ("", str(ROOT)))]
    from streamlit.web.cli import main as streamlit

    # The server answers a browser's many small requests while threads warm up: let it in often.
    sys.setswitchinterval(SWITCH_SECONDS)
    # Not before: importing streamlit runs plotly, which looks into pandas half imported.
    threading.Thread(target=warm_up, daemon=True).start()
    threading.Thread(target=_announce, args=(options, studies), daemon=True).start()
    streamlit(["run", str(APP), *options], prog_name="foreseen")


def part(words: list[str]) -> tuple[list[str], list[str]]:
    """Studies before the "--", Streamlit's options after it."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1 :]


def with_defaults(options: list[str]) -> list[str]:
    """Streamlit's options with address, port and headless settled where they are not given."""
    given = {option.split("=", 1)[0] for option in options}
    settled = list(options)
    if "--server.address" not in given and "STREAMLIT_SERVER_ADDRESS" not in os.environ:
        settled.append(f"--server.address={ADDRESS}")
    if "--server.port" not in given and "STREAMLIT_SERVER_PORT" not in os.environ:
        settled.append(f"--server.port={free_port(value(settled, '--server.address', ADDRESS))}")
    if "--server.headless" not in given and "STREAMLIT_SERVER_HEADLESS" not in os.environ:
        settled.append(f"--server.headless={'false' if can_open_browser() else 'true'}")
    return settled


def value(options: list[str], name: str, default: str) -> str:
    """The last value that the options, else the environment, give to ``name``."""
    found = [option.split("=", 1)[1] for option in options if option.startswith(f"{name}=")]
    variable = "STREAMLIT_" + name.removeprefix("--").replace(".", "_").upper()
    return found[-1] if found else os.environ.get(variable, default)


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


def warm_up() -> None:
    """Import what the first page needs; what fails here fails, and tells why, on the page."""
    for name in FIRST_PAGE_NEEDS:
        with suppress(Exception):
            import_module(name)


def _announce(options: list[str], studies: list[str]) -> None:
    address = value(options, "--server.address", ADDRESS)
    port = int(value(options, "--server.port", str(PORT)))
    base = value(options, "--server.baseUrlPath", "").strip("/")
    host = ADDRESS if address in ("0.0.0.0", "::") else address  # noqa: S104
    for _ in range(600):
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
            continue
        scheme = "https" if value(options, "--server.sslCertFile", "") else "http"
        threading.Thread(target=_prepare, args=(studies,), daemon=True).start()
        print(f"Foreseen is at {scheme}://{host}:{port}/{base}  (Ctrl-C ends it)", flush=True)
        return


def _prepare(studies: list[str]) -> None:
    """Read the first study and score it into the caches while the browser loads the page."""
    with suppress(Exception):
        from dashboard import cached, state

        folder = Path(studies[0])
        study = cached.open_study(folder, cached.signature(folder))
        base = state.base_settings(study, study.config.preset)
        cached.score(state.View(study=study, settings=base, base=base))


def _absolute(option: str) -> str:
    """An option's value that names a file of the caller's folder, by its whole path."""
    name, equals, text = option.partition("=")
    if equals and text and not os.path.isabs(text) and os.path.isfile(text):
        return f"{name}={os.path.abspath(text)}"
    return option


if __name__ == "__main__":
    main(sys.argv[1:])
