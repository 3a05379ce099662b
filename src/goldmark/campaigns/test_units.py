"""Test questions: units whose right answer is known, made of gold outputs or given as they are.

A positive test question shows the gold output where a system's would stand; a negative one shows the gold output of
another item, which looks right at a glance and is not. No gold output is used twice, so nobody meets the same text
again and wonders why. What annotators receive is made the same way as for any other unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from goldmark.campaigns.plan import item_of, rank
from goldmark.campaigns.settings import TestQuestions
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.exercises import key_of
from goldmark.protocols.kinds.spans import Spans
from goldmark.protocols.learning_checks import expected_mistakes
from goldmark.records.introduced import introduced_in
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit, Sign, Unit, sign_of
from goldmark.texts.making import make_text

MIDDLE = 0.5  # ratings from 0 to 1 are read as yes from here on
FOUND = 0.5  # the share of known mistakes that has to be found; people overlook some, spammers nearly all
SHARED = 0.5  # the share of the marks that has to be on known mistakes, where all are known
ByVerdict = Mapping[Sign, Mapping[str, Any]]


class NoGoldOutputs(GoldmarkError):
    code = "TEST-01"
    message = "{count} units have a gold output in {column!r}; {needed}"


class PromptInTheWay(GoldmarkError):
    code = "TEST-02"
    message = (
        "unit {unit!r} begins with a prompt, or has a focus or marks; a gold output in {column!r} would not have them: "
        "write these test questions in a file of their own"
    )


class SeveralTexts(GoldmarkError):
    code = "TEST-03"
    message = (
        "units for {protocol} have several texts, so a gold output cannot stand for one; write test questions in a "
        "file, with `test` and `expected`"
    )


class NothingMarked(GoldmarkError):
    code = "TEST-06"
    message = "{protocol} asks nobody to mark passages, so mistakes that are known cannot be looked for"


class Gold(NamedTuple):
    """A gold output, and a unit about the same item, whose context is shown with it."""

    item: str
    about: Unit
    output: ShownText


def gold_in_column(
    units: Iterable[Unit], column: str, protocol: Protocol, *, tokeniser: str, sentences: str
) -> list[Gold]:
    """The gold outputs that the units carry as a hidden fact, one an item, tokenised as the texts are."""
    if tuple(protocol.texts) != ("text",):
        raise SeveralTexts(protocol=protocol.id)
    found: dict[str, Gold] = {}
    for unit in units:
        output, item = unit.hidden.get(column), item_of(unit)
        if not isinstance(output, str) or not output.strip() or item in found or sign_of(unit.hidden):
            continue
        shown = unit.shown.texts["text"]
        if shown.prompt or shown.focus or shown.given or shown.suggested:
            raise PromptInTheWay(unit=unit.id, column=column)
        # Texts that came with their tokens are parted by spaces as a rule; a gold output has to be read somehow.
        rule = "whitespace" if shown.text.tokeniser == "given" else tokeniser
        made = make_text(unit.id, output, tokeniser=rule, sentences=sentences)
        found[item] = Gold(item, unit, ShownText(made, language=shown.language))
    return list(found.values())


def gold_in_rows(rows: Iterable[Unit], units: Iterable[Unit]) -> list[Gold]:
    """Gold outputs that were read from a file of their own: a row names its item, and may bring its own context."""
    about: dict[str, Unit] = {}
    for unit in units:
        about.setdefault(item_of(unit), unit)
    made = []
    for row in rows:
        item = item_of(row)
        base = row if row.shown.context or item not in about else about[item]
        made.append(Gold(item, base, row.shown.texts["text"]))
    return made


def enough(golds: Sequence[Gold], column: str) -> Sequence[Gold]:
    """The same gold outputs, or why no test question can be made of them."""
    if len(golds) < 2:
        raise NoGoldOutputs(count=len(golds), column=column, needed="at least 2 items need one")
    return golds


def made_of_rows(rows: Sequence[Unit], units: Iterable[Unit], rates: TestQuestions) -> list[Unit]:
    """Rows of a file of its own: those that say `test` are test questions, the others are gold outputs."""
    ready = [row for row in rows if sign_of(row.hidden)]
    golds = gold_in_rows([row for row in rows if not sign_of(row.hidden)], units)
    return [*ready, *made_of_gold(golds, rates)]


def made_of_gold(golds: Sequence[Gold], rates: TestQuestions) -> list[Unit]:
    """Positive and negative test questions in the proportion of their rates; which gold output is which, is by lot."""
    ordered = sorted(golds, key=lambda gold: rank(rates.seed, "test question", gold.item))
    both = rates.positive + rates.negative
    split = round(len(ordered) * rates.positive / both) if both else 0
    if rates.negative and rates.positive and len(ordered) >= 3:
        split = min(max(split, 1), len(ordered) - 2)  # a permutation needs two
    pairs: list[tuple[Sign, Gold, Gold]] = [("positive", gold, gold) for gold in ordered[:split]]
    pairs += [("negative", gold, other) for gold, other in permuted(ordered[split:])]
    return [_test(sign, gold, other) for sign, gold, other in pairs]


def permuted(golds: Sequence[Gold]) -> list[tuple[Gold, Gold]]:
    """Every gold output with another item's: one cyclic permutation, moved so far that none meets its own words.

    Items with the same gold output stand together in the cycle, which is turned by the size of the largest such group;
    that parts all of them unless one group is more than half. What cannot be parted is left out.
    """
    groups: dict[str, list[Gold]] = {}
    for gold in golds:
        groups.setdefault(_words(gold), []).append(gold)
    cycle = [gold for group in groups.values() for gold in group]
    turn = max((len(group) for group in groups.values()), default=0)
    pairs = ((gold, cycle[(place + turn) % len(cycle)]) for place, gold in enumerate(cycle))
    return [(gold, other) for gold, other in pairs if _words(gold) != _words(other)]


def _words(gold: Gold) -> str:
    return " ".join(gold.output.text.characters.split()).casefold()


def _test(sign: Sign, gold: Gold, other: Gold) -> Unit:
    name = f"{gold.item}/{sign}"
    shown = replace(other.output, text=replace(other.output.text, id=name))
    facts: dict[str, Any] = {"item": gold.item, "test": sign, "gold_of": other.item}
    return Unit(name, ShownUnit({"text": shown}, gold.about.shown.context), facts)


def usual_answers(protocol: Protocol, unit: Unit) -> Mapping[str, Any]:
    """What is right where nobody says so: introduced errors are to be found, a rating is above or below the middle.

    Of several ratings, only one that is called `overall` is meant; the others say nothing about right and wrong.
    """
    questions = list(protocol.questions())
    if introduced_in(unit.hidden) and any(isinstance(one, Spans) for one in questions):
        question = first_spans(protocol)
        text = unit.shown.texts[question.of or protocol.texts[0]].text
        return {question.id: found_among(introduced_in(unit.hidden), question, text)}
    ratings = [one.id for one in questions if one.kind == "choice" and _is_rating(one.numbers())]
    chosen = [one for one in ratings if one == "overall"] or ratings
    if len(chosen) != 1:
        return {}
    good = sign_of(unit.hidden) == "positive"
    return {chosen[0]: {"at_least": MIDDLE} if good else {"below": MIDDLE}}


def first_spans(protocol: Protocol) -> Spans:
    """The question that asks for mistakes: the protocol's first that asks for spans."""
    for question in protocol.questions():
        if isinstance(question, Spans):
            return question
    raise NothingMarked(protocol=protocol.id)


def found_among(spans: Iterable[Span], question: Spans, text: Text) -> dict[str, Any]:
    """A key for a text that may have other mistakes as well: those known are to be found, the rest is not judged."""
    return {"includes": [_passage(one, question, text) for one in spans], "recall": FOUND}


def all_of(spans: Iterable[Span], question: Spans, text: Text) -> dict[str, Any]:
    """A key for a text of which every mistake is known."""
    return {"is": [_passage(one, question, text) for one in spans], "recall": FOUND, "precision": SHARED}


def _passage(span: Span, question: Spans, text: Text) -> dict[str, int]:
    """Without its label: whoever finds a mistake has read the text, whatever they call it."""
    if question.by == "token":
        return {"start": span.start, "end": span.end}
    return {"start": text.tokens[span.start].start, "end": text.tokens[span.end - 1].end}


def _is_rating(numbers: Mapping[str, float]) -> bool:
    return bool(numbers) and min(numbers.values()) == 0 and max(numbers.values()) == 1


def with_expected(
    protocol: Protocol, units: Iterable[Unit], where: str, problems: list[Problem], expected: ByVerdict | None = None
) -> list[Unit]:
    """The same units, every test question with what is right in it; or what is missing or wrong, in `problems`."""
    units = list(units)
    misplaced = [
        Problem(where, f"an error introduced into unit {unit.id!r} lies outside of its text", "", "introduced")
        for unit in units
        for one in introduced_in(unit.hidden)
        if all(one.end > len(shown.text.tokens) for shown in unit.shown.texts.values())
    ]
    if misplaced:
        problems += misplaced
        return units
    return [_with_expected(protocol, unit, where, problems, expected or {}) for unit in units]


def checked_tests(
    protocol: Protocol, units: Iterable[Unit], where: str, expected: ByVerdict | None = None
) -> list[Unit]:
    """The same, refusing test questions of which nobody could say who answered them right."""
    problems: list[Problem] = []
    found = with_expected(protocol, units, where, problems, expected)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")
    return found


def _with_expected(protocol: Protocol, unit: Unit, where: str, problems: list[Problem], expected: ByVerdict) -> Unit:
    sign = sign_of(unit.hidden)
    if sign is None:
        return unit
    written = unit.hidden.get("expected") or expected.get(sign) or usual_answers(protocol, unit)
    questions = {question.id: question for question in protocol.questions()}
    if not isinstance(written, Mapping) or not written:
        remedy = f"write test_questions.expected.{sign}, or `expected` in its row; {protocol.id} asks "
        problems.append(
            Problem(
                where, f"nothing says what is right in the test question {unit.id!r}", remedy + ", ".join(questions)
            )
        )
        return unit
    wrong = list(expected_mistakes(written, questions, unit.shown, protocol.around))
    problems += [
        Problem(where, f"test question {unit.id!r}: {one.what}", one.remedy, ".".join(map(str, one.key)))
        for one in wrong
    ]
    if wrong:
        return unit
    return replace(unit, hidden={**unit.hidden, "expected": dict(key_of(written, questions, unit.shown))})


def check_rates(rates: TestQuestions, units: Iterable[Unit], where: str) -> None:
    """Refuse rates without test questions, and test questions without a rate."""
    problems = list(rate_problems(rates, units, where))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")


def rate_problems(rates: TestQuestions, units: Iterable[Unit], where: str) -> Iterator[Problem]:
    """Rates without test questions, and test questions without a rate."""
    there = Counter(sign_of(unit.hidden) for unit in units)
    for sign, rate in (("positive", rates.positive), ("negative", rates.negative)):
        count = there[sign]  # type: ignore[index]
        if rate and not count:
            remedy = "name a column with gold outputs (gold), or a file of test questions (texts)"
            yield Problem(where, f"{rate:.0%} {sign} test questions are wanted, and there are none", remedy, sign)
        if count and not rate:
            what = f"there are {count} {sign} test questions, and at a rate of 0 nobody would get one"
            yield Problem(where, what, f"say {sign}: 0.05, for instance", sign)
