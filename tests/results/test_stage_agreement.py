"""Agreement by stage from a campaign, by hand (the rows of TGEA's table 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from goldmark.observations.filter import COUNTING
from goldmark.observations.source import RecordSource
from goldmark.protocols import load
from goldmark.records.campaigns import AnnotatorRecord, CampaignRecord, ProtocolRecord, ResponseRecord
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.stage_agreement import NotTwoGroups, stage_agreement
from goldmark.results.published.tgea.stage_readings import NoStages
from goldmark.texts.segmentation.text import make_text

FINE = {"verdict": "fine"}
AMBIGUOUS = {"verdict": "ambiguous"}
WORDS = "one two three four five six seven eight ."


def error(start: int, end: int, label: str, correction: str, linked: tuple[int, int]) -> dict[str, Any]:
    return {
        "verdict": "erroneous",
        "errors": [
            {
                "id": "e1",
                "start": start,
                "end": end,
                "label": label,
                "correction": correction,
                "rationale": "why",
                "links": {"associated": [{"start": linked[0], "end": linked[1]}]},
            }
        ],
    }


DRANK = error(2, 3, "combination.predicate_object", "approved", (5, 6))
# Text, group A's answer, group B's.
TEXTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "t1": (FINE, FINE),
    "t2": (FINE, FINE),
    "t3": (FINE, DRANK),
    "t4": (AMBIGUOUS, DRANK),
    "t5": (DRANK, DRANK),
    "t6": (DRANK, error(2, 4, "combination.modifier", " approved ", (5, 6))),
    "t7": (DRANK, error(2, 3, "missing.object", "read", (4, 5))),
    "t8": (DRANK, error(7, 8, "commonsense.time", "x", (5, 6))),
}


def record(protocol: str = "tgea") -> CampaignRecord:
    asked = load(protocol)
    people = [AnnotatorRecord(name, facts={"condition": f"group-{name[0]}"}) for name in ("a1", "a2", "b1", "b2")]
    responses = []
    for number, (name, (first, second)) in enumerate(TEXTS.items()):
        who = number % 2 + 1  # two people in each group share its texts
        responses += [
            ResponseRecord(name, f"a{who}", 1, True, first, asked.id),
            ResponseRecord(name, f"b{who}", 1, True, second, asked.id),
        ]
    responses.append(ResponseRecord("alone", "a1", 1, True, FINE, asked.id))
    return CampaignRecord(
        protocol=asked.id,
        protocols=(ProtocolRecord(asked.name, asked.version, asked.source),),
        units=tuple(Unit(name, ShownUnit({"text": ShownText(make_text(name, WORDS))})) for name in (*TEXTS, "alone")),
        annotators=tuple(people),
        responses=tuple(responses),
    )


def rows(found: CampaignRecord, groups: list[str] | None) -> dict[Any, dict[str, Any]]:
    table = stage_agreement(RecordSource(found), COUNTING, AnalysisOptions(resamples=200), groups=groups)
    assert any("1 text without two people" in note for note in table.notes)
    return {row["stage"]: row for row in table.records()}


def test_two_groups_on_the_same_texts() -> None:
    found = rows(record(), [])
    detection = found["erroneous or fine"]
    # A: fine 3, erroneous 5; B: fine 2, erroneous 6; 7 of 8 agree. Pe = (3*2 + 5*6) / 64 = 9/16; kappa = (14-9)/(16-9).
    assert detection["agreement"] == pytest.approx(87.5)
    assert detection["kappa"] == pytest.approx(5 / 7)
    assert detection["agreement_low"] < 87.5 < detection["agreement_high"] <= 100
    verdict = found["verdict, every answer"]
    # A: fine 3, ambiguous 1, erroneous 4; B: fine 2, erroneous 6; 6 of 8. Pe = (6 + 24) / 64; kappa = (48-30)/(64-30).
    assert verdict["agreement"] == pytest.approx(75.0)
    assert verdict["kappa"] == pytest.approx(18 / 34)
    # Both marked something in t5 to t8: the same words in t5 and t7, the same associated words in all but t7.
    assert found["erroneous spans, exact"]["agreement"] == pytest.approx(50.0)
    assert found["associated spans, exact"]["agreement"] == pytest.approx(75.0)
    assert found["both spans, exact"]["agreement"] == pytest.approx(25.0)
    assert found["both spans, exact"]["kappa"] is None
    assert found["both spans, exact"]["pairs"] == 4
    # Tokens: 1+1, 1+2, 1+1, 1+1 marked, of which 1, 1, 1, 0 by both: 6 / 9. Associated: 2 each; 1, 1, 0, 1 by both.
    assert found["erroneous tokens, F1"]["agreement"] == pytest.approx(100 * 6 / 9)
    assert found["associated tokens, F1"]["agreement"] == pytest.approx(75.0)
    # Errors meet in t5, t6 and t7. A: combination 3; B: combination 2, missing 1; Po = 2/3 = Pe, so kappa is 0.
    assert found["type"]["agreement"] == pytest.approx(100 * 2 / 3)
    assert found["type"]["kappa"] == pytest.approx(0.0)
    assert found["type"]["pairs"] == 3
    # The subtype is the same in t5 only: A object 3, B object 1, Po = 1/3 = Pe.
    assert found["type and subtype"]["agreement"] == pytest.approx(100 / 3)
    # Corrections, white space apart: approved approved, approved approved, approved read.
    assert found["correction, exact"]["agreement"] == pytest.approx(100 * 2 / 3)


def test_without_groups_every_pair_counts_both_ways() -> None:
    detection = rows(record(), None)["erroneous or fine"]
    # Margins are pooled: fine 5 of 16, erroneous 11 of 16; Pe = (25 + 121) / 256; kappa = (224-146)/(256-146).
    assert detection["agreement"] == pytest.approx(87.5)
    assert detection["kappa"] == pytest.approx(78 / 110)


def test_a_text_weighs_the_same_however_many_read_it() -> None:
    asked = load("tgea").id
    more = tuple(ResponseRecord("t1", who, 1, True, FINE, asked) for who in ("a2", "b2"))
    base = record()
    found = rows(replace(base, responses=(*base.responses, *more)), [])
    assert found["erroneous or fine"]["agreement"] == pytest.approx(87.5)
    assert found["erroneous or fine"]["pairs"] == 11  # t1 has four pairs now


def test_groups_must_be_two() -> None:
    with pytest.raises(NotTwoGroups, match="group-a, group-b"):
        stage_agreement(RecordSource(record()), COUNTING, AnalysisOptions(), groups=["group-a"])
    nobody = replace(record(), annotators=tuple(replace(one, facts={}) for one in record().annotators))
    with pytest.raises(NotTwoGroups, match="nobody has a condition"):
        stage_agreement(RecordSource(nobody), COUNTING, AnalysisOptions(), groups=[])


def test_where_nothing_can_be_compared_the_table_says_so() -> None:
    base = record()
    alone = replace(base, responses=tuple(one for one in base.responses if one.annotator[0] == "a"))
    table = stage_agreement(RecordSource(alone), COUNTING, AnalysisOptions())
    assert all(row["agreement"] is None and row["reason"] for row in table.records())


def test_a_protocol_without_marks_has_no_stages() -> None:
    with pytest.raises(NoStages, match="rating-qa"):
        stage_agreement(RecordSource(record("rating-qa")), COUNTING, AnalysisOptions())
