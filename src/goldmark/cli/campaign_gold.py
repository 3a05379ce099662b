"""`goldmark campaign gold` and `gold-import`: a campaign's gold list out to a file, and in from one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database

Question = Annotated[str | None, Parameter(help="Which question about passages; by default the first.")]


def gold(
    name: str,
    target: Annotated[Path, Parameter(help="A CSV file, or a new folder for webanno-tsv.")],
    *,
    format: Annotated[Literal["gsml", "webanno-tsv"], Parameter(help="How to write it.")] = "gsml",  # noqa: A002
    question: Question = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Write the gold list of every text that curators have finished: its last version, with how many agreed."""
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.curation.asked import role_of, spans_question
    from goldmark.curation.exports import write_webanno
    from goldmark.curation.gold import write_gold
    from goldmark.curation.versions import gold_of
    from goldmark.exchange.packing import write_file, write_folder

    store = open_database(database)
    library = Library(store)

    def look(connection: Any) -> Any:
        row = find_campaign(connection, name)
        protocol = library.protocol(row.protocol_id)
        asked = spans_question(protocol, row, question)
        return gold_of(connection, row, asked.id, role=role_of(protocol, asked))

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


def gold_import(
    name: str,
    source: Annotated[Path, Parameter(help="A CSV file, or a folder or zip of WebAnno TSV 3 files.")],
    *,
    reason: Annotated[str, Parameter(help="Why; kept with the version.")] = "",
    whole: Annotated[
        bool, Parameter(negative="", help="The list covers every text: those without a row have no mistake.")
    ] = False,
    question: Question = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Take in a gold list that was made elsewhere, as a new version of every text that it is about."""
    from goldmark.campaigns.library import Library
    from goldmark.curation.importing import import_gold, summary
    from goldmark.curation.versions import mistake_to_json

    store = open_database(database)
    found = import_gold(
        store, Library(store), name, source, question=question, whole=whole, author=author(), reason=reason
    )
    store.close()
    counts = summary(found)
    if json:
        changed = [
            {
                "unit": one.unit,
                "version": one.version,
                "mistakes": one.mistakes,
                "changes": [
                    {
                        "kind": change.kind,
                        "what": list(change.what),
                        "old": change.old and mistake_to_json(change.old),
                        "new": change.new and mistake_to_json(change.new),
                    }
                    for change in one.changes
                ],
            }
            for one in found
        ]
        print_json({"campaign": name, **counts, "units": changed})
    talk(
        f"{counts['mistakes']} mistakes of {counts['texts']} texts were taken into {name!r}; against the automatic "
        f"proposal {counts['added']} are new, {counts['removed']} are gone and {counts['changed']} are changed"
    )
