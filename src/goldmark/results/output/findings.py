"""What a campaign found, in a sentence for each question: nothing that its tables do not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose
from typing import NamedTuple

from goldmark.records.figures import counted
from goldmark.records.tables import Cell
from goldmark.results.all_tables import Results
from goldmark.results.pictures.picture_text import percent, percents, spoken
from goldmark.results.pictures.sheet import number_of

MOST = 6  # sentences; with more, one reads the tables
TRUSTED = ("alpha", "gamma")  # the measures of agreement that a sentence names, the first that a question has

Row = dict[str, Cell]


class Finding(NamedTuple):
    question: str
    words: str


def findings(results: Results) -> tuple[Finding, ...]:
    """The main figures in words, in the order of the questions."""
    found = [*_means(results), *_errors(results), *_preferred(results), *_chosen(results)]
    order = [question.id for question in results.questions]
    found.sort(key=lambda one: order.index(one.question) if one.question in order else len(order))
    return (*found[:MOST], *_agreement(results))


def _rows(results: Results, name: str) -> dict[str, list[Row]]:
    """The rows of a table that have a number, by question."""
    table = results.table(name)
    found: dict[str, list[Row]] = {}
    for row in table.records() if table else ():
        if number_of(row.get("value")) is not None:
            found.setdefault(str(row.get("question")), []).append(row)
    return found


def _said(row: Row) -> str:
    return spoken(number_of(row["value"]) or 0.0, row.get("low"), row.get("high"))


def _means(results: Results) -> Iterator[Finding]:
    for question, rows in _rows(results, "ratings").items():
        if len(rows) == 1:
            yield Finding(question, f"The mean is {_said(rows[0])}.")
            continue
        words = _ends(rows, results.by, "the highest mean", "the lowest", "the same mean")
        yield Finding(question, words + _differences(results, "differences", question))


def _errors(results: Results) -> Iterator[Finding]:
    for question, every in _rows(results, "errors").items():
        rows = [row for row in every if row["label"] == "total"]
        if not rows:
            continue
        if len(rows) == 1:
            yield Finding(question, f"A text has {_said(rows[0])} errors on average.")
            continue
        words = _ends(rows, results.by, "the fewest errors", "the most", "equally many errors", " a text")
        yield Finding(question, words + _differences(results, "error-differences", question))


def _ends(rows: Sequence[Row], by: str, first: str, last: str, same: str, each: str = "") -> str:
    """Who is at either end of rows that are in order; those that tie are named together."""
    best, worst = _tied(rows, rows[0]), _tied(rows, rows[-1])
    if len(best) == len(rows):
        return f"{_named(best, by)} have {same}, {_all_said(best)}{each}."
    top = f"{_named(best, by)} {'has' if len(best) == 1 else 'tie for'} {first}, {_all_said(best)}{each}"
    return f"{top}; {_named(worst, by)} {last}, {_all_said(worst)}."


def _tied(rows: Sequence[Row], one: Row) -> list[Row]:
    """The rows with the same figure as one of them."""
    return [
        row for row in rows if isclose(number_of(row["value"]) or 0.0, number_of(one["value"]) or 0.0, abs_tol=1e-12)
    ]


def _named(rows: Sequence[Row], by: str) -> str:
    return _listed([str(row[by]) for row in rows])


def _all_said(rows: Sequence[Row]) -> str:
    """Their figures with their intervals, once where all are alike."""
    return _listed(list(dict.fromkeys(map(_said, rows))))


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _differences(results: Results, name: str, question: str) -> str:
    """How many differences are more than chance, after correction for all pairs."""
    table = results.table(name)
    known = [
        row["significant"]
        for row in (table.records() if table else ())
        if row["question"] == question and row["significant"] is not None
    ]
    if not known:
        return ""
    if len(known) == 1:
        return " The difference is significant." if known[0] else " The difference may be chance."
    return f" {sum(map(bool, known))} of {counted(len(known), 'difference')} are significant."


def _preferred(results: Results) -> Iterator[Finding]:
    for question, rows in _rows(results, "win-rates").items():
        best = _tied(rows, rows[0])
        told = [f"{one['system']} is preferred in {_share(one)}" for one in best]
        tie = f"{_named(best, 'system')} tie: " if len(best) > 1 else ""
        yield Finding(question, f"{tie}{_listed(told)}.")


def _share(row: Row) -> str:
    share = percent(number_of(row["value"]) or 0) + percents(row.get("low"), row.get("high"))
    return f"{share} of its {counted(int(str(row['n'])), 'comparison')}"


def _chosen(results: Results) -> Iterator[Finding]:
    for question, rows in _rows(results, "choices").items():
        asked = next((one for one in results.questions if one.id == question), None)
        words = dict(asked.options) if asked else {}
        groups = list(dict.fromkeys(str(row[results.by]) for row in rows))
        if len(groups) == 1:
            most = sorted(rows, key=lambda row: -(number_of(row["value"]) or 0))[:3]
            told = ", ".join(f"{_option(row, words)} {percent(number_of(row['value']) or 0)}" for row in most)
            yield Finding(question, f"Most often: {told}.")
            continue
        totals: dict[str, float] = {}
        for row in rows:
            totals[str(row["label"])] = totals.get(str(row["label"]), 0.0) + float(number_of(row.get("count")) or 0.0)
        label = max(totals, key=totals.__getitem__)
        own = sorted((row for row in rows if row["label"] == label), key=lambda row: number_of(row["value"]) or 0)
        low, high = own[0], own[-1]
        yield Finding(
            question,
            f"{_option(low, words)}: from {percent(number_of(low['value']) or 0)} ({low[results.by]}) "
            f"to {percent(number_of(high['value']) or 0)} ({high[results.by]}).",
        )


def _option(row: Row, words: dict[str, str]) -> str:
    return words.get(str(row["label"])) or str(row["label"])


def _agreement(results: Results) -> Sequence[Finding]:
    """How far people agree: on one question with its interval, on several from the least to the most."""
    named: list[tuple[float, str, Row]] = []
    for question, rows in _rows(results, "agreement").items():
        for measure in TRUSTED:
            row = next((row for row in rows if row["measure"] == measure and not row["label"]), None)
            if row is not None:
                named.append((number_of(row["value"]) or 0.0, question, row))
                break
    if not named:
        return ()
    if len(named) == 1:
        _, question, row = named[0]
        return (Finding("", f"People agree on {question} with {row['measure']} {_said(row)}."),)
    named.sort(key=lambda one: one[0])
    (_, least, low), (_, most, high) = named[0], named[-1]
    if low["value"] == high["value"]:
        return (Finding("", f"People agree alike on all questions, {low['measure']} {_said(low)}."),)
    told = [f"on {question}, {row['measure']} {_said(row)}" for question, row in ((least, low), (most, high))]
    return (Finding("", f"People agree least {told[0]}, and most {told[1]}."),)
