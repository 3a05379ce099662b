"""Protocols for managers: browse, copy, change beside a preview that is the annotator's own page, compare versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response
from markupsafe import Markup

from goldmark.campaigns.definition.protocols import (
    difference,
    find_protocol,
    list_protocols,
    next_version,
    versions_of,
)
from goldmark.campaigns.protocol_editor import categories, edits, items, questions, translations
from goldmark.campaigns.protocol_editor.problem_fields import FieldProblem, beside_fields
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol, parse, present
from goldmark.protocols.loading.starter import starting_file
from goldmark.protocols.presentation import to_html
from goldmark.web.api.campaigns import protocols as calls
from goldmark.web.files import saved
from goldmark.web.pages.answers.preview_unit import preview_unit
from goldmark.web.pages.forms import checked
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, failed, go, page
from goldmark.web.pages.render import render
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/protocols")

Name = Annotated[str, Path(max_length=200)]
Version = Annotated[int, Path(ge=1, le=10**6)]
Wanted = Annotated[str, Query(max_length=200)]


@router.get("")
def protocols(visit: ReadsAsCurator) -> Response:
    return page(visit, "protocols.html", protocols=visit.read(list_protocols))


@router.get("/new")
def new(visit: ReadsAsManager, wanted: Annotated[str, Query(alias="from", max_length=200)] = "") -> Response:
    """A copy of a protocol, its next version, or a commented file to start from."""
    if not wanted:
        return _editor(visit, starting_file("my-protocol"))
    return _editor(
        visit, visit.read(lambda connection: next_version(connection, find_protocol(connection, wanted))), wanted
    )


@router.post("/new")
def change(visit: SendsAsManager) -> Response:
    """Save it, or make one edit and go on."""
    source = visit.given.get("source", "").replace("\r\n", "\n")
    action = visit.given.get("action", "")
    try:
        if action == "fields" and KEEPS in visit.given:
            parse(source)
            return _field_by_field(visit, source)
        after = _edited(visit, action, source)
        if after is not None:
            return _refused(visit, action, source, after) or _editor(visit, after)
        kept = calls.save(visit, checked(calls.ProtocolIn, {"source": source}))
    except ProblemsFound as error:
        return _editor(visit, source, wrong=failed("protocol", error))
    except GoldmarkError as error:
        beside = [FieldProblem(_new_field(visit, action, str(error)), Problem("", str(error)))]
        return _editor(visit, source, wrong=failed("protocol", error), beside=beside)
    return go(f"/protocols/{kept.protocol.id}", "protocol-saved")


def _refused(visit: Visit, action: str, source: str, after: str) -> Response | None:
    """What cannot be added is not written: the text stays as it is, and the problem stands beside what was typed."""
    if action not in ADDS or visit.given.get(KEEPS) is None:
        return None
    try:
        parse(after)
    except ProblemsFound as error:
        found = [FieldProblem(_new_field(visit, action, one.part), one) for one in error.problems]
        return _editor(visit, source, wrong=failed("protocol", error), beside=found)
    return None


def _field_by_field(visit: Visit, source: str) -> Response:
    """The text with every field that makes nothing wrong; what is wrong with the others stands beside them."""
    beside: list[FieldProblem] = []
    text, refusal = source, NOT_FAILED
    for name in visit.form:
        try:
            changed = edits.with_fields(text, {name: visit.lines(name)})
            parse(changed)
            text = changed
        except GoldmarkError as error:
            refusal = failed("protocol", error)
            found = error.problems if isinstance(error, ProblemsFound) else [Problem("", str(error))]
            beside += (FieldProblem(name, one) for one in found)
    return _editor(visit, text, wrong=refusal, beside=beside)


def _new_field(visit: Visit, action: str, about: str) -> str:
    """The field of what is being added that a problem is about."""
    if action == "item":
        marks = [name for name in visit.given if name.startswith("new.marks.") and visit.given[name].strip()]
        return marks[0] if marks and visit.given.get("new.item.text", "").strip() else "new.item.text"
    label = f"new.label.{'key' if about.endswith('key') else 'title'}"
    return {"label": label, "language": "new.language"}.get(action, "")


def _with_label(visit: Visit, source: str) -> str:
    tree, title, key, under = (
        visit.given.get(f"new.label.{one}", "").strip() for one in ("tree", "title", "key", "under")
    )
    return categories.with_label(source, tree, title, key[:1].lower(), under)


def _with_fields(visit: Visit, source: str) -> str:
    return edits.with_fields(source, {name: visit.lines(name) for name in visit.form})


def _with_item(visit: Visit, source: str) -> str:
    protocol = parse(source)
    asked = questions.fields_of(protocol)
    marks = {one.id: visit.given.get(f"new.marks.{one.id}", "") for one in asked if one.kind == "spans"}
    chosen = {one.id: visit.lines(f"new.chosen.{one.id}") for one in asked if one.answers}
    place, why, kit = (visit.given.get(f"new.item.{part}", "") for part in ("place", "explanation", "kit"))
    texts = {role: visit.given.get(f"new.item.{role}", "") for role in protocol.file.texts}
    return items.with_item(source, items.NewItem(place or "examples", texts, marks, chosen, why, kit))


EDITS: dict[str, Callable[[Visit, str], str]] = {
    "read": lambda visit, source: source,
    "label": _with_label,
    "fields": _with_fields,
    "item": _with_item,
    "language": lambda visit, source: translations.with_language(source, visit.given.get("new.language", "").strip()),
}
DEEDS = ("up", "down", "remove")
ADDS = ("label", "item", "language")
KEEPS = "keeps"  # sent by a page that keeps what was typed; one without a script gets the text with the problem in it


def _edited(visit: Visit, action: str, source: str) -> str | None:
    """The text after an edit; None if it is to be saved as it is."""
    deed, _, what = action.partition(":")
    if deed in DEEDS:
        return edits.acted(source, deed, what)
    return EDITS[action](visit, source) if action in EDITS else None


@router.post("/preview")
def preview(visit: SendsAsManager) -> Response:
    """The annotator's page for a protocol that is being written, in a frame; or what is wrong with it, line by line."""
    source = visit.given.get("source", "").replace("\r\n", "\n")
    try:
        return _preview(visit, parse(source))
    except ProblemsFound as error:
        return page(visit, "protocol_problems.html", problems=error.problems)


@router.get("/{name}/{version}/preview")
def preview_of(visit: ReadsAsCurator, name: Name, version: Version) -> Response:
    """The same for one that was saved."""
    return _preview(visit, visit.read(lambda connection: find_protocol(connection, f"{name}/{version}")).protocol)


def _preview(visit: Visit, protocol: Protocol) -> Response:
    work = {
        "campaign": {"title": protocol.title, "state": "running", "consent_html": "", "editing": True, "units": 1},
        "annotator": {"name": "", "state": "active", "consented": True},
        "protocol": present(protocol),
        "unit": preview_unit(protocol).to_json(),
    }
    title = {"title": protocol.title}
    return render(visit.request, "annotator/work.html", campaign=title, token="", config={"preview": work})


def _editor(
    visit: Visit,
    source: str,
    copied: str = "",
    *,
    wrong: FailedForm = NOT_FAILED,
    beside: Sequence[FieldProblem] = (),
) -> Response:
    try:
        protocol: Protocol | None = parse(source)
    except ProblemsFound as error:
        protocol = None
        beside = beside or beside_fields(error.problems, source)
    return page(
        visit,
        "protocol_edit.html",
        wrong=wrong,
        source=source,
        copied=copied,
        beside=beside,
        protocol=protocol,
        trees={tree: categories.fields_of(protocol, tree) for tree in protocol.taxonomies} if protocol else {},
        questions=questions.fields_of(protocol) if protocol else [],
        needs=questions.needs_of(protocol) if protocol else "",
        taught=items.parts_of(protocol) if protocol else [],
        tested=items.test_of(protocol) if protocol else [],
        spoken=translations.fields_of(protocol) if protocol else [],
    )


@router.get("/{name}/{version}")
def show(visit: ReadsAsCurator, name: Name, version: Version, against: Wanted = "") -> Response:
    found, versions = visit.read(
        lambda connection: (find_protocol(connection, f"{name}/{version}"), versions_of(connection, name))
    )
    facts: dict[str, Any] = {"against": "", "changes": []}
    if against:
        other = visit.read(lambda connection: find_protocol(connection, against))
        facts = {"against": other.id, "changes": difference(other.protocol, found.protocol)}
    others = visit.read(list_protocols) if visit.may("manager") else []
    about = Markup(to_html(found.protocol.file.about))  # noqa: S704 - cleaned by to_html
    return page(visit, "protocol.html", found=found, versions=versions, others=others, about=about, **facts)


@router.get("/{name}/{version}/source")
def source_of(visit: ReadsAsCurator, name: Name, version: Version) -> Response:
    """The YAML to download."""
    found = visit.read(lambda connection: find_protocol(connection, f"{name}/{version}"))
    return saved(found.protocol.source, f"{name}-{version}.yaml", "text/yaml")
