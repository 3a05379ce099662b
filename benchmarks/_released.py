"""What a released dataset of TGEA's kind must hold, computed anew from the campaign's answers in the plainest way."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goldmark.texts.segmentation.tokens import find_tokeniser

SPLITS = ("train", "dev", "test")


def rows_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    lines = {name: (folder / "jsonl" / f"{name}.jsonl").read_text("utf-8").splitlines() for name in SPLITS}
    return {name: [json.loads(line) for line in found] for name, found in lines.items()}


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def expected_statistics(texts: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> dict[str, float]:
    """Table 4 of some texts, each with its errors as people answered."""
    cut = find_tokeniser("rules")
    tokens = [[text[token.start : token.end] for token in cut(text)] for text, _ in texts]
    errors = [error for _, found in texts for error in found]
    linked = [(error, place) for error in errors for place in error["links"]["associated"]]
    reasons = [len(list(cut(error["rationale"]))) for error in errors]

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    def apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
        first, second = sorted((one, other), key=lambda place: place["start"])
        return max(
            0, int(second["start"]) - (int(first["end"]) - 1)
        )  # from the last token of the one to the first of the other

    by_errors = Counter(len(found) for _, found in texts)
    return {
        "texts": len(texts),
        **{f"errors_{number}": by_errors[number] for number in range(max(by_errors) + 1)},
        "tokens": sum(map(len, tokens)),
        "vocabulary": len({token for text in tokens for token in text}),
        "tokens_per_text": mean([len(text) for text in tokens]),
        "tokens_per_error": mean([error["end"] - error["start"] for error in errors]),
        "tokens_per_associated": mean([place["end"] - place["start"] for _, place in linked]),
        "distance": mean([apart(error, place) for error, place in linked]),
        "tokens_per_rationale": mean(reasons),
    }


def released_statistics(folder: Path, split: str = "all") -> dict[str, float]:
    with (folder / "statistics.csv").open(encoding="utf-8", newline="") as file:
        row = next(one for one in csv.DictReader(file) if one["split"] == split)
    return {name: float(value) for name, value in row.items() if name != "split" and value}


def check(folder: Path, answers: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
    """Raise unless the folder holds just these answers: by a text's name, its characters and what was approved."""
    rows = rows_of(folder)
    released = {row["id"]: row for found in rows.values() for row in found}
    kept = {name: one for name, one in answers.items() if one[1]["verdict"] in ("fine", "erroneous")}
    _same(set(released), set(kept), "the texts")
    for name, (text, given) in kept.items():
        _same(released[name]["text"], text, name)
        errors = sorted(given.get("errors", []), key=lambda error: error["start"])
        wanted = [
            (one["start"], one["end"], one["label"], one.get("correction", ""), one["rationale"]) for one in errors
        ]
        found = [
            (one["start"], one["end"], one["label"], one["correction"], one["rationale"])
            for one in released[name]["errors"]
        ]
        _same(found, wanted, name)
    _check_split(rows)
    told = released_statistics(folder)
    for name, value in expected_statistics([(text, given.get("errors", [])) for text, given in kept.values()]).items():
        if abs(told[name] - value) > 1e-9 * max(1.0, abs(value)):
            raise AssertionError(f"{name}: the release says {told[name]}, by hand it is {value}")


def _check_split(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """8:1:1 overall and in every stratum, as nearly as whole texts allow: off by less than one text each."""
    strata = sorted({_stratum(row) for found in rows.values() for row in found})
    for stratum in ("", *strata):
        sizes = {name: sum(not stratum or _stratum(row) == stratum for row in found) for name, found in rows.items()}
        total = sum(sizes.values())
        for name, tenths in zip(SPLITS, (8, 1, 1), strict=True):
            if abs(sizes[name] - total * tenths / 10) >= 2:
                raise AssertionError(f"{stratum or 'all'}: {sizes} of {total} is not 8:1:1")


def _stratum(row: Mapping[str, Any]) -> str:
    return f"error {row['errors'][0]['type']}" if row["errors"] else "fine"


def _same(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise AssertionError(f"{what}: the release has {found}, the answers are {wanted}")
