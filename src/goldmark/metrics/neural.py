"""BERTScore and BLEURT, from a checkpoint in a folder.

Both need PyTorch and a package of their own, which Goldmark does not bring along: install them in the environment in
which the worker runs. Nothing is ever downloaded; the signature names the folder and the checkpoint's digest.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from goldmark.metrics.options import number, yes_or_no
from goldmark.metrics.plugins import MeanMetric, Metric, MetricNotInstalled, MetricType, Texts, WrongOption

INSTALL = {
    "bertscore": "bert-score torch transformers",
    "bleurt": "bleurt-pytorch torch 'transformers<5'",  # version 0.0.1 does not know transformers 5
    "comet": "unbabel-comet",
}
WEIGHTS = ("model.safetensors", "pytorch_model.bin")


def _open_bertscore(options: Mapping[str, str]) -> Metric:
    folder = _checkpoint("bertscore", options)
    bert_score = package("bertscore", "bert_score")
    layers = number("bertscore", options, "layer", _layers(folder), least=1)
    scorer = bert_score.BERTScorer(
        model_type=str(folder),
        num_layers=layers,
        idf=False,
        batch_size=number("bertscore", options, "batch", 64, least=1),
        rescale_with_baseline=False,
        use_fast_tokenizer=yes_or_no("bertscore", options, "fast", default=True),
    )

    def scores(texts: Texts) -> list[float]:
        full = [place for place, output in enumerate(texts.outputs) if output.strip()]
        found = np.zeros(len(texts.outputs))
        if full:
            outputs = [texts.outputs[place] for place in full]
            _, _, f1 = scorer.score(outputs, [list(texts.references[place]) for place in full])
            found[full] = f1.numpy()
        values: list[float] = found.tolist()
        return values

    made = f"BERTScore|f1|model:{folder.name}-{_digest(folder)}|layer:{layers}|idf:no|rescaled:no"
    return MeanMetric(f"{made}|package:bert-score-{version('bert-score')}", scores)


def _open_bleurt(options: Mapping[str, str]) -> Metric:
    folder = _checkpoint("bleurt", options)
    bleurt, torch = package("bleurt", "bleurt_pytorch"), package("bleurt", "torch")
    model = bleurt.BleurtForSequenceClassification.from_pretrained(str(folder), local_files_only=True).eval()
    tokens = bleurt.BleurtTokenizer.from_pretrained(str(folder), local_files_only=True)
    batch = number("bleurt", options, "batch", 32, least=1)

    def rate(references: list[str], outputs: list[str]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(outputs), batch):
            part = slice(start, start + batch)
            given = tokens(
                references[part], outputs[part], padding="longest", truncation=True, max_length=512, return_tensors="pt"
            )
            with torch.no_grad():
                found += model(**given).logits.flatten().tolist()
        return found

    def scores(texts: Texts) -> list[float]:
        """Of several references, the one that rates the output highest."""
        pairs = [(place, one) for place, references in enumerate(texts.references) for one in references]
        rated = rate([one for _, one in pairs], [texts.outputs[place] for place, _ in pairs])
        best = np.full(len(texts.outputs), -np.inf)
        np.maximum.at(best, [place for place, _ in pairs], rated)
        values: list[float] = best.tolist()
        return values

    made = f"BLEURT|model:{folder.name}-{_digest(folder)}|refs:max"
    return MeanMetric(f"{made}|package:bleurt-pytorch-{version('bleurt-pytorch')}", scores)


def package(name: str, module: str) -> Any:
    """What a metric computes with, or what to install."""
    command = f"pip install {INSTALL[name]}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        needed = (error.name or module).replace("_", "-")
        raise MetricNotInstalled(name=name, package=needed, command=command) from None
    except ImportError as error:  # it is there, but not in versions that go together
        needed = f"a {module.replace('_', '-')} that can be imported ({error})"
        raise MetricNotInstalled(name=name, package=needed, command=command) from None


def _checkpoint(name: str, options: Mapping[str, str]) -> Path:
    given = options.get("checkpoint", "")
    if not given:
        reason = "give the folder of a model, with its config.json, weights and tokeniser"
        raise WrongOption(name=name, option="checkpoint", value="", reason=reason)
    folder = Path(given)
    if not (folder / "config.json").is_file():
        raise WrongOption(name=name, option="checkpoint", value=given, reason="there is no config.json in it")
    if not any((folder / weights).is_file() for weights in WEIGHTS):
        reason = f"there are no weights in it ({' or '.join(WEIGHTS)})"
        raise WrongOption(name=name, option="checkpoint", value=given, reason=reason)
    return folder.resolve()


def _layers(folder: Path) -> int:
    """The last layer, unless told otherwise: which layer is best has to be tuned for each model."""
    found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return int(found.get("num_hidden_layers") or found.get("n_layers") or 12)


def _digest(folder: Path) -> str:
    total = 0
    for weights in WEIGHTS:
        if (folder / weights).is_file():
            with (folder / weights).open("rb") as file:
                while part := file.read(1 << 24):
                    total = zlib.crc32(part, total)
    return f"{total:08x}"


_BATCH = "how many texts at once"
BERTSCORE = MetricType(
    name="bertscore",
    purpose="F1 of words matched by the similarity of their vectors in context, from a model you give (bert-score).",
    open=_open_bertscore,
    options={
        "checkpoint": "folder of the model; needed",
        "layer": "which layer's vectors (default: the last)",
        "batch": f"64 (default): {_BATCH}",
        "fast": "yes (default) or no: the model's fast tokeniser",
    },
    alone=True,
)
BLEURT = MetricType(
    name="bleurt",
    purpose="A model trained on people's ratings, from a checkpoint you give (bleurt-pytorch). Not bounded by 0 and 1.",
    open=_open_bleurt,
    options={"checkpoint": "folder of the model; needed", "batch": f"32 (default): {_BATCH}"},
    alone=True,
)
