"""Fine-tuning a checkpoint on disk, tried with tiny ones that are made here. Needs torch and transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.datasets.benchmark.models.base import ModelNotInstalled
from goldmark.datasets.benchmark.models.checkpoint import joined, marked
from goldmark.datasets.benchmark.run import run
from goldmark.datasets.benchmark.tasks import TASKS, TaskItem, TaskSpans, items_of
from goldmark.datasets.release.build import Options, build
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.spans import SpansFile
from tools.simulate.errors import simulated_texts


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("simulated")
    texts = simulated_texts(120, rng=np.random.default_rng(3), erroneous=0.6)
    (folder / "texts.jsonl").write_text("".join(json.dumps(one.as_spans()) + "\n" for one in texts))
    build(SpansFile(folder / "texts.jsonl"), folder / "data", Options(shares=(6, 2, 2)))
    return Dataset(folder / "data")


def tiny(kind: str, data: Dataset, folder: Path) -> Path:
    """A checkpoint of a few thousand weights whose pieces are the words of the dataset."""
    transformers: Any = pytest.importorskip("transformers")
    tokenizers: Any = pytest.importorskip("tokenizers")
    words = sorted({token for row in data.rows("train") for token in row["tokens"]})
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[END]", "[", "]", *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    pieces = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", eos_token="[END]"
    )
    size, few = len(vocabulary), {"pad_token_id": 0, "eos_token_id": 2}
    if kind == "bert":
        config = transformers.BertConfig(
            vocab_size=size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, **few
        )
        model = transformers.BertModel(config)
    elif kind == "gpt2":
        config = transformers.GPT2Config(vocab_size=size, n_embd=16, n_layer=1, n_head=2, n_positions=300, **few)
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.T5Config(
            vocab_size=size, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0, **few
        )
        model = transformers.T5ForConditionalGeneration(config)
    model.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("detect", "bert"),
        ("spans", "bert"),
        ("type", "bert"),
        ("correct", "t5"),
        ("correct", "gpt2"),
        ("rationale", "gpt2"),
    ],
)
def test_a_tiny_checkpoint_is_fine_tuned(task: str, kind: str, simulated: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tiny(kind, simulated, tmp_path / kind)
    said: list[str] = []
    result = run(simulated, task, str(folder), seed=1, epochs=2, rate=1e-3, length=64, tell=said.append)
    assert len(result.answers) == len(items_of(TASKS[task], simulated.rows("test")))
    assert all(type(answer) is type(item.gold) for answer, item in zip(result.answers, result.items, strict=True))
    losses = [float(line.rpartition(" ")[2]) for line in said if "loss" in line]
    assert losses[1] < losses[0]


@pytest.mark.filterwarnings("ignore")
def test_a_tiny_checkpoint_learns_what_can_be_learnt(simulated: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tiny("bert", simulated, tmp_path / "bert")
    # Seen again after many rounds: it must do better than guessing on its own training texts.
    result = run(simulated, "spans", str(folder), seed=1, split="train", epochs=30, rate=1e-2, length=64)
    chance = run(simulated, "spans", "random", seed=1, split="train")
    learnt, guessed = result.scores.figures["erroneous_f1"].value, chance.scores.figures["erroneous_f1"].value
    assert learnt is not None
    assert guessed is not None
    assert learnt > guessed + 0.2


def test_without_torch_it_says_what_to_install(
    simulated: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelNotInstalled, match="pip install torch transformers"):
        run(simulated, "detect", str(tmp_path), seed=1)


def test_an_error_stands_between_marks() -> None:
    item = TaskItem("T", "e1", "a b c", ("a", "b", "c"), "rules", "en", "x", span=(1, 2))
    assert marked(item) == "a [ b ] c"
    assert joined(("一", "二"), "zh") == "一二"
    assert marked(TaskItem("T", "", "一二", ("一", "二"), "rules", "zh", TaskSpans(frozenset(), frozenset()))) == "一二"
