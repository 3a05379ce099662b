"""HaluQuestQA (Sachdeva et al. 2024): experts' spans, types and reasons in two long answers to each question.

An answer is a text. Its errors are what experts marked as not factual, irrelevant, incomplete, or as an unhelpful
reference. Misconceptions are about the question and are left out. Nobody wrote corrections, and no passage is linked.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from goldmark.datasets.sources.readings import MarkedError, Reading, ReadText, Rule, SourceDescription
from goldmark.errors import Missing, Problem, ProblemsFound
from goldmark.records.spans import covering
from goldmark.texts.segmentation.tokens import find_tokeniser

FILE = "HaluQuestQA.tsv"
TYPES = {
    "factuality": ("Factuality", "It is not true."),
    "irrelevance": ("Irrelevance", "It does not belong to the answer."),
    "incomplete_ans": ("Incompleteness", "Something that the question asks for is missing here."),
    "reference_example": ("Unhelpful reference", "The example, analogy or source does not help."),
}
SYSTEMS = {"human_answer": "human", "model_answer": "gpt-4"}


class NoHaluQuestQA(Missing):
    code = "DATASET-17"
    message = "{path} cannot be read ({reason}); give the folder or the file HaluQuestQA.tsv"


class HaluQuestQA:
    """HaluQuestQA: long answers of people and GPT-4 in which experts marked errors.

    A span is found by its words, because the published table has no usable positions.
    """

    choose: Rule = "auto"

    def __init__(self, path: Path) -> None:
        self._path = path / FILE if path.is_dir() else path
        self._cut = find_tokeniser("rules")
        self.lost = 0  # spans whose words are not in the answer
        self.found = 0

    @property
    def about(self) -> SourceDescription:
        return SourceDescription(
            name="haluquestqa",
            title="HaluQuestQA: errors in long answers",
            origin="HaluQuestQA, Sachdeva et al. 2024 (UKPLab); answers are the texts, misconceptions are left out.",
            labels=TYPES,
            facts={"spans_not_found": self.lost, "spans_found": self.found},
        )

    def texts(self) -> Iterator[ReadText]:
        csv.field_size_limit(1 << 28)
        try:
            with self._path.open(encoding="utf-8", newline="") as file:
                for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
                    for answer in ("1", "2"):
                        yield self._text(row, number, answer)
        except (OSError, UnicodeDecodeError) as error:
            raise NoHaluQuestQA(path=self._path, reason=error) from error

    def _text(self, row: Mapping[str, str], number: int, answer: str) -> ReadText:
        try:
            characters = row[f"ans{answer}_text"].strip()
            system = SYSTEMS[row[f"ans{answer}_label"]]
            tokens = [(span.start, span.end) for span in self._cut(characters)]
            errors = sorted(self._errors(row, answer, characters, tokens), key=lambda one: (one.start, one.end))
        except (KeyError, ValueError, SyntaxError) as error:
            problem = Problem(f"{self._path.name}: row {number}", f"it cannot be read ({error!r})")
            raise ProblemsFound([problem], consequence="nothing was imported") from error
        return ReadText(
            id=f"Q{number:03}-{system}",
            characters=characters,
            tokens=tokens,
            readings=(Reading(row["annotator"], tuple(errors)),),
            language="en",
            system=system,
            item=f"Q{number:03}",
            context=(("Question", row["question_text"].strip()),),
        )

    def _errors(
        self, row: Mapping[str, str], answer: str, characters: str, tokens: list[tuple[int, int]]
    ) -> Iterator[MarkedError]:
        number = 0
        for kind in TYPES:
            spans, reasons, where = (_listed(row[f"{kind}_{part}"]) for part in ("span", "reason", "label"))
            helpful = _listed(row["reference_example_helpful"]) if kind == "reference_example" else [False] * len(spans)
            for span, reason, place, fine in zip(spans, reasons, where, helpful, strict=True):
                if place != f"answer{answer}" or fine:
                    continue
                characters_at = find_words(str(span), characters)
                marked = covering(tokens, *characters_at) if characters_at else None
                if marked is None:
                    self.lost += 1
                    continue
                self.found += 1
                number += 1
                yield MarkedError(
                    f"e{number}", marked.start, marked.end, label=kind, rationale=" ".join(str(reason).split())
                )


_WHOLE = re.compile(r"\s*answer\s*[12]\s*:?\s*", re.IGNORECASE)  # the heading above an answer stands for all of it


def _listed(cell: str) -> list[object]:
    found = ast.literal_eval(cell) if cell.strip() else []
    return found if isinstance(found, list) else [found]


def find_words(span: str, text: str) -> tuple[int, int] | None:
    """Where the words of a span stand in a text, whatever happened to its case, its white space and its edges."""
    if _WHOLE.fullmatch(span):
        return 0, len(text)
    words = re.findall(r"\w+", span)
    if not words:
        return None
    between = re.compile(r"\W+".join(re.escape(word) for word in words), re.IGNORECASE)
    found = between.search(text)
    return found.span() if found else None
