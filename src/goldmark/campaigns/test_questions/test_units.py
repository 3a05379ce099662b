"""Test questions: units whose right answer is known, made of gold outputs or given as they are.

A positive test question shows the gold output where a system's would stand; a negative one shows the gold output of
another item. Which is shown with which is decided in `gold_pairs`, what is right in them in `expected`. What annotators
receive is made the same way as for any other unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.units.unit_order import item_of
from goldmark.campaigns.test_questions.gold_pairs import GoldItem, ShownPair, digest_of, gold_pairs, shown_beside
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.records.units import SIGNS, ContextItem, ShownText, ShownUnit, Sign, Unit, context_to_json, sign_of
from goldmark.texts.segmentation.text import make_text


class NoGoldOutputs(GoldmarkError):
    code = "TEST-01"
    message = "{count} items have a gold output in {column!r}; at least 2 need one"


class PromptInTheWay(GoldmarkError):
    code = "TEST-02"
    message = (
        "unit {unit!r} begins with a prompt, or has a focus or marks; a gold output in {column!r} would not have them: "
        "write these test questions in a file of their own"
    )


class SeveralTexts(GoldmarkError):
    code = "TEST-03"
    message = (
        "{what} has several texts, so a gold output cannot stand for one; write test questions in a file, with `test` "
        "and `expected`"
    )


class NoRates(GoldmarkError):
    code = "TEST-07"
    message = (
        "{count} items have a gold output to make test questions of, and at a rate of 0 nobody would get one; "
        "say positive: 0.05 and negative: 0.05, for instance"
    )


class GoldOutput(NamedTuple):
    """A gold output, of which an item may have several, and what is shown beside it, as beside other texts of it."""

    item: str
    beside: tuple[ContextItem, ...]
    output: ShownText


def gold_in_column(
    units: Iterable[Unit], column: str, protocol: Protocol, *, tokeniser: str, sentences: str
) -> list[GoldOutput]:
    """The gold outputs that the units carry as a hidden fact, each once for an item, tokenised as the texts are."""
    if tuple(protocol.texts) != ("text",):
        raise SeveralTexts(what=f"a unit for {protocol.id}")
    found: dict[tuple[str, bytes], GoldOutput] = {}
    for unit in units:
        output, item = unit.hidden.get(column), item_of(unit)
        if not isinstance(output, str) or not output.strip() or sign_of(unit.hidden):
            continue
        key = item, digest_of(output)
        if key in found:
            continue
        shown = unit.shown.texts["text"]
        if shown.prompt or shown.focus or shown.given or shown.suggested:
            raise PromptInTheWay(unit=unit.id, column=column)
        # Texts that came with their tokens are parted by spaces as a rule; a gold output has to be read somehow.
        rule = "whitespace" if shown.text.tokeniser == "given" else tokeniser
        made = make_text(unit.id, output, tokeniser=rule, sentences=sentences)
        found[key] = GoldOutput(item, unit.shown.context, ShownText(made, language=shown.language))
    if (items := len({item for item, _ in found})) < 2:
        raise NoGoldOutputs(count=items, column=column)
    return list(found.values())


def gold_in_rows(rows: Iterable[Unit], units: Iterable[Unit]) -> list[GoldOutput]:
    """Gold outputs that were read from a file of their own: a row names its item, and may bring its own context."""
    rows = list(rows)
    wanted = {item_of(row) for row in rows if not row.shown.context}
    beside: dict[str, tuple[ContextItem, ...]] = {}
    for unit in units if wanted else ():
        if item_of(unit) in wanted:
            beside.setdefault(item_of(unit), unit.shown.context)
    made = []
    for row in rows:
        if "text" not in row.shown.texts:
            raise SeveralTexts(what=f"the row {row.id!r}")
        item = item_of(row)
        made.append(GoldOutput(item, row.shown.context or beside.get(item, ()), row.shown.texts["text"]))
    return made


def made_of_rows(
    rows: Sequence[Unit], golds: Sequence[GoldOutput], units: Iterable[Unit], rates: TestQuestions
) -> list[Unit]:
    """Rows of a file of its own that say `test` are test questions; others are gold outputs, beside those known."""
    ready = [row for row in rows if sign_of(row.hidden)]
    more = gold_in_rows([row for row in rows if not sign_of(row.hidden)], units)
    return [*ready, *made_of_gold([*golds, *more], rates)]


def made_of_gold(golds: Iterable[GoldOutput], rates: TestQuestions) -> list[Unit]:
    """Positive and negative test questions in the proportion of their rates; which gold output is which, is random."""
    by_item: dict[str, list[GoldOutput]] = {}
    for gold in golds:
        by_item.setdefault(gold.item, []).append(gold)
    if by_item and not (rates.positive or rates.negative):
        raise NoRates(count=len(by_item))
    return [_test(pair, by_item) for pair in gold_pairs((_known(own) for own in by_item.values()), rates)]


def _known(golds: Sequence[GoldOutput]) -> GoldItem:
    context = [context_to_json(one) for one in golds[0].beside]
    outputs = tuple(gold.output.text.characters for gold in golds)
    return GoldItem(golds[0].item, outputs, shown_beside(context))


def _test(pair: ShownPair, golds: Mapping[str, Sequence[GoldOutput]]) -> Unit:
    name = f"{pair.item}/{pair.sign}"
    output = golds[pair.of][pair.place].output
    shown = replace(output, text=replace(output.text, id=name))
    return Unit(name, ShownUnit({"text": shown}, golds[pair.item][0].beside), facts_of(pair))


def facts_of(pair: ShownPair) -> dict[str, Any]:
    """What only managers know of a test question that was made of gold outputs."""
    return {"item": pair.item, "test": pair.sign, "gold_of": pair.of}


def lacking(rates: TestQuestions, there: Iterable[Sign | None]) -> list[tuple[Sign, float]]:
    """The signs of which test questions are wanted and not there, and at which rate; nobody is told of less."""
    found = set(there)
    wanted: dict[Sign, float] = {"positive": rates.positive, "negative": rates.negative}
    return [(sign, rate) for sign, rate in wanted.items() if rate and sign not in found]


def check_rates(rates: TestQuestions, units: Iterable[Mapping[str, Any]], where: str) -> None:
    """Refuse rates without test questions, and test questions without a rate, by what is hidden of all units."""
    problems = list(rate_problems(rates, Counter(map(sign_of, units)), where))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")


def rate_problems(rates: TestQuestions, there: Counter[Sign | None], where: str) -> Iterator[Problem]:
    """Rates without test questions, and test questions without a rate; `there` counts units by their sign."""
    for sign, rate in lacking(rates, there):
        remedy = "name a column with gold outputs (gold), or a file of test questions (texts)"
        if sign == "negative":
            remedy += "; they need gold outputs in other words, of items with another context"
        yield Problem(where, f"{rate:.0%} {sign} test questions are wanted, and there are none", remedy, sign)
    for sign in SIGNS:
        if there[sign] and not getattr(rates, sign):
            what = f"there are {there[sign]} {sign} test questions, and at a rate of 0 nobody would get one"
            yield Problem(where, what, f"say {sign}: 0.05, for instance", sign)
