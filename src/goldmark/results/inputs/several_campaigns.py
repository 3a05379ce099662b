"""Results of several campaigns: side by side, or pooled into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldmark.errors import GoldmarkError
from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.pooling import pooled
from goldmark.results.all_tables import Marks, Results, assembled, look_at, results_of, side_by_side
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store


class NamedTwice(GoldmarkError):
    code = "RESULTS-06"
    message = "campaign {name!r} is named twice; name each once"


def results_of_all(
    store: Store,
    names: Sequence[str],
    settings: AnalysisOptions,
    *,
    by: str = "system",
    wanted: Filter = COUNTING,
    marks: Marks = "raw",
    pool: bool = False,
    same_people: bool = False,
    only: Sequence[str] = (),
) -> Results:
    """Of one campaign its results; of several each beside the others, or as if they were one."""
    for name in names:
        if list(names).count(name) > 1:
            raise NamedTwice(name=name)
    if len(names) == 1:
        return results_of(store, names[0], settings, by=by, wanted=wanted, marks=marks, only=only)
    if not pool:
        each = (results_of(store, one, settings, by=by, wanted=wanted, marks=marks, only=only) for one in names)
        return side_by_side(list(each))
    looked = [look_at(store, name, wanted, marks) for name in names]
    found = pooled([one.found for one in looked], same_people=same_people)
    excluded = [
        record if same_people else replace(record, annotator=f"{one.row.name}/{record.annotator}")
        for one in looked
        for record in one.excluded
    ]
    title = "; ".join(one.row.title for one in looked)
    made = assembled(title, found, settings, by=by, excluded=excluded, only=only)
    notes = (f"{one.row.name}: {note}" for one in looked for note in one.notes)
    return replace(made, notes=(*made.notes, *notes, _who(same_people=same_people)))


def _who(*, same_people: bool) -> str:
    return (
        "pooled: equal names are the same people, and equal items the same items"
        if same_people
        else "pooled: nobody is taken to have worked in two campaigns; equal items are the same items"
    )
