"""`goldmark campaign import-answers`: annotations made elsewhere, into a campaign that has its units."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database


def import_answers(
    name: str,
    source: Annotated[Path, Parameter(help="A file, or a folder or zip where the format has several files.")],
    *,
    format: Annotated[  # noqa: A002
        str,
        Parameter(
            help="How it is written: tidy (CSV or JSON lines), gsml, webanno-tsv, label-studio, mqm, factgenie, "
            "pearmut, appraise, thresh, or an export of Goldmark."
        ),
    ] = "tidy",
    question: Annotated[
        str | None, Parameter(help="Whose answers they are, where the file does not say: the one about marks, if any.")
    ] = None,
    seen: Annotated[
        Path | None, Parameter(help="Table of TEXT_ID and ANNOTATOR: who saw a unit, also if they marked nothing.")
    ] = None,
    positions: Annotated[
        Literal["tokens", "characters"] | None,
        Parameter(help="What positions of marks count in a tidy file, if not what the protocol counts."),
    ] = None,
    leave_out: Annotated[
        list[str] | None, Parameter(negative="", help="A column or attribute to ignore; may be given several times.")
    ] = None,
    keep_incomplete: Annotated[
        bool, Parameter(negative="", help="Keep answers that lack something the protocol asks for.")
    ] = False,
    replace: Annotated[
        bool, Parameter(negative="", help="Where somebody's answer here differs, append the file's as a revision.")
    ] = False,
    reason: Annotated[str, Parameter(help="Why; kept with the campaign's record.")] = "",
    database: Database = None,
    json: Json = False,
) -> None:
    """Bring answers made elsewhere into a campaign: all of them or, if anything is wrong, none."""
    from goldmark.campaigns.import_answers import import_answers as bring_in
    from goldmark.campaigns.library import Library
    from goldmark.quality.test_questions import grade_again

    store = open_database(database)
    library = Library(store)
    done = bring_in(
        store,
        library,
        name,
        source,
        format_name=format,
        question=question,
        seen=seen,
        leave_out=leave_out or (),
        counted=None if positions is None else "token" if positions == "tokens" else "character",
        keep_incomplete=keep_incomplete,
        replace_others=replace,
        author=author(),
        reason=reason,
    )
    grade_again(store, library, name)
    store.close()
    if json:
        print_json({**done._asdict(), "new_annotators": list(done.new_annotators)})
        return
    talk(
        f"{done.answers} answers of {done.annotators} annotators to {done.units} units were brought into {name!r}; "
        f"{done.already_there} were there already, {done.replaced} replace others"
    )
    if done.new_annotators:
        talk(f"new annotators: {', '.join(done.new_annotators)}")
    if done.incomplete:
        talk(f"{done.incomplete} answers lack something that the protocol asks for")
    if done.widened:
        talk(f"{done.widened} marks were widened to the whole tokens that they touch")
