"""A new kind of question is one Python module and one JavaScript module: the how-to's, walked everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import FORMATS
from goldmark.followups.create import SourceCampaign, responses
from goldmark.leaderboards.definition.file import axes_of
from goldmark.plugins import Plugin
from goldmark.protocols import Protocol, check, parse, present, validate
from goldmark.protocols.answers import main_rating, read
from goldmark.protocols.checks.protocol import ONE_QUESTION
from goldmark.protocols.kinds import KINDS
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.language import ProtocolFile, Step
from goldmark.protocols.stages import stages
from goldmark.quality import evidence, noisy_monitor, signals
from goldmark.quality.answers_given import answers_by_unit
from goldmark.quality.grading import grade
from goldmark.records.answers import Rating
from goldmark.records.campaigns import CampaignRecord
from goldmark.results.published.tgea.quality_protocol import order_of
from goldmark.reviews.review import ReviewRemark
from goldmark.store import Store
from goldmark.store.tables import unit as units
from goldmark.web.pages.answers.readable_answers import read_answers
from tests.campaigns.house import NAME, House, unit
from tests.exchange.files import export_files
from tests.web_js.test_modules import NODE, STATIC

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "add-a-question-kind.md"
PROTOCOL = """
protocol: fluency/1
title: How fluent is it?
grading: {fluency: {within: 10}}
steps:
  - questions:
      - {id: fluency, kind: slider, ask: How does it read?, left: clumsy, right: fluent}
      - {id: why, kind: text, ask: Why?, when: fluency < 30}
      - {id: odd, kind: spans, attributes: [{id: gravity, kind: slider, ask: How bad?}]}
"""
MARK = {"id": "e1", "start": 1, "end": 2, "gravity": 70}


def written(language: str) -> str:
    """The first example of a language on the page."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def answers_of(record: CampaignRecord) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {(one.unit, one.annotator): one.answers for one in record.final_responses()}


def _know_the_kinds() -> None:
    """The language is put together when its classes are made, so a kind that comes later must be told."""
    for part in (SpansQuestion, Step, ProtocolFile):
        part.model_rebuild(force=True)
    ONE_QUESTION.rebuild(force=True)


@pytest.fixture
def slider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Protocol]:
    """The kind as the page has it, installed for as long as a test takes."""
    (tmp_path / "slider_of_the_page.py").write_text(written("python"), encoding="utf-8")
    offered = (Plugin("question_kinds", "slider", "slider_of_the_page:Slider", "others"),)
    with monkeypatch.context() as patched:
        patched.syspath_prepend(tmp_path)
        patched.setattr("goldmark.plugins.installed", lambda: {"question_kinds": offered})
        _know_the_kinds()
        yield parse(PROTOCOL)
    del sys.modules["slider_of_the_page"]
    KINDS._seen.pop(offered[0])
    _know_the_kinds()


def test_the_protocol_language_knows_it(slider: Protocol, tmp_path: Path) -> None:
    (shown, *_) = present(slider)["steps"][0]["questions"]
    assert (shown["kind"], shown["left"], shown["right"]) == ("slider", "clumsy", "fluent")
    path = tmp_path / "p.yaml"
    path.write_text(written("yaml"), encoding="utf-8")
    assert check(path) == []
    for right, wrong in (("right: fluent", "rigth: fluent"), ("within: 10", "share: 1")):
        path.write_text(PROTOCOL.replace(right, wrong), encoding="utf-8")
        assert [problem.part.rpartition(".")[2] for problem in check(path)] == [wrong.partition(":")[0]]


def test_answers_are_checked_and_read(slider: Protocol) -> None:
    seen = unit("u").shown
    assert validate(slider, {"fluency": 80, "odd": [MARK]}, seen) == []
    assert [one.where for one in validate(slider, {"fluency": 20, "odd": []}, seen)] == ["why"]
    wrong = validate(slider, {"fluency": 101, "odd": [{**MARK, "gravity": "bad"}]}, seen)
    assert {(one.where, one.part) for one in wrong} == {("fluency", ""), ("odd", "e1.gravity")}
    said = read(slider, {"fluency": 80, "odd": [MARK]}, seen)
    assert said.ratings == (Rating("fluency", 80.0, "80", 0.0, 100.0),)
    assert said.marks_of("odd")[0].attributes == {"gravity": 70}
    assert main_rating(slider) is not None
    assert axes_of(slider) == ["fluency"]


@pytest.mark.parametrize(
    ("answer", "expected", "score", "right"),
    [
        (80, 75, 1.0, True),  # the protocol's rule: within 10
        (40, 90, 0.5, False),  # 50 off of a scale of 100
        (80, {"at_least": 60}, 1.0, True),
        (40, {"above": 50}, 0.0, False),
    ],
)
def test_it_is_graded(slider: Protocol, answer: int, expected: Any, score: float, right: bool) -> None:
    found = grade(slider, {"fluency": answer}, {"fluency": expected}, unit("u").shown)
    assert (found.score, found.right) == (score, right)


def test_a_campaign_with_it(slider: Protocol, store: Store) -> None:
    house = House.build(store, 2, protocol=slider, review={"required": True}, labels_per_unit=2)
    content = house.work.content
    tokens = [house.person("Ann"), house.person("Bo")]
    said = {"u0": (80, 80), "u1": (60, 40)}
    names = dict(store.read(lambda connection: connection.execute(select(units.c.id, units.c.name)).all()))
    for person, token in enumerate(tokens):
        for _ in said:
            task = house.task(token)
            fluency = said[names[task.unit_id]][person]
            house.submit(token, task, {"fluency": fluency, "odd": [MARK]})
    row = store.read(lambda connection: find_campaign(connection, NAME))

    # Reviewers read it, and can remark on it and on the attribute of a mark.
    assert [one.id for one in stages(slider)] == ["fluency", "why", "odd.span", "odd.gravity"]
    assert [one.id for one in order_of(row, content)] == ["fluency", "why", "odd.span", "odd.gravity"]
    waiting = house.waiting("Rhea")
    remarks = [ReviewRemark("fluency", "", "It reads well."), ReviewRemark("odd", "e1.gravity", "Not so bad.")]
    house.judge(waiting[0].id, "returned", "Rhea", remarks=remarks)
    with pytest.raises(ProblemsFound, match="1 problem"):
        house.judge(waiting[1].id, "returned", "Rhea", remarks=[ReviewRemark("odd", "e1.sound", "?")])
    for one in waiting[1:]:
        house.judge(one.id, "approved", "Rhea")

    # The pages put it into words.
    (line, odd) = read_answers(slider, {"fluency": 80, "odd": [MARK]}, unit("u").shown)
    assert (line.ask, line.words) == ("How does it read?", ("80",))
    assert odd.spans is not None
    assert odd.spans[0].details == (("How bad?", "70"),)

    # Signals of careless work see it.
    given = store.read(lambda connection: list(answers_by_unit(connection, row, content)))
    assert {signals.choice_of(one.said) for some in given for one in some} == {
        f"fluency={n};odd=1 marks" for n in (80, 60, 40)
    }
    crowd = store.read(lambda connection: evidence.crowd(connection, row, content, noisy_monitor.NoisyMonitor()))
    # On one unit both said 80 and marked the same, on the other 60 and 40: (1 + 1) / 2 and (0 + 1) / 2.
    assert [one.signals.agreement.value for one in crowd.people] == [0.75, 0.75]

    # Every complete format gives the campaign back, and it can be restored.
    record = record_of(store, NAME)
    for name in ("jsonl", "csv", "parquet", "label-studio"):
        back = FORMATS[name].read(dict(export_files(record, name)))
        assert answers_of(back) == answers_of(record)
    restore(store, record, name="again", author="test")
    assert len(record_of(store, "again").responses) == len(record.responses)
    (made, *_) = responses(SourceCampaign(store, NAME, record), slider).units
    assert "How does it read? " in made.shown.context[0].text  # type: ignore[union-attr]


def test_the_page_draws_it(tmp_path: Path) -> None:
    static = tmp_path / "js"
    shutil.copytree(STATIC, static)
    (static / "kinds" / "slider.js").write_text(written("js"), encoding="utf-8")
    asks = '{ id: "fluency", kind: "slider", ask: "?", required: true, when: null }'
    script = f"""
    import "./kinds/slider.js";
    import {{ asked, problemsIn }} from "./work/asked.js";
    const protocol = {{ steps: [{{ id: "one", when: null, questions: [{asks}] }}] }};
    const {{ steps, answers }} = asked(protocol, {{ fluency: 80 }});
    if (answers.fluency !== 80 || problemsIn(steps[0].questions, answers, () => null).length) process.exit(1);
    if (problemsIn(steps[0].questions, {{}}, () => null).length !== 1) process.exit(2);
    """
    (static / "try.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run([NODE, "--no-warnings", "try.mjs"], cwd=static, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_every_kind_is_drawn() -> None:
    modules = {path.name: path.read_text(encoding="utf-8") for path in (STATIC / "kinds").glob("*.js")}
    drawn = {name for source in modules.values() for name in re.findall(r'^register\("(\w+)"', source, re.MULTILINE)}
    assert drawn == set(KINDS)
    imported = set(re.findall(r'"\./(\w+\.js)"', modules["index.js"]))
    assert imported == {name for name, source in modules.items() if "\nregister(" in source}
