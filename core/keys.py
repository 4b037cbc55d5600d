"""The key to an endpoint: found, sent, and shown nowhere."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from core.errors import DataError

KEY_VARIABLES = ("FORESEEN_API_KEY", "OPENAI_API_KEY")
SECRETS = Path(".streamlit") / "secrets.toml"
MASK = "***"
_ROOT = Path(__file__).resolve().parents[1]
_LOOKS_LIKE_A_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai|AIza)[-_][\w*.-]{6,}|\bBearer\s+\S+", re.I)


class ApiKey:
    """A secret that prints as ``***`` and cannot be pickled; ``source`` says where it is from."""

    __slots__ = ("_value", "source")

    def __init__(self, value: str, source: str) -> None:
        self._value = value.strip()
        self.source = source

    def reveal(self) -> str:
        """The secret itself, for the one request that needs it."""
        return self._value

    def scrub(self, text: str) -> str:
        """The text with the secret masked, also as JSON spells it."""
        for spelled in {self._value, json.dumps(self._value)[1:-1]}:
            if spelled:
                text = text.replace(spelled, MASK)
        return text

    def __repr__(self) -> str:
        return f"ApiKey({MASK}, from {self.source})"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never pickled")


def find_key(folders: tuple[Path, ...] | None = None) -> ApiKey | None:
    """The key of the environment, else of ``.streamlit/secrets.toml`` ([openai] api_key).

    The file is looked for in the working folder and beside the program. None where there is no
    key. Raises :class:`DataError` where the file is there and not readable; its text is not told.
    """
    for name in KEY_VARIABLES:
        value = os.environ.get(name, "").strip()
        if value:
            return ApiKey(value, name)
    for folder in folders if folders is not None else (Path.cwd(), _ROOT):
        path = folder / SECRETS
        if not path.is_file():
            continue
        values = _toml(path)
        if values is None:
            raise DataError(f"{path}: not readable as TOML")
        section = values.get("openai")
        secret = section.get("api_key") if isinstance(section, dict) else None
        if isinstance(secret, str) and secret.strip():
            return ApiKey(secret, str(SECRETS))
    return None


def _toml(path: Path) -> dict[str, Any] | None:
    """The file's values; None where it is not readable, for the error may quote it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None


def scrub(text: str, key: ApiKey | None) -> str:
    """A server's words without the key and without anything that looks like one."""
    if key is not None:
        text = key.scrub(text)
    return _LOOKS_LIKE_A_KEY.sub(MASK, text)


def public_url(url: str) -> str:
    """An address without user name, password, query and fragment, any of which may be secret."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"
