"""Every built-in protocol loads, has an example that shows what is accepted and what is refused, and has its page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.protocols import Protocol, builtin_names, check, load, parse, present, validate
from goldmark.protocols.taxonomy import Taxonomy
from tests.protocols import pages

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
BUILTIN = REPOSITORY / "src" / "goldmark" / "protocols" / "builtin"
NAMES = [name.partition("/")[0] for name in builtin_names()]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def test_all_that_the_specification_names_is_there() -> None:
    assert set(NAMES) == {
        "accuracy",
        "accuracy-dates",
        "accuracy-qualified",
        "accuracy-severity",
        "verification",
        "tgea",
        *(
            f"rating-{task}{scale}"
            for task in ("qa", "explanation", "translation", "summary")
            for scale in ("", "-binary")
        ),
        "humanlike",
        "explanation-coding",
        "span-severity",
        "mqm",
        "pairwise",
        "best-worst",
    }


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_presents_and_loads_again_from_its_resolved_form(name: str) -> None:
    protocol = load(name)
    assert protocol.summary
    assert protocol.file.about
    assert len(protocol.instructions) > 400
    presented = present(protocol)
    assert json.loads(json.dumps(presented)) == presented
    again = parse(json.dumps(protocol.resolved))
    assert again.digest == protocol.digest
    assert present(again) == presented


@pytest.mark.parametrize("name", NAMES)
def test_file_and_protocol_have_the_same_name_and_no_problem(name: str) -> None:
    protocol = load(name)
    file = BUILTIN / f"{protocol.name}-{protocol.version}.yaml"
    assert protocol.source == file.read_text(encoding="utf-8")
    assert check(file) == []


# What a protocol says of its answers' meaning and no annotator sees.
MEANING = ("main", "truth", "preview", "explains", "ranks", "weights")


def asked_digest(protocol: Protocol) -> str:
    """SHA-256 of all that annotators see: how answers are read may be told better later, what is asked may not."""
    asked: dict[str, Any] = {key: value for key, value in protocol.resolved.items() if key not in ("about", "needs")}
    steps = [{**step, "questions": [_asked(one) for one in step["questions"]]} for step in asked["steps"]]
    canonical = json.dumps({**asked, "steps": steps}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _asked(question: dict[str, Any]) -> dict[str, Any]:
    hidden = {*MEANING, *(() if question.get("preview", True) else ("rewrites",))}
    kept = {key: value for key, value in question.items() if key not in hidden}
    if "options" in kept:
        kept["options"] = [
            {key: one[key] for key in one if key != "sets_aside"} if isinstance(one, dict) else one
            for one in kept["options"]
        ]
    return kept


def test_a_released_protocol_never_changes() -> None:
    """Answers are stored with name and version, so what these ask must stay; a change needs a new version's file.

    When a new protocol or version is added, add its digest to digests.json.
    """
    known = json.loads(Path(__file__).with_name("digests.json").read_text(encoding="utf-8"))
    assert {name: asked_digest(load(name)) for name in builtin_names()} == known


@pytest.mark.parametrize("name", NAMES)
def test_its_example_is_a_campaign_with_right_and_wrong_answers(name: str) -> None:
    folder = EXAMPLES / name
    plan = read_campaign(folder / "campaign.yaml")
    assert plan.protocol.name == name
    units = {unit.id: unit.shown for unit in plan.units}
    right = wrong = 0
    for line in lines(folder / "answers.jsonl"):
        problems = validate(plan.protocol, line["answers"], units[line["unit"]])
        expected = line["problem"]
        if expected is None:
            assert problems == []
            right += 1
        else:
            assert any(
                (one.where, one.part) == (expected["where"], expected["part"]) and expected["what"] in one.what
                for one in problems
            ), problems
            wrong += 1
    assert right >= 1
    assert wrong >= 2


def test_every_example_belongs_to_a_protocol() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} >= set(NAMES)


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_its_page_is_up_to_date(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == pages.content(page), "run: python -m tests.protocols.pages"


def test_every_protocol_has_a_page() -> None:
    assert {path.stem for path in (REPOSITORY / "docs" / "protocols").glob("*.md")} == {*NAMES}


def test_extensions_are_short() -> None:
    for name in NAMES:
        source = load(name).source
        if "\nextends:" in source:
            lessons = source.partition("\ngrading:")[0]  # what is taught takes the room that it takes
            assert len(lessons.splitlines()) <= 25


def test_accuracy_has_the_categories_marks_and_priority_of_the_paper() -> None:
    # Accuracy paper, section 4.1 (marks N U W C X O) and 7.4 (priority).
    (question,) = present(load("accuracy"))["steps"][0]["questions"]
    assert {label["id"]: label["mark"] for label in question["labels"]["labels"]} == {
        "NAME": "N",
        "NUMBER": "U",
        "WORD": "W",
        "CONTEXT": "C",
        "NOT_CHECKABLE": "X",
        "OTHER": "O",
    }
    assert question["labels"]["priority"] == ["NAME", "NUMBER", "CONTEXT", "WORD", "NOT_CHECKABLE", "OTHER"]
    assert question["overlap"] is False


def test_dates_are_refined_under_name() -> None:
    (tree,) = load("accuracy-dates").taxonomies.values()
    assert tree.leaves == {"NAME.DATE", "NAME.PROPER_NAME", "NUMBER", "WORD", "CONTEXT", "NOT_CHECKABLE", "OTHER"}


def test_tgea_has_five_types_with_24_subtypes_and_other() -> None:
    # TGEA, section 3.1 and appendix A.3: 5 combination, 5 missing, 5 redundancy, 1 discourse, 8 commonsense = 24.
    tree: Taxonomy = load("tgea").taxonomies["tgea-24"]
    assert [(label.id, len(label.children)) for label in tree.labels] == [
        ("combination", 5),
        ("missing", 5),
        ("redundancy", 5),
        ("discourse", 1),
        ("commonsense", 8),
        ("other", 0),
    ]
    assert len(tree.leaves) == 24 + 1


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("rating-")])
def test_ratings_are_numbers_from_0_to_1_evenly_spaced(name: str) -> None:
    for numbers in load(name).numbers.values():
        steps = 1 if name.endswith("-binary") else 4
        assert list(numbers.values()) == [step / steps for step in range(steps + 1)]


def test_humanlike_locks_and_asks_by_the_answer() -> None:
    protocol = load("humanlike")
    assert protocol.locks
    assert protocol.numbers["source"] == {
        "definitely_human": 1,
        "possibly_human": 2,
        "possibly_machine": 3,
        "definitely_machine": 4,
    }


def test_mqm_has_the_severities_and_the_two_categories_that_weights_are_about() -> None:
    # After google/wmt-mqm-human-evaluation: major 5, minor 1, neutral 0; minor punctuation and non-translation differ.
    (question,) = present(load("mqm"))["steps"][0]["questions"]
    (severity,) = (one for one in question["attributes"] if one["id"] == "severity")
    assert {option["id"]: option["value"] for option in severity["options"]} == {"neutral": 0, "minor": 1, "major": 5}
    (tree,) = load("mqm").taxonomies.values()
    assert {"fluency.punctuation", "non_translation"} <= tree.leaves
    assert (question["by"], question["overlap"]) == ("character", True)
