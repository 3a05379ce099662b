"""Suggestions on units: read from a checker's list, checked against the protocol, decided one by one in an answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.definition.units.suggestions import marks_of, read_list, suggestion_problems
from goldmark.campaigns.definition.units.unit_intake import ProblemPlaces, UnitIntake
from goldmark.errors import Problem, ProblemsFound
from goldmark.protocols import load, parse, validate
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.units import ShownText, ShownUnit, Suggested, Surface, Unit
from goldmark.texts.readers.gsml import COLUMNS
from goldmark.texts.readers.units import read_units
from goldmark.texts.segmentation.text import make_text

TEXT = "Herons won on Friday . Foxes lost ."
FRIDAY = {"id": "e1", "start": 3, "end": 4, "label": "NAME", "correction": "Sunday"}


def unit(*suggested: Suggested) -> Unit:
    text = make_text("u1", TEXT, tokeniser="whitespace", sentences="full_stop")
    return Unit("u1", ShownUnit({"text": ShownText(text, suggested=suggested)}))


def problems(answers: dict[str, Any], *suggested: str) -> list[Problem]:
    shown = unit(*(Suggested(name, 3 + place, 4 + place, "NAME") for place, name in enumerate(suggested))).shown
    found = validate(load("accuracy"), answers, shown)
    # What the server looks at is made from the stored JSON and must say the same.
    assert found == validate(load("accuracy"), answers, Surface.from_json(shown.to_json()))
    return found


def test_units_without_suggestions_are_stored_as_they_always_were() -> None:
    assert "suggested" not in unit().shown.to_json()["texts"]["text"]


def test_suggestions_survive_the_store() -> None:
    shown = unit(Suggested("s1", 3, 4, "NAME", {"correction": "Sunday"})).shown
    assert ShownUnit.from_json(shown.to_json(), id="u1", tokenisers={"text": "whitespace"}) == shown


class TestAnswers:
    def test_accepted_changed_and_dismissed(self) -> None:
        accepted = {**FRIDAY, "suggested": "s1"}
        assert problems({"mistakes": [accepted]}, "s1") == []
        assert problems({"mistakes": [], "mistakes.dismissed": ["s1"]}, "s1") == []
        assert problems({"mistakes": [accepted], "mistakes.dismissed": ["s2"]}, "s1", "s2") == []

    @pytest.mark.parametrize(
        ("answers", "what"),
        [
            ({"mistakes": []}, "2 suggestions are not decided yet."),
            ({"mistakes": [], "mistakes.dismissed": ["s1"]}, "1 suggestion is not decided yet."),
            (
                {"mistakes": [], "mistakes.dismissed": ["s1", "s2", "s3"]},
                "A suggestion was dismissed that was not made.",
            ),
            ({"mistakes": [], "mistakes.dismissed": "s1"}, "The dismissed suggestions must be a list of their ids."),
            (
                {"mistakes": [], "mistakes.dismissed": [["s1"]]},
                "The dismissed suggestions must be a list of their ids.",
            ),
            (
                {"mistakes": [{**FRIDAY, "suggested": "s1"}], "mistakes.dismissed": ["s1", "s2"]},
                "A suggestion was both used and dismissed.",
            ),
            (
                {"mistakes": [{**FRIDAY, "suggested": "s9"}], "mistakes.dismissed": ["s1", "s2"]},
                "The mark names a suggestion that was not made.",
            ),
            (
                {"mistakes": [{**FRIDAY, "suggested": ["s1"]}], "mistakes.dismissed": ["s1", "s2"]},
                "The mark names a suggestion that was not made.",
            ),
            (
                {
                    "mistakes": [
                        {**FRIDAY, "suggested": "s1"},
                        {**FRIDAY, "id": "e2", "start": 5, "end": 6, "suggested": "s1"},
                    ],
                    "mistakes.dismissed": ["s2"],
                },
                "Two marks come from one suggestion.",
            ),
        ],
    )
    def test_each_is_decided_once(self, answers: dict[str, Any], what: str) -> None:
        assert [problem.what for problem in problems(answers, "s1", "s2")] == [what]

    def test_nothing_can_be_dismissed_where_nothing_was_suggested(self) -> None:
        assert problems({"mistakes": [], "mistakes.dismissed": []}) == []
        assert problems({"mistakes": [], "mistakes.dismissed": ["s1"]}) != []

    def test_only_the_first_question_about_a_text_decides(self) -> None:
        protocol = parse(
            "protocol: two/1\ntitle: Two\nsteps:\n  - questions:\n"
            "      - {id: first, kind: spans}\n      - {id: second, kind: spans}\n"
        )
        shown = unit(Suggested("s1", 3, 4)).shown
        assert validate(protocol, {"first": [], "second": [], "first.dismissed": ["s1"]}, shown) == []
        wrong = validate(protocol, {"first": [], "second": [], "second.dismissed": ["s1"]}, shown)
        assert [problem.where for problem in wrong] == ["first", "second"]


def suggested(one: Unit, found: Path | list[Mistake]) -> Unit:
    """The unit as a campaign has it that names a list of mistakes."""
    protocol = load("accuracy")
    intake = UnitIntake(protocol, ProblemPlaces.all_in("texts.jsonl"))
    intake.take(one)
    intake.suggest(read_list(found, intake.texts, protocol) if isinstance(found, Path) else marks_of(found, protocol))
    return intake.units[0]


class TestFromAList:
    def test_a_mistake_becomes_a_suggestion_with_what_the_protocol_asks(self) -> None:
        mistake = Mistake("u1", Span(3, 4), "NAME", "Sunday", "it was the 4th")
        made = suggested(unit(), [mistake])
        attributes = {"correction": "Sunday", "comment": "it was the 4th"}
        assert made.shown.texts["text"].suggested == (Suggested("s1", 3, 4, "NAME", attributes),)

    def test_the_surest_come_first_and_how_sure_is_not_told(self, tmp_path: Path) -> None:
        rows = ("u1,1,1,Herons,1,1,1,1,WORD,,,0.6", "u1,1,2,Friday,4,4,4,4,NAME,Sunday,,0.9")
        list_ = "\n".join((",".join((*COLUMNS, "PROBABILITY")), *rows)) + "\n"
        (tmp_path / "found.csv").write_text(list_, encoding="utf-8")
        made = suggested(unit(), tmp_path / "found.csv")
        marks = made.shown.texts["text"].suggested
        assert [(mark.id, mark.label) for mark in marks] == [("s1", "NAME"), ("s2", "WORD")]
        assert "0.9" not in repr(marks)

    def test_what_nobody_could_accept_is_a_problem(self) -> None:
        made = replace(unit(Suggested("s1", 3, 4, "NOMEN", {"weight": 1})))
        said = [problem.what for problem in suggestion_problems(load("accuracy"), [made], "texts.jsonl")]
        assert said == [
            "the suggestion s1 on unit 'u1' has the label \"NOMEN\"",
            "the suggestion s1 on unit 'u1' says weight, which accuracy/1 does not ask of a mark",
        ]
        assert "no question" in suggestion_problems(load("rating-qa"), [made], "texts.jsonl")[0].what

    @pytest.mark.parametrize("named", ["u1", "u1.txt"])
    @pytest.mark.parametrize("unit_id", ["u1", "u1.txt"])
    def test_a_list_names_units_with_or_without_the_ending_of_a_file(
        self, tmp_path: Path, unit_id: str, named: str
    ) -> None:
        (tmp_path / "found.csv").write_text(
            f"{','.join(COLUMNS)}\n{named},1,1,Friday,4,4,4,4,NAME,Sunday,\n", encoding="utf-8"
        )
        named_so = replace(unit(), id=unit_id, shown=ShownUnit({"text": ShownText(make_text(unit_id, TEXT))}))
        made = suggested(named_so, tmp_path / "found.csv")
        assert [mark.label for mark in made.shown.texts["text"].suggested] == ["NAME"]

    def test_a_campaign_names_its_list(self, tmp_path: Path) -> None:
        (tmp_path / "texts.jsonl").write_text(f'{{"id": "u1", "text": "{TEXT}"}}\n')
        (tmp_path / "found.csv").write_text(
            "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END,"
            "TYPE,CORRECTION,COMMENT\nu1,1,1,Friday,4,4,4,4,NAME,Sunday,\n"
        )
        file = tmp_path / "campaign.yaml"
        file.write_text(
            "campaign: helped\nprotocol: accuracy\nsuggestions: found.csv\n"
            "texts: {path: texts.jsonl, tokeniser: whitespace, sentences: full_stop}\n"
        )
        [made] = read_campaign(file).units
        assert made.shown.texts["text"].suggested == (Suggested("s1", 3, 4, "NAME", {"correction": "Sunday"}),)
        (tmp_path / "found.csv").write_text("TEXT_ID\nu1\n")
        with pytest.raises(ProblemsFound):
            read_campaign(file)


def test_rows_can_carry_suggestions(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": "u1", "text": "a b c", "suggested": [{"start": 1, "end": 2, "label": "X", "note": "n"}]}\n')
    [made] = read_units([path])
    assert made.shown.texts["text"].suggested == (Suggested("s1", 1, 2, "X", {"note": "n"}),)
    for wrong in (
        '[{"start": 1}]',
        '[{"start": 1, "end": 9}]',
        '"x"',
        '[{"id":"a","start":0,"end":1},{"id":"a","start":1,"end":2}]',
    ):
        path.write_text(f'{{"id": "u1", "text": "a b c", "suggested": {wrong}}}\n')
        with pytest.raises(ProblemsFound):
            read_units([path])
