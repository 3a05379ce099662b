"""`goldmark campaign suggestions`: what annotators made of a checker's marks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.place import Database, Json, open_database
from goldmark.cli.show import Format, show


def suggestions(
    name: str,
    /,
    *,
    gold: Annotated[Path | None, Parameter(help="A gold list (CSV); otherwise what curators have finished.")] = None,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """What became of suggestions, and time and quality of answers with and without them."""
    from goldmark.analysis.settings import Settings
    from goldmark.analysis.suggestions import curated_gold
    from goldmark.analysis.suggestions import suggestions as tables_of
    from goldmark.campaigns.export import record_of
    from goldmark.campaigns.library import Library
    from goldmark.texts.gsml import read_mistakes

    store = open_database(database)
    record = record_of(store, name)
    if gold is None:
        known = curated_gold(store, Library(store), name)
    else:
        texts = {unit.id: shown.text for unit in record.units for shown in unit.shown.texts.values()}
        known = {unit.id: [] for unit in record.units}
        for mistake in read_mistakes(gold, texts, categories=None, overlap=True):
            known[mistake.text_id].append(mistake)
    store.close()
    show(*tables_of(record, known, Settings()), form=format, json=json)
