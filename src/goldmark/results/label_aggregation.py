"""One label per item from many annotators' labels: a tidy table in, tables of items and annotators out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns, Frame
from goldmark.records.tidy.kept import Keep, check_kept
from goldmark.stats.models.aggregation import Aggregated, ItemLabels
from goldmark.stats.models.latent_truth import Method, aggregate

Truths = Mapping[Hashable, Hashable]


@dataclass(frozen=True)
class AggregatedTable:
    """What came of a table of labels: items in its order, those without any label left out."""

    done: Aggregated
    order: tuple[int, ...]
    known: Truths  # the true label of each item that has one
    accuracy: Figure | None  # None where no truth was given
    left_out: tuple[Mapping[str, object], ...]
    notes: tuple[str, ...]
    signature: str

    def tables(self) -> list[Table]:
        return [self._items(), self._annotators()]

    def _items(self) -> Table:
        done = self.done
        rows: list[dict[str, Cell]] = []
        top = done.posterior.max(axis=1)
        labels = done.chosen()
        for row in self.order:
            item = done.labels.items[row]
            chosen = labels[item]
            candidates = [str(value) for value, best in zip(done.labels.values, done.best[row], strict=True) if best]
            truth: dict[str, Cell] = {"truth": None if item not in self.known else str(self.known[item])}
            rows.append(
                {
                    "item": str(item),
                    "label": None if chosen is None else str(chosen),
                    "probability": float(top[row]),
                    "tied": " / ".join(candidates) if chosen is None else "",
                    **({} if done.difficulty is None else {"difficulty": float(done.difficulty[row])}),
                    **(truth if self.accuracy is not None else {}),
                }
            )
        return Table.of(f"Labels ({done.method})", rows, notes=self._about(), signature=self.signature)

    def _about(self) -> tuple[str, ...]:
        done = self.done
        labels = done.labels
        tied = f"{len(done.tied)} of {len(labels.items)} items are tied and get no label"
        if not done.tied:
            tied = "no item is tied"
        notes = [f"{len(labels)} labels by {len(labels.annotators)} annotators; {tied}", *self.notes]
        if labels.skipped:
            notes.append(f"{labels.skipped} rows without a label were left out")
        if labels.repeated:
            notes.append(f"{labels.repeated} labels repeat an item for the same annotator; each counts")
        if done.ending is not None:
            ended = "converged" if done.ending.converged else "did not converge"
            likelihood = f"log likelihood {done.ending.log_likelihood:.4f}"
            notes.append(f"{ended} after {done.ending.iterations} steps at {likelihood}")
        if done.difficulty is not None:
            notes.append("difficulty: where it is high, even good annotators are not much better than chance")
        return (*notes, *([_accuracy_note(self.accuracy)] if self.accuracy is not None else []))

    def _annotators(self) -> Table:
        done = self.done
        number = np.bincount(done.labels.annotator, minlength=len(done.labels.annotators))
        rows: list[dict[str, Cell]] = [
            {"annotator": str(name), "labels": int(number[place]), "reliability": float(done.reliability[place])}
            for place, name in enumerate(done.labels.annotators)
        ]
        notes = (f"reliability: {done.reliability_means}",)
        title = f"Annotators ({done.method})"
        return Table.of(title, rows, notes=notes, signature=self.signature, name="annotators")


def aggregate_table(
    frame: Frame,
    method: Method,
    names: Mapping[str, str] | None = None,
    *,
    keep: Keep | None = None,
    seed: int = 0,
) -> AggregatedTable:
    """The most probable label of every item, and how reliable every annotator is.

    `names` says how the table calls `item`, `annotator`, `label` and, if accuracy is to be measured, `truth`; else
    items are called `task`, `unit` or `item`, and annotators `worker` or `annotator`.
    """
    usual = {"item": ("task", "unit", "item"), "annotator": ("worker", "annotator")}
    if frame.is_export:  # whose units may have a hidden fact called `task`
        usual = {"item": ("unit",), "annotator": ("annotator",)}
    found = {name: next((one for one in among if one in frame.cells), among[0]) for name, among in usual.items()}
    called = {**found, **{name: column for name, column in (names or {}).items() if column}}
    truth = "truth" in called
    columns = Columns("item", "annotator", Column("label", empty=True), *([Column("truth", empty=True)] * truth))
    checked, left_out = check_kept(columns, frame, keep or {}, called, options=True)
    known = _truths(checked) if truth else {}
    labels = ItemLabels.of(
        checked.texts("item"), checked.texts("annotator"), [value or None for value in checked.texts("label")]
    )
    done = aggregate(labels, method, rng=np.random.default_rng(seed))
    places = {item: place for place, item in enumerate(labels.items)}
    signature = Signature.of(
        method=method,
        labels=len(labels),
        items=len(labels.items),
        annotators=len(labels.annotators),
        values=len(labels.values),
        **{f"keep-{column}": "+".join(wanted) for column, wanted in (keep or {}).items()},
        **({"seed": seed} if method == "mace" else {}),
    )
    return AggregatedTable(
        done,
        tuple(places[item] for item in dict.fromkeys(checked.texts("item")) if item in places),
        known,
        done.accuracy(known) if truth else None,
        tuple(one.to_json() for one in left_out),
        tuple(one.note() for one in left_out),
        str(signature),
    )


def _truths(checked: CheckedColumns) -> dict[Hashable, Hashable]:
    """The true label of each item that has one; an item with two truths is a mistake in the table."""
    known: dict[Hashable, Hashable] = {}
    problems = []
    for row, (item, value) in enumerate(zip(checked.texts("item"), checked.texts("truth"), strict=True)):
        if value and known.setdefault(item, value) != value:
            what = f"item {item!r} is {value!r} here, {known[item]!r} before"
            problems.append(Problem(checked.frame.where(row), what, "settle on one"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return known


def _accuracy_note(accuracy: Figure) -> str:
    if accuracy.value is None or accuracy.interval is None:
        return f"no accuracy: {accuracy.reason}"
    low, high, _ = accuracy.interval
    return (
        f"accuracy {accuracy.value:.4f} [{low:.4f}, {high:.4f}] on {accuracy.used} items with a known truth "
        "(a tie of m labels that holds the truth counts 1/m)"
    )
