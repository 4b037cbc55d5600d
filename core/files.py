"""Names of the files and folders in a study, apart so that naming them loads nothing."""

from __future__ import annotations

CONFIG_FILE = "study.toml"
DERIVED = "derived"
CANDIDATES_INFO = "candidates.json"
