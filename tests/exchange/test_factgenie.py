"""factgenie's outputs and annotations, in the form of its releases and in that of Quintd."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.foreign_projects import factgenie
from goldmark.exchange.formats import import_campaign
from goldmark.exchange.responses.given import Target
from goldmark.protocols import parse, validate
from goldmark.records.units import ShownText, ShownUnit
from goldmark.store import Store
from goldmark.texts.segmentation.text import make_text

OUTPUT = "The Foxes won.\nThey were great."
KEY = {"dataset": "games", "split": "test", "setup_id": "alder", "example_idx": 3}
CATEGORIES = [{"name": "Incorrect", "color": "#f00"}, {"name": "Not checkable", "color": "#0f0"}]


def lines(*rows: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def annotation(*marks: dict[str, Any], annotator: str = "ann-1", **more: Any) -> dict[str, Any]:
    times = {"start_timestamp": 1_763_294_400, "end_timestamp": 1_763_294_430.5}
    return {**KEY, "annotations": list(marks), "metadata": {"annotator_id": annotator, **times}, **more}


def project(*annotations: dict[str, Any], **more: Any) -> dict[str, bytes]:
    return {
        "outputs/alder.jsonl": lines({**KEY, "output": OUTPUT, "metadata": {"model": "alder"}}),
        "files/ann-1.jsonl": lines(*annotations),
        "metadata.json": json.dumps(
            {"id": "games 2026", "config": {"annotation_span_categories": CATEGORIES}}
        ).encode(),
        "db.csv": b"batch_idx,status\n",
        **more,
    }


MARK = {"type": 1, "start": 20, "text": "were great", "reason": "no  data\nsays so"}


def test_outputs_are_units_and_marks_stand_on_their_characters() -> None:
    record = factgenie.read(project(annotation(MARK), annotation(annotator="ann-2")))
    (unit,) = record.units
    assert (unit.id, unit.hidden["system"], unit.hidden["item"]) == ("games:test:3:alder", "alder", "games:test:3")
    first, second = record.responses
    assert first.answers == {
        "errors": [{"id": "e1", "start": 20, "end": 30, "label": "not_checkable", "reason": "no  data\nsays so"}]
    }
    assert (first.annotator, first.seconds_active) == ("ann-1", 30.5)
    assert first.client_time == datetime(2025, 11, 16, 12, 0, 30, 500_000, tzinfo=UTC)
    assert (second.annotator, second.answers) == ("ann-2", {"errors": []})  # saw it, and marked nothing
    assert record.protocol == "games-2026/1"


def test_what_else_was_asked_becomes_questions(store: Store) -> None:
    asked: dict[str, Any] = {
        "flags": [{"label": "Is it off-topic?", "value": True}, {"label": "Empty", "value": False}],
        "options": [{"label": "Tone", "index": 1, "value": "Very dry", "optionList": ["Lively", "Very dry"]}],
        "sliders": [{"label": "Quality", "value": "3"}],
        "text_fields": [{"label": "Remarks", "value": "none"}],
    }
    record = factgenie.read(project(annotation(MARK, **asked), annotation(annotator="ann-2")))
    said = {key: value for key, value in record.responses[0].answers.items() if key != "errors"}
    expected = {"is_it_off_topic": "yes", "empty": "no", "tone": "very_dry", "quality": 3.0, "remarks": "none"}
    assert said == expected
    restore(store, completed(record, name="games"), author="test")


def test_marks_are_found_whatever_their_case_and_white_space_and_not_otherwise() -> None:
    loose = {"type": 0, "start": 4, "text": "foxes WON. they"}
    unseen = {"type": 0, "start": 0, "text": ""}
    (response,) = factgenie.read(project(annotation(loose, unseen))).responses
    assert [(one["start"], one["end"]) for one in response.answers["errors"]] == [(4, 19), (0, len(OUTPUT))]
    with pytest.raises(ProblemsFound) as caught:
        factgenie.read(project(annotation(MARK), annotation({**MARK, "start": 3}, annotator="ann-2")))
    (problem,) = map(str, caught.value.problems)
    assert problem == "files/ann-1.jsonl:2  mark 1: 'were great' does not stand at character 3 of the output"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**annotation(MARK), "example_idx": None}, "it names no example"),
        ({**annotation(MARK), "metadata": {}}, "it does not say whose marks these are"),
        ({**annotation(MARK), "setup_id": "birch"}, "the output of 'games:test:3:birch' is not in the files"),
        (annotation({**MARK, "type": "x"}), "mark 1: it is of another shape than expected: invalid literal"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(row: dict[str, Any], said: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        factgenie.read(project(row))
    (problem,) = map(str, caught.value.problems)
    assert problem.startswith("files/ann-1.jsonl:1  ")
    assert said in problem


def test_categories_whose_names_come_to_the_same_stay_apart() -> None:
    names = ["Number", "Number 2", "number", "Number"]
    config = {"id": "games", "config": {"annotation_span_categories": [{"name": name} for name in names]}}
    marks = [{**MARK, "type": kind} for kind in range(len(names))]
    record = factgenie.read(project(annotation(*marks), **{"metadata.json": json.dumps(config).encode()}))
    used = [mark["label"] for mark in record.responses[0].answers["errors"]]
    assert used[:2] == ["number", "number_2"]
    assert len(set(used)) == len(names)


def test_the_same_again_is_one_answer_and_another_is_a_problem() -> None:
    assert len(factgenie.read(project(annotation(MARK), annotation(MARK))).responses) == 1
    with pytest.raises(ProblemsFound, match="1 problem") as caught:
        factgenie.read(project(annotation(MARK), annotation()))
    assert "in another way at files/ann-1.jsonl:1" in str(caught.value.problems[0])


def test_answers_for_a_campaign_that_has_the_outputs() -> None:
    source = (
        "protocol: mine/1\ntitle: Mark\n"
        "taxonomies: {t: [{id: wrong, title: Incorrect}, {id: open, title: Not checkable}]}\n"
        "steps: [{questions: [{id: marks, kind: spans, labels: {tree: t}}]}]"
    )
    shown = ShownUnit({"text": ShownText(make_text("games:test:3:alder", OUTPUT.replace("\n", " ")))})
    target = Target(parse(source), {"games:test:3:alder": shown}, leave_out=frozenset({"reason"}))
    problems: list[Problem] = []
    files = project(annotation(MARK))
    for given in (files, {name: content for name, content in files.items() if "outputs" not in name}):
        (found,) = factgenie.answers(given, target, problems)
        assert problems == []
        assert (found.unit, found.annotator, found.seconds) == ("games:test:3:alder", "ann-1", 30.5)
        # The Foxes won . They were great .
        (mark,) = found.answers["marks"]
        assert (mark["start"], mark["end"], mark["label"]) == (5, 7, "not_checkable")
    factgenie.answers(project({**annotation(MARK), "setup_id": "birch"}), target, problems)
    assert "unit 'games:test:3:birch' is not in this campaign" in str(problems[0])


def test_older_files_and_those_of_quintd() -> None:
    row = {"dataset": "games", "model": "alder", "setup": "direct", "table_idx": 3}
    flags = {"is_fully_correct": False}
    marks = {"annotator": "h1", "flags": flags, "spans": [MARK]}
    record = factgenie.read(
        {"a.jsonl.gz": gzip.compress(lines({**row, **marks})), "b.jsonl": lines({**row, "text": OUTPUT})}
    )
    assert record.units[0].id == "games:3:alder-direct"
    assert record.responses[0].answers["errors"][0]["label"] == "type_1"  # nothing says what the category is called
    older = {**KEY, "setup": {"id": "alder", "model": "alder"}, "annotator_id": "llm", "annotations": [MARK]}
    del older["setup_id"]
    record = factgenie.read(project(older))
    assert (record.units[0].id, record.responses[0].annotator) == ("games:test:3:alder", "llm")


def test_the_figures_of_quintd_follow_from_what_comes_in(shared_data: Path) -> None:
    record = completed(import_campaign(shared_data / "quintd1", "factgenie"), name="quintd")
    assert (len(record.units), len(record.annotators)) == (2_006, 105)
    shown = {unit.id: unit.shown for unit in record.units}
    asked = parse(record.protocols[0].source)
    assert all(validate(asked, one.answers, shown[one.unit]) == [] for one in record.responses)
    system = {unit.id: str(unit.hidden["system"]) for unit in record.units}
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    met: set[tuple[str, str]] = set()
    for one in record.responses:
        who = "gpt-4" if one.annotator == "gpt-4" else "people"
        if (who, one.unit) not in met:  # everybody's first reader; 80 outputs had a second one
            met.add((who, one.unit))
            counts[who, system[one.unit]].append(len(one.answers["errors"]))
    # Errors per output, as the data's own page has them; each of 500 outputs.
    expected = {
        "people": {"gpt-3.5": 1.39, "zephyr": 2.58, "llama2": 3.18, "mistral": 3.85},
        "gpt-4": {"gpt-3.5": 2.42, "zephyr": 3.58, "llama2": 3.90, "mistral": 4.12},
    }
    for who, by_system in expected.items():
        for name, figure in by_system.items():
            assert len(counts[who, name]) == 500
            assert mean(counts[who, name]) == pytest.approx(figure, abs=0.005)
