"""Introduced errors in rows of texts: the rows as a campaign reads them, and the list of what was introduced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.texts.introduced_errors.domain import Domain, domain_from
from goldmark.texts.introduced_errors.errors import introduce
from goldmark.texts.preparing.rows import Values
from goldmark.texts.readers.gsml import write_mistakes
from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row


class IntroducedRows(NamedTuple):
    """Rows with errors in their texts, and a mistake list of them in the shared task's columns."""

    rows: list[Values]
    mistakes: tuple[Mistake, ...]
    texts: dict[str, Text]
    wanted: int  # sentences that were drawn
    untouched: tuple[str, ...]  # ids of texts into which no error could be introduced

    def gsml(self) -> str:
        return write_mistakes(self.mistakes, self.texts)


def introduce_in_rows(
    rows: Sequence[Values], domain: Domain, rng: np.random.Generator, rules: SegmentationRules, *, test: bool = False
) -> IntroducedRows:
    """Introduce errors into every row's text.

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
        changed = introduce(shown.text, domain.joined(own), rng, keep=shown.prompt)
        wanted += changed.wanted
        texts[row["id"]] = changed.text
        if not changed.introduced:
            untouched.append(row["id"])
        mistakes += (
            Mistake(row["id"], one.span, one.label, one.original, f"introduced: {one.text}", str(number))
            for number, one in enumerate(changed.introduced, start=1)
        )
        facts: dict[str, Any] = {"introduced": [one.to_json() for one in changed.introduced]}
        if test and changed.introduced:
            facts["test"] = "introduced"
        made.append({**_without_names(row), **_written(changed.text, shown.prompt is not None, row), **facts})
    if problems:
        raise ProblemsFound(problems, consequence="nothing was written")
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
