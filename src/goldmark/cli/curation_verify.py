"""`goldmark curation verify-units` and `verified`: make a verification campaign, and read what it found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from goldmark.cli.choices import Count, Seed
from goldmark.cli.output import print_json, talk
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldmark.records.campaigns import CampaignRecord
    from goldmark.records.mistakes import Mistake
    from goldmark.records.texts import Text
    from goldmark.texts.seen import Seen

Texts = Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")]
Gold = Annotated[Path, Parameter(help="The gold list (CSV).")]
Marks = Annotated[Path, Parameter(help="Everybody's mistakes: a gold list's columns and ANNOTATOR (CSV).")]
SeenTable = Annotated[
    Path | None, Parameter(help="Table of TEXT_ID and ANNOTATOR: who saw a text, also if they marked nothing.")
]
AsJson = Annotated[bool, Parameter(negative="", help="Print JSON for machines.")]


def verify_units(
    gold: Gold,
    mistakes: Marks,
    /,
    *,
    texts: Texts,
    out: Annotated[Path, Parameter(help="A new folder for campaign.yaml and its texts.")],
    seen: SeenTable = None,
    context: Annotated[
        Path | None, Parameter(help="File of the annotated texts (JSONL, CSV...), for the data shown beside them.")
    ] = None,
    name: Annotated[str, Parameter(help="The campaign's name.")] = "verification",
    protocol: Annotated[str, Parameter(help="What verifiers answer: a built-in protocol or a file.")] = "verification",
    verifiers: Annotated[Count, Parameter(help="How many judge each error.")] = 4,
    variants: Annotated[
        bool, Parameter(help="Also show reported spans that overlap a gold mistake without being it.")
    ] = True,
    seed: Annotated[Seed, Parameter(help="Seed of the order of units.")] = 1,
    json: AsJson = False,
) -> None:
    """Make a verification campaign: gold mistakes without full exact agreement, and reports not in the list."""
    from goldmark.curation.gold import read_gold
    from goldmark.curation.verifiers import check_labels
    from goldmark.curation.verify import NothingToVerify, campaign_files, surroundings, verification_units
    from goldmark.exchange.packing import write_folder
    from goldmark.protocols import load
    from goldmark.texts.gsml import read_spaced_texts
    from goldmark.texts.reading import read_units

    known = read_spaced_texts(texts)
    listed = read_gold(gold, known)
    marks, saw = _reports(mistakes, seen, known)
    asked = load(protocol)
    units = verification_units(listed, marks, seen=saw, variants=variants)
    if not units:
        raise NothingToVerify(gold=len(listed))
    check_labels(units, asked)
    own = Path(protocol) if protocol.endswith((".yaml", ".yml", ".json")) else None
    files = campaign_files(
        units,
        known,
        name=name,
        protocol=own.name if own else asked.id,
        verifiers=verifiers,
        seed=seed,
        more=surroundings(read_units([context])) if context else None,
    )
    write_folder(out, [*files, *([(own.name, own.read_bytes())] if own else [])])
    of_gold = sum(unit.in_gold for unit in units)
    facts = {
        "units": len(units),
        "gold": of_gold,
        "not_in_gold": len(units) - of_gold,
        "assumed": len(listed) - of_gold,
    }
    if json:
        print_json({**facts, "answers_wanted": len(units) * verifiers, "campaign": str(out / "campaign.yaml")})
    talk(
        f"{len(units)} units: {of_gold} of {len(listed)} gold mistakes (the others are assumed to be right) and "
        f"{len(units) - of_gold} reports that are not in the list"
    )
    talk(f"next: goldmark campaign create {out / 'campaign.yaml'}")


def verified(
    answers: Annotated[Path, Parameter(help="The verification campaign, exported as JSONL, CSV or Parquet.")],
    /,
    *,
    gold: Gold,
    mistakes: Marks,
    texts: Texts,
    out: Annotated[Path, Parameter(help="Where to write the verified list; nothing that exists is overwritten.")],
    seen: SeenTable = None,
    removed: Annotated[Path | None, Parameter(help="Write the mistakes that did not stand to this CSV.")] = None,
    rows: Annotated[
        Path | None, Parameter(help="A new folder for the tidy files behind the tables, for `goldmark table`.")
    ] = None,
    resamples: Annotated[Count, Parameter(help="How often to resample texts for the intervals.")] = 2000,
    seed: Annotated[Seed, Parameter(help="Seed of the resampling.")] = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    json: AsJson = False,
) -> None:
    """The tables of a verification (agreement, opinion, categories, annotator combinations) and the verified list."""
    from goldmark.analysis import catalogue
    from goldmark.analysis.settings import Settings
    from goldmark.curation.gold import read_gold, write_gold
    from goldmark.curation.verdicts import report_rows, verdict_rows, verdicts_of
    from goldmark.curation.verdicts import verified as verified_list
    from goldmark.exchange.packing import write_file, write_folder
    from goldmark.records.columns import Frame
    from goldmark.texts.gsml import read_spaced_texts
    from goldmark.texts.text_ids import ENDING

    known = read_spaced_texts(texts)
    listed = read_gold(gold, known)
    marks, saw = _reports(mistakes, seen, known)
    verdicts, shown = verdicts_of(_campaign(answers))
    result = verified_list(listed, verdicts, shown)
    tidy = {
        "verification": verdict_rows(listed, verdicts, shown),
        "combinations": report_rows(result.kept, marks, verdicts, seen=saw),
    }
    settings = Settings(resamples=resamples, seed=seed)
    tables = [
        table
        for name, records in tidy.items()
        if records
        for table in catalogue.run(name, [Frame.of(records, source=name)], settings)
    ]
    write_file(out, write_gold(result.kept, known, suffix=ENDING).encode())
    if removed is not None:
        write_file(removed, write_gold(result.removed, known, suffix=ENDING).encode())
    if rows is not None:
        write_folder(rows, [(f"{name}.csv", _csv(records)) for name, records in tidy.items()])
    show(*tables, form=format, json=json)
    talk(
        f"{len(result.kept)} of {len(listed)} mistakes stand ({result.assumed} were assumed to be right, "
        f"{result.waiting} wait for an answer); {len(result.removed)} were removed; written to {out}"
    )


def _reports(path: Path, seen: Path | None, known: Mapping[str, Text]) -> tuple[tuple[Mistake, ...], Seen]:
    from goldmark.texts.gsml import read_mistakes

    marks = read_mistakes(path, known, categories=None, overlap=True, annotators=True)
    return marks, who_saw(path, seen, known)


def who_saw(mistakes: Path, seen: Path | None, known: Mapping[str, Text]) -> Seen:
    """Who saw which text, by the table that was named or stands beside the list; nothing if there is neither."""
    from goldmark.texts.seen import beside, read_seen

    found = seen or beside(mistakes)
    if found is None:
        return ()
    if seen is None:
        talk(f"who saw which text was read from {found}")
    return read_seen(found, known)


def _campaign(path: Path) -> CampaignRecord:
    """An exported campaign in any of the formats that hold everything."""
    from goldmark.exchange.formats import FORMATS
    from goldmark.exchange.packing import read_files

    files = read_files(path)
    endings = {Path(name).suffix.lower() for name in files}
    form = "parquet" if ".parquet" in endings else "csv" if ".csv" in endings else "jsonl"
    return FORMATS[form].read(files)


def _csv(records: Sequence[Mapping[str, object]]) -> bytes:
    from goldmark.records.columns import written
    from goldmark.texts.spreadsheet import csv_line

    names = list(records[0]) if records else []
    lines = [csv_line(names), *(csv_line(written(row[name]) for name in names) for row in records)]
    return "".join(lines).encode()
