"""The items of a board: what systems answer, what people see beside an output, and what is known to be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldmark.campaigns.test_questions.gold_pairs import GoldItem, plain, shown_beside
from goldmark.errors import Problem
from goldmark.records.units import context_to_json
from goldmark.texts.readers.formats import jsonl_rows
from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row

LARGEST_ITEMS = 256 * 1024 * 1024


@dataclass(frozen=True)
class DatasetInput:
    """One input of the dataset: what annotators see beside an output, and outputs that are known to be right."""

    name: str
    context: tuple[Mapping[str, Any], ...]
    references: tuple[str, ...]
    language: str
    hidden: Mapping[str, Any]
    paraphrase: str = ""  # a right output for test questions only; no metric compares with it
    input: Mapping[str, Any] | None = None  # what a task gives systems beside the context, such as tokens
    answer: Mapping[str, Any] | None = None  # the right answer of a task; as little told as a reference

    def to_json(self) -> dict[str, Any]:
        return {
            "context": list(self.context),
            "references": list(self.references),
            "language": self.language,
            "hidden": dict(self.hidden),
            **({"paraphrase": self.paraphrase} if self.paraphrase else {}),
            **({"input": dict(self.input)} if self.input is not None else {}),
            **({"answer": dict(self.answer)} if self.answer is not None else {}),
        }

    @property
    def source(self) -> str:
        """What a metric that reads the input gets: the texts beside the output."""
        return "\n".join(part["text"] for part in self.context if "text" in part)

    @property
    def right_outputs(self) -> tuple[str, ...]:
        """All outputs that are known to be right; the last is shown in positive test questions."""
        return (*self.references, self.paraphrase) if self.paraphrase else self.references

    def known(self, *, shown: bool = False) -> GoldItem:
        """What test questions are made of. If annotators see the first reference, an output must be another one.

        Otherwise a positive question would show the same text twice, and a negative one a text that stands beside
        other outputs: whoever compares the two would know them.
        """
        outputs = self.right_outputs
        if not shown:
            return GoldItem(self.name, outputs, shown_beside(self.context))
        if not outputs or plain(outputs[-1]) == plain(outputs[0]):
            return GoldItem(self.name, (), shown_beside(self.context))
        return GoldItem(self.name, outputs, shown_beside(self.context), lends=len(outputs) - 1)

    @classmethod
    def from_json(cls, name: str, data: Mapping[str, Any]) -> DatasetInput:
        return cls(
            name,
            tuple(data["context"]),
            tuple(data["references"]),
            data["language"],
            data["hidden"],
            data.get("paraphrase", ""),
            data.get("input"),
            data.get("answer"),
        )


def read_items(file: Path, rules: SegmentationRules, problems: list[Problem]) -> list[DatasetInput]:
    """The items of a JSONL file; what is wrong with any of them is added to `problems`."""
    items: list[DatasetInput] = []
    seen: dict[str, str] = {}
    before = len(problems)
    for row in jsonl_rows(file, LARGEST_ITEMS, problems):
        item = _item(row, rules, problems)
        if item is None:
            continue
        if item.name in seen:
            what = f'the id "{item.name}" was already used at {seen[item.name]}'
            problems.append(Problem(row.where, what, "give every item an id of its own", "id"))
            continue
        seen[item.name] = row.where
        items.append(item)
    if not items and len(problems) == before:
        problems.append(Problem(str(file), "the file holds no item", 'write {"id": ..., "context": ...} on each line'))
    return items


def _item(row: Row, rules: SegmentationRules, problems: list[Problem]) -> DatasetInput | None:
    values = dict(row.values)
    references = values.pop("references", None)
    single = values.pop("reference", None)
    if references is None:
        references = [] if single is None else [single]
    elif single is not None:
        problems.append(Problem(row.where, 'the item has "reference" and "references"', "keep one of them"))
        return None
    if not isinstance(references, list) or not all(isinstance(one, str) and one.strip() for one in references):
        remedy = 'write "references": ["...", "..."] or "reference": "..."'
        problems.append(Problem(row.where, "the references must be texts that are not empty", remedy, "references"))
        return None
    paraphrase = values.pop("paraphrase", "")
    if not isinstance(paraphrase, str):
        problems.append(Problem(row.where, "the paraphrase must be a text", 'write "paraphrase": "..."', "paraphrase"))
        return None
    of_task = {part: values.pop(part) for part in ("input", "answer") if part in values}
    for part, given in of_task.items():
        if not isinstance(given, dict):
            problems.append(Problem(row.where, f'"{part}" must be an object', f'write "{part}": {{...}}', part))
            return None
    for key in ("text", "output", "a", "b"):
        if key in values:
            remedy = "put what systems answer into context, and outputs into submissions"
            problems.append(Problem(row.where, f'an item has no "{key}"', remedy, key))
            return None
    # Read as a unit would be, so that a board is refused now for what its campaigns would be refused for later.
    unit = unit_from_row(Row(row.where, {**values, "text": (references or ["-"])[0]}), rules, problems)
    if unit is None:
        return None
    context = tuple(context_to_json(one) for one in unit.shown.context)
    language = unit.shown.texts["text"].language
    return DatasetInput(unit.id, context, tuple(references), language, unit.hidden, paraphrase.strip(), **of_task)
