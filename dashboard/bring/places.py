"""Where the page may write: one's own studies, and new folders beside them. No streamlit calls.

The bundled studies are never written to. A new study gets a folder of a plain name directly
under one of the user's own base folders; every other path is refused.
"""

from __future__ import annotations

import json
import os
import re
import threading
from datetime import date
from pathlib import Path
from typing import Any

from core.config import PresetName
from core.errors import DataError, UsageError
from core.files import CONFIG_FILE
from core.study import Study
from dashboard import sidebar
from dashboard.launch import FOLDER_VARIABLE

BUNDLED = sidebar.DEMO.parent
_NAME = re.compile(r"[^\W_](?:[\w .-]*[\w-])?")
_LONGEST_NAME = 80
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)
_LIST = threading.Lock()


def is_bundled(folder: Path) -> bool:
    """Whether a folder is, or lies in, the folder of studies that come with Foreseen."""
    return folder.resolve().is_relative_to(BUNDLED)


def read_only_reason(folder: Path | None) -> str | None:
    """Why nothing may be written to a study; None where it may."""
    if folder is None:
        return "This study is not in a folder."
    if is_bundled(folder):
        return "This study comes with Foreseen and is never written to."
    if not os.access(folder, os.W_OK):
        return f"You may not write in {folder}."
    return None


def bases() -> list[Path]:
    """Folders under which a study may be made: those that hold the opened studies, then the one
    in which the command was started. Bundled ones are left out."""
    own = [folder.resolve().parent for folder in sidebar.studies() if not is_bundled(folder)]
    started = Path(os.environ.get(FOLDER_VARIABLE) or Path.cwd()).resolve()
    return [folder for folder in dict.fromkeys([*own, started]) if not is_bundled(folder)]


def new_folder(base: Path, name: str) -> Path:
    """The folder of a new study; raises :class:`UsageError` where it cannot be made there."""
    name = name.strip()
    if base not in bases():
        raise UsageError(f"{base} is not a folder of your studies. Choose one of the list.")
    if not name:
        raise UsageError("Give the study's folder a name, such as my-study.")
    if "/" in name or "\\" in name or name in (".", ".."):
        raise UsageError(
            f"'{name}' is a path. Give one folder's name, such as my-study: it is made in {base}."
            " For another place use `foreseen new`."
        )
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"'{name}' cannot be a folder's name here. Use letters, digits, spaces and . _ - ,"
            f" with a letter or digit first, at most {_LONGEST_NAME} of them."
        )
    folder = base / name
    if (folder / CONFIG_FILE).exists():
        raise UsageError(f"{folder} already holds a study. Choose another name.")
    if os.path.lexists(folder):
        raise UsageError(f"{folder} is there already. Choose another name.")
    if not os.access(base, os.W_OK):
        raise UsageError(f"You may not write in {base}. Start `foreseen open` in another folder.")
    return folder


def create(
    base: Path, name: str, *, cutoff: date, horizon: int, encoder: str, preset: PresetName
) -> Study:
    """Make a study in a folder that nobody else makes meanwhile, and list it in the sidebar.

    Where the study cannot be made its folder is not left behind.
    """
    folder = new_folder(base, name)
    values: dict[str, Any] = {
        "cutoff": cutoff,
        "horizon_months": horizon,
        "encoder": encoder.strip(),
        "preset": preset,
    }
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"{folder} is there already. Choose another name.") from None
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error}") from None
    try:
        study = Study.create(folder, **values)
    except BaseException:
        folder.rmdir()
        raise
    add_to_list(folder)
    return study


def add_to_list(folder: Path) -> None:
    """Let every session of this server choose the study in the sidebar."""
    with _LIST:
        known = [str(path) for path in sidebar.studies()]
        if str(folder) not in known:
            os.environ[sidebar.STUDIES_VARIABLE] = json.dumps([*known, str(folder)])
