"""Does a condition make sense where it stands? Only earlier questions, only options that exist, only fitting signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from goldmark.protocols.conditions import ORDERED, Condition, NotACondition, Tree
from goldmark.protocols.kinds.base import ProtocolMistake, Question
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.taxonomy import Taxonomy

SIGN_NAMES: Final[Mapping[str, str]] = {
    "==": "compared by == or !=",
    "<": "compared by < or >",
    "in": "looked for in a list",
    "count": "counted",
    "value": "read as a number by value(...)",
}


@dataclass
class Scope:
    """What a condition may look at: the questions asked before it, or the label and attributes of its span."""

    questions: dict[str, Question | None] = field(default_factory=dict)  # None: there, but of the wrong shape
    labels: Taxonomy | None = None
    in_span: bool = False

    def add(self, name: str, question: Question | None) -> None:
        self.questions.setdefault(name, question)


def condition_mistakes(
    written: object, scope: Scope, order: Sequence[str], at: tuple[str | int, ...]
) -> Iterator[ProtocolMistake]:
    """Everything wrong with one condition; `order` holds all ids, to tell a later question from an unknown one."""
    if written is None:
        return
    try:
        condition = Condition.of(written)
    except NotACondition:
        return  # told by the check of the shape
    for leaf in condition.comparisons():
        yield from (ProtocolMistake(at, what, remedy) for what, remedy in _wrong(leaf, scope, order))


def _wrong(leaf: Tree, scope: Scope, order: Sequence[str]) -> Iterator[tuple[str, str]]:
    sign = leaf[0]
    name = leaf[1] if sign == "answered" else leaf[1][1]
    if name == "label" and scope.in_span:
        yield from _wrong_label(leaf, scope.labels)
        return
    if name not in scope.questions:
        if name in order:
            yield (
                f'the condition looks at "{name}", which is asked only here or later',
                "conditions look at earlier answers",
            )
        else:
            noun = "attribute" if scope.in_span else "earlier question"
            near = did_you_mean(name, scope.questions) or f"known here: {', '.join(scope.questions) or 'none'}"
            yield f'the condition looks at "{name}", but there is no such {noun}', near
        return
    question = scope.questions[name]
    if question is not None and sign != "answered":
        yield from _misfit(leaf, name, question)


def _wrong_label(leaf: Tree, labels: Taxonomy | None) -> Iterator[tuple[str, str]]:
    if labels is None or leaf[0] == "answered":
        return
    if leaf[0] != "under":
        yield "a label can only be compared by ==, != or in", ""
    elif leaf[2][0] == "value" and leaf[2][1] not in labels.paths:
        yield f'"{leaf[2][1]}" is not a label of "{labels.name}"', did_you_mean(str(leaf[2][1]), labels.paths)


def _misfit(leaf: Tree, name: str, question: Question) -> Iterator[tuple[str, str]]:
    sign, look = leaf[0], leaf[1][0]
    need = {"count": "count", "number": "value"}.get(look) or (
        "<" if sign in ORDERED else "in" if sign == "in" else "=="
    )
    options = question.options_with_numbers()
    if need not in question.looks:
        ways = ", ".join(SIGN_NAMES[one] for one in sorted(question.looks))
        yield (
            f'"{name}" is of kind {question.kind} and cannot be {SIGN_NAMES[need]}',
            f"it can be {ways}" if ways else "",
        )
    elif need == "value" and not question.numbers():
        yield f'the options of "{name}" carry no numbers', "write them as a mapping from option to number"
    elif look == "answer" and options is not None:
        for option in leaf[2] if sign == "in" else leaf[2][1:]:
            if option not in options:
                near = did_you_mean(str(option), options) or f"the options are {', '.join(options)}"
                if isinstance(option, int | float):
                    near = f'compare value({name}) with a number, or write "{option}" in quotation marks'
                yield f'"{option}" is not an option of "{name}"', near
    elif look in ("count", "number") or question.looks >= {"<"}:
        others = leaf[2] if sign == "in" else [leaf[2][1]] if leaf[2][0] == "value" else []
        if any(isinstance(other, str) for other in others):
            yield f'"{name}" is compared with something that is not a number', ""
