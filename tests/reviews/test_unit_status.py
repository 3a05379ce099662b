"""Status of every text, text by text, and the final spot check, on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.protocols import load
from goldmark.results.options import AnalysisOptions as Figures
from goldmark.results.published.tgea.quality_protocol import calibration, candidates_of, spot_check
from goldmark.results.published.tgea.stage_reviews import passes
from goldmark.reviews import final_spot_check
from goldmark.reviews.final_spot_check import (
    CheckUnderWay,
    DrawNotPossible,
    NoSpotCheck,
    NothingToSample,
    SayWhatIsWrong,
)
from goldmark.reviews.review import ReviewRemark
from goldmark.reviews.unit_status import UNIT_STATUSES, StatusCounts, UnitStatus, status_counts, texts_with
from goldmark.store import Store
from goldmark.store.events import history
from tests.campaigns.house import NAME, House

FINE = {"verdict": "fine"}
ERROR = {
    "id": "e1",
    "start": 2,
    "end": 3,
    "label": "combination.predicate_object",
    "links": {"associated": [{"start": 1, "end": 2}]},
    "correction": "lost",
    "rationale": "Foxes never win.",
}
ERRONEOUS = {"verdict": "erroneous", "errors": [ERROR]}
TGEA = load("tgea")


def counted(house: House) -> StatusCounts:
    return house.store.read(lambda open_: status_counts(open_, find_campaign(open_, NAME), TGEA))


def names(house: House, status: UnitStatus) -> list[str]:
    found = house.store.read(lambda open_: texts_with(open_, find_campaign(open_, NAME), TGEA, status))
    assert found.total == len(found.items)
    return [one.name for one in found.items]


def answered(house: House, answers: dict[str, Any], token: str) -> tuple[int, str]:
    task = house.task(token)
    name = house.work.content.preview(task.unit_id)
    house.submit(token, task, answers)
    return task.id, name


def test_every_text_stands_somewhere(store: Store) -> None:
    house = House.build(store, 10, "tgea", review={"required": True})
    ada = house.person("Ada")
    ids = [answered(house, FINE, ada)[0] for _ in range(4)]
    ids += [answered(house, {"verdict": answer}, ada)[0] for answer in ("ambiguous", "too_many")]
    # Said in a reason, an answer that would set the text aside is only words.
    quoted = {**ERROR, "rationale": 'It says "verdict":"ambiguous" here.'}
    ids.append(answered(house, {"verdict": "erroneous", "errors": [quoted]}, ada)[0])
    house.judge(ids[0], "returned", "Rhea")
    house.judge(ids[1], "returned", "Rhea")
    house.submit(ada, ids[1], ERRONEOUS)  # amended, and waits again
    for number in (ids[2], ids[4], ids[5], ids[6]):
        house.judge(number, "approved", "Rhea")
    house.next(house.person("Bo"))  # holds a text
    found = counted(house)
    assert found.texts == 10
    assert dict(found.statuses) == {
        "untouched": 1,
        "in_progress": 2,  # Ada has the next one already
        "waiting": 1,
        "returned": 1,
        "disputed": 0,
        "amended": 1,
        "answered": 0,
        "approved": 2,
        "discarded": 2,
    }
    assert dict(found.set_aside) == {"ambiguous": 1, "too_many": 1}
    listed = [name for status in UNIT_STATUSES for name in names(house, status)]
    assert sorted(listed) == sorted(f"u{number}" for number in range(10))
    (line,) = house.store.read(lambda open_: texts_with(open_, find_campaign(open_, NAME), TGEA, "amended")).items
    assert (line.annotators, line.returned) == (("Ada",), 1)
    assert line.since is not None


def test_a_text_with_two_labels_stands_where_attention_is_needed(store: Store) -> None:
    house = House.build(store, 1, "tgea", labels_per_unit=2, review={"required": True})
    first, _ = answered(house, FINE, house.person("Ada"))
    assert counted(house).statuses["waiting"] == 1
    house.judge(first, "approved", "Rhea")
    assert counted(house).statuses["in_progress"] == 1  # the second label is missing
    second, _ = answered(house, {"verdict": "ambiguous"}, house.person("Bo"))
    house.judge(second, "returned", "Rhea")
    assert counted(house).statuses["returned"] == 1
    house.judge(second, "approved", "Rhea")
    assert counted(house).statuses["approved"] == 1  # one of two set it aside, which sets nothing aside


def test_without_required_approval_answers_are_just_answered(store: Store) -> None:
    house = House.build(store, 2, "tgea")
    number, _ = answered(house, FINE, house.person("Ada"))
    assert counted(house).statuses["answered"] == 1
    house.judge(number, "approved", "Rhea")
    assert counted(house).statuses["approved"] == 1


def test_calibration_and_candidates_from_the_database(store: Store) -> None:
    rule = {"above": 0.5, "after": 2}
    house = House.build(store, 6, "tgea", candidates=rule, review={"required": True, "twice": 1.0})
    ada, bo = house.person("Ada"), house.person("Bo")
    numbers = [answered(house, ERRONEOUS, token)[0] for token in (ada, ada, bo, bo)]
    label = [ReviewRemark("errors", "e1.label", "no")]
    for number, rhea, sol in zip(numbers, ((), (), label, label), ((), (), label, ()), strict=True):
        house.judge(number, "returned" if rhea else "approved", "Rhea", "", rhea)
        house.judge(number, "returned" if sol else "approved", "Sol", "", sol)
    house.submit(bo, numbers[2], FINE)  # what is amended changes no first version
    house.judge(numbers[2], "approved", "Rhea")
    row = store.read(lambda open_: find_campaign(open_, NAME))
    found = store.read(lambda open_: candidates_of(open_, row, house.work.content))
    assert found is not None
    assert [(one.annotator, one.outcome) for one in found] == [("Ada", "passes"), ("Bo", "does not pass")]
    assert [share.stage for share in found[1].shares if not passes(share, 0.5)] == ["errors.label"]
    table = store.read(lambda open_: calibration(open_, row, house.work.content, Figures()))
    assert table is not None
    label_row = next(one for one in table.records() if one["about"] == "errors.label")
    # Rhea: right right wrong wrong; Sol: right right wrong right. Po 3/4, Pe 1/2*3/4 + 1/2*1/4 = 1/2, kappa 1/2.
    assert (label_row["shared"], label_row["percent"]) == (4, 75.0)
    assert label_row["kappa"] == pytest.approx(0.5)


def test_a_spot_check_measures_and_changes_nothing(store: Store) -> None:
    house = House.build(store, 6, "tgea")
    ada = house.person("Ada")
    with pytest.raises(NothingToSample):
        final_spot_check.draw(store, NAME, size=3, author="Rhea")
    with pytest.raises(DrawNotPossible):
        final_spot_check.draw(store, NAME, size=final_spot_check.MOST + 1, author="Rhea")
    for _ in range(6):
        answered(house, ERRONEOUS, ada)
    drawn = final_spot_check.draw(store, NAME, size=4, seed=3, author="Rhea")
    again = final_spot_check.draw(store, NAME, size=4, seed=3, author="Rhea")
    assert [one.unit for one in drawn.answers] == [one.unit for one in again.answers]
    assert (again.size, again.of, again.judged) == (4, 6, 0)
    row = store.read(lambda open_: find_campaign(open_, NAME))
    content = house.work.content

    def following() -> int | None:
        return store.read(lambda open_: final_spot_check.next_to_check(open_, row, "Sol"))

    first = following()
    assert first is not None
    with pytest.raises(SayWhatIsWrong):
        final_spot_check.say(store, content, NAME, first, right=False, checker="Sol")
    remark = ReviewRemark("errors", "e1.correction", "no")
    final_spot_check.say(store, content, NAME, first, right=False, remarks=[remark], checker="Sol")
    with pytest.raises(CheckUnderWay, match="1 of 4 answers that Rhea drew are judged"):
        final_spot_check.draw(store, NAME, size=4, author="Rhea")
    while (number := following()) is not None:
        final_spot_check.say(store, content, NAME, number, right=True, checker="Sol")
    outside = {one.id for one in _all(house)} - {one.id for one in _all(house, {d.unit for d in again.answers})}
    with pytest.raises(NoSpotCheck):
        final_spot_check.say(store, content, NAME, outside.pop(), right=True, checker="Sol")
    found = store.read(lambda open_: spot_check(open_, row, content, Figures()))
    assert found is not None
    check, table = found
    assert check.judged == 4
    right = {one["stage"]: (one["right"], one["reviewed"]) for one in table.records()}
    assert right["errors.correction"] == (3, 4)
    assert right["errors.label"] == right["verdict"] == (4, 4)
    assert counted(house).statuses["answered"] == 6  # nobody's work came back
    kinds = [one.kind for one in store.read(lambda open_: history(open_, row.id))]
    assert kinds.count("spot check drawn") == 2
    assert "spot check" not in kinds  # single words would fill the history
    events = [one.kind for one in record_of(store, NAME).events]
    assert events.count("spot check") == 4  # but they leave with the campaign
    assert final_spot_check.draw(store, NAME, size=2, author="Rhea", replace=True).judged == 0


def _all(house: House, units: set[str] | None = None) -> list[Any]:
    from goldmark.reviews.responses import list_responses

    found = house.store.read(lambda open_: list_responses(open_, find_campaign(open_, NAME))).items
    return [one for one in found if units is None or one.unit in units]
