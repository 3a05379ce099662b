"""`goldmark campaign add-texts`, `suggest`, `export`, `import`, `import-answers`, `gold`, `gold-import`: files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from goldmark.cli.options import (
    Call,
    CampaignName,
    Flag,
    Reason,
    Sentences,
    Tokeniser,
    WithExcluded,
)
from goldmark.cli.output import emit, print_json, talk
from goldmark.cli.progress import bar
from goldmark.cli.store import author, opened
from goldmark.records.figures import counted

Given = Annotated[Path, Parameter(help="A file, or a folder or zip where the format has several files.")]
Question = Annotated[str | None, Parameter(help="Which question about passages; by default the first.")]
Mapped = Annotated[
    list[str] | None,
    Parameter(
        negative="",
        help="What a question or an attribute of the file is called here, THEIRS=OURS; may be given several times.",
    ),
]
Labels = Annotated[
    list[str] | None,
    Parameter(negative="", help="What a label of the file is called here, THEIRS=OURS; may be given several times."),
]
TextField = Annotated[
    str | None, Parameter(help="The field that holds the text, in files that may have it in any field.")
]
KeepIncomplete = Annotated[Flag, Parameter(help="Keep answers that lack something the protocol asks for.")]


def add_texts(
    name: CampaignName,
    *files: Annotated[Path, Parameter(help="Files (.jsonl, .csv, .tsv, .parquet) or folders of .txt files.")],
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    call: Call = Call(),
) -> None:
    """Add texts to a campaign, also while it runs: all of them or, if anything is wrong, none."""
    from goldmark.campaigns.definition.units.additions import add_texts as add

    with opened(call) as store, bar() as say:
        added = add(store, name, files, tokeniser=tokeniser, sentences=sentences, author=author(), tell=say)
    emit(call, {"campaign": name, "added": added}, f"added {counted(added, 'unit')} to {name!r}")


def suggest(
    name: CampaignName,
    mistakes: Annotated[Path | None, Parameter(help="A mistake list (CSV), as `goldmark check` writes it.")] = None,
    /,
    *,
    take_away: Annotated[Flag, Parameter(help="Take suggestions off the texts that nobody was shown.")] = False,
    reason: Reason = "",
    call: Call = Call(),
) -> None:
    """Put a list's marks as suggestions on texts of a campaign; a text that somebody was shown stays as it was."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.campaigns.suggestion_changes import NoListNamed, give_suggestions, take_suggestions

    if (mistakes is None) != take_away:
        raise NoListNamed
    with opened(call) as store:
        how = {"author": author(), "reason": reason}
        if mistakes is None:
            changed = take_suggestions(store, name, **how)
        else:
            changed = give_suggestions(store, ContentCache(store), name, mistakes, **how)
    emit(call, {"campaign": name, **changed._asdict()}, f"{name!r}: {changed}")


def export(
    name: CampaignName,
    target: Annotated[Path, Parameter(help="The file, folder or .zip to write.")],
    *,
    format: Annotated[  # noqa: A002
        str, Parameter(help="How; `goldmark plugin list formats` names all.")
    ] = "jsonl",
    question: Annotated[str | None, Parameter(help="Which spans question, where there are several.")] = None,
    first: Annotated[
        Flag, Parameter(help="Final are the versions that people had before a reviewer returned them.")
    ] = False,
    with_excluded: WithExcluded = False,
    with_tests: Annotated[Flag, Parameter(help="Format tidy: answers to test questions too, marked as such.")] = False,
    with_models: Annotated[Flag, Parameter(help="Format tidy: answers of models and checkers too.")] = False,
    pseudonyms: Annotated[
        Flag, Parameter(help="Other names for all people, drawn for this export and kept nowhere.")
    ] = False,
    call: Call = Call(),
) -> None:
    """Write a campaign with every answer, revision and time to a file, folder or .zip; tidy: what counts, as tables."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.campaigns.transfer.export import first_versions, record_of
    from goldmark.exchange.formats import FORMATS, export_campaign
    from goldmark.exchange.left_out import left_out, told
    from goldmark.records.campaigns import exclusion_notes

    facts = {"campaign": name, "format": format, "target": target, "pseudonyms": pseudonyms}
    tables = FORMATS.find(format).tables
    if tables is not None:
        from goldmark.campaigns.transfer.observe import write_observations
        from goldmark.observations.filter import Filter

        wanted = Filter(tests=with_tests, excluded=with_excluded, models=with_models)
        with opened(call) as store:
            left = write_observations(store, name, target, wanted, tables, pseudonyms=pseudonyms)
        gone = {
            "test_questions": left.tests,
            "excluded": sum(left.excluded.values()),
            "models": sum(left.models.values()),
        }
        emit(
            call,
            {**facts, "left_out": gone},
            f"the tables of {name!r} were written to {target}",
            f"left out: {counted(left.tests, 'answer')} to test questions, {gone['excluded']} of excluded annotators, "
            f"{gone['models']} of models and checkers",
        )
        return
    if FORMATS[format].rows is not None and not first:
        from goldmark.campaigns.transfer.export_files import write_rows, written_answers
        from goldmark.people.exclusions import excluded_people

        with opened(call) as store, bar() as say:
            write_rows(store, name, format, target, say, pseudonyms=pseudonyms)
            answers, people = look_into(
                store,
                name,
                lambda connection, row: (
                    written_answers(connection, row, with_excluded=with_excluded),
                    excluded_people(connection, row),
                ),
            )
        emit(
            call,
            {**facts, **answers._asdict(), "excluded": len(people), "left_out": {}},
            f"wrote {counted(answers.responses, 'response')} of {name!r} to {target} as {format}",
            *exclusion_notes(people, counted=with_excluded),
        )
        return
    with opened(call) as store:
        record = record_of(store, name, with_excluded=with_excluded)
    written = first_versions(record) if first else record
    if pseudonyms:
        from goldmark.exchange.campaign.pseudonyms import with_pseudonyms

        written = with_pseudonyms(written)
    export_campaign(written, format, target, question=question)
    gone = left_out(written, FORMATS[format].no_place, question)
    counts = {"final": len(record.final_responses()), "excluded": len(record.exclusions())}
    emit(
        call,
        {**facts, "responses": len(record.responses), **counts, "left_out": gone},
        f"wrote {counted(len(record.responses), 'response')} of {name!r} to {target} as {format}",
        *([f"this format has no place for {told(gone)}"] if gone else ()),
        *record.exclusion_notes(),
    )


def import_campaign(
    source: Given,
    *,
    format: Annotated[  # noqa: A002
        str,
        Parameter(help="What it was exported as, here or by another tool; `goldmark plugin list formats` names all."),
    ] = "jsonl",
    name: Annotated[str | None, Parameter(help="Another name than it had.")] = None,
    protocol: Annotated[str | None, Parameter(help="What was asked; needed for formats that do not say.")] = None,
    question: Mapped = None,
    label: Labels = None,
    text: TextField = None,
    keep_incomplete: KeepIncomplete = False,
    call: Call = Call(),
) -> None:
    """Read in a campaign that was exported here or made elsewhere: all of it or, if anything is wrong, nothing."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.cli.campaigns.campaign import campaign_facts
    from goldmark.curation.gold_lists.carried import import_whole
    from goldmark.exchange.responses.renamed import renamed

    with opened(call) as store, bar() as say:
        row, responses, gold = import_whole(
            store,
            ContentCache(store),
            source,
            format,
            name=name,
            protocol=protocol,
            text=text,
            names=renamed(question or (), label or ()),
            keep_incomplete=keep_incomplete,
            author=author(),
            tell=say,
        )
    emit(
        call,
        {**campaign_facts(row), "responses": responses, "gold_mistakes": gold},
        f"campaign {row.name!r} was imported with {counted(responses, 'response')}"
        + (f" and {gold} gold mistakes of its curator" if gold else ""),
    )


def import_answers(
    name: CampaignName,
    source: Given,
    *,
    format: Annotated[  # noqa: A002
        str,
        Parameter(
            help="How it is written: tidy (CSV or JSON lines), or another that `goldmark plugin list formats` names."
        ),
    ] = "tidy",
    question: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="Whose answers they are, where the file does not say; or what a question or an attribute of the file "
            "is called here, THEIRS=OURS. May be given several times.",
        ),
    ] = None,
    label: Labels = None,
    text: TextField = None,
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
    keep_incomplete: KeepIncomplete = False,
    replace: Annotated[
        Flag, Parameter(help="Where somebody's answer here differs, append the file's as a revision.")
    ] = False,
    kind: Annotated[
        Literal["person", "model", "checker"] | None,
        Parameter(help="Who they are that answered, where the file has no column `kind`: people, if nobody says."),
    ] = None,
    reason: Annotated[str, Parameter(help="Why; kept with the campaign's record.")] = "",
    call: Call = Call(),
) -> None:
    """Bring answers made elsewhere into a campaign: all of them or, if anything is wrong, none."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.exchange.responses.renamed import renamed
    from goldmark.quality.test_questions import import_graded

    asked = question or []
    with opened(call) as store:
        done = import_graded(
            store,
            ContentCache(store),
            name,
            source,
            format_name=format,
            question=next((one for one in asked if "=" not in one), None),
            names=renamed([one for one in asked if "=" in one], label or ()),
            text=text,
            seen=seen,
            leave_out=leave_out or (),
            counted=positions and positions.removesuffix("s"),
            kind=kind or "",
            keep_incomplete=keep_incomplete,
            replace_others=replace,
            author=author(),
            reason=reason,
        )
    said = [
        f"brought {counted(done.answers, 'answer')} of {counted(done.annotators, 'annotator')} to "
        f"{counted(done.units, 'unit')} into {name!r}; "
        f"{done.already_there} were there already, {done.replaced} replace others"
    ]
    if done.new_annotators:
        said.append(f"new annotators: {', '.join(done.new_annotators)}")
    if done.incomplete:
        said.append(f"incomplete: {counted(done.incomplete, 'answer')} without something that the protocol asks for")
    if done.widened:
        said.append(f"widened to whole tokens: {counted(done.widened, 'mark')}")
    emit(call, done, *said)


def gold(
    name: CampaignName,
    target: Annotated[Path, Parameter(help="A new file; a new folder or .zip where the format has several files.")],
    *,
    format: Annotated[  # noqa: A002
        str, Parameter(help="How; `goldmark plugin list gold_formats` names all.")
    ] = "gsml",
    question: Question = None,
    call: Call = Call(),
) -> None:
    """Write the gold list of every text that curators have finished: its last version, with how many agreed."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.curation.gold_lists.formats import GOLD_FORMATS, write_gold_list
    from goldmark.curation.gold_lists.versions import finished_gold

    form = GOLD_FORMATS.find(format)
    with opened(call) as store:
        found, texts = finished_gold(store, ContentCache(store), name, question)
    mistakes = [mistake for text in found for mistake in text.mistakes]
    write_gold_list(form, target, mistakes, texts)
    emit(
        call,
        {"campaign": name, "target": target, "texts": len(found), "mistakes": len(mistakes)}
        | {"versions": {text.text_id: text.version for text in found}},
        f"{len(mistakes)} gold mistakes of {len(found)} finished texts of {name!r} were written to {target}",
    )


def gold_import(
    name: CampaignName,
    source: Annotated[Path, Parameter(help="A file; a folder or zip where the format has several files.")],
    *,
    format: Annotated[  # noqa: A002
        str | None, Parameter(help="How it is written; if left out, as the endings of its files tell.")
    ] = None,
    reason: Annotated[str, Parameter(help="Why; kept with the version.")] = "",
    whole: Annotated[Flag, Parameter(help="The list covers every text: those without a row have no mistake.")] = False,
    question: Question = None,
    call: Call = Call(),
) -> None:
    """Take in a gold list that was made elsewhere, as a new version of every text that it is about."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.curation.gold_lists.importer import import_gold, summary
    from goldmark.curation.gold_lists.versions import mistake_to_json

    with opened(call) as store:
        found = import_gold(
            store,
            ContentCache(store),
            name,
            source,
            format_name=format,
            question=question,
            whole=whole,
            author=author(),
            reason=reason,
        )
    counts = summary(found)
    if call.json:
        units = [
            {"unit": one.unit, "version": one.version, "mistakes": one.mistakes, "already_there": one.already_there}
            | {
                "changes": [
                    {"kind": change.kind, "what": change.what}
                    | {"old": change.old and mistake_to_json(change.old)}
                    | {"new": change.new and mistake_to_json(change.new)}
                    for change in one.changes
                ]
            }
            for one in found
        ]
        print_json({"campaign": name, **counts, "units": units})
    talk(
        f"took {counted(counts['mistakes'], 'mistake')} of {counted(counts['texts'], 'text')} into {name!r}; "
        f"against the proposal {counts['added']} are new, {counts['removed']} gone and {counts['changed']} changed"
        + (f"; {counted(counts['already_there'], 'text')} had it already" if counts["already_there"] else "")
    )
