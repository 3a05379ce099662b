"""A study file is checked whole: every problem at once, each with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from goldmark.errors import ProblemsFound
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.checks import doubts
from goldmark.studies.design.file import read_study
from goldmark.studies.design.language import (
    AccuracyOutcome,
    Exclude,
    Expect,
    MarksOutcome,
    PerParticipant,
    ShareOutcome,
    StudyFile,
    StudyPay,
    TablePart,
    Test,
    Training,
)
from goldmark.studies.design.plan import digest_of, plan_of
from goldmark.studies.evaluation.planned_tests import planned_tests
from goldmark.texts.segmentation.text import make_text
from tests.studies.small import HUMANLIKE, SUGGESTIONS, humanlike


@pytest.mark.parametrize("path", [HUMANLIKE, SUGGESTIONS], ids=lambda path: path.parent.name)
def test_the_examples_are_right(path: Path) -> None:
    made = read_study(path)
    assert made.units
    assert planned_tests(made.study.file)


def test_cells_are_the_combinations_that_were_asked_for() -> None:
    cells = cells_of(humanlike().file)
    # Three domains with one machine untrained and the other under four trainings: 3 x (1 + 4).
    assert len(cells) == 15
    assert cells[0].name == "stories.older.none"
    assert len(cells_of(humanlike(cells=None).file)) == 3 * 2 * 4


def write(tmp_path: Path, **changes: object) -> Path:
    data = yaml.safe_load(HUMANLIKE.read_text("utf-8")) | changes
    (tmp_path / "texts.jsonl").write_text((HUMANLIKE.parent / "texts.jsonl").read_text("utf-8"), "utf-8")
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    return path


WRONG = [
    ({"factors": {"domain": ["stories"], "model": ["older", "newer"]}}, "training"),
    ({"participants": 1}, "participants"),
    ({"surprise": 1}, 'no key "surprise"'),
    ({"per_participant": {"texts": 5, "mix": {"human": 1, "robot": 1}}}, 'no group of texts "robot"'),
    ({"tests": [{"compare": "training", "to": "nun"}]}, 'no level of training in these cells "nun"'),
    ({"tests": [{"compare": "training"}]}, "compare needs `to`"),
    ({"tests": [{"against": "chance", "variance": "domain"}]}, "a test is one of"),
    ({"tests": [{"variance": "colour"}]}, 'no factor "colour"'),
    ({"protocol": "humanlik"}, "humanlik"),
    ({"explanations": ["because"]}, 'no free-text question in humanlike/1 "because"'),
    ({"outcome": {"kind": "mean", "question": "why"}}, "gives no numbers"),
    ({"outcome": {"kind": "marks", "question": "source"}}, "does not ask for marked passages"),
    ({"outcome": {"kind": "share", "question": "source", "options": ["maybe"]}}, 'no option of source "maybe"'),
    ({"training": {"factor": "training", "kits": {"none": "none"}}}, 'the level "instructions" has no kit'),
    ({"per_participant": {"texts": 11, "mix": {"human": 1, "machine": 1}}}, "one person reads 6"),
    ({"per_participant": {"texts": 6, "mix": {"human": 1, "machine": 1}}}, "are versions of 5 items"),
    ({"expect": {"difference": 9}}, "a difference of 9 cannot be"),
    ({"language": "tlh"}, "there is no catalogue for 'tlh'"),
    ({"expect": {"difference": -0.1}}, "a difference of -0.1 cannot be"),
    ({"groups": {"human": {"writer": "human"}, "machine": {"writer": "older"}}}, "texts are in no group"),
    ({"groups": {"human": {"writer": "human"}, "machine": {"domain": "{domain}"}}}, "is in human and in machine"),
]


@pytest.mark.parametrize(("changes", "expected"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    path = write(tmp_path, **changes)
    with pytest.raises(ProblemsFound) as found:
        read_study(path)
    assert any(expected in one.what or expected in one.where for one in found.value.problems), found.value.problems
    assert all(
        one.where.startswith(str(tmp_path)) and one.where.rsplit(":")[-1].isdigit() for one in found.value.problems
    )


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, alpha=2, participants=0, texts="nowhere.jsonl", protocol="nothing")
    with pytest.raises(ProblemsFound) as found:
        read_study(path)
    assert len(found.value.problems) == 4


def test_the_plan_has_the_published_numbers() -> None:
    # HUMANLIKE 2.3: 3 domains x 2 models, 130 people each, 5 texts: 780 people and 3,900 answers, US$1.25 each.
    study = humanlike(
        cells=[{"training": "none"}],
        tests=[{"against": "chance", "each": ["model", "domain"]}],
        training=None,
        tables=[],
    )
    plan = plan_of(study)
    assert (plan.participants, plan.answers) == (780, 3900)
    power = next(table for table in plan.tables if table.title.startswith("What the planned tests")).records()
    assert len(power) == 6
    # A cell at 0.58 is found with the power of 0.8 that they aimed at, after correction for its six tests.
    assert all(float(row["power"] or 0) >= 0.8 for row in power)
    cost = plan.tables[-1].records()[-1]
    assert cost["cost"] == pytest.approx(780 * 1.25 * 1.2)
    # 18.6 % were rejected: 130 that count need ceil(130 / 0.814) = 160 who take part.
    assert cost["recruited"] == 6 * 160


def test_the_digest_covers_the_analysis_and_not_the_wording() -> None:
    study = humanlike()
    digest = digest_of(study.file, study.protocol)
    for same in ({"title": "Other words"}, {"pay": None}, {"consent": "Yes?"}):
        other = humanlike(**same)
        assert digest_of(other.file, other.protocol) == digest
    for different in ({"alpha": 0.01}, {"correction": "holm"}, {"exclude": {"short": 9}}, {"participants": 131}):
        other = humanlike(**different)
        assert digest_of(other.file, other.protocol) != digest


def test_planned_tests_name_their_people() -> None:
    tests = planned_tests(humanlike().file)
    titles = [one.title for one in tests]
    assert titles[0] == "older against 0.5"
    assert "examples against none" in titles
    comparison = next(one for one in tests if one.title == "examples against none")
    assert [len(cells) for _, cells in comparison.groups] == [3, 3]
    assert comparison.scope == "model: newer"


def test_every_key_is_on_the_page_of_the_study_file() -> None:
    page = (HUMANLIKE.parents[2] / "docs" / "reference" / "study-file.md").read_text("utf-8")
    parts = (
        StudyFile,
        PerParticipant,
        Training,
        AccuracyOutcome,
        ShareOutcome,
        MarksOutcome,
        Exclude,
        Test,
        TablePart,
        StudyPay,
        Expect,
    )
    missing = [f"{part.__name__}.{name}" for part in parts for name in part.model_fields if f"`{name}" not in page]
    assert missing == []


def test_what_would_spoil_a_study_is_said() -> None:
    made = read_study(HUMANLIKE)
    assert doubts(made.study.file, made.study.protocol, made.units) == []
    loose = [
        replace(unit, hidden={key: fact for key, fact in unit.hidden.items() if key != "item"}) for unit in made.units
    ]
    (said,) = doubts(made.study.file, made.study.protocol, loose)
    assert said.startswith("15 prompts have several texts that name no common `item`, such as S1-human and S1-older")
    lesson = made.study.protocol.file.training["examples-stories"][-1].examples
    assert lesson is not None
    taught = make_text("S9-human", str(lesson[0].text))
    known = Unit(
        "S9-human", ShownUnit({"text": ShownText(taught)}), {"domain": "stories", "writer": "human", "item": "S9"}
    )
    kits = doubts(made.study.file, made.study.protocol, [*made.units, known])
    assert [one.split()[3] for one in kits] == ["comparison-stories", "examples-stories"]
    assert kits[1].startswith("the training kit examples-stories shows texts or prompts of the study: S9-human")
