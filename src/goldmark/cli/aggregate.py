"""`goldmark aggregate`: one label per item from many annotators' labels."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter, validators

from goldmark.cli.choices import NamesAndValues, named_values
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.records.columns import Checked, Frame
    from goldmark.records.figures import Figure, Signature
    from goldmark.records.tables import Cell, Table
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
        The column that names what was labelled: `task`, or `unit` in a table of an exported campaign.
    annotator
        The column that names who labelled it: `worker`, or `annotator` in a table of an exported campaign.
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
    import numpy as np

    from goldmark.cli.output import print_json
    from goldmark.records.columns import Column, Columns
    from goldmark.records.figures import Signature
    from goldmark.records.kept import check_kept
    from goldmark.stats.aggregation import Labels
    from goldmark.stats.aggregation_models import aggregate
    from goldmark.texts.tidy import read_tidy

    frame = read_tidy(file)
    columns = Columns("item", "annotator", Column("label", empty=True), *([Column("truth", empty=True)] * bool(truth)))
    names = {
        "item": item or ("unit" if frame.is_export else "task"),
        "annotator": annotator or ("annotator" if frame.is_export else "worker"),
        "label": label,
        "truth": truth or "",
    }
    checked, left_out = check_kept(columns, frame, named_values(keep), names, options=True)
    known = _truths(checked.frame, checked) if truth else {}
    labels = Labels.of(
        checked.texts("item"), checked.texts("annotator"), [value or None for value in checked.texts("label")]
    )
    done = aggregate(labels, method, rng=np.random.default_rng(seed))
    order = _order_of_file(checked, done)
    signature = Signature.of(
        method=method,
        labels=len(labels),
        items=len(labels.items),
        annotators=len(labels.annotators),
        values=len(labels.values),
        **{f"keep-{column}": "+".join(wanted) for column, wanted in named_values(keep).items()},
        **({"seed": seed} if method == "mace" else {}),
    )
    accuracy = done.accuracy(known) if truth else None
    if json:
        left = [one.to_json() for one in left_out]
        print_json({**_json(done, order, known, accuracy, signature), "left_out": left})
        return
    tables = {
        "items": _items_table(done, order, known, accuracy, signature, [one.note() for one in left_out]),
        "annotators": _annotators_table(done, signature),
    }
    show(*(tables.values() if format == "table" else [tables[of]]), form=format)


def _truths(frame: Frame, checked: Checked) -> dict[Hashable, Hashable]:
    """The true label of each item that has one; an item with two truths is a mistake in the file."""
    from goldmark.errors import Problem, ProblemsFound

    known: dict[Hashable, Hashable] = {}
    problems = []
    for row, (item, value) in enumerate(zip(checked.texts("item"), checked.texts("truth"), strict=True)):
        if value and known.setdefault(item, value) != value:
            problems.append(
                Problem(frame.where(row), f"item {item!r} is {value!r} here, {known[item]!r} before", "settle on one")
            )
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return known


def _order_of_file(checked: Checked, done: Aggregated) -> list[int]:
    """The items as people will look for them: in the order of the file, those without any label left out."""
    places = {item: place for place, item in enumerate(done.labels.items)}
    return [places[item] for item in dict.fromkeys(checked.texts("item")) if item in places]


def _items_table(
    done: Aggregated,
    order: list[int],
    known: dict[Hashable, Hashable],
    accuracy: Figure | None,
    signature: Signature,
    left_out: list[str],
) -> Table:
    from goldmark.records.tables import Table

    rows: list[dict[str, Cell]] = []
    values = done.labels.values
    top = done.posterior.max(axis=1)
    labels = done.chosen()
    for row in order:
        item = done.labels.items[row]
        chosen = labels[item]
        candidates = [str(value) for value, is_best in zip(values, done.best[row], strict=True) if is_best]
        rows.append(
            {
                "item": str(item),
                "label": None if chosen is None else str(chosen),
                "probability": float(top[row]),
                "tied": " / ".join(candidates) if chosen is None else "",
                **({"truth": None if item not in known else str(known[item])} if accuracy is not None else {}),
            }
        )
    notes = [f"{len(done.labels)} labels by {len(done.labels.annotators)} annotators; {_tie_note(done)}", *left_out]
    if done.labels.skipped:
        notes.append(f"{done.labels.skipped} rows without a label were left out")
    if done.labels.repeated:
        notes.append(f"{done.labels.repeated} labels repeat an item for the same annotator; each counts")
    if done.ending is not None:
        ended = "converged" if done.ending.converged else "did not converge"
        notes.append(f"{ended} after {done.ending.iterations} steps at log likelihood {done.ending.log_likelihood:.4f}")
    if accuracy is not None:
        notes.append(_accuracy_note(accuracy))
    return Table.of(f"Labels ({done.method})", rows, notes=tuple(notes), signature=str(signature))


def _tie_note(done: Aggregated) -> str:
    if not done.tied:
        return "no item is tied"
    return f"{len(done.tied)} of {len(done.labels.items)} items are tied and get no label"


def _accuracy_note(accuracy: Figure) -> str:
    if accuracy.value is None or accuracy.interval is None:
        return f"no accuracy: {accuracy.reason}"
    low, high, _ = accuracy.interval
    return (
        f"accuracy {accuracy.value:.4f} [{low:.4f}, {high:.4f}] on {accuracy.used} items with a known truth "
        "(a tie of m labels that holds the truth counts 1/m)"
    )


def _annotators_table(done: Aggregated, signature: Signature) -> Table:
    import numpy as np

    from goldmark.records.tables import Table

    number = np.bincount(done.labels.annotator, minlength=len(done.labels.annotators))
    rows: list[dict[str, Cell]] = [
        {"annotator": str(name), "labels": int(number[place]), "reliability": float(done.reliability[place])}
        for place, name in enumerate(done.labels.annotators)
    ]
    notes = (f"reliability: {done.reliability_means}",)
    return Table.of(f"Annotators ({done.method})", rows, notes=notes, signature=str(signature))


def _json(
    done: Aggregated, order: list[int], known: dict[Hashable, Hashable], accuracy: Figure | None, signature: Signature
) -> dict[str, object]:
    import numpy as np

    values = [str(value) for value in done.labels.values]
    number = np.bincount(done.labels.annotator, minlength=len(done.labels.annotators)).tolist()
    chosen = done.chosen()
    answer: dict[str, object] = {
        "method": done.method,
        "values": values,
        "items": [_item_json(done, row, chosen, known if accuracy is not None else None) for row in order],
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
    answer["signature"] = str(signature)
    return answer


def _item_json(
    done: Aggregated, row: int, chosen: dict[Hashable, Hashable | None], known: dict[Hashable, Hashable] | None
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
