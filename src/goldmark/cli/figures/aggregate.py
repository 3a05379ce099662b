"""`goldmark aggregate`: one label per item from many annotators' labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import Keep, Seed, TableOutput
from goldmark.cli.output import emit, figure_json

if TYPE_CHECKING:
    from goldmark.results.label_aggregation import AggregatedTable
    from goldmark.stats.models.aggregation import Aggregated

app = App(name="aggregate", help="One label per item from many annotators' labels.")


@app.default
def run(
    file: Annotated[Path, Parameter(help="CSV or JSON lines, a row per label.")],
    /,
    *,
    item: Annotated[
        str, Parameter(help="The column that names what was labelled: `task`, `unit` or `item`, whichever there is.")
    ] = "",
    annotator: Annotated[
        str, Parameter(help="The column that names who labelled it: `worker` or `annotator`, whichever there is.")
    ] = "",
    label: Annotated[str, Parameter(help="The column of labels: `label`, or else `value`.")] = "",
    keep: Keep = (),
    method: Annotated[
        Literal["majority", "dawid-skene", "one-coin", "mace", "glad"],
        Parameter(
            help="majority: votes. dawid-skene: a confusion matrix per annotator. one-coin: an accuracy per "
            "annotator. mace: annotators who know or guess. glad: skills of annotators and difficulty of items."
        ),
    ] = "dawid-skene",
    truth: Annotated[
        str | None, Parameter(help="A column with the true label, where it is known, to measure accuracy against.")
    ] = None,
    seed: Seed = 0,
    of: Annotated[
        Literal["items", "annotators"], Parameter(help="Which table to print as csv or latex: items or annotators.")
    ] = "items",
    output: TableOutput = TableOutput(),
) -> None:
    """The most probable label of every item, and how reliable every annotator is.

    A tie is reported as a tie: the item gets no label and its candidates are listed. Rows with an empty label are left
    out and counted.
    """
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.label_aggregation import aggregate_table
    from goldmark.texts.readers.tidy import read_tidy

    names = {"item": item, "annotator": annotator, "label": label, "truth": truth or ""}
    found = aggregate_table(read_tidy(file), method, names, keep=named_values(keep), seed=seed)
    items, annotators = found.tables()
    tables = [items, annotators] if output.format == "table" else [items if of == "items" else annotators]
    emit(output, _json(found), tables=tables)


def _json(found: AggregatedTable) -> dict[str, object]:
    import numpy as np

    done, known, accuracy = found.done, found.known, found.accuracy
    values = [str(value) for value in done.labels.values]
    number = np.bincount(done.labels.annotator, minlength=len(done.labels.annotators)).tolist()
    chosen = done.chosen()
    return {
        "method": done.method,
        "values": values,
        "items": [_item_json(done, row, chosen, known if accuracy is not None else None) for row in found.order],
        "annotators": [
            {
                "annotator": str(name),
                "labels": number[place],
                "reliability": float(done.reliability[place]),
                "confusion": None if done.said is None else done.confusion(name).tolist(),
            }
            for place, name in enumerate(done.labels.annotators)
        ],
        "reliability_means": done.reliability_means,
        "tied": len(done.tied),
        "labels": len(done.labels),
        "labels_skipped": done.labels.skipped,
        "labels_repeated": done.labels.repeated,
        "shares": None if done.shares is None else dict(zip(values, done.shares.tolist(), strict=True)),
        "ending": done.ending,
        **({} if accuracy is None else {"accuracy": figure_json(accuracy, "items")}),
        "signature": found.signature,
        "left_out": found.left_out,
    }


def _item_json(
    done: Aggregated, row: int, chosen: dict[Hashable, Hashable | None], known: Mapping[Hashable, Hashable] | None
) -> dict[str, object]:
    item, values = done.labels.items[row], [str(value) for value in done.labels.values]
    label = chosen[item]
    best = [value for value, is_best in zip(values, done.best[row], strict=True) if is_best]
    return {
        "item": str(item),
        "label": None if label is None else str(label),
        "posterior": dict(zip(values, done.posterior[row].tolist(), strict=True)),
        "tied": best if label is None else [],
        **({} if done.difficulty is None else {"difficulty": float(done.difficulty[row])}),
        **({} if known is None else {"truth": known.get(item)}),
    }
