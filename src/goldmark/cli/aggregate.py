"""`goldmark aggregate`: one label per item from many annotators' labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter, validators

from goldmark.cli.choices import NamesAndValues, named_values
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.analysis.aggregation import AggregatedTable
    from goldmark.stats.aggregation import Aggregated

app = App(name="aggregate", help="One label per item from many annotators' labels.")


@app.default
def run(
    file: Path,
    /,
    *,
    item: str = "",
    annotator: str = "",
    label: str = "",
    keep: NamesAndValues = (),
    method: Literal["majority", "dawid-skene", "one-coin", "mace"] = "dawid-skene",
    truth: str | None = None,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 0,
    of: Literal["items", "annotators"] = "items",
    format: Format = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """The most probable label of every item, and how reliable every annotator is.

    A tie is reported as a tie: the item gets no label and its candidates are listed. Rows with an empty label are left
    out and counted.

    Parameters
    ----------
    file
        CSV or JSON lines, a row per label.
    item
        The column that names what was labelled: `task`, `unit` or `item`, whichever there is.
    annotator
        The column that names who labelled it: `worker` or `annotator`, whichever there is.
    label
        The column of labels: `label`, or else `value`.
    keep
        Only rows whose column has one of these values: `--keep question=overall`.
    method
        majority: votes. dawid-skene: a confusion matrix per annotator. one-coin: an accuracy per annotator. mace:
        annotators who know or guess.
    truth
        A column with the true label, where it is known, to measure accuracy against.
    seed
        Where the random starts of mace come from.
    of
        Which table to print as csv or latex: items or annotators.
    format
        How to print: table, csv or latex.
    json
        For machines.
    """
    from goldmark.analysis.aggregation import aggregate_table
    from goldmark.cli.output import print_json
    from goldmark.texts.tidy import read_tidy

    names = {"item": item, "annotator": annotator, "label": label, "truth": truth or ""}
    found = aggregate_table(read_tidy(file), method, names, keep=named_values(keep), seed=seed)
    if json:
        print_json({**_json(found), "left_out": list(found.left_out)})
        return
    items, annotators = found.tables()
    show(*((items, annotators) if format == "table" else (items if of == "items" else annotators,)), form=format)


def _json(found: AggregatedTable) -> dict[str, object]:
    import numpy as np

    done, known, accuracy = found.done, found.known, found.accuracy
    values = [str(value) for value in done.labels.values]
    number = np.bincount(done.labels.annotator, minlength=len(done.labels.annotators)).tolist()
    chosen = done.chosen()
    answer: dict[str, object] = {
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
        "ending": None if done.ending is None else done.ending._asdict(),
    }
    if accuracy is not None:
        interval = accuracy.interval
        answer["accuracy"] = {
            "value": accuracy.value,
            "interval": None if interval is None else [interval.low, interval.high],
            "items_used": accuracy.used,
            "items_skipped": accuracy.skipped,
            "reason": accuracy.reason or None,
        }
    answer["signature"] = found.signature
    return answer


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
        **({} if known is None else {"truth": known.get(item)}),
    }
