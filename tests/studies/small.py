"""A small study through the real application, with programs as participants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from sqlalchemy import select

from goldmark.campaigns.lifecycle import move
from goldmark.store.tables import annotator
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.create import create_study
from goldmark.studies.design.file import Study, StudyWithTexts, parse_study, read_study
from goldmark.web.services import Services
from tests.web.house import Served, TestClient, one_app
from tools.simulate.study import Answer, guesser, take_part

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HUMANLIKE = EXAMPLES / "study-humanlike" / "study.yaml"
SUGGESTIONS = EXAMPLES / "study-suggestions" / "study.yaml"


def changed(path: Path, **changes: Any) -> StudyWithTexts:
    """An example with some keys changed, still checked as a whole."""
    made = read_study(path)
    data = yaml.safe_load(made.study.source) | changes
    study = parse_study(yaml.safe_dump(data, sort_keys=False), made.study.protocol)
    return StudyWithTexts(study, made.units)


def humanlike(**changes: Any) -> Study:
    return changed(HUMANLIKE, **changes).study


class Running:
    """A study that runs, and the way to it."""

    def __init__(self, services: Services, made: StudyWithTexts) -> None:
        self.services, self.made, self.study = services, made, made.study
        opened = create_study(services.store, services.links, made, author="test")
        self.invite = str(opened.invite)
        move(services.store, made.study.name, "started", author="test")
        self.client = TestClient(Served(one_app(), services))

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str = "") -> Any:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        reply = self.client.request(method, f"/api/v1{path}", json=body, headers=headers)
        assert reply.status_code < 300, (path, reply.text)
        return reply.json()

    def condition(self, token: str) -> str:
        query = select(annotator.c.condition).where(annotator.c.id == self.services.links.read_person(token).id)
        return str(self.services.store.read(lambda connection: connection.execute(query).scalar_one()))

    @property
    def truth(self) -> dict[str, bool]:
        return {
            unit.shown.texts["text"].text.characters: unit.hidden.get("writer") != "human" for unit in self.made.units
        }

    def guess(self, rates: Callable[[Mapping[str, str]], float], rng: np.random.Generator) -> Callable[[str], Answer]:
        """Participants who are right as often as their cell says."""
        cells = {cell.name: cell.levels for cell in cells_of(self.study.file)}
        return lambda token: guesser(self.truth, rates(cells[self.condition(token)]), rng)

    def send(self, person: str, answer_for: Callable[[str], Answer], **more: Any) -> str:
        return take_part(self.call, self.invite, person, answer_for, **more)
