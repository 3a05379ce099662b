"""From a gold list to verifiers and back: what is shown, what the answers mean, and the figures a hand would get."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.curation.proposals.reports import NothingReported, label_rules, reports_by_text
from goldmark.curation.verification.protocol import LabelsNotAsked, check_labels
from goldmark.curation.verification.units import VerificationUnit, campaign_files, surroundings, verification_units
from goldmark.curation.verification.verdicts import (
    NotAVerification,
    confirmed,
    report_rows,
    verdict_rows,
    verdicts_of,
    verified,
)
from goldmark.exchange.campaign.archive import write_folder
from goldmark.exchange.campaign.marks import campaign_of
from goldmark.protocols import load
from goldmark.protocols.validation import validate
from goldmark.records.campaigns import AnnotatorRecord, AssignmentRecord, CampaignRecord, ResponseRecord
from goldmark.records.gold import GoldMistake
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.gsml import words_of
from tests.curation.marks import PRIORITY, marks_of, text_of

TEXT = text_of("Ann led the bench with 30 points . Bo had 9 steals .")
TEXTS = {"t": TEXT}
MARKS = [
    *marks_of(TEXT, "A", "led the bench^W", "30^U", "9^U"),
    *marks_of(TEXT, "B", "the bench^W", "30^U", "9^U"),
    *marks_of(TEXT, "C", "bench^W", "30^U", "9^W", "Bo^C"),
]


def gold_of(words: str, label: str) -> GoldMistake:
    return GoldMistake("t", marks_of(TEXT, "", f"{words}^W")[0].span, label)


GOLD = [gold_of("bench", "WORD"), gold_of("30", "NUMBER"), gold_of("9", "NUMBER")]


def shown(units: list[VerificationUnit]) -> list[tuple[str, str, bool]]:
    return [(words_of(TEXT, unit.span), unit.label, unit.in_gold) for unit in units]


def test_all_without_full_exact_agreement_and_all_that_is_not_in_the_list() -> None:
    # Everybody marked 30 as NUMBER, so it is assumed right. They agree on 9 but not on what it is.
    assert shown(verification_units(GOLD, MARKS)) == [
        ("led the bench", "WORD", False),
        ("the bench", "WORD", False),
        ("bench", "WORD", True),
        ("Bo", "CONTEXT", False),
        ("9", "NUMBER", True),
    ]


def test_without_variants_only_what_curation_missed() -> None:
    assert shown(verification_units(GOLD, MARKS, variants=False)) == [
        ("bench", "WORD", True),
        ("Bo", "CONTEXT", False),
        ("9", "NUMBER", True),
    ]


def test_one_person_alone_or_a_silent_one_is_no_full_agreement() -> None:
    alone = marks_of(TEXT, "A", "30^U")
    assert len(verification_units([GOLD[1]], alone)) == 1
    assert shown(verification_units([GOLD[1]], MARKS[1:2] + MARKS[4:5], seen=[("t", "D")])) == [("30", "NUMBER", True)]


def test_a_label_that_the_curator_changed_is_shown() -> None:
    assert ("30", "WORD", True) in shown(verification_units([gold_of("30", "WORD")], MARKS))


def folder(tmp_path: Path, **options: object) -> Path:
    units = verification_units(GOLD, MARKS, priority=PRIORITY)
    files = campaign_files(units, TEXTS, name="second-look", protocol="verification/1", **options)  # type: ignore[arg-type]
    write_folder(tmp_path / "campaign", files)
    return tmp_path / "campaign" / "campaign.yaml"


def test_the_folder_is_a_campaign_that_shows_the_sentence_and_hides_who_said_it(tmp_path: Path) -> None:
    plan = read_campaign(folder(tmp_path, verifiers=3))
    assert (plan.protocol.id, plan.settings.labels_per_unit, len(plan.units)) == ("verification/1", 3, 5)
    unit = next(one for one in plan.units if one.id == "t:4-4")
    text = unit.shown.texts["text"]
    assert text.text.words() == TEXT.words()
    assert text.focus == TEXT.sentences[0]
    assert [(mark.start, mark.end, mark.label) for mark in text.given] == [(3, 4, "WORD")]
    assert unit.hidden["reported_by"] == ["C"]
    assert "reported" not in str(unit.shown.to_json())


def test_the_data_beside_the_text_goes_along(tmp_path: Path) -> None:
    original = Unit("t", ShownUnit({"text": ShownText(TEXT, language="en")}, (ContextText("Box score", "9 steals"),)))
    plan = read_campaign(folder(tmp_path, more=surroundings([original])))
    assert plan.units[0].shown.context == original.shown.context
    assert plan.units[0].shown.texts["text"].language == "en"


def test_labels_that_verifiers_cannot_name_are_refused() -> None:
    units = verification_units([gold_of("30", "DATE")], MARKS)
    with pytest.raises(LabelsNotAsked, match="DATE cannot be answered in protocol verification/1"):
        check_labels((one.label for one in units), load("verification"))
    check_labels((one.label for one in verification_units(GOLD, MARKS)), load("verification"))


YES = {"error": "yes", "category_right": "yes", "subjective": "no"}
NO = {"error": "no", "subjective": "yes"}
AS_WORD = {"error": "yes", "category_right": "no", "category": "WORD", "subjective": "no"}
ANSWERS = {  # of four verifiers; 9 has a 2-2 split, Bo one answer only, "the bench" none
    "t:2-4": (YES, YES, YES, NO),
    "t:4-4": (YES, YES, YES, YES),
    "t:11-11": (YES, AS_WORD, NO, NO),
    "t:9-9": (NO,),
}


def answered(tmp_path: Path) -> CampaignRecord:
    plan = read_campaign(folder(tmp_path))
    responses = []
    for unit in plan.units:
        for number, said in enumerate(ANSWERS.get(unit.id, ())):
            assert validate(plan.protocol, said, unit.shown.surface()) == []
            responses.append(ResponseRecord(unit.id, f"V{number}", 1, True, said))
    return CampaignRecord(
        units=plan.units,
        annotators=tuple(AnnotatorRecord(f"V{number}") for number in range(4)),
        assignments=tuple(AssignmentRecord(one.unit, one.annotator, "done") for one in responses),
        responses=tuple(responses),
    )


def test_a_tie_does_not_confirm_and_the_unasked_and_unanswered_stand(tmp_path: Path) -> None:
    verdicts, places = verdicts_of(answered(tmp_path))
    assert {place[1].start: right for place, right in confirmed(verdicts).items()} == {
        1: True,
        3: True,
        8: False,
        10: False,
    }
    result = verified(GOLD, verdicts, places)
    assert result.kept == (GOLD[0], GOLD[1])
    assert result.removed == (GOLD[2],)
    assert (result.assumed, result.waiting) == (1, 0)
    nobody = verified(GOLD, [], places)
    assert (nobody.removed, nobody.assumed, nobody.waiting) == ((), 1, 2)


def test_the_rows_behind_the_tables(tmp_path: Path) -> None:
    verdicts, places = verdicts_of(answered(tmp_path))
    rows = verdict_rows(GOLD, verdicts, places)
    assert [(row["error"], row["verifier"], row["is_error"], row["category"]) for row in rows] == [
        *(("t:4-4", f"V{number}", True, "WORD") for number in range(4)),
        ("t:6-6", "", None, ""),
        ("t:11-11", "V0", True, "NUMBER"),
        ("t:11-11", "V1", True, "WORD"),
        ("t:11-11", "V2", False, ""),
        ("t:11-11", "V3", False, ""),
    ]
    reports = report_rows(verified(GOLD, verdicts, places).kept, MARKS, verdicts)
    facts = {(row["error"], row["gold"], row["valid"]) for row in reports}
    assert facts == {
        ("t:2-4", False, True),
        ("t:3-4", False, None),  # a variant that nobody has judged
        ("t:4-4", True, True),
        ("t:6-6", True, True),  # everybody marked it alike
        ("t:9-9", False, False),
        ("t:11-11", False, False),
    }
    assert sum(row["error"] == "t:6-6" for row in reports) == 3


def test_a_gold_mistake_that_nobody_marked_exactly_has_a_row_without_a_name() -> None:
    rows = report_rows([gold_of("with", "WORD")], [], [])
    assert rows == [{"error": "t:5-5", "text": "t", "gold": True, "valid": None, "annotator": ""}]


def test_another_campaign_is_not_taken_for_a_verification() -> None:
    with pytest.raises(NotAVerification, match="unit t "):
        verdicts_of(campaign_of(TEXTS, {}, question="mistakes"))


def test_marks_and_silence_of_a_campaign_become_reports() -> None:
    span = {"id": "m1", "start": 5, "end": 6, "label": "NUMBER", "correction": "28"}
    (reports,) = reports_by_text(campaign_of(TEXTS, {("t", "A"): [span], ("t", "B"): []}, question="mistakes"))
    assert reports.marks == (Mistake("t", Span(5, 6), "NUMBER", "28", "", "m1", "A"),)
    assert reports.seen == (("t", "A"), ("t", "B"))
    assert reports.texts["t"].words() == TEXT.words()


def test_labels_and_priority_come_from_the_protocol() -> None:
    assert label_rules(load("accuracy")).priority == PRIORITY
    with pytest.raises(NothingReported, match="rating-qa/1"):
        label_rules(load("rating-qa"))
