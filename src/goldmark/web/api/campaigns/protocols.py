"""Protocols: list, read, check, keep one's own."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BeforeValidator, Field

from goldmark.campaigns.definition.protocols import KeptProtocol, find_protocol, list_protocols, save_protocol
from goldmark.errors import ProblemsFound
from goldmark.protocols import parse
from goldmark.protocols.loading.yaml_reader import LARGEST_FILE
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import In, Out, part
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager

router = Calls("/api/v1/protocols", "protocols")

ProtocolPath = Annotated[str, Path(max_length=200)]


class ProtocolOut(Out):
    protocol: str = part("protocol.id", "Name and version.")
    title: str = part("protocol.title")
    summary: str = part("protocol.summary")
    texts: tuple[str, ...] = part("protocol.texts")
    questions: Annotated[list[str], BeforeValidator(lambda all_: [one.id for one in all_()])] = part(
        "protocol.questions"
    )
    digest: str = part("protocol.digest")
    built_in: bool
    saved_at: datetime | None
    campaigns: list[str] = Field(description="Those that ask it.")


class ProtocolWithSource(ProtocolOut):
    source: str = part("protocol.source", "Its YAML.")


class ProtocolList(Out):
    protocols: list[ProtocolOut]


class ProtocolIn(In):
    source: str = Field(max_length=LARGEST_FILE, description="The YAML of a protocol.")


class CheckedProtocol(Out):
    problems: list[shapes.ProblemOut]


@router.get("", response_model=ProtocolList)
def list_all(visit: CallsAsCurator) -> dict[str, Any]:
    """All protocols: those built in, and those that were saved here or came with a campaign."""
    return {"protocols": visit.read(list_protocols)}


@router.post("", status_code=201, response_model=ProtocolWithSource)
def save(visit: CallsAsManager, body: ProtocolIn) -> KeptProtocol:
    """Keep a protocol of your own. One that a campaign asks never changes: a change gets a new version."""
    given = parse(body.source)  # it may be long, or wrong in thousands of ways: before anybody waits for the database
    saved = visit.store.write(lambda connection: save_protocol(connection, given))
    return show(visit, saved.name, saved.version)


@router.post("/check")
def check(visit: CallsAsCurator, body: ProtocolIn) -> CheckedProtocol:
    """Everything that is wrong with a protocol; nothing is kept."""
    try:
        parse(body.source)
    except ProblemsFound as error:
        return CheckedProtocol(
            problems=[shapes.ProblemOut.model_validate(one, from_attributes=True) for one in error.problems]
        )
    return CheckedProtocol(problems=[])


@router.get("/{name}/{version}", response_model=ProtocolWithSource)
def show(visit: CallsAsCurator, name: ProtocolPath, version: Annotated[int, Path(ge=1, le=10**6)]) -> KeptProtocol:
    """One version of a protocol, with its text."""
    return visit.read(lambda connection: find_protocol(connection, f"{name}/{version}"))
