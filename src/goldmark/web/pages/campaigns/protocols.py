"""Protocols for managers: browse, copy, change beside a preview that is the annotator's own page, compare versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from markupsafe import Markup

from goldmark.campaigns.definition import protocol_edits as edits
from goldmark.campaigns.definition.protocols import (
    difference,
    find_protocol,
    list_protocols,
    next_version,
    versions_of,
    with_label,
)
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.protocols import Protocol, parse, present
from goldmark.protocols.loading.starter import starting_file
from goldmark.protocols.presentation import to_html
from goldmark.web.api.campaigns import protocols as calls
from goldmark.web.files import saved
from goldmark.web.pages.forms import checked
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, failed, go, page
from goldmark.web.pages.preview_unit import preview_unit
from goldmark.web.pages.render import render
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = APIRouter(include_in_schema=False, prefix="/protocols")

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
    """Save it, or add a label to one of its trees and go on."""
    source = visit.given.get("source", "").replace("\r\n", "\n")
    action = visit.given.get("action", "")
    try:
        if action in EDITS:
            return _editor(visit, EDITS[action](visit, source))
        kept = calls.save(visit, checked(calls.ProtocolIn, {"source": source}))
    except GoldmarkError as error:
        return _editor(visit, source, wrong=failed("protocol", error))
    return go(f"/protocols/{kept['protocol']}", "protocol-saved")


def _with_label(visit: Visit, source: str) -> str:
    title, key = (visit.given.get(one, "").strip() for one in ("label_title", "label_key"))
    label = re.sub(r"[^A-Za-z0-9]+", "_", title).strip("_").upper()[:40] or "LABEL"
    return with_label(source, visit.given.get("tree", ""), label, title or label, key[:1].lower())


def _with_fields(visit: Visit, source: str) -> str:
    words = {key: visit.given[key] for key in edits.WORDS if key in visit.given}
    return edits.with_fields(source, words, [_question(visit, name) for name in visit.lines("question")])


def _question(visit: Visit, name: str) -> edits.QuestionFields:
    columns = (visit.lines(f"{name}.option.{part}") for part in ("id", "title", "value"))
    options = tuple(edits.OptionFields(*one) for one in zip(*columns, strict=False) if any(one))
    said = {part: visit.given.get(f"{name}.{part}", "") for part in ("kind", "ask", "help")}
    return edits.QuestionFields(name, said["kind"], said["ask"].strip(), said["help"].strip(), options)


def _with_item(visit: Visit, source: str) -> str:
    marks = {name: visit.given.get(f"marks.{name}", "") for name in visit.lines("marking")}
    chosen = {name: visit.given.get(f"chosen.{name}", "") for name in visit.lines("choosing")}
    place, text, why = (visit.given.get(f"item.{part}", "") for part in ("place", "text", "explanation"))
    return edits.with_item(
        source, edits.NewItem(place or "examples", text, marks, chosen, why, visit.given.get("item.kit", ""))
    )


EDITS: dict[str, Callable[[Visit, str], str]] = {
    "read": lambda visit, source: source,
    "label": _with_label,
    "fields": _with_fields,
    "item": _with_item,
}


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


def _editor(visit: Visit, source: str, copied: str = "", *, wrong: FailedForm = NOT_FAILED) -> Response:
    try:
        protocol: Protocol | None = parse(source)
    except ProblemsFound:
        protocol = None
    return page(
        visit,
        "protocol_edit.html",
        wrong=wrong,
        source=source,
        copied=copied,
        protocol=protocol,
        trees=sorted(protocol.file.taxonomies) if protocol else [],
        questions=edits.fields_of(protocol) if protocol else [],
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
