"""People whom Amazon Mechanical Turk sends, who work in its frame and are paid by it."""

from __future__ import annotations

from collections.abc import Mapping

from goldmark.connectors.mturk.options import TurkOptions
from goldmark.people.connector import Connector
from goldmark.people.platform import Arriving, Platform

WORKER = "workerId"
ASSIGNMENT, HIT = "assignmentId", "hitId"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # what stands for the assignment while somebody only looks


def _read(parameters: Mapping[str, str]) -> Arriving | None:
    assignment = parameters.get(ASSIGNMENT, "")
    if assignment == PREVIEW:
        return Arriving("", "", parameters.get(HIT, ""), preview=True)
    worker, hit = parameters.get(WORKER, ""), parameters.get(HIT, "")
    return Arriving(worker, assignment, hit) if assignment and worker and hit else None


def _open(live: bool) -> Platform:
    from goldmark.connectors.mturk.platform import open_mturk

    return open_mturk(live)


MTURK = Connector("mturk", "Amazon Mechanical Turk", WORKER, "...", options=TurkOptions, reads=_read, opens=_open)
