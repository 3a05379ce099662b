"""The curator's workspace: a unit's marks and their proposal, the steps taken on them, and one more step.

Two curators cannot overwrite each other. Whoever takes a step says which step they saw last; if there are newer ones,
nothing is written and they are told what happened meanwhile.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.unit_overview import UnitFile, UnitLabel, UnknownUnit, find_unit
from goldmark.curation.gold_lists import versions
from goldmark.curation.proposals.propose import propose_text
from goldmark.curation.question import marks_of, role_of, rules_of, spans_question
from goldmark.curation.workspace.blind import Aliases, aliases_for, hidden, names_in
from goldmark.curation.workspace.state import WorkspaceState, entries_of
from goldmark.curation.workspace.step_kinds import KINDS, CurationRules, NotPossible
from goldmark.curation.workspace.steps import CurationStep, apply, fold
from goldmark.errors import Conflict, Missing
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.gold import GoldText
from goldmark.records.introduced import introduced_in, touches
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, text_id
from goldmark.store import Store
from goldmark.store.pieces import in_parts
from goldmark.store.tables import annotator, assignment, curation_step
from goldmark.store.transactions import prepared_beside

KEYS_AT_ONCE = 2_000  # texts of which it is asked together whether anything has changed


class NobodyAnswered(Conflict):
    code = "CURATE-11"
    message = "nobody has finished unit {unit!r} yet; curate it when somebody has"


class AnswersChanged(Conflict):
    code = "CURATE-12"
    message = "people have answered or amended unit {unit!r} since you opened it; load it again to see their marks"


class UnknownVersion(Missing):
    code = "CURATE-14"
    message = "unit {unit!r} has no version {version} of its gold list; it has {count}"


class MovedOn(Conflict):
    """Somebody else took a step; the newer steps come with the error, so that nothing has to be guessed."""

    code = "CURATE-13"
    message = "{who} changed this text meanwhile ({count} newer steps); look at it before you go on"

    def __init__(self, newer: Sequence[CurationStep], aliases: Aliases) -> None:
        self.newer, self._aliases = tuple(newer), aliases
        who = " and ".join(sorted({step.author for step in newer})) or "somebody"
        super().__init__(who=who, count=len(newer))

    def further(self) -> dict[str, Any]:
        """The newer steps as a curator is shown them."""
        return {"steps": hidden([step.to_json() for step in self.newer], self._aliases)}


@dataclass(frozen=True)
class CurationWorkspace:
    """One unit as a curator sees it, for one question about passages."""

    campaign: CampaignRow
    unit: UnitFile
    protocol: Protocol
    question: SpansQuestion
    role: str
    labels: tuple[UnitLabel, ...]  # the answers that count
    marks: Mapping[str, tuple[Mistake, ...]]  # by annotator
    rules: CurationRules
    steps: tuple[CurationStep, ...]  # the first is the proposal, stored or not
    begun: bool  # whether it is stored
    alias_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)  # lasting where one is given

    @property
    def shown(self) -> ShownText:
        return self.unit.shown.texts[self.role]

    @property
    def text(self) -> Text:
        return self.shown.text

    @property
    def basis(self) -> tuple[str, ...]:
        """The answers that a proposal would rest on now: whose, and which revision. Exports carry them, so no ids."""
        return tuple(sorted(f"{label.annotator}/{label.revision}" for label in self.labels))

    @property
    def aliases(self) -> dict[str, str]:
        """The names under which a curator is shown people; their own, unless curators are not told."""
        names = names_in(self.marks, self.steps)
        unit = f"{self.campaign.id}\x00{self.unit.line.name}"
        return aliases_for(self.alias_key, unit, names) if self.campaign.settings.curation.blind else {}

    def state(self) -> WorkspaceState:
        return fold(self.steps)

    def version(self, frozen: Sequence[GoldText], number: int) -> GoldText:
        """One of its frozen lists; 0 is what the first proposal would have come to, had all of it been accepted."""
        if number == 0:
            return fold(self.steps[:1]).proposed(self.text.id)
        if number > len(frozen):
            raise UnknownVersion(unit=self.unit.line.name, version=number, count=len(frozen))
        return frozen[number - 1]


def open_workspace(
    connection: Connection,
    content: ContentCache,
    row: CampaignRow,
    unit_id: int,
    question_id: str | None = None,
    *,
    alias_key: bytes | None = None,
) -> CurationWorkspace:
    """A unit with everybody's final marks and all steps taken on it; by default for the first question that can be.

    Under the same `alias_key` people always have the same other names on it.
    """
    question = spans_question(content.protocol(row.protocol_id), row, question_id)
    found = find_unit(connection, row, unit_id)
    if not found.line.counts:
        raise UnknownUnit(id=unit_id, campaign=row.name)  # a test question: nobody curates it
    steps = steps_of(connection, [unit_id], question.id).get(unit_id, ())
    workspace = workspace_of(content, row, question, found, steps)
    return workspace if alias_key is None else replace(workspace, alias_key=alias_key)


def workspace_of(
    content: ContentCache,
    row: CampaignRow,
    question: SpansQuestion,
    found: UnitFile,
    steps: tuple[CurationStep, ...],
) -> CurationWorkspace:
    """The same for a unit that was fetched already, with its steps."""
    protocol = content.protocol(row.protocol_id)
    role = role_of(protocol, question)
    text = found.shown.texts[role].text
    labels = tuple(label for label in found.labels if counts(label))
    # Errors that were introduced on purpose are no mistakes of whoever wrote the text.
    introduced = introduced_in(found.line.hidden)
    marks = {
        label.annotator: tuple(
            mark
            for mark in marks_of(
                read(content.protocol(label.protocol_id), label.answers or {}, found.shown),
                question,
                text,
                label.annotator,
            )
            if not touches(mark.span, introduced)
        )
        for label in labels
    }
    rules = rules_of(protocol, question, found.shown.texts[role])
    workspace = CurationWorkspace(row, found, protocol, question, role, labels, marks, rules, steps, bool(steps))
    return workspace if steps else replace(workspace, steps=(proposal(workspace, 1),))


def counts(label: UnitLabel) -> bool:
    """Whether an answer is taken into account: it is finished and was one of those that were wanted."""
    return label.state == "done" and label.answers is not None


def proposal(workspace: CurationWorkspace, number: int) -> CurationStep:
    """The automatic proposal as a step that nobody has taken yet."""
    every = [mark for some in workspace.marks.values() for mark in some]
    made = propose_text(workspace.text, every, workspace.marks, priority=workspace.rules.priority)
    facts = {
        "responses": list(workspace.basis),
        "annotators": list(made.annotators),
        "entries": [one.to_json() for one in entries_of(made, number)],
    }
    return CurationStep(number, "begin", facts)


def steps_of(connection: Connection, ids: Sequence[int], question_id: str) -> dict[int, tuple[CurationStep, ...]]:
    """The steps that were taken on these units."""
    rows = connection.execute(
        select(curation_step)
        .where(curation_step.c.unit_id.in_(ids), curation_step.c.question == question_id)
        .order_by(curation_step.c.unit_id, curation_step.c.number)
    )
    return {
        unit_id: tuple(CurationStep(row.number, row.kind, row.facts, row.reason, row.author, row.at) for row in some)
        for unit_id, some in groupby(rows, key=lambda row: int(row.unit_id))
    }


def unit_keys(
    connection: Connection, question: SpansQuestion, ids: Sequence[int]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """What changes when an answer or a step comes or goes, without reading any."""
    nobody = (0, 0, 0, 0, 0)
    for some in in_parts(ids, KEYS_AT_ONCE):
        answers = {
            unit_id: tuple(map(int, numbers))
            for unit_id, *numbers in connection.execute(
                select(
                    assignment.c.unit_id,
                    func.count(),
                    func.sum(assignment.c.id),
                    func.min(assignment.c.id),
                    func.max(assignment.c.id),
                    func.sum(assignment.c.revision),
                )
                .join(annotator, annotator.c.id == assignment.c.annotator_id)
                .where(assignment.c.unit_id.in_(some), assignment.c.state == "done", annotator.c.state != "excluded")
                .group_by(assignment.c.unit_id)
            )
        }
        numbers = connection.execute(
            select(curation_step.c.unit_id, func.max(curation_step.c.number))
            .where(curation_step.c.unit_id.in_(some), curation_step.c.question == question.id)
            .group_by(curation_step.c.unit_id)
        ).all()
        steps = {int(unit_id): int(number) for unit_id, number in numbers}
        for unit_id in some:
            yield unit_id, (unit_id, *answers.get(unit_id, nobody), steps.get(unit_id, 0))


def take_step(
    store: Store,
    content: ContentCache,
    name: str,
    unit_id: int,
    *,
    after: int,
    kind: str,
    facts: Mapping[str, Any],
    author: str,
    reason: str = "",
    basis: Sequence[str] | None = None,
    question: str | None = None,
    alias_key: bytes | None = None,
) -> tuple[CurationStep, ...]:
    """One more step on a unit, if nobody took one since step `after`; all steps after that one are returned.

    The same step sent twice is taken once. `basis` are the answers that the sender's proposal rests on, which matters
    for the first step only: from then on the proposal is stored.
    """
    asked = CurationStep(after + 1, kind, dict(facts), reason, author)
    if kind in KINDS and not KINDS[kind].by_hand:
        raise NotPossible(why="a gold list is imported as a whole, from a file, and not by a step")

    def opened(connection: Connection) -> CurationWorkspace:
        row = find_campaign(connection, name)
        return open_workspace(connection, content, row, unit_id, question, alias_key=alias_key)

    def look(connection: Connection) -> tuple[CampaignRow, Sequence[object]]:
        row = find_campaign(connection, name)
        asked_of = spans_question(content.protocol(row.protocol_id), row, question)
        return row, list(unit_keys(connection, asked_of, [unit_id]))

    def write(connection: Connection, _: object, workspace: CurationWorkspace) -> tuple[CurationStep, ...]:
        if not workspace.labels:
            raise NobodyAnswered(unit=workspace.unit.line.name)
        if after == 1 and basis is not None and not _rests_on(workspace, basis):
            raise AnswersChanged(unit=workspace.unit.line.name)
        return append(connection, workspace, asked)

    try:
        # What is proposed for marks that were made to take long takes seconds: beside the writer.
        return prepared_beside(store, look, lambda _: store.snapshot(opened), write)
    except IntegrityError:  # two curators in the same instant: the other one was first
        workspace = store.read(opened)
        raise MovedOn([step for step in workspace.steps if step.number > after], workspace.aliases) from None


def _rests_on(workspace: CurationWorkspace, basis: Sequence[str]) -> bool:
    """Whether the answers are still those that a curator was shown, under their names or under others."""
    real = list(workspace.steps[0].facts["responses"])
    return list(basis) == real or sorted(basis) == sorted(hidden(real, workspace.aliases, "responses"))


def append(
    connection: Connection, workspace: CurationWorkspace, asked: CurationStep, *, at: datetime | None = None
) -> tuple[CurationStep, ...]:
    """Write one more step, and the version that it freezes if it finishes the text."""
    now = at or datetime.now(UTC)
    if asked.kind == "begin":
        made = proposal(workspace, asked.number)
        asked = replace(asked, facts=made.facts)
    newer = [step for step in workspace.steps if step.number >= asked.number]
    if newer and _same(newer[0], asked):
        return tuple(newer)
    if newer or asked.number != len(workspace.steps) + 1:
        raise MovedOn(newer, workspace.aliases)
    step, state = apply(workspace.steps, replace(asked, at=now), workspace.rules)
    new = [step] if workspace.begun else [replace(workspace.steps[0], author=step.author, at=now), step]
    rows = [
        {
            "campaign_id": workspace.campaign.id,
            "unit_id": workspace.unit.line.id,
            "question": workspace.question.id,
            "number": one.number,
            "kind": one.kind,
            "facts": one.facts,
            "reason": one.reason,
            "author": one.author,
            "at": now,
        }
        for one in new
    ]
    connection.execute(insert(curation_step), rows)
    if step.kind == "finish":
        name = text_id(workspace.unit.line.name, workspace.role)
        versions.keep(
            connection, workspace.campaign, workspace.unit.line, workspace.question.id, state.gold(name), step, at=now
        )
    return (step,)


def _same(step: CurationStep, asked: CurationStep) -> bool:
    """Whether a step is the one that is asked for, sent once more because its reply was lost."""
    given = all(step.facts.get(key) == value for key, value in asked.facts.items() if value is not None)
    return given and (step.kind, step.author, step.reason) == (asked.kind, asked.author, asked.reason)
