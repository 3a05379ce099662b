"""Simulated texts with errors of TGEA's types, for rehearsals: English and some Chinese, from our own words.

A text is one or two clauses. A fine clause puts words of one scene together; an erroneous one is the same clause with
one thing done to it: a verb of another scene, a part left out or said twice, a pronoun for the wrong person, or a
little story against common sense. So every error comes with its span, its associated words, its correction, its type
and its reason, and they are right by construction. The shares of types follow TGEA's figure 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from goldmark.texts.segmentation.tokens import find_tokeniser
from tools.simulate.clauses import A, Chinese, E, English, Made, Speaker, lexicon

ERRONEOUS = 0.26  # the share of erroneous texts in TGEA's table 4: 12,176 of 47,058
CHINESE = 0.2
TWO_ERRORS = 0.12


@dataclass(frozen=True)
class SimulatedText:
    """A text with what is wrong in it, as an answer to the protocol `tgea` would have it."""

    id: str
    text: str
    language: str
    errors: tuple[Mapping[str, Any], ...]

    def answers(self) -> dict[str, Any]:
        """The right answer to the protocol `tgea`."""
        if not self.errors:
            return {"verdict": "fine"}
        return {"verdict": "erroneous", "errors": [dict(error) for error in self.errors]}

    def as_spans(self) -> dict[str, Any]:
        """The line of this text in a file for `goldmark dataset import spans`."""
        return {
            "id": self.id,
            "text": self.text,
            "positions": "tokens",
            "language": self.language,
            "system": "templates",
            "annotator": "the generator",
            "errors": [
                {
                    **{name: error[name] for name in ("id", "start", "end", "label", "rationale")},
                    "correction": error.get("correction", ""),
                    "associated": error["links"]["associated"],
                }
                for error in self.errors
            ],
        }


def simulated_texts(
    count: int, *, rng: np.random.Generator, erroneous: float = ERRONEOUS, chinese: float = CHINESE
) -> Iterator[SimulatedText]:
    """So many texts, no two alike as long as the words last."""
    seen: set[str] = set()
    number = tries = 0
    while number < count:
        language = "zh" if rng.random() < chinese else "en"
        text, errors = _text(language, rng, wrong=bool(rng.random() < erroneous))
        tries += 1
        if text in seen and tries < 20 * count:
            continue
        seen.add(text)
        number += 1
        yield SimulatedText(f"S{number:05}", text, language, tuple(errors))


def write_campaign(
    folder: Path, count: int, *, rng: np.random.Generator, name: str = "simulated"
) -> list[SimulatedText]:
    """A folder for `goldmark campaign create`: texts with what is planted in them (hidden), and the campaign's file."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = list(simulated_texts(count, rng=rng))
    lines = [
        {"id": one.id, "text": one.text, "language": one.language, "planted": list(one.errors), "system": "templates"}
        for one in texts
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    settings = {
        "campaign": name,
        "title": "Simulated errors",
        "protocol": "tgea",
        "texts": {"path": "texts.jsonl", "tokeniser": "rules", "sentences": "rules"},
        "labels_per_unit": 1,
        "join": {"open": True, "at_most": 500},
    }
    (folder / "campaign.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), "utf-8")
    return texts


def careless_answers(text: SimulatedText, *, rng: np.random.Generator, slips: float = 0.1) -> dict[str, Any]:
    """What a person might answer who slips now and then: misses an error, marks a word too many, mistakes the type."""
    if not text.errors or rng.random() < slips:
        return {"verdict": "fine"}
    tokens = len(find_tokeniser("rules")(text.text))
    errors = []
    for error in text.errors:
        mine: dict[str, Any] = dict(error)
        if rng.random() < slips and mine["end"] < tokens - 1 and len(text.errors) == 1:
            mine["end"] += 1
        if rng.random() < slips and mine.get("correction"):
            mine["label"] = str(rng.choice(["combination.modifier", "missing.modifier", "commonsense.behaviors"]))
        errors.append(mine)
    return {"verdict": "erroneous", "errors": errors}


def _text(language: str, rng: np.random.Generator, *, wrong: bool) -> tuple[str, list[dict[str, Any]]]:
    words = lexicon()["chinese" if language == "zh" else "english"]
    speak: Speaker = Chinese(words, rng) if language == "zh" else English(words, rng)
    clauses: list[Made] = []
    two = rng.random() < 0.35
    if wrong:
        clauses.append(speak.wrong())
        if two:
            clauses.append(speak.wrong() if rng.random() < TWO_ERRORS / 0.35 else ("", speak.fine(), "", ""))
    else:
        clauses += [("", speak.fine(), "", "") for _ in range(1 + two)]
    clauses = [clauses[place] for place in rng.permutation(len(clauses))]
    return _written(clauses, speak.join)


def _written(clauses: Sequence[Made], join: Callable[[str, str], str]) -> tuple[str, list[dict[str, Any]]]:
    """The text, and where in its tokens the marked parts stand."""
    text = ""
    places: list[dict[str, list[int]]] = []
    for _, parts, _, _ in clauses:
        marks: dict[str, list[int]] = {}
        for words, mark in parts:
            text = join(text, words)
            if mark:
                start = len(text) - len(words)
                marks.setdefault(mark, [start, start])[1] = len(text)
        places.append(marks)
    tokens = find_tokeniser("rules")(text)

    def span(marks: list[int]) -> dict[str, int]:
        inside = [place for place, token in enumerate(tokens) if token.start < marks[1] and token.end > marks[0]]
        return {"start": inside[0], "end": inside[-1] + 1}

    errors = []
    for (label, _, correction, why), marks in zip(clauses, places, strict=True):
        if label:
            said = {"correction": correction} if correction else {}
            linked = {"associated": [span(marks[A])]}
            errors.append({"label": label, **span(marks[E]), **said, "rationale": why, "links": linked})
    return text, [{"id": f"e{number}", **error} for number, error in enumerate(errors, start=1)]
