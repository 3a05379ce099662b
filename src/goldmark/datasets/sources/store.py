"""A campaign in the database as a source of a dataset, a few hundred units at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import Connection, and_, func, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.gold_lists.versions import gold_from_json
from goldmark.datasets.sources.forms import Form
from goldmark.datasets.sources.readings import Reading, ReadText, SourceDescription
from goldmark.protocols.loader import parse
from goldmark.records.gold import GoldText
from goldmark.records.units import Surface, sign_of
from goldmark.store.tables import annotator, assignment, gold_version, protocol, response, review, unit, unit_secret

FINAL = ("done", "extra")
AT_ONCE = 500  # units held in memory together


class CampaignSource:
    """Reads inside the caller's transaction, so that the whole dataset shows one moment.

    Test questions, and people who were excluded, are left out in the queries themselves.
    """

    def __init__(
        self,
        connection: Connection,
        row: CampaignRow,
        *,
        question: str | None = None,
        discard: Collection[str] = (),
    ) -> None:
        self._connection, self._row = connection, row
        asked = parse(
            connection.execute(select(protocol.c.source).where(protocol.c.id == row.protocol_id)).scalar_one()
        )
        self.form = Form.of(asked, question=question, discard=discard)
        self.about = SourceDescription(
            name=row.name,
            title=row.title,
            protocol=asked.id,
            method=asked.summary,
            labels=self.form.labels,
            facts=self._facts(),
        )

    def _facts(self) -> dict[str, Any]:
        """Counts of the whole campaign; they go into the data card."""
        own = assignment.c.campaign_id == self._row.id
        answered = and_(own, assignment.c.state.in_(FINAL))
        first, last = self._connection.execute(
            select(func.min(response.c.server_time), func.max(response.c.server_time))
            .join(assignment, assignment.c.id == response.c.assignment_id)
            .where(answered)
        ).one()
        people = (
            select(annotator.c.state, func.count().label("people"))
            .where(annotator.c.campaign_id == self._row.id, annotator.c.done > 0)
            .group_by(annotator.c.state)
        )
        states = Counter({row.state: row.people for row in self._connection.execute(people)})
        reviewed = self._connection.execute(
            select(func.count(func.distinct(review.c.assignment_id))).where(review.c.campaign_id == self._row.id)
        ).scalar_one()
        tests = self._connection.execute(
            select(func.count()).where(unit.c.campaign_id == self._row.id, unit.c.counts.is_(False))
        ).scalar_one()
        return {
            "labels_per_unit": self._row.settings.labels_per_unit,
            "annotators_excluded": states["excluded"],
            "answers_reviewed": reviewed,
            "test_questions": tests,
            "first_answer": first.date().isoformat() if first else None,
            "last_answer": last.date().isoformat() if last else None,
        }

    def texts(self) -> Iterator[ReadText]:
        last = -1
        while rows := self._units(last):
            last = rows[-1].position
            ids = [row.id for row in rows]
            answers, gold = self._answers(ids), self._gold(ids)
            for row in rows:
                if sign_of(row.facts):  # also where an older import did not say that it does not count
                    continue
                yield self._text(row, answers.get(row.id, ()), gold.get(row.id))

    def _units(self, after: int) -> Sequence[Any]:
        return self._connection.execute(
            select(unit.c.id, unit.c.name, unit.c.position, unit.c.shown, unit_secret.c.facts, unit_secret.c.tokenisers)
            .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
            .where(unit.c.campaign_id == self._row.id, unit.c.counts, unit.c.position > after)
            .order_by(unit.c.position)
            .limit(AT_ONCE)
        ).all()

    def _answers(self, units: Sequence[int]) -> Mapping[int, Sequence[Any]]:
        """The final answers of these units, the earliest first, each with whether a reviewer approved it."""
        approved = (
            select(review.c.id)
            .where(
                review.c.assignment_id == assignment.c.id,
                review.c.revision == assignment.c.revision,
                review.c.verdict == "approved",
            )
            .exists()
            .label("approved")
        )
        rows = self._connection.execute(
            select(assignment.c.unit_id, annotator.c.name, response.c.answers, approved)
            .join(assignment, assignment.c.id == response.c.assignment_id)
            .join(annotator, annotator.c.id == assignment.c.annotator_id)
            .where(
                assignment.c.unit_id.in_(units),
                assignment.c.state.in_(FINAL),
                assignment.c.revision == response.c.revision,
                annotator.c.state != "excluded",
            )
            .order_by(response.c.id)
        )
        found: dict[int, list[Any]] = defaultdict(list)
        for row in rows:
            found[row.unit_id].append(row)
        return found

    def _gold(self, units: Sequence[int]) -> dict[int, GoldText]:
        """The last frozen list of each of these units that has one."""
        rows = self._connection.execute(
            select(gold_version).where(gold_version.c.unit_id.in_(units)).order_by(gold_version.c.version)
        )
        return {
            row.unit_id: gold_from_json(row.mistakes, version=row.version, author=row.author, at=row.at) for row in rows
        }

    def _text(self, row: Any, answers: Sequence[Any], gold: GoldText | None) -> ReadText:
        data = orjson.loads(row.shown)
        text, shown = read_text(row.name, data, row.tokenisers, row.facts, self.form), Surface.from_json(data)
        said = [self.form.reading(one.name, one.answers, shown, approved=bool(one.approved)) for one in answers]
        return with_readings(text, [one for one in said if one is not None], gold, self.form)


def read_text(
    name: str, shown: Mapping[str, Any], tokenisers: Mapping[str, str], hidden: Mapping[str, Any], form: Form
) -> ReadText:
    """A stored unit's text, as yet without readings."""
    text = shown["texts"][form.role]
    prompt = text.get("prompt")
    return ReadText(
        id=name,
        characters=text["characters"],
        tokens=text["tokens"],
        readings=(),
        language=text.get("language", ""),
        tokeniser=tokenisers.get(form.role, "given"),
        system=str(hidden.get("system") or ""),
        item=str(hidden.get("item") or ""),
        prompt=prompt[1] if prompt else 0,
        context=tuple((item.get("title", ""), _written(item)) for item in shown.get("context", ())),
    )


def with_readings(text: ReadText, readings: Sequence[Reading], gold: GoldText | None, form: Form) -> ReadText:
    settled = form.gold(gold, readings) if gold is not None else None
    return replace(text, readings=tuple(readings), gold=settled)


def _written(item: Mapping[str, Any]) -> str:
    """Context as plain text: a table becomes lines of cells that tabs part."""
    if item["kind"] == "table":
        lines = [item["columns"], *item["rows"]]
        return "\n".join("\t".join("" if cell is None else str(cell) for cell in line) for line in lines)
    return str(item["url"] if item["kind"] == "link" else item["text"])
