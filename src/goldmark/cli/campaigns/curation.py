"""`goldmark curation`: from several people's marks to one verified gold list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import Count, Output, Resamples, Seed, SeenTable, TableOutput, Texts
from goldmark.cli.output import emit, print_json, talk
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.curation.proposals.reports import Reports
    from goldmark.records.campaigns import CampaignRecord

app = App(name="curation", help="From several people's marks to one verified gold list.")

Gold = Annotated[Path, Parameter(help="A gold list (CSV).")]
Marks = Annotated[Path, Parameter(help="Everybody's mistakes: a gold list's columns and ANNOTATOR (CSV).")]
GoldFormatName = Annotated[str, Parameter(help="How; `goldmark plugin list gold_formats` names all.")]
New = Annotated[Path, Parameter(help="Where to write; nothing that exists is overwritten.")]


def _reports(mistakes: Path, seen: Path | None, texts: Path, labels: tuple[str, ...] | None = None) -> Reports:
    """Everybody's marks with who saw which text, by the table that was named or stands beside the list."""
    from goldmark.curation.proposals.reports import read_reports
    from goldmark.texts.readers.gsml import read_spaced_texts
    from goldmark.texts.readers.seen import beside

    found = seen or beside(mistakes)
    if found is not None and seen is None:
        talk(f"who saw which text was read from {found}")
    return read_reports(mistakes, read_spaced_texts(texts), found, labels=labels)


@app.command
def propose(
    mistakes: Marks,
    /,
    *,
    texts: Texts,
    out: New,
    seen: SeenTable = None,
    protocol: Annotated[
        str, Parameter(help="The protocol that was asked, by name or file: its labels, and which wins a tie.")
    ] = "accuracy",
    least: Annotated[
        Count | None, Parameter(help="How many must have found an error; more than half if not given.")
    ] = None,
    method: Annotated[
        Literal["meaning", "token-majority"], Parameter(help="`token-majority` is the plain method, for comparison.")
    ] = "meaning",
    figures: Annotated[
        Literal["apart", "whole"], Parameter(help='Is a wrong "64 - 52" an error for each figure, or one?')
    ] = "apart",
    left_out: Annotated[Path | None, Parameter(help="Write what the proposal leaves out to this CSV.")] = None,
    output: TableOutput = TableOutput(),
) -> None:
    """Propose a gold list: what a majority found in any form, in its simplest form, with how far people agree."""
    from goldmark.curation.gold_lists.files import write_gold
    from goldmark.curation.proposals.description import described_text, left_out_marks, proposal_table
    from goldmark.curation.proposals.propose import propose as proposals
    from goldmark.curation.proposals.reports import label_rules
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.protocols import load
    from goldmark.records.figures import Signature
    from goldmark.texts.readers.gsml import write_mistakes
    from goldmark.texts.readers.text_ids import ENDING

    asked = load(protocol)
    rules = label_rules(asked)
    given = _reports(mistakes, seen, texts, rules.labels)
    made = proposals(
        given.marks,
        given.texts,
        seen=given.seen,
        priority=rules.priority,
        least=least,
        method=method,
        figures=figures,
    )
    gold = [one for text in made for one in text.mistakes]
    write_file(out, write_gold(gold, given.texts, suffix=ENDING).encode())
    if left_out is not None:
        rest = write_mistakes(left_out_marks(made), given.texts, suffix=ENDING, annotators=True)
        write_file(left_out, rest.encode())
    told = {"method": method, "least": least or "majority", "figures": figures, "protocol": asked.id}
    signature = str(Signature.of(mistakes=mistakes.name, **told, texts=len(made)))
    described = [described_text(text, given.texts[text.text_id]) for text in made] if output.json else []
    emit(output, {"texts": described, "signature": signature}, tables=[proposal_table(made, signature)])
    talk(
        f"{counted(len(gold), 'mistake')} proposed in {counted(len(made), 'text')}, "
        f"{sum(one.unanimous for one in gold)} of them unanimous; "
        f"{sum(len(text.left_out) for text in made)} reported errors left out; written to {out}"
    )


@app.command
def diff(old: Gold, new: Gold, /, *, texts: Texts, output: TableOutput = TableOutput()) -> None:
    """What was added, removed and changed between two versions of a gold list."""
    from goldmark.curation.gold_lists.files import diff as differences
    from goldmark.curation.gold_lists.files import read_gold
    from goldmark.curation.proposals.description import described_change, diff_table
    from goldmark.texts.readers.gsml import read_spaced_texts

    known = read_spaced_texts(texts)
    changes = differences(read_gold(old, known), read_gold(new, known))
    described = [described_change(one, known[one.text_id]) for one in changes]
    tables = [diff_table(f"From {old.name} to {new.name}", changes, known)] if changes else []
    emit(output, {"changes": described}, tables=tables)
    talk(counted(len(changes), "difference"))


@app.command(name="import")
def import_(
    source: Annotated[Path, Parameter(help="A folder or zip of WebAnno TSV 3 or UIMA CAS files, or a list as CSV.")],
    /,
    *,
    texts: Texts,
    out: New,
    format: Annotated[  # noqa: A002
        str | None, Parameter(help="How it is written; if left out, as the endings of its files tell.")
    ] = None,
    output: Output = Output(),
) -> None:
    """Read a curator's export from WebAnno or INCEpTION as a gold list, with how many agreed on each error."""
    from goldmark.curation.gold_lists.files import write_gold
    from goldmark.curation.gold_lists.formats import read_gold_list
    from goldmark.curation.proposals.description import described_mistake
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.texts.readers.gsml import read_spaced_texts
    from goldmark.texts.readers.text_ids import ENDING

    known = read_spaced_texts(texts)
    gold = read_gold_list(source, known, format)
    write_file(out, write_gold(gold, known, suffix=ENDING).encode())
    if output.json:
        print_json({"mistakes": [described_mistake(one, known[one.text_id]) for one in gold]})
    talk(f"{counted(len(gold), 'mistake')} in {counted(len({one.text_id for one in gold}), 'text')} written to {out}")


@app.command
def export(
    gold: Gold,
    /,
    *,
    texts: Texts,
    out: Annotated[Path, Parameter(help="A new folder, or what the format asks for.")],
    format: GoldFormatName = "webanno-tsv",  # noqa: A002
) -> None:
    """Write a gold list as WebAnno TSV 3 or in another format, counts and notes included; `import` reads it back."""
    from goldmark.curation.gold_lists.files import read_gold
    from goldmark.curation.gold_lists.formats import GOLD_FORMATS, write_gold_list
    from goldmark.texts.readers.gsml import read_spaced_texts

    form = GOLD_FORMATS.find(format)
    known = read_spaced_texts(texts)
    mistakes = read_gold(gold, known)
    write_gold_list(form, out, mistakes, known)
    talk(f"{counted(len(mistakes), 'mistake')} in {counted(len(known), 'text')} written to {out}")


@app.command
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
    output: Output = Output(),
) -> None:
    """Make a verification campaign: gold mistakes without full exact agreement, and reports not in the list."""
    from goldmark.curation.gold_lists.files import read_gold
    from goldmark.curation.verification.protocol import check_labels
    from goldmark.curation.verification.units import NothingToVerify, campaign_files, surroundings, verification_units
    from goldmark.exchange.campaign.archive import write_folder
    from goldmark.protocols import load
    from goldmark.texts.readers.units import read_units

    given = _reports(mistakes, seen, texts)
    listed = read_gold(gold, given.texts)
    asked = load(protocol)
    units = verification_units(listed, given.marks, seen=given.seen, variants=variants)
    if not units:
        raise NothingToVerify(gold=len(listed))
    check_labels((unit.label for unit in units), asked)
    own = Path(protocol) if protocol.endswith((".yaml", ".yml", ".json")) else None
    files = campaign_files(
        units,
        given.texts,
        name=name,
        protocol=own.name if own else asked.id,
        verifiers=verifiers,
        seed=seed,
        more=surroundings(read_units([context])) if context else None,
    )
    write_folder(out, [*files, *([(own.name, own.read_bytes())] if own else [])])
    of_gold, file = sum(unit.in_gold for unit in units), out / "campaign.yaml"
    rest, assumed = len(units) - of_gold, len(listed) - of_gold
    if output.json:
        counts = {"units": len(units), "gold": of_gold, "not_in_gold": rest, "assumed": assumed}
        print_json({**counts, "answers_wanted": len(units) * verifiers, "campaign": file})
    talk(
        f"{counted(len(units), 'unit')}: {of_gold} of {len(listed)} gold mistakes (the others are assumed to be right) "
        f"and {counted(rest, 'report')} beside the list"
    )
    talk(f"next: goldmark campaign create {file}")


@app.command
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
    resamples: Resamples = 2000,
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """The tables of a verification (agreement, opinion, categories, annotator combinations) and the verified list."""
    from goldmark.curation.gold_lists.files import read_gold, write_gold
    from goldmark.curation.verification.followup import GoldBasis, look_at
    from goldmark.exchange.campaign.archive import write_file, write_folder
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.published.accuracy.verification_campaign import tidy_rows, verification_tables
    from goldmark.texts.readers.spreadsheet import csv_table
    from goldmark.texts.readers.text_ids import ENDING

    given = _reports(mistakes, seen, texts)
    listed = read_gold(gold, given.texts)
    look = look_at(_campaign(answers), GoldBasis(given, tuple(listed), {}))
    tables = verification_tables(look, AnalysisOptions(resamples=resamples, seed=seed))
    result = look.result
    write_file(out, write_gold(result.kept, given.texts, suffix=ENDING).encode())
    if removed is not None:
        write_file(removed, write_gold(result.removed, given.texts, suffix=ENDING).encode())
    if rows is not None:
        write_folder(rows, [(f"{name}.csv", csv_table(tidy)) for name, tidy in tidy_rows(look).items()])
    emit(output, tables=tables)
    talk(
        f"{len(result.kept)} of {len(listed)} mistakes stand ({result.assumed} were assumed to be right, "
        f"{result.waiting} wait for an answer); {len(result.removed)} were removed; written to {out}"
    )


def _campaign(path: Path) -> CampaignRecord:
    """An exported campaign in any of the formats that hold everything."""
    from goldmark.exchange.campaign.archive import read_files
    from goldmark.exchange.formats import FORMATS

    files = read_files(path)
    endings = {Path(name).suffix.lower() for name in files}
    form = "parquet" if ".parquet" in endings else "csv" if ".csv" in endings else "jsonl"
    return FORMATS[form].read(files)
