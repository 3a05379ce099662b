"""Protocols that a server keeps: those built in, those of campaigns, and one's own, written and copied in the browser.

A protocol that a campaign uses never changes: its answers say by which text they were asked. Whoever changes one makes
a new version.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from goldmark.campaigns.arrival import VISIBLE
from goldmark.campaigns.lifecycle import keep_protocol
from goldmark.campaigns.protocol_editor.source import written
from goldmark.errors import Conflict, Missing, ProblemsFound
from goldmark.protocols import Protocol, builtin_names, load, parse
from goldmark.store.tables import campaign, protocol


class NoSuchProtocol(Missing):
    code = "PROTOCOL-11"
    message = "there is no protocol {name!r} on this server"


class BuiltIn(Conflict):
    code = "PROTOCOL-12"
    message = "{name!r} is built in and stays as it is; give yours another name"


class InUse(Conflict):
    code = "PROTOCOL-13"
    message = (
        "{id} is asked in {campaigns}, whose answers must stay what they were; "
        "call the changed one {name}/{next}: new campaigns can use it, those that run keep theirs"
    )


@dataclass(frozen=True)
class KeptProtocol:
    """A protocol with what the server knows of it."""

    protocol: Protocol
    built_in: bool
    saved_at: datetime | None = None
    campaigns: list[str] = field(default_factory=list)  # that ask it

    @property
    def id(self) -> str:
        return self.protocol.id


def is_builtin(name: str) -> bool:
    """Whether this is the name of a built-in protocol, with its version or without."""
    return any(name in (one, one.partition("/")[0]) for one in builtin_names())


def list_protocols(connection: Connection) -> list[KeptProtocol]:
    """Built-in ones and one's own, by name and version."""
    users: dict[str, list[str]] = {}
    for used, name in connection.execute(
        select(protocol.c.digest, campaign.c.name)
        .join(campaign, campaign.c.protocol_id == protocol.c.id)
        .order_by(campaign.c.created_at)
    ):
        users.setdefault(used, []).append(name)
    built_in = [load(name) for name in builtin_names()]
    known = {one.id for one in built_in}
    kept = [KeptProtocol(one, True, None, users.get(one.digest, [])) for one in built_in]
    rows = connection.execute(
        select(protocol.c.source, protocol.c.digest, protocol.c.created_at).order_by(
            protocol.c.name, protocol.c.version, protocol.c.id
        )
    )
    own: dict[str, KeptProtocol] = {}
    for source, digest, saved_at in rows:
        try:
            found = parse(source)
        except ProblemsFound:  # of an older language; its campaigns go on with it, new ones cannot
            continue
        if found.id not in known:  # of several texts under one name the newest is offered
            own[found.id] = KeptProtocol(found, False, saved_at, users.get(digest, []))
    return [*own.values(), *kept]


def find_protocol(connection: Connection, name: str) -> KeptProtocol:
    """A protocol by name, the newest version of it, or by name and version."""
    found = [one for one in list_protocols(connection) if name in (one.id, one.protocol.name)]
    if not found:
        raise NoSuchProtocol(name=name[:200])
    return max(found, key=lambda one: one.protocol.version)


def versions_of(connection: Connection, name: str) -> list[KeptProtocol]:
    return [one for one in list_protocols(connection) if one.protocol.name == name]


def save_protocol(connection: Connection, given: Protocol) -> Protocol:
    """Keep a protocol of one's own; one that no campaign asks may be written anew under the same version."""
    if is_builtin(given.name):
        raise BuiltIn(name=given.name)
    same = select(protocol.c.id).where(
        protocol.c.name == given.name, protocol.c.version == given.version, protocol.c.digest != given.digest
    )
    users = connection.execute(
        select(campaign.c.name).where(campaign.c.protocol_id.in_(same), VISIBLE).order_by(campaign.c.created_at)
    )
    names = [str(one) for one in users.scalars()]
    if names:
        raise InUse(id=given.id, name=given.name, next=_newest(connection, given.name) + 1, campaigns=", ".join(names))
    connection.execute(delete(protocol).where(protocol.c.id.in_(same.scalar_subquery())))
    keep_protocol(connection, given)
    return given


def _newest(connection: Connection, name: str) -> int:
    query = select(func.max(protocol.c.version)).where(protocol.c.name == name)
    return int(connection.execute(query).scalar() or 0)


def next_version(connection: Connection, kept: KeptProtocol) -> str:
    """The text to begin a change with: of a built-in one a copy that says only what differs, else the next version."""
    if not kept.built_in:
        newest = _newest(connection, kept.protocol.name)
        return re.sub(
            r"(?m)^protocol:.*$", f"protocol: {kept.protocol.name}/{newest + 1}", kept.protocol.source, count=1
        )
    taken = {one.protocol.name for one in list_protocols(connection)}
    name = next(
        one for n in range(1, 1000) if (one := f"my-{kept.protocol.name}{'' if n == 1 else f'-{n}'}") not in taken
    )
    return copied(kept.protocol, name)


def copied(base: Protocol, name: str) -> str:
    """A protocol that extends another, with what people most often change written out."""
    lines = [
        f"protocol: {name}/1",
        f"extends: {base.id}",
        f"title: {_quoted(base.title)}",
        f"summary: {_quoted(base.summary)}",
    ]
    if base.instructions.strip():
        indented = "\n".join(f"  {line}" if line else "" for line in base.instructions.rstrip().split("\n"))
        lines += ["instructions: |", indented]
    return "\n".join(lines) + "\n"


def _quoted(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


def difference(old: Protocol, new: Protocol) -> list[tuple[str, str]]:
    """What differs between two protocols, all that they extend put in: lines with "+", "-" or " " before them."""
    one, other = (written(each.resolved).splitlines() for each in (old, new))
    lines = difflib.unified_diff(one, other, lineterm="", n=2)
    return [(line[:1], line[1:]) for line in lines if not line.startswith(("---", "+++"))]
