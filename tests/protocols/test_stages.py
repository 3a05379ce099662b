"""What of an answer can be right or wrong by itself."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.protocols import load
from goldmark.protocols.stages import asked_stages, stages, wrong_stages

TGEA = load("tgea")


def remark(where: str, part: str = "") -> dict[str, str]:
    return {"where": where, "part": part, "comment": "no"}


def test_the_five_stages_of_tgea_in_the_order_of_the_work() -> None:
    # Detect; erroneous and associated span; correction; type; rationale (TGEA 3.3).
    assert [stage.id for stage in stages(TGEA)] == [
        "verdict",
        "errors.span",
        "errors.associated",
        "errors.correction",
        "errors.label",
        "errors.rationale",
    ]
    assert [stage.step for stage in stages(TGEA)] == ["detect"] + 5 * ["annotate"]


def test_without_later_labels_the_label_comes_first() -> None:
    parts = [stage.part for stage in stages(load("accuracy")) if stage.question == "mistakes"]
    assert parts[:2] == ["span", "label"]


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ({"verdict": "fine"}, {"verdict"}),
        ({"verdict": "erroneous", "errors": []}, {"verdict", "errors.span"}),
        ({"verdict": "erroneous", "errors": [{"id": "e1"}]}, {stage.id for stage in stages(TGEA)}),
    ],
)
def test_stages_that_an_answer_went_through(answers: dict[str, Any], asked: set[str]) -> None:
    assert asked_stages(stages(TGEA), answers) == asked


@pytest.mark.parametrize(
    ("remarks", "wrong"),
    [
        ([remark("verdict")], {"verdict"}),
        ([remark("errors", "e1.correction"), remark("errors", "e2.label")], {"errors.correction", "errors.label"}),
        ([remark("errors", "e1")], {"errors.span"}),  # the whole mark, as remarks were before they had parts
        ([remark("errors")], {"errors.span"}),  # a mark is missing, say
        ([remark("errors", "e1.span"), remark("errors")], {"errors.span"}),
        ([remark("gone"), remark("errors", "e1.gone")], set()),  # of another version of the protocol
        ([], set()),
    ],
)
def test_stages_that_remarks_are_about(remarks: list[dict[str, str]], wrong: set[str]) -> None:
    assert wrong_stages(stages(TGEA), remarks) == wrong
