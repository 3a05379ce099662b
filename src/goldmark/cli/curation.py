"""`goldmark curation`: from several people's marks to one verified gold list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.curation_verify import verified, verify_units, who_saw
from goldmark.cli.output import print_json, talk
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldmark.records.gold import GoldText
    from goldmark.records.tables import Cell, Table

app = App(name="curation", help="From several people's marks to one verified gold list.")

Texts = Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")]
Gold = Annotated[Path, Parameter(help="A gold list (CSV).")]
New = Annotated[Path, Parameter(help="Where to write; nothing that exists is overwritten.")]
AsJson = Annotated[bool, Parameter(negative="", help="Print JSON for machines.")]
Printed = Annotated[Format, Parameter(name="--format", help="How to print.")]


@app.command
def propose(
    mistakes: Annotated[Path, Parameter(help="Everybody's mistakes: a gold list's columns and ANNOTATOR (CSV).")],
    /,
    *,
    texts: Texts,
    out: New,
    seen: Annotated[
        Path | None, Parameter(help="Table of TEXT_ID and ANNOTATOR: who saw a text, also if they marked nothing.")
    ] = None,
    protocol: Annotated[
        str, Parameter(help="The protocol that was asked, by name or file: its labels, and which wins a tie.")
    ] = "accuracy",
    least: Annotated[
        int | None,
        Parameter(help="How many must have found an error; more than half if not given.", validator=Number(gte=1)),
    ] = None,
    method: Annotated[
        Literal["meaning", "token-majority"], Parameter(help="`token-majority` is the plain method, for comparison.")
    ] = "meaning",
    figures: Annotated[
        Literal["apart", "whole"], Parameter(help='Is a wrong "64 - 52" an error for each figure, or one?')
    ] = "apart",
    left_out: Annotated[Path | None, Parameter(help="Write what the proposal leaves out to this CSV.")] = None,
    format: Printed = "table",  # noqa: A002
    json: AsJson = False,
) -> None:
    """Propose a gold list: what a majority found in any form, in its simplest form, with how far people agree."""
    from goldmark.curation.described import described_text, left_out_marks
    from goldmark.curation.gold import write_gold
    from goldmark.curation.propose import propose as proposals
    from goldmark.curation.reports import label_rules
    from goldmark.exchange.packing import write_file
    from goldmark.protocols import load
    from goldmark.records.figures import Signature
    from goldmark.texts.gsml import read_mistakes, read_spaced_texts, write_mistakes
    from goldmark.texts.text_ids import ENDING

    known = read_spaced_texts(texts)
    asked = load(protocol)
    rules = label_rules(asked)
    marks = read_mistakes(mistakes, known, categories=rules.labels, overlap=True, annotators=True)
    made = proposals(
        marks,
        known,
        seen=who_saw(mistakes, seen, known),
        priority=rules.priority,
        least=least,
        method=method,
        figures=figures,
    )
    gold = [one for text in made for one in text.mistakes]
    write_file(out, write_gold(gold, known, suffix=ENDING).encode())
    if left_out is not None:
        write_file(left_out, write_mistakes(left_out_marks(made), known, suffix=ENDING, annotators=True).encode())
    needed = least or "majority"
    signature = Signature.of(
        mistakes=mistakes.name, method=method, least=needed, figures=figures, protocol=asked.id, texts=len(made)
    )
    if json:
        print_json({"texts": [described_text(text, known[text.text_id]) for text in made], "signature": str(signature)})
    else:
        show(_overview(made, str(signature)), form=format)
    talk(
        f"{len(gold)} mistakes proposed in {len(made)} texts, {sum(one.unanimous for one in gold)} of them unanimous; "
        f"{sum(len(text.left_out) for text in made)} reported errors left out; written to {out}"
    )


def _overview(made: Sequence[GoldText], signature: str) -> Table:
    from goldmark.records.tables import Table

    rows: list[dict[str, Cell]] = [
        {
            "text": text.text_id,
            "annotators": len(text.annotators),
            "mistakes": len(text.mistakes),
            "unanimous": sum(one.unanimous for one in text.mistakes),
            "other_forms": sum(any(source.other_form for source in one.sources) for one in text.mistakes),
            "left_out": len(text.left_out),
        }
        for text in made
    ]
    labels = {"other_forms": "in other forms too", "left_out": "reports left out"}
    return Table.of("Proposed gold mistakes", rows, labels=labels, signature=signature)


@app.command
def diff(
    old: Gold,
    new: Gold,
    /,
    *,
    texts: Texts,
    format: Printed = "table",  # noqa: A002
    json: AsJson = False,
) -> None:
    """What was added, removed and changed between two versions of a gold list."""
    from goldmark.curation.described import described_mistake, in_short
    from goldmark.curation.gold import diff as differences
    from goldmark.curation.gold import read_gold
    from goldmark.records.tables import Table
    from goldmark.texts.gsml import read_spaced_texts

    known = read_spaced_texts(texts)
    changes = differences(read_gold(old, known), read_gold(new, known))
    if json:
        rows = [
            {
                "kind": one.kind,
                "text": one.text_id,
                "what": list(one.what),
                "old": None if one.old is None else described_mistake(one.old, known[one.text_id]),
                "new": None if one.new is None else described_mistake(one.new, known[one.text_id]),
            }
            for one in changes
        ]
        print_json({"changes": rows})
    elif changes:
        cells: list[dict[str, Cell]] = [
            {
                "text": one.text_id,
                "change": one.kind,
                "what": ", ".join(one.what),
                "old": "" if one.old is None else in_short(one.old, known[one.text_id]),
                "new": "" if one.new is None else in_short(one.new, known[one.text_id]),
            }
            for one in changes
        ]
        show(Table.of(f"From {old.name} to {new.name}", cells), form=format)
    talk(f"{len(changes)} difference{'' if len(changes) == 1 else 's'}")


@app.command(name="import")
def import_(
    folder: Annotated[Path, Parameter(help="Folder or zip of WebAnno TSV 3 files, one per text.")],
    /,
    *,
    texts: Texts,
    out: New,
    json: AsJson = False,
) -> None:
    """Read a curator's export from WebAnno as a gold list, with how many found each error, its type and its span."""
    from goldmark.curation.described import described_mistake
    from goldmark.curation.exports import read_webanno
    from goldmark.curation.gold import write_gold
    from goldmark.exchange.packing import write_file
    from goldmark.texts.gsml import read_spaced_texts
    from goldmark.texts.text_ids import ENDING

    known = read_spaced_texts(texts)
    gold = read_webanno(folder, known)
    write_file(out, write_gold(gold, known, suffix=ENDING).encode())
    if json:
        print_json({"mistakes": [described_mistake(one, known[one.text_id]) for one in gold]})
    talk(f"{len(gold)} mistakes in {len({one.text_id for one in gold})} texts written to {out}")


@app.command
def export(gold: Gold, /, *, texts: Texts, out: Annotated[Path, Parameter(help="A new folder for the files.")]) -> None:
    """Write a gold list as WebAnno TSV 3, counts and notes included; `import` reads it back."""
    from goldmark.curation.exports import write_webanno
    from goldmark.curation.gold import read_gold
    from goldmark.exchange.packing import write_folder
    from goldmark.texts.gsml import read_spaced_texts

    known = read_spaced_texts(texts)
    mistakes = read_gold(gold, known)
    write_folder(out, write_webanno(mistakes, known))
    talk(f"{len(mistakes)} mistakes in {len(known)} texts written to {out}")


app.command(verify_units, name="verify-units")
app.command(verified)
