"""What became of suggestions, by hand: four units, two of them with suggestions, two people."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.protocols import load
from goldmark.protocols.answers import read
from goldmark.records.campaigns import CampaignRecord, ProtocolRecord, ResponseRecord
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.tables import Table
from goldmark.records.units import ShownText, ShownUnit, Suggested, Unit
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.suggestions import NothingSuggested, decision_on, suggestions
from goldmark.texts.segmentation.text import make_text

RIGHT = Suggested("s1", 0, 1, "NAME", {"correction": "x"})
WRONG = Suggested("s2", 2, 3, "NUMBER", {"correction": "y"})
OWN = {"id": "e9", "start": 4, "end": 5, "label": "WORD", "correction": "z"}


def unit(name: str, *suggested: Suggested) -> Unit:
    text = make_text(name, "one two three four five .", tokeniser="whitespace")
    return Unit(name, ShownUnit({"text": ShownText(text, suggested=suggested)}))


def marked(suggestion: Suggested, **changes: Any) -> dict[str, Any]:
    return {**suggestion.to_json(), "id": "e1", "suggested": suggestion.id, **changes}


def record(**answers: tuple[float, list[dict[str, Any]]]) -> CampaignRecord:
    protocol = load("accuracy")
    responses = tuple(
        ResponseRecord(key[:2], key[2:], 1, True, {"mistakes": marks}, protocol.id, seconds_active=seconds)
        for key, (seconds, marks) in answers.items()
    )
    units = (unit("u1", RIGHT, WRONG), unit("u2", RIGHT), unit("u3"), unit("u4"))
    source = (ProtocolRecord(protocol.name, protocol.version, protocol.source),)
    return CampaignRecord({"campaign": "c"}, protocol.id, source, units, responses=responses)


ANSWERS = record(
    u1ann=(30, [marked(RIGHT), marked(WRONG, label="WORD")]),  # accepted; changed
    u1bob=(50, [marked(RIGHT, end=2)]),  # changed; dismissed
    u2ann=(40, [OWN]),  # dismissed
    u3ann=(60, [OWN]),
    u4bob=(80, []),
)
GOLD = {
    name: [Mistake(name, Span(0, 1), "NAME"), Mistake(name, Span(4, 5), "WORD")] for name in ("u1", "u2", "u3", "u4")
}


def cell(table: Table, row: str, column: str) -> Any:
    place = table.columns.index(column)
    return next(cells[place] for cells in table.rows if cells[0] == row)


def test_what_became_of_them() -> None:
    decided, _ = suggestions(ANSWERS, GOLD, AnalysisOptions(resamples=50))
    # Of five decisions one was an acceptance, two changed, two dismissed.
    assert [cell(decided, "all", name) for name in ("decisions", "accepted", "changed", "dismissed")] == [5, 20, 40, 40]
    # The gold list has nothing at token 2: of two decisions on it one took it. Of three on the right one, one did not.
    assert cell(decided, "all", "wrong_taken") == 50
    assert cell(decided, "all", "right_dismissed") == pytest.approx(100 / 3)
    assert cell(decided, "NUMBER", "decisions") == 2


def test_with_and_without() -> None:
    _, compared = suggestions(ANSWERS, GOLD, AnalysisOptions(resamples=200))
    helped, alone = "with suggestions", "without"
    assert [cell(compared, helped, name) for name in ("units", "responses", "seconds", "marks")] == [2, 3, 40, 4 / 3]
    # Gold has 2 mistakes each: found 1, 1 and 1 of 6 with, of 4 marks; 1 and 0 of 4 without, of 1 mark.
    assert cell(compared, helped, "recall") == pytest.approx(3 / 6)
    assert cell(compared, helped, "precision") == pytest.approx(3 / 4)
    assert cell(compared, alone, "recall") == pytest.approx(1 / 4)
    assert cell(compared, alone, "precision") == 1
    assert cell(compared, "difference", "seconds") == 40 - 70
    # Both units with suggestions took 40 seconds a response, so nothing tells how far another would be off.
    assert cell(compared, helped, "seconds_low") is None
    assert cell(compared, alone, "seconds_low") == 0
    low, high = (cell(compared, "difference", f"recall_{end}") for end in ("low", "high"))
    assert -1 <= low <= 0.25 <= high <= 1
    assert any(note.startswith("2 units: ") for note in compared.notes)


def test_without_a_gold_list_quality_is_empty_and_says_why() -> None:
    decided, compared = suggestions(ANSWERS, {}, AnalysisOptions(resamples=50))
    assert cell(decided, "all", "wrong_taken") is None
    assert cell(compared, "without", "recall") is None
    assert any("need a gold list" in note for note in compared.notes)


def test_the_same_seed_gives_the_same_figures() -> None:
    assert suggestions(ANSWERS, GOLD, AnalysisOptions()) == suggestions(ANSWERS, GOLD, AnalysisOptions())


def test_a_campaign_without_suggestions_is_told_so() -> None:
    empty = CampaignRecord({"campaign": "c"}, ANSWERS.protocol, ANSWERS.protocols, (unit("u3"),))
    with pytest.raises(NothingSuggested, match="no unit of c"):
        suggestions(empty, {}, AnalysisOptions())


@pytest.mark.parametrize(
    ("marks", "decision"),
    [
        ([], "dismissed"),
        ([OWN], "dismissed"),
        ([marked(RIGHT)], "accepted"),
        ([marked(RIGHT, comment="")], "accepted"),
        ([marked(RIGHT, correction="")], "changed"),
        ([marked(RIGHT, end=2)], "changed"),
    ],
)
def test_decisions(marks: list[dict[str, Any]], decision: str) -> None:
    (offered, *said) = read(load("accuracy"), {"mistakes": [RIGHT.to_json(), *marks]}, unit("u").shown).marks_of(
        "mistakes"
    )
    assert decision_on(offered, said) == decision
