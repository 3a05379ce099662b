"""Is what a protocol teaches right? Every exercise can be shown, every key can be graded, every rule can be met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.protocols.expected import Expected, ExpectedNotReadable, ExpectedSpan, Grading
from goldmark.protocols.kinds import AnswerContext, ProtocolContext, ProtocolMistake, Question
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.training.exercises import QuoteMisplaced, key_of, quote_mistakes, shown_of
from goldmark.protocols.training.kits import ComparisonTraining, Exercise
from goldmark.records.answers import Marks
from goldmark.records.units import ShownUnit

Questions = Mapping[str, Question | None]
Path = tuple[str | int, ...]
ONE_EXERCISE: TypeAdapter[Exercise] = TypeAdapter(Exercise)
ONE_COMPARISON: TypeAdapter[ComparisonTraining] = TypeAdapter(ComparisonTraining)
SPAN_KEYS = frozenset({"quote", "nth", "start", "end", *ExpectedSpan.model_fields})


def training_mistakes(
    data: Mapping[str, Any], questions: Questions, around: ProtocolContext
) -> Iterator[ProtocolMistake]:
    """Everything wrong with `grading`, `training` and `qualification` beyond the shape of their keys."""
    for name, rule in _mapping(data.get("grading")).items():
        yield from _grading(name, _mapping(rule), questions)
    for kit, parts in _mapping(data.get("training")).items():
        for number, part in enumerate(parts if isinstance(parts, Sequence) else ()):
            at: Path = ("training", kit, number)
            for key in ("examples", "practice"):
                exercises = _mapping(part).get(key)
                for position, one in enumerate(exercises if isinstance(exercises, list) else ()):
                    yield from _exercise(one, (*at, key, position), questions, around, needed=key == "examples")
            yield from _pairs(_mapping(part).get("comparison"), (*at, "comparison"))
    qualification = _mapping(data.get("qualification"))
    units = qualification.get("units")
    for position, one in enumerate(units if isinstance(units, list) else ()):
        yield from _exercise(one, ("qualification", "units", position), questions, around, needed=True)
    yield from _passing(qualification, data, questions)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _unknown(
    name: str, known: Sequence[str] | Questions, at: Path, what: str = "question"
) -> Iterator[ProtocolMistake]:
    near = did_you_mean(name, known) or f"there are {', '.join(known)}"
    yield ProtocolMistake(at, f'there is no {what} "{name}"', near)


def _grading(name: str, rule: Mapping[str, Any], questions: Questions) -> Iterator[ProtocolMistake]:
    if name not in questions:
        yield from _unknown(name, questions, ("grading", name))
        return
    yield from _misfit(rule, questions[name], ("grading", name))


def _misfit(rule: Mapping[str, Any], question: Question | None, at: Path) -> Iterator[ProtocolMistake]:
    """Parts of a rule that mean nothing for this kind of question."""
    if question is None:
        return
    fitting = question.graded_by
    for key in rule:
        if key in Grading.model_fields and key not in fitting:
            remedy = f"here one may say {', '.join(sorted(fitting))}" if fitting else ""
            yield ProtocolMistake((*at, key), f'"{key}" means nothing for a question of kind {question.kind}', remedy)
    if "within" in rule and "within" in fitting and question.options_with_numbers() and not question.numbers():
        yield ProtocolMistake((*at, "within"), f'the options of "{question.id}" carry no numbers', "")


def _exercise(
    raw: object, at: Path, questions: Questions, around: ProtocolContext, *, needed: bool
) -> Iterator[ProtocolMistake]:
    try:
        exercise = ONE_EXERCISE.validate_python(raw)
    except ValidationError:
        return  # told by the check of the shape
    if needed and not exercise.expected:
        yield ProtocolMistake((*at, "expected"), '"expected" is missing', "say what the right answer is")
    try:
        shown = shown_of(exercise, "exercise")
    except ProblemsFound as error:
        yield from (ProtocolMistake((*at, one.part), one.what, one.remedy) for one in error.problems)
        return
    if set(shown.texts) != set(around.texts):
        wanted, has = " and ".join(around.texts), " and ".join(shown.texts)
        yield ProtocolMistake(at, f"the exercise has {has}, but the protocol asks about {wanted}", "")
        return
    yield from expected_mistakes(exercise.expected, questions, shown, around, (*at, "expected"))


def expected_mistakes(
    expected: Mapping[str, Any], questions: Questions, shown: ShownUnit, around: ProtocolContext, at: Path = ()
) -> Iterator[ProtocolMistake]:
    """Everything wrong with what the answers to a unit should be, whether in an exercise or in a test question."""
    for name, written in expected.items():
        if name not in questions:
            yield from _unknown(name, questions, (*at, name))
        elif (question := questions[name]) is not None:
            yield from _key(written, question, shown, (*at, name), around)


def _key(
    written: Any, question: Question, shown: ShownUnit, at: Path, around: ProtocolContext
) -> Iterator[ProtocolMistake]:
    """One expected answer: it can be read, it fits the question, and the question could be answered so."""
    if isinstance(question, SpansQuestion):
        misplaced = list(quote_mistakes(written, question, shown))
        if misplaced:
            yield from (ProtocolMistake((*at, *one.key), one.what, one.remedy) for one in misplaced)
            return
    try:
        placed = key_of({question.id: written}, {question.id: question}, shown)[question.id]
        wanted = Expected.of(question.id, placed)
    except (ExpectedNotReadable, QuoteMisplaced) as error:
        yield ProtocolMistake(at, str(error), "")
        return
    yield from _misfit(_mapping(written), question, at)
    if wanted.bounded and question.options_with_numbers() and not question.several and not question.numbers():
        yield ProtocolMistake(
            at, f'the options of "{question.id}" carry no numbers, so they cannot be compared with one', ""
        )
    asked = AnswerContext(shown.surface(), around, question.id)
    plain: list[Any] = [wanted.answer] if wanted.answer is not None else []
    plain += wanted.one_of or []
    plain += [wanted.includes] if wanted.includes is not None else []
    for answer in plain:
        if isinstance(question, SpansQuestion):
            yield from _passages(answer, question, at, around)
        else:
            for problem in question.problems(answer, asked):
                if not problem.what.startswith(("Only", "0 chosen")):  # a key may hold less than an answer must
                    yield ProtocolMistake(
                        at, f'this cannot be answered to "{question.id}": {problem.what}', problem.remedy
                    )


def _passages(answer: Any, question: SpansQuestion, at: Path, around: ProtocolContext) -> Iterator[ProtocolMistake]:
    tree = around.taxonomies.get(question.labels.tree) if question.labels else None
    for position, passage in enumerate(answer if isinstance(answer, list) else ()):
        here = (*at, position)
        for key in passage:
            if key not in SPAN_KEYS:
                near = did_you_mean(str(key), SPAN_KEYS) or f"it has {', '.join(sorted(SPAN_KEYS))}"
                yield ProtocolMistake((*here, key), f'a passage of a key has no "{key}"', near)
        try:
            read = ExpectedSpan.model_validate(passage)
        except ValidationError:
            yield ProtocolMistake(here, "a passage needs a quote, or start and end", "write {quote: ..., label: ...}")
            continue
        for label in read.labels:
            if tree is not None and label not in tree.paths:
                yield from _unknown(label, list(tree.paths), (*here, "label"), "label")


def _pairs(raw: object, at: Path) -> Iterator[ProtocolMistake]:
    if raw is None:
        return
    try:
        comparison = ONE_COMPARISON.validate_python(raw)
    except ValidationError:
        return
    for position, pair in enumerate(comparison.pairs):
        try:
            shown_of(pair, "pair")
        except ProblemsFound as error:
            yield from (
                ProtocolMistake((*at, "pairs", position, one.part), one.what, one.remedy) for one in error.problems
            )
        except GoldmarkError as error:
            yield ProtocolMistake((*at, "pairs", position), str(error), "")


def _passing(
    qualification: Mapping[str, Any], data: Mapping[str, Any], questions: Questions
) -> Iterator[ProtocolMistake]:
    rule = _mapping(qualification.get("pass"))
    at: Path = ("qualification", "pass")
    units = qualification.get("units")
    graded = {
        name for one in (units if isinstance(units, list) else ()) for name in _mapping(_mapping(one).get("expected"))
    }
    for key in ("questions", "spans"):
        for name in _mapping(rule.get(key)):
            if name not in questions:
                yield from _unknown(name, questions, (*at, key, name))
            elif name not in graded:
                yield ProtocolMistake(
                    (*at, key, name), f'no text of the qualification says what is right for "{name}"', ""
                )
            elif key == "spans" and (question := questions[name]) is not None and question.gives is not Marks:
                yield ProtocolMistake((*at, key, name), f'"{name}" asks for no spans', "")
    steps = [str(step.get("id") or f"step{number}") for number, step in enumerate(_steps(data), start=1)]
    for name in _mapping(rule.get("steps")):
        if name not in steps:
            yield from _unknown(name, steps, (*at, "steps", name), "step")


def _steps(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    steps = data.get("steps")
    return [_mapping(step) for step in steps] if isinstance(steps, list) else []
