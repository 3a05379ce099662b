"""Whether test questions find who answers at random is known before anybody is paid."""

from __future__ import annotations

from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.leaderboards.human.rehearsal import RehearsedCrowd, answers_of_a_person, find, rehearse, warning
from goldmark.protocols import load

QA = load("rating-qa")


def settings(positive: float = 0.05, negative: float = 0.05, **human: object) -> BoardSettings:
    rates = {"positive": positive, "negative": negative}
    return BoardSettings.model_validate({"human": {"test_questions": rates, "together": 4, **human}})


def test_more_answers_find_more_and_hardly_anybody_is_blamed() -> None:
    crowd = RehearsedCrowd(people=20, at_random=0.2, draws=4)
    few, many = (find(settings(), QA, crowd, answers) for answers in (20, 400))
    assert few.caught < many.caught
    assert many.enough
    assert not few.enough
    assert many.blamed <= 0.01 * many.careful
    assert find(settings(), QA, crowd, 20) == few, "the same seed finds the same"


def test_the_plan_of_a_round_is_what_a_person_answers() -> None:
    # 4 systems of 90 items, a label each: 360 labels and 40 test questions for 20 people.
    assert answers_of_a_person(settings(), 90, 20) == 20
    assert answers_of_a_person(settings(batch={"size": 5, "per_person": 2}), 90, 20) == 10


def test_a_board_whose_rates_cannot_do_is_warned_of() -> None:
    assert "there are no test questions" in warning(settings(0, 0), QA, 90)
    assert "of those who answer at random would be found" in warning(settings(), QA, 90)
    assert warning(settings(), QA, 2000) == ""
    assert warning(settings(0, 0, start="never"), QA, 90) == ""


def test_the_table_has_the_plan_and_other_numbers() -> None:
    table = rehearse(settings(), QA, 150, RehearsedCrowd(draws=2))
    rows = table.records()
    assert [row["answers"] for row in rows if row["planned"]] == [33]
    assert all(row["found_low"] <= row["found"] <= row["found_high"] for row in rows)  # type: ignore[operator]
