"""`goldmark campaign gold`: the gold list that curators made of a campaign, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, open_database


def gold(
    name: str,
    target: Annotated[Path, Parameter(help="A CSV file, or a new folder for webanno-tsv.")],
    *,
    format: Annotated[Literal["gsml", "webanno-tsv"], Parameter(help="How to write it.")] = "gsml",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """Write the gold list of every text that curators have finished: its last version, with how many agreed."""
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.curation.desk import role_of
    from goldmark.curation.exports import write_webanno
    from goldmark.curation.gold import write_gold
    from goldmark.curation.versions import gold_of
    from goldmark.exchange.packing import write_file, write_folder

    store = open_database(database)
    library = Library(store)

    def look(connection: Any) -> Any:
        row = find_campaign(connection, name)
        return gold_of(connection, row, role=role_of(library.protocol(row.protocol_id), row))

    found, texts = store.snapshot(look)
    store.close()
    mistakes = [mistake for text in found for mistake in text.mistakes]
    if format == "gsml":
        write_file(target, write_gold(mistakes, texts).encode())
    else:
        write_folder(target, write_webanno(mistakes, texts))
    facts = {"campaign": name, "target": str(target), "texts": len(found), "mistakes": len(mistakes)}
    if json:
        print_json({**facts, "versions": {text.text_id: text.version for text in found}})
    else:
        talk(f"{len(mistakes)} gold mistakes of {len(found)} finished texts of {name!r} were written to {target}")
