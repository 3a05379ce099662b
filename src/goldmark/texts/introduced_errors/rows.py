"""Introduced errors in rows of texts: the rows as a campaign reads them, and the list of what was introduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from goldmark.errors import Conflict, Problem, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.tables import Cell, Table
from goldmark.records.texts import Text
from goldmark.records.tidy.columns import Column, Columns
from goldmark.texts.introduced_errors.domain import Domain, domain_from
from goldmark.texts.introduced_errors.errors import introduce
from goldmark.texts.preparation.rows import Values
from goldmark.texts.readers.gsml import write_mistakes
from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row
from goldmark.texts.readers.tidy import read_tidy


class NotTheseErrors(Conflict):
    code = "DOMAIN-02"
    message = (
        "{file} is no list of what these texts, this domain and this seed give: error {number} of {text} is not "
        "{listed!r}; use those with which the list was made"
    )


@dataclass(frozen=True)
class ApprovedErrors:
    """Errors that somebody left on a list: what each text had and would read instead, by the error's number."""

    file: str
    of_text: Mapping[str, Mapping[int, tuple[str, str]]]

    @classmethod
    def read(cls, path: Path) -> ApprovedErrors:
        """From a list that was written with the errors and that somebody has shortened since."""
        listed = Columns("TEXT_ID", Column("ANNOTATION_ID", "number"), "CORRECTION", "COMMENT").check(read_tidy(path))
        found: dict[str, dict[int, tuple[str, str]]] = {}
        rows = zip(
            listed.texts("TEXT_ID"),
            listed.numbers("ANNOTATION_ID"),
            listed.texts("CORRECTION"),
            listed.texts("COMMENT"),
            strict=True,
        )
        for text, number, was, comment in rows:
            if number is not None:
                found.setdefault(text, {})[int(number)] = (was, comment)
        return cls(str(path), found)

    def refuse_others(self, made: Sequence[Mistake]) -> None:
        """What was made must be what was read on the list, or it was made of something else."""
        there = {(one.text_id, int(one.id)): (one.correction, one.comment) for one in made}
        for text, numbers in self.of_text.items():
            for number, listed in numbers.items():
                if there.get((text, number)) != listed:
                    raise NotTheseErrors(file=self.file, number=number, text=text, listed=" ".join(listed))


class IntroducedRows(NamedTuple):
    """Rows with errors in their texts, and a mistake list of them in the shared task's columns."""

    rows: list[Values]
    mistakes: tuple[Mistake, ...]
    texts: dict[str, Text]
    wanted: int  # sentences that were drawn
    untouched: tuple[str, ...]  # ids of texts into which no error could be introduced

    def gsml(self) -> str:
        return write_mistakes(self.mistakes, self.texts)

    def to_approve(self) -> Table:
        """Every error in its sentence, for whoever decides which of them are fair."""
        rows: list[tuple[Cell, ...]] = []
        for one in self.mistakes:
            text = self.texts[one.text_id]
            sentence, words = text.sentences[text.sentence_of(one.span.start)], text.words()
            before, wrong, after = (
                " ".join(words[start:end])
                for start, end in pairwise((sentence.start, one.span.start, one.span.end, sentence.end))
            )
            rows.append((one.text_id, one.id, one.label, one.correction, wrong, f"{before} [{wrong}] {after}".strip()))
        return Table("Introduced errors", ("text", "number", "kind", "was", "reads", "sentence"), tuple(rows))


def introduce_in_rows(
    rows: Sequence[Values],
    domain: Domain,
    rng: np.random.Generator,
    rules: SegmentationRules,
    *,
    test: bool = False,
    approved: ApprovedErrors | None = None,
) -> IntroducedRows:
    """Introduce errors into every row's text; where a list was approved, only what is on it.

    A row keeps its own facts and gets `introduced`, which is hidden from annotators; names that it brings along under
    `names` are used for its text. Its tokens and sentences are written out, so that the places stay right however
    the rows are read. With `test`, the rows are test questions.
    """
    problems: list[Problem] = []
    made: list[Values] = []
    mistakes: list[Mistake] = []
    texts: dict[str, Text] = {}
    wanted, untouched = 0, []
    for row in rows:
        unit = unit_from_row(Row(row["id"], row), rules, problems)
        own = domain_from({"names": row.get("names")}, row["id"], problems)
        if unit is None or "text" not in unit.shown.texts:
            continue
        shown = unit.shown.texts["text"]
        listed = None if approved is None else approved.of_text.get(row["id"], {})
        changed = introduce(shown.text, domain.joined(own), rng, keep=shown.prompt, approved=listed)
        wanted += changed.wanted
        texts[row["id"]] = changed.text
        if not changed.introduced:
            untouched.append(row["id"])
        for number, one in zip(changed.numbers, changed.introduced, strict=True):
            mistakes.append(
                Mistake(row["id"], one.span, one.label, one.original, f"introduced: {one.text}", str(number))
            )
        facts: dict[str, Any] = {"introduced": [one.to_json() for one in changed.introduced]}
        if test and changed.introduced:
            facts["test"] = "introduced"
        made.append({**_without_names(row), **_written(changed.text, shown.prompt is not None, row), **facts})
    if problems:
        raise ProblemsFound(problems, consequence="nothing was written")
    if approved is not None:
        approved.refuse_others(mistakes)
    return IntroducedRows(made, tuple(mistakes), texts, wanted, tuple(untouched))


def _without_names(row: Values) -> Values:
    return {key: value for key, value in row.items() if key != "names"}


def _written(text: Text, has_prompt: bool, row: Values) -> Values:
    """A text with its tokens and sentences; a prompt, which was left alone, is still its beginning."""
    return {
        "text": text.characters,
        "tokens": list(text.words()),
        "sentences": [[one.start, one.end] for one in text.sentences],
        **({"prompt": row["prompt"]} if has_prompt else {}),
    }
