"""Accuracy, reviewers' agreement and candidates by stage, by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.protocols import load
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.judged_responses import ResponseReader
from goldmark.results.published.tgea.stage_reviews import (
    WHOLE,
    StageShare,
    Version,
    VersionVerdict,
    accuracy_by_stage,
    agreement_by_stage,
    candidates,
    candidates_table,
    ordered,
    passes,
    version_of,
)

TGEA = load("tgea")
ORDER = ordered([TGEA])
STAGES = [stage.id for stage in ORDER]
FINE = {"verdict": "fine"}
ERRONEOUS = {"verdict": "erroneous", "errors": [{"id": "e1", "start": 0, "end": 1}]}


def judged(
    answers: Mapping[str, object], *wrong: str, who: str = "Ada", approved: bool | None = None, unit: str = "u"
) -> Version:
    remarks = [{"where": place.partition("/")[0], "part": place.partition("/")[2], "comment": "no"} for place in wrong]
    right = not wrong if approved is None else approved
    return version_of(ORDER, unit, who, answers, [("Rhea", right, remarks)])


def test_accuracy_of_each_stage() -> None:
    versions = [
        judged(FINE, unit="u1"),
        judged(FINE, "verdict", "errors", unit="u2"),  # fine it is not: the verdict is wrong, and a mark is missing
        judged(ERRONEOUS, unit="u3"),
        judged(ERRONEOUS, "errors/e1.correction", unit="u4"),
        judged(ERRONEOUS, "errors/e1", unit="u5"),
        judged(ERRONEOUS, approved=False, unit="u6"),
    ]
    table = accuracy_by_stage("Accuracy", ORDER, versions, AnalysisOptions())
    right = {row["stage"]: (row["right"], row["reviewed"]) for row in table.records()}
    # The verdict came up six times; marks in four answers and, as one that is missing, in a fifth.
    assert right == {
        "verdict": (5, 6),
        "errors.span": (3, 5),
        "errors.associated": (4, 4),
        "errors.correction": (3, 4),
        "errors.label": (4, 4),
        "errors.rationale": (4, 4),
        WHOLE: (2, 6),
    }
    span = next(row for row in table.records() if row["stage"] == "errors.span")
    # One person's work on five texts: n p q / (n - 1) = .3 / 5 is the variance, worth 4 answers; Wilson with t = 2.776:
    # (.6 + .9635) / 2.927 ± 2.776 / 2.927 sqrt(.06 + .1204).
    assert span["percent_low"] == pytest.approx(13.13, abs=0.01)
    assert span["percent_high"] == pytest.approx(93.71, abs=0.01)
    assert table.notes == ("1 came back with a comment on the whole only, which counts at no stage",)


def test_reviewers_agree_stage_by_stage() -> None:
    def both(rhea: set[str], sol: set[str]) -> Version:
        words = (VersionVerdict("Rhea", not rhea, frozenset(rhea)), VersionVerdict("Sol", not sol, frozenset(sol)))
        return Version("u", "Ada", frozenset(STAGES), words)

    label = {"errors.label"}
    table = agreement_by_stage(
        ORDER, [both(set(), set()), both(label, label), both(set(), label), both(label, label)], AnalysisOptions()
    )
    assert table is not None
    rows = {row["about"]: row for row in table.records()}
    # Rhea wrong in 2 of 4, Sol in 3 of 4, the same in 3: Po 3/4, Pe 1/2*1/4 + 1/2*3/4 = 1/2, kappa 1/2.
    assert rows["errors.label"]["percent"] == pytest.approx(75.0)
    assert rows["errors.label"]["kappa"] == pytest.approx(0.5)
    assert rows["verdict"]["kappa"] is None
    assert "same one value" in str(rows["verdict"]["reason"])
    assert agreement_by_stage(ORDER, [judged(FINE)], AnalysisOptions()) is None


def test_candidates_need_more_than_the_share_at_every_stage() -> None:
    def person(who: str, right: int, wrong: int) -> list[Version]:
        return [judged(ERRONEOUS, who=who) for _ in range(right)] + [
            judged(ERRONEOUS, "errors/e1.rationale", who=who) for _ in range(wrong)
        ]

    versions = [
        *person("Ada", 19, 1),
        *person("Bo", 18, 2),  # exactly 90 %, which is not more than 90 %
        *person("Cy", 9, 0),
        *[judged(FINE, who="Di") for _ in range(20)],  # never had to mark anything
    ]
    found = {one.annotator: one for one in candidates(ORDER, versions, above=0.9, after=10)}
    assert {name: one.outcome for name, one in found.items()} == {
        "Ada": "passes",
        "Bo": "does not pass",
        "Cy": "too few yet",
        "Di": "too few yet",
    }
    assert [share.stage for share in found["Bo"].shares if not passes(share, 0.9)] == ["errors.rationale"]
    table = candidates_table(ORDER, list(found.values()), AnalysisOptions(), above=0.9, after=10)
    met = {(row["annotator"], row["stage"]): row["met"] for row in table.records()}
    assert met["Bo", "errors.rationale"] == "no"
    assert met["Bo", "verdict"] == "yes"
    assert met["Di", "errors.label"] == ""


@given(st.integers(1, 500), st.integers(0, 100))
def test_passing_is_strict(of: int, percent: int) -> None:
    right = of * percent // 100
    assert passes(StageShare("s", right, of), percent / 100) is False  # right / of is at most the share
    if right < of:
        assert passes(StageShare("s", right + 1, of), percent / 100) is True


def test_what_many_responses_have_in_common_is_kept_once() -> None:
    """Of a million responses most have the same few words; before, each took 4 kB of objects of its own."""
    reader = ResponseReader()
    said = [{"revision": 1, "reviewer": "Rhea", "verdict": "approved", "remarks": []}]
    one, other = (reader.judged(unit, "Ann", "done", 1, [dict(said[0])], (), TGEA, dict(FINE)) for unit in ("u1", "u2"))
    assert (one.unit, other.unit) == ("u1", "u2")
    assert one.words is other.words
    assert one.version.asked is other.version.asked
    assert one.version.words is other.version.words
    remark = {
        "revision": 1,
        "reviewer": "Rhea",
        "verdict": "returned",
        "remarks": [{"where": "verdict", "part": "", "text": "no"}],
    }
    returned = reader.judged("u3", "Ann", "returned", 1, [remark], (), TGEA, dict(FINE))
    assert [word.approved for word in returned.first] == [False]
    assert not one.words[1][0].remarks
