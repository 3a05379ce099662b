"""The five tasks: what a model is given, what it must answer, and how an answer is written in a file.

As TGEA defines them (section 5), with three choices that the paper leaves open. Spans are asked of erroneous texts
only. A type and a rationale are asked of every error, with its span given, because a text may have several. A token
that is both erroneous and associated counts as erroneous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.datasets.benchmark.maxmatch import Edit, most_words
from goldmark.datasets.release.rows import Words, corrected_tokens, words_with
from goldmark.errors import Missing
from goldmark.records.figures import counted

ERRONEOUS, ASSOCIATED = "erroneous", "associated"


class UnknownTask(Missing):
    code = "BENCHMARK-01"
    message = "{dataset} does not allow the task {task!r}; it allows {known}"


@dataclass(frozen=True, slots=True)
class TaskSpans:
    """Which tokens are erroneous, and which are associated with an error."""

    erroneous: frozenset[int]
    associated: frozenset[int]

    def tag(self, token: int) -> str:
        return "E" if token in self.erroneous else "A" if token in self.associated else "O"


@dataclass(frozen=True, slots=True)
class TaskItem:
    """One thing to answer. `gold` is its right answer; `edits` are what it rests on where the task is to correct."""

    text_id: str
    error: str  # the id of the error, or empty
    text: str
    tokens: tuple[str, ...]
    tokeniser: str
    language: str
    gold: Any
    span: tuple[int, int] | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return self.text_id, self.error

    def words(self) -> Words:
        """How to cut new words in the manner of this text's tokens."""
        return words_with(self.tokeniser)


@dataclass(frozen=True)
class BenchmarkTask:
    """A task by name: its items, and how its answers are written as JSON and read back."""

    name: str
    title: str
    figures: tuple[str, ...]
    main: str  # the figure by which models are compared
    items: Callable[[Mapping[str, Any]], Iterator[TaskItem]]  # of one row
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Mapping[str, Any], TaskItem], Any]  # raises ValueError with what is wrong
    per_error: bool = False


def items_of(
    task: BenchmarkTask, rows: Iterable[Mapping[str, Any]], *, leave_out: Sequence[str] = ()
) -> list[TaskItem]:
    """Everything that a task asks of these rows; types that are left out are not asked for."""
    found = [item for row in rows for item in task.items(row)]
    return [item for item in found if not (task.name == "type" and item.gold in leave_out)]


def _item(row: Mapping[str, Any], gold: Any, **rest: Any) -> TaskItem:
    return TaskItem(
        text_id=row["id"],
        error=rest.pop("error", ""),
        text=row["text"],
        tokens=tuple(row["tokens"]),
        tokeniser=row["tokeniser"],
        language=row["language"],
        gold=gold,
        **rest,
    )


# --- detect ----------------------------------------------------------------------------------------------------------


def _detect(row: Mapping[str, Any]) -> Iterator[TaskItem]:
    yield _item(row, row["erroneous"])


def _read_detect(answer: Mapping[str, Any], item: TaskItem) -> bool:
    value = answer.get("erroneous")
    if not isinstance(value, bool):
        raise ValueError('"erroneous" must be true or false')
    return value


# --- spans -----------------------------------------------------------------------------------------------------------


def spans_of(errors: Sequence[Mapping[str, Any]]) -> TaskSpans:
    erroneous = frozenset(token for one in errors for token in range(one["start"], one["end"]))
    linked = (two for one in errors for two in one["associated"])
    return TaskSpans(
        erroneous, frozenset(token for two in linked for token in range(two["start"], two["end"])) - erroneous
    )


def _spans(row: Mapping[str, Any]) -> Iterator[TaskItem]:
    if row["errors"]:
        yield _item(row, spans_of(row["errors"]))


def _write_spans(answer: TaskSpans) -> dict[str, Any]:
    return {ERRONEOUS: runs(answer.erroneous), ASSOCIATED: runs(answer.associated)}


def runs(tokens: Iterable[int]) -> list[list[int]]:
    """Tokens as passages: start, and the token after the last."""
    found: list[list[int]] = []
    for token in sorted(tokens):
        if found and found[-1][1] == token:
            found[-1][1] = token + 1
        else:
            found.append([token, token + 1])
    return found


def _read_spans(answer: Mapping[str, Any], item: TaskItem) -> TaskSpans:
    sets = []
    for name in (ERRONEOUS, ASSOCIATED):
        passages = answer.get(name, [])
        if not isinstance(passages, list) or not all(_is_passage(one, len(item.tokens)) for one in passages):
            raise ValueError(f'"{name}" must be a list of [start, end] within the {counted(len(item.tokens), "token")}')
        sets.append(frozenset(token for start, end in passages for token in range(start, end)))
    return TaskSpans(sets[0], sets[1] - sets[0])


def _is_passage(value: object, length: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(edge) is int for edge in value)
        and 0 <= value[0] < value[1] <= length
    )


# --- type ------------------------------------------------------------------------------------------------------------


def _type(row: Mapping[str, Any]) -> Iterator[TaskItem]:
    for one in row["errors"]:
        if one["type"]:
            yield _item(row, one["type"], error=one["id"], span=(one["start"], one["end"]))


def _read_type(answer: Mapping[str, Any], item: TaskItem) -> str:
    value = answer.get("type")
    if not isinstance(value, str) or not value:
        raise ValueError('"type" must be the name of a type')
    return value


# --- correct ---------------------------------------------------------------------------------------------------------


def _correct(row: Mapping[str, Any]) -> Iterator[TaskItem]:
    if row["erroneous"] and row["corrected"] is not None:
        words = words_with(row["tokeniser"])
        edits = tuple(Edit(one["start"], one["end"], tuple(words(one["correction"]))) for one in row["errors"])
        yield _item(row, tuple(corrected_tokens(row, words)), edits=edits)


def _read_correct(answer: Mapping[str, Any], item: TaskItem) -> tuple[str, ...]:
    tokens, text = answer.get("tokens"), answer.get("text")
    if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens):
        corrected = tuple(tokens)
    elif isinstance(text, str):
        corrected = tuple(item.words()(text))
    else:
        raise ValueError('give the corrected text as "tokens" or as "text"')
    if len(corrected) > (most := most_words(item.tokens)):
        said = f"{counted(len(item.tokens), 'token')} may have {most:,}; this one has {len(corrected):,}"
        raise ValueError(f"the correction of a text of {said}")
    return corrected


# --- rationale -------------------------------------------------------------------------------------------------------


def _rationale(row: Mapping[str, Any]) -> Iterator[TaskItem]:
    for one in row["errors"]:
        if one["rationale"]:
            yield _item(row, one["rationale"], error=one["id"], span=(one["start"], one["end"]))


def _read_rationale(answer: Mapping[str, Any], item: TaskItem) -> str:
    value = answer.get("rationale")
    if not isinstance(value, str):
        raise ValueError('"rationale" must be text')
    return value


TASKS: dict[str, BenchmarkTask] = {
    task.name: task
    for task in (
        BenchmarkTask(
            "detect",
            "Erroneous text detection",
            ("accuracy", "balanced_accuracy", "f1"),
            "balanced_accuracy",
            _detect,
            lambda answer: {"erroneous": bool(answer)},
            _read_detect,
        ),
        BenchmarkTask(
            "spans",
            "Erroneous and associated span detection",
            ("erroneous_f1", "associated_f1"),
            "erroneous_f1",
            _spans,
            _write_spans,
            _read_spans,
        ),
        BenchmarkTask(
            "type",
            "Error type classification",
            ("accuracy", "macro_f1"),
            "macro_f1",
            _type,
            lambda answer: {"type": answer},
            _read_type,
            per_error=True,
        ),
        BenchmarkTask(
            "correct",
            "Error correction",
            ("precision", "recall", "f0.5"),
            "f0.5",
            _correct,
            lambda answer: {"tokens": list(answer)},
            _read_correct,
        ),
        BenchmarkTask(
            "rationale",
            "Rationale generation",
            ("bleu", "rouge_l", "bertscore"),
            "rouge_l",
            _rationale,
            lambda answer: {"rationale": answer},
            _read_rationale,
            per_error=True,
        ),
    )
}


def find_task(name: str, allowed: Sequence[str], dataset: object) -> BenchmarkTask:
    if name not in allowed or name not in TASKS:
        raise UnknownTask(dataset=dataset, task=name, known=", ".join(allowed) or "none")
    return TASKS[name]
