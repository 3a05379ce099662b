"""The figures of reviews, by hand: first versions apart from amended ones, reviewers side by side."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.protocols import load
from goldmark.records.tables import Table
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.judged_responses import CampaignReviews, ResponseReader
from goldmark.results.published.tgea.reviews import reviews
from goldmark.results.published.tgea.stage_reviews import WHOLE

PROTOCOL = load("verification")
ANSWERS = {"error": "yes", "category_right": "yes", "subjective": "no"}


def said(revision: int, verdict: str, reviewer: str = "Rhea", *questions: str) -> dict[str, Any]:
    remarks = [{"where": question, "part": "", "comment": "no"} for question in questions]
    return {
        "revision": revision,
        "verdict": verdict,
        "comment": "",
        "remarks": remarks,
        "reviewer": reviewer,
        "at": "2026-01-02T03:04:05+00:00",
    }


def campaign(*assignments: tuple[str, str, str, int, list[dict[str, Any]]]) -> CampaignReviews:
    """Unit, annotator, state, number of revisions, and what reviewers said."""
    reader = ResponseReader()
    judged = [
        reader.judged(unit, annotator, state, revisions, words, (), PROTOCOL, ANSWERS)
        for unit, annotator, state, revisions, words in assignments
        if words
    ]
    unseen = sum(state in ("waiting", "done") and not words for _, _, state, _, words in assignments)
    return CampaignReviews(judged, unseen, (PROTOCOL,))


def table(tables: list[Table], title: str) -> dict[Any, dict[str, Any]]:
    (found,) = [one for one in tables if one.title == title]
    return {next(iter(row.values())): row for row in found.records()}


def test_first_versions_by_question_and_annotator() -> None:
    tables = reviews(
        campaign(
            ("u1", "Ada", "done", 1, [said(1, "approved")]),
            ("u2", "Ada", "done", 2, [said(1, "returned", "Rhea", "error"), said(2, "approved")]),
            ("u3", "Bo", "returned", 1, [said(1, "returned", "Rhea", "error", "subjective")]),
            ("u4", "Bo", "done", 2, [said(1, "returned")]),
            ("u5", "Bo", "done", 1, []),
            ("u6", "Bo", "active", 0, []),
        ),
        AnalysisOptions(),
    )
    verdicts = {key: row["count"] for key, row in table(tables, "Responses by what reviewers said").items()}
    assert verdicts == {
        "approved at once": 1,
        "approved after an amendment": 1,
        "returned, being amended": 1,
        "amended, waiting for review": 1,
        "not reviewed": 1,
    }
    (by_question,) = [one for one in tables if one.title == "Accuracy of first versions"]
    right = {row["question"]: (row["right"], row["reviewed"]) for row in by_question.records()}
    # Four first versions: a remark on `error` in u2 and u3, on `subjective` in u3, on none in u4, returned as a whole.
    assert right == {"error": (2, 4), "category_right": (4, 4), "subjective": (3, 4), WHOLE: (1, 4)}
    assert any("1 response came back" in note for note in by_question.notes)
    people = table(tables, "First versions by annotator")
    assert (people["Ada"]["percent"], people["Bo"]["percent"]) == (50.0, 0.0)
    assert (people["Ada"]["times_returned"], people["Bo"]["times_returned"]) == (1, 2)


def test_reviewers_agreement_and_kappa() -> None:
    # Rhea: right right wrong wrong; Sol: right wrong wrong wrong. Po = 3/4; Pe = 1/2*1/4 + 1/2*3/4 = 1/2; kappa = 1/2.
    words = [("approved", "approved"), ("approved", "returned"), ("returned", "returned"), ("returned", "returned")]
    tables = reviews(
        campaign(
            *(
                (f"u{n}", "Ada", "done", 1, [said(1, rhea, "Rhea"), said(1, sol, "Sol")])
                for n, (rhea, sol) in enumerate(words)
            )
        ),
        AnalysisOptions(),
    )
    agreement = table(tables, "How far reviewers agree")[WHOLE]
    assert (agreement["first"], agreement["second"], agreement["shared"]) == ("Rhea", "Sol", 4)
    assert agreement["percent"] == pytest.approx(75.0)
    assert agreement["kappa"] == pytest.approx(0.5)


def test_the_last_word_of_a_reviewer_holds() -> None:
    tables = reviews(campaign(("u1", "Ada", "done", 1, [said(1, "returned"), said(1, "approved")])), AnalysisOptions())
    assert table(tables, "First versions by annotator")["Ada"]["percent"] == 100.0


def test_without_reviews_only_what_waits_is_counted() -> None:
    (only,) = reviews(campaign(("u1", "Ada", "waiting", 1, [])), AnalysisOptions())
    assert only.records() == [{"responses": "not reviewed", "count": 1}]
