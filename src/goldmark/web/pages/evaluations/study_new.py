"""A study is made, in fields, as YAML or from its file; and one that nobody has begun is changed in the same fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.definition.protocols import KeptProtocol, find_protocol, list_protocols
from goldmark.campaigns.definition.uploads import PROTOCOL_FILE, TEXTS_FILE, NoTexts, Uploaded
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.campaign.archive import zipped
from goldmark.protocols import Protocol
from goldmark.protocols.answers import giving
from goldmark.protocols.kinds import Question
from goldmark.records.answers import Marks, Rating, Words
from goldmark.stats.significance.tests import Correction
from goldmark.studies.design.change import change_study, has_begun, hidden_facts
from goldmark.studies.design.create import study_of
from goldmark.studies.design.file import Study, fields_in
from goldmark.studies.stored import STUDY_FILE, create_uploaded, plan_uploaded, uploaded_source
from goldmark.web.files import saved
from goldmark.web.pages.campaigns import chosen_texts
from goldmark.web.pages.evaluations.study_fields import ROWS, StudyFields, as_yaml
from goldmark.web.pages.forms import refusable, written_file
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, go, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages()

# What a page to write a study on begins with; every key is in the reference.
STARTING_STUDY = """\
study: seeing-suggestions
protocol: accuracy
texts: texts.jsonl                        # the file that you choose below
factors: {help: [none, suggestions]}      # what is varied
participants: 40                          # people in each cell
per_participant: {texts: 4, mix: {texts: 1}}
groups:
  texts: {help: "{help}"}                 # the rows whose hidden key `help` is the level of the cell
outcome: {kind: marks, question: mistakes}
tests:
  - {compare: help, to: none}
alpha: 0.05
"""
KINDS = {
    "accuracy": "how often they are right about the group of a text",
    "share": "how often they choose certain answers",
    "mean": "the mean of their ratings",
    "marks": "how many passages they mark",
}
TESTS = {
    "": "no test",
    "against": "mean against chance or a number",
    "compare": "each level against one level",
    "variance": "whether levels differ at all",
    "pairs": "all pairs of levels (Tukey)",
}


NOT_IN_NAMES = re.compile(r"[^a-z0-9-]")


@dataclass(frozen=True)
class StudyQuestions:
    """What of a protocol a study can measure, and what is chosen of it."""

    fitting: Mapping[str, Sequence[Question]]
    kind: str
    question: Question | None
    options: Mapping[str, str]
    explain: Sequence[Question]
    kits: Sequence[str]


def questions_for(protocol: Protocol, fields: StudyFields) -> StudyQuestions:
    """The questions that fit each kind of outcome; what was chosen, if the protocol has it, else the first."""
    choices = [one for one in protocol.questions() if one.options_with_numbers() and not one.several]
    fitting = {
        "accuracy": choices,
        "share": choices,
        "mean": giving(protocol, Rating),
        "marks": giving(protocol, Marks),
    }
    usual = next((kind for kind, found in fitting.items() if found), "accuracy")
    chosen = fields.values["outcome.kind"]
    kind = chosen if fitting.get(chosen) else usual
    named = fields.values["outcome.question"]
    question = next((one for one in fitting[kind] if one.id == named), next(iter(fitting[kind]), None))
    titles = question.titles() if question else {}
    return StudyQuestions(fitting, kind, question, titles, giving(protocol, Words), list(protocol.file.training))


def _facts(fields: StudyFields, protocol: Protocol) -> dict[str, Any]:
    """What every page with these fields shows."""

    def rows_of(name: str) -> list[Mapping[str, str]]:
        """The rows that are filled in, and one to fill in; at first two, since one group or level is no study."""
        empty = 2 if name in ("factors", "groups", "kits") and not fields.rows[name] else 1
        return [*fields.rows[name], *([dict.fromkeys(ROWS[name], "")] * empty)]

    return {
        "fields": fields,
        "given": fields.values,
        "rows_of": rows_of,
        "asked": questions_for(protocol, fields),
        "kinds": KINDS,
        "tests": TESTS,
        "editing": False,
        "corrections": get_args(Correction),
    }


def _new_page(
    visit: Visit, *, wrong: FailedForm = NOT_FAILED, fields: StudyFields | None = None, **more: Any
) -> Response:
    fields = fields or (StudyFields.sent(visit) if wrong.form == "fields" else StudyFields())
    text = wrong.given.get("text", STARTING_STUDY) if wrong.form == "text" else STARTING_STUDY
    facts = {
        "plan": None,
        "text": text,
        **chosen_texts.nothing_chosen(),
        **_facts(fields, _asked(visit, fields).protocol),
    }
    ways = {**chosen_texts.WAYS, **{one: given for one in chosen_texts.WAYS if (given := fields.values.get(one))}}
    offered = visit.read(list_protocols)
    return page(
        visit, "study_new.html", wrong=wrong, protocols=offered, **{**facts, "ways": ways, "always_cut": True, **more}
    )


def _asked(visit: Visit, fields: StudyFields) -> KeptProtocol:
    return visit.read(lambda connection: find_protocol(connection, fields.values["protocol"]))


@router.get("/studies/new")
def new(visit: ReadsAsManager) -> Response:
    return _new_page(visit)


@router.post("/studies/new")
@refusable("files", _new_page)
def make_from_files(visit: SendsAsManager) -> Response:
    if visit.given.get("do") == "fill":
        return _new_page(visit, fields=StudyFields.of(fields_in(uploaded_source(visit.uploads))))
    return _done(visit, visit.uploads)


@router.post("/studies/new/text")
@refusable("text", _new_page)
def make_from_text(visit: SendsAsManager) -> Response:
    text = visit.given.get("text", "")
    return _done(visit, [*visit.uploads, written_file(STUDY_FILE, text)], text=text)


@router.post("/studies/new/fields")
@refusable("fields", _new_page)
def make_from_fields(visit: SendsAsManager) -> Response:
    """The fields as a study file with its texts: checked and planned, made, or saved for the next time."""
    fields = StudyFields.sent(visit)
    with chosen_texts.chosen(visit) as texts:
        source, files = _files(visit, fields, texts)
        if visit.given.get("do") == "save":
            kept = zipped((one.name, one.content.read()) for one in files)
            return saved(kept, f"{NOT_IN_NAMES.sub('', fields.values['study']) or 'study'}.zip", "application/zip")
        return _in_fields(fields, lambda: _done(visit, files, fields=fields, text=source))


@router.post("/studies/new/look")
def look(visit: SendsAsManager) -> Response:
    """Parts of the form: what is in the chosen file, and what the chosen protocol asks."""
    fields = StudyFields.sent(visit)
    facts = {**chosen_texts.look(visit), **_facts(fields, _asked(visit, fields).protocol), "always_cut": True}
    return page(visit, "texts_look.html", seen=chosen_texts.hidden_facts(visit), **facts)


def _done(visit: Visit, files: Sequence[Uploaded], **more: Any) -> Response:
    """Checked and planned, or made: the files are sent again, so that what is made is what was looked at last."""
    if visit.given.get("do") == "create":
        row, _ = create_uploaded(visit.store, visit.links, files, author=visit.name)
        return go(f"/campaigns/{row.name}/study", "created")
    plan = plan_uploaded(visit.store, files, author=visit.name)
    return _new_page(visit, plan=plan, tables=shown(plan.tables), **more)


def _files(visit: Visit, fields: StudyFields, files: Sequence[Uploaded]) -> tuple[str, list[Uploaded]]:
    """The study file that the fields mean, and all files that it names."""
    if not files and visit.given.get("do") != "save":
        raise ProblemsFound([Problem("texts", str(NoTexts()), part="texts")], consequence="the study was not made")
    asked = _asked(visit, fields)
    protocol = asked.id if asked.built_in else PROTOCOL_FILE
    own = [] if asked.built_in else [written_file(PROTOCOL_FILE, asked.protocol.source)]
    source = as_yaml(fields.file(protocol=protocol, texts=[one.name for one in files] or [TEXTS_FILE]))
    return source, [written_file(STUDY_FILE, source), *files, *own]


def _in_fields(fields: StudyFields, act: Callable[[], Response]) -> Response:
    """What is wrong with the file is told beside its fields, which have no lines."""
    try:
        return act()
    except ProblemsFound as error:
        raise error.told_as(_told(fields, one) for one in error.problems) from error


def _told(fields: StudyFields, problem: Problem) -> Problem:
    if not problem.part or not problem.where.startswith(STUDY_FILE):
        return problem
    part = fields.place_of(problem.part)
    return Problem(problem.part.replace("_", " ").replace(".", " "), problem.what, problem.remedy, part)


@router.get("/campaigns/{name}/study/design")
def design(visit: ReadsAsCurator, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    def look(connection: Connection, row: CampaignRow) -> tuple[bool, Study, list[Mapping[str, Any]]]:
        return has_begun(connection, name), study_of(connection, row, visit.content), hidden_facts(connection, row)

    row, (begun, study, hidden) = visit.with_campaign(name, look)
    fields = StudyFields.sent(visit) if wrong.form else StudyFields.of(study.file)
    seen = chosen_texts.facts_in(
        {key: value for key, value in facts.items() if key not in ("stratum", "labels_wanted")} for facts in hidden
    )
    facts = _facts(fields, study.protocol)
    return page(
        visit, "study_design.html", wrong=wrong, campaign=row, begun=begun, seen=seen, **{**facts, "editing": True}
    )


@router.post("/campaigns/{name}/study/design")
@refusable("fields", design)
def redesign(visit: SendsAsManager, name: str) -> Response:
    before = visit.look_into(name, study_of, visit.content).file
    fields = StudyFields.sent(visit)
    source = as_yaml(fields.file(protocol=before.protocol, texts=before.texts.paths))
    reason = visit.given.get("reason", "").strip()

    def change() -> Response:
        change_study(visit.store, name, source, author=visit.name, reason=reason)
        return go(f"/campaigns/{name}/study/design", "study-changed")

    return _in_fields(fields, change)


@router.post("/campaigns/{name}/study/design/look")
def look_again(visit: SendsAsManager, name: str) -> Response:
    """The same part as of a new study: what can be measured, as it was chosen."""
    study = visit.look_into(name, study_of, visit.content)
    facts = {**chosen_texts.nothing_chosen(), **_facts(StudyFields.sent(visit), study.protocol)}
    return page(visit, "texts_look.html", **facts)


@router.get("/campaigns/{name}/study/study.yaml")
def for_next_time(visit: ReadsAsCurator, name: str) -> Response:
    """The study's own file, as it holds now."""
    return saved(visit.look_into(name, study_of, visit.content).source, STUDY_FILE, "text/yaml")
