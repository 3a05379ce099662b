"""Was the qualification passed? The shares that a rule looks at, over all its texts, and what the rule says of them.

Marked passages are counted over all texts together, so that a text with ten mistakes weighs ten times one with a
single mistake: recall = found / to find, precision = marks on a passage to find / marks, category and correction =
right ones / found ones. If there was something to find and nothing was found, all four are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goldmark.languages import gettext, later, speaking
from goldmark.protocols import Protocol
from goldmark.protocols.training.kits import PassRule, SpanShares
from goldmark.quality.grading import Grade, PartGrade

SPANS_IN_WORDS: Mapping[str, str] = {
    "recall": later("Passages found"),
    "precision": later("Marks that are on a mistake"),
    "category": later("Right category, of those found"),
    "correction": later("Right correction, of those found"),
}


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One share that was looked at."""

    what: str
    share: float | None  # None: there was nothing to count
    needed: float | None  # None: only told, not asked for

    @property
    def met(self) -> bool:
        # A hair's breadth for shares such as 0.7 of 10 that are not exact in binary.
        return self.needed is None or self.share is None or self.share >= self.needed - 1e-9


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """How an attempt went, by what the rule asks; a reviewer may decide otherwise."""

    score: float
    meets_rule: bool
    rows: tuple[ShareRow, ...]

    def to_json(self) -> dict[str, Any]:
        rows = [{**asdict(row), "met": row.met} for row in self.rows]
        return {"score": self.score, "meets_rule": self.meets_rule, "rows": rows}


def judge(protocol: Protocol, rule: PassRule, grades: Sequence[Grade]) -> AttemptOutcome:
    """Every share of an attempt with what the rule asks of it."""
    rows = tuple(_rows(protocol, rule, grades))
    score = sum(one.score for one in grades) / len(grades)
    return AttemptOutcome(score, all(row.met for row in rows), rows)


def _rows(protocol: Protocol, rule: PassRule, grades: Sequence[Grade]) -> Iterator[ShareRow]:
    yield ShareRow(gettext("Texts wholly right"), _share([one.right for one in grades]), rule.right)
    mean = sum(one.score for one in grades) / len(grades)
    yield ShareRow(gettext("Mean score, with partial credit"), mean, rule.score)
    words = protocol.words_in(speaking.get())
    parts: dict[str, list[PartGrade]] = {}
    for one in grades:
        for part in one.parts:
            parts.setdefault(part.question, []).append(part)
    for number, step in enumerate(protocol.steps, start=1):
        name = step.id or f"step{number}"
        needed = _needed(rule.steps, name)
        graded = [_in_step(one, {question.id for question in step.questions}) for one in grades]
        shares = [right for right in graded if right is not None]
        if needed is not None and shares:
            yield ShareRow(
                gettext("Right in the part “{title}”", title=words.get(step.title, step.title) or name),
                _share(shares),
                needed,
            )
    for question in protocol.questions():
        graded_parts = parts.get(question.id, [])
        needed = _needed(rule.questions, question.id)
        if needed is not None and graded_parts:
            ask = question.present(protocol.around)["ask"]
            what = gettext("Right answers to “{question}”", question=words.get(ask, ask))
            yield ShareRow(what, _share([part.right for part in graded_parts]), needed)
        if any(part.counts for part in graded_parts):
            yield from _span_rows(graded_parts, rule.spans.get(question.id, SpanShares()))


def _span_rows(parts: Sequence[PartGrade], needed: SpanShares) -> Iterator[ShareRow]:
    total = {key: sum(part.counts.get(key, 0) for part in parts) for key in _COUNTED}
    lost = total["expected"] > 0 and total["found"] == 0
    shares = {
        "recall": _ratio(total["found"], total["expected"]),
        "precision": _ratio(total["marks"] - total["extra"], total["marks"]),
        "category": _ratio(total["labels_right"], total["labels"]),
        "correction": _ratio(total["corrections_right"], total["corrections"]),
    }
    for name, words in SPANS_IN_WORDS.items():
        asked = getattr(needed, name)
        share = 0.0 if lost and shares[name] is None else shares[name]
        if asked is not None or name in ("recall", "precision"):
            yield ShareRow(gettext(words), share, asked)


_COUNTED = (
    "expected",
    "found",
    "marks",
    "extra",
    "labels",
    "labels_right",
    "corrections",
    "corrections_right",
)


def _in_step(one: Grade, questions: set[str]) -> bool | None:
    graded = [part.right for part in one.parts if part.question in questions]
    return all(graded) if graded else None


def _needed(rule: float | dict[str, float] | None, name: str) -> float | None:
    return rule.get(name) if isinstance(rule, dict) else rule


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)


def _ratio(some: int, of: int) -> float | None:
    return some / of if of else None
