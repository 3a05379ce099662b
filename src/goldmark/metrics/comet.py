"""COMET, from a checkpoint in a folder: a model that reads input, output and reference.

It needs the package unbabel-comet with PyTorch, which Goldmark does not bring along, and the files of the encoder that
the checkpoint names in the cache of Hugging Face. Nothing is ever downloaded.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from goldmark.metrics.neural import package
from goldmark.metrics.options import number
from goldmark.metrics.plugins import MeanMetric, Metric, MetricType, Texts, WrongOption

WEIGHTS = Path("checkpoints") / "model.ckpt"


def _open(options: Mapping[str, str]) -> Metric:
    folder = _checkpoint(options)
    comet = package("comet", "comet")
    model = comet.load_from_checkpoint(str(folder / WEIGHTS), local_files_only=True)
    batch = number("comet", options, "batch", 16, least=1)
    gpus = number("comet", options, "gpus", 0, least=0, most=64)
    compares = bool(model.requires_references())

    def rate(rows: list[dict[str, str]]) -> list[float]:
        return [float(one) for one in model.predict(rows, batch_size=batch, gpus=gpus, progress_bar=False).scores]

    def scores(texts: Texts) -> list[float]:
        """Of several references, the one that rates the output highest; without need of one, the output alone."""
        given = zip(texts.sources, texts.outputs, strict=True)
        if not compares:
            return rate([{"src": source, "mt": output} for source, output in given])
        pairs = [
            (place, {"src": source, "mt": output, "ref": reference})
            for place, (source, output) in enumerate(given)
            for reference in texts.references[place]
        ]
        best = np.full(len(texts.outputs), -np.inf)
        np.maximum.at(best, [place for place, _ in pairs], rate([row for _, row in pairs]))
        values: list[float] = best.tolist()
        return values

    used = "max" if compares else "none"
    return MeanMetric(f"COMET|model:{folder.name}-{_digest(folder)}|refs:{used}|package:{_version()}", scores)


def _version() -> str:
    try:
        return f"unbabel-comet-{version('unbabel-comet')}"
    except PackageNotFoundError:
        return "comet"


def _checkpoint(options: Mapping[str, str]) -> Path:
    given = options.get("checkpoint", "")
    if not given:
        reason = f"give the folder of a model, with hparams.yaml and {WEIGHTS}"
        raise WrongOption(name="comet", option="checkpoint", value="", reason=reason)
    folder = Path(given)
    for file in (Path("hparams.yaml"), WEIGHTS):
        if not (folder / file).is_file():
            raise WrongOption(name="comet", option="checkpoint", value=given, reason=f"there is no {file} in it")
    return folder.resolve()


@cache
def _digest(folder: Path) -> str:
    total = 0
    with (folder / WEIGHTS).open("rb") as file:
        while part := file.read(1 << 24):
            total = zlib.crc32(part, total)
    return f"{total:08x}"


COMET = MetricType(
    name="comet",
    purpose="A model trained on people's judgements that reads the input as well, from a checkpoint you give.",
    open=_open,
    options={
        "checkpoint": "folder of the model (hparams.yaml and checkpoints/model.ckpt); needed",
        "batch": "16 (default): how many texts at once",
        "gpus": "0 (default): how many to compute on",
    },
    needs_sources=True,
    alone=True,
)
