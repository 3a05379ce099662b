"""One campaign's answers as another's units: verification, explanation coding, responses; and back to the tables."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from goldmark.campaigns import lifecycle
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.lifecycle import CampaignExists, move
from goldmark.campaigns.transfer.export import record_of
from goldmark.curation.verification.followup import VERIFICATION, find_follow_up, verified_gold
from goldmark.curation.verification.protocol import fitted_to
from goldmark.curation.verification.units import NothingToVerify
from goldmark.curation.verification.verdicts import NotAVerification
from goldmark.followups.create import (
    EXPLANATION_CODING,
    RESPONSES,
    NameNotPossible,
    NoFreeText,
    NothingToFollowUp,
    UnknownFollowUp,
    create_follow_up,
    follow_ups,
)
from goldmark.people import annotators
from goldmark.protocols import load
from goldmark.records.spans import Span
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.accuracy.verification_campaign import verification_tables
from goldmark.store import Store, events
from goldmark.store.events import record
from goldmark.store.tables import unit as unit_table
from tests.campaigns.house import NAME, House, unit

LOOK = "second-look"
# The Foxes won on Friday night .  Everybody marks Foxes alike; Friday in two forms; "won" is marked by one alone.
FOXES = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}
FRIDAY = {"id": "e2", "start": 4, "end": 5, "label": "NAME", "correction": "Sunday"}
FRIDAY_NIGHT = {"id": "e2", "start": 4, "end": 6, "label": "NAME", "correction": "Sunday morning"}
WON = {"id": "e3", "start": 2, "end": 3, "label": "WORD", "correction": "lost"}
MARKS = {
    "Ada": {"u1": [FOXES, FRIDAY], "u2": [WON]},
    "Bo": {"u1": [FOXES, FRIDAY_NIGHT], "u2": [WON]},
    "Cleo": {"u1": [FOXES, WON], "u2": []},
}


def annotated(store: Store) -> House:
    house = House.build(store, [unit("u1", system="alder"), unit("u2", system="birch")], labels_per_unit=3)
    for person, marks in MARKS.items():
        token = house.person(person)
        following = house.next(token)
        while following.task is not None:
            answers = {"mistakes": marks[unit_name(store, following.task.unit_id)]}
            _, following = house.submit(token, following.task, answers)
    return house


def unit_name(store: Store, unit_id: int) -> str:
    named = select(unit_table.c.name).where(unit_table.c.id == unit_id)
    return str(store.read(lambda connection: connection.execute(named).scalar_one()))


def answer_all(house: House, name: str, person: str, answers: dict[str, dict[str, Any]]) -> None:
    """Someone works through a campaign; what they say depends on the unit."""
    _, token = annotators.invite(house.store, house.links, name, person, author="test")
    following = house.next(token)
    while following.task is not None:
        said = answers[unit_name(house.store, following.task.unit_id)]
        submission = Submission(said, f"key-{following.task.id}-{person}", None, 5.0)
        _, following = house.responses.submit(token, following.task.id, submission)


def says(error: bool) -> dict[str, Any]:
    return (
        {"error": "yes", "category_right": "yes", "subjective": "no"} if error else {"error": "no", "subjective": "yes"}
    )


def test_a_verification_campaign_and_its_tables_by_hand(store: Store) -> None:
    house = annotated(store)
    opened = create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    assert (opened.campaign.protocol, opened.campaign.settings.labels_per_unit) == ("verification/1", 4)
    record = record_of(store, LOOK)
    units = {one.id: one for one in record.units}
    # Foxes in u1 is unanimous, so it is assumed to be right; everything else is shown, each form for itself.
    assert set(units) == {"u1:3-3", "u1:5-5", "u1:5-6", "u2:3-3"}
    shown = units["u1:5-6"].shown.texts["text"]
    assert (shown.focus, shown.given[0].span, shown.given[0].label) == (Span(0, 7), Span(4, 6), "NAME")
    hidden = units["u1:5-6"].hidden
    assert hidden["system"] == "alder"
    assert hidden["source"] == {"campaign": NAME, "unit": "u1"}
    assert hidden["reported_by"] == ["Bo"]
    assert hidden["reported"] == {"text": "u1", "start": 4, "end": 6, "label": "NAME", "in_gold": False}
    assert units["u1:5-5"].hidden["reported"]["in_gold"] is True  # type: ignore[index]

    move(store, LOOK, "started", author="test")
    votes = {"u1:3-3": (1, 0, 0, 0), "u1:5-5": (1, 1, 1, 1), "u1:5-6": (1, 1, 1, 0), "u2:3-3": (1, 1, 0, 0)}
    for place, person in enumerate(("Ada", "Vic", "Wim", "Xia")):  # Ada took part in the source and may again
        answer_all(house, LOOK, person, {name: says(bool(said[place])) for name, said in votes.items()})

    look = verified_gold(store, LOOK)
    assert look.source == NAME
    # Gold: Foxes (assumed), Friday (4 of 4), "won" in u2 (2 of 4: a tie does not confirm it).
    assert [(one.text_id, one.span) for one in look.result.kept] == [("u1", Span(1, 2)), ("u1", Span(4, 5))]
    assert [(one.text_id, one.span) for one in look.result.removed] == [("u2", Span(2, 3))]
    assert (look.result.assumed, look.result.waiting) == (1, 0)
    tables = {table.title: table for table in verification_tables(look, AnalysisOptions(resamples=50))}
    agreement = tables["Errors by agreement of their verifiers"]
    assert dict(zip(agreement.column("agreement"), agreement.column("errors"), strict=True)) == {
        "assumed valid": 1,
        "4/4 error": 1,
        "2-2 split": 1,
    }
    # Ada reported Foxes and Friday (right) and "won" in u2 (not); Bo the same with Friday night (3 of 4: right);
    # Cleo Foxes (right) and "won" in u1 (1 of 4: not).
    precision = tables["Precision of annotator combinations"]
    alone = dict(zip(precision.column("combination"), precision.column("any"), strict=True))
    assert [alone[name] for name in MARKS] == [pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(1 / 2)]
    recall = tables["Recall of annotator combinations"]
    found = dict(zip(recall.column("combination"), recall.column("any"), strict=True))
    assert [found[name] for name in MARKS] == [1.0, 0.5, 0.5]


def test_verifiers_receive_nothing_of_what_is_hidden(store: Store) -> None:
    house = annotated(store)
    opened = create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    assert opened.campaign.title == "Is it really an error?"  # the source's name may say whose texts they are
    shown = store.read(
        lambda connection: (
            connection.execute(
                select(unit_table.c.shown).where(unit_table.c.name.in_(("u1:5-5", "u1:5-6", "u1:3-3", "u2:3-3")))
            )
            .scalars()
            .all()
        )
    )
    assert len(shown) == 4
    for one in shown:
        assert set(orjson.loads(one)) == {"texts", "context"}
        for secret in ("Ada", "Bo", "Cleo", "alder", "birch", NAME, "gold", "Sunday", "Herons"):
            assert secret not in one


def test_the_gold_list_stays_what_it_was_when_the_campaign_was_derived(store: Store) -> None:
    house = annotated(store)
    create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    (told,) = [one for one in record_of(store, LOOK).events if one.kind == "campaign derived"]
    assert told.facts["gold"] == {"u1": 0, "u2": 0}  # nobody has curated: the automatic proposal
    assert [one.subject for one in record_of(store, NAME).events if one.kind == "campaign derived"] == [LOOK]


@pytest.mark.parametrize("large", [False, True])
def test_a_follow_up_is_never_there_without_where_it_comes_from(
    store: Store, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = annotated(store)
    if large:
        monkeypatch.setattr(lifecycle, "SMALL", 0)
    with monkeypatch.context() as broken:
        broken.setattr(events, "record", _ends_at_the_derivation)
        with pytest.raises(KeyboardInterrupt):
            create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    assert LOOK not in [one.name for one in store.read(lifecycle.list_campaigns)]
    create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")  # nothing is in its way
    for name in (NAME, LOOK):
        assert [one.kind for one in record_of(store, name).events].count("campaign derived") == 1


def test_a_follow_up_is_known_however_much_was_decided_since(store: Store) -> None:
    house = annotated(store)
    create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")

    def decide(connection: Any) -> list[str]:
        row = lifecycle.find_campaign(connection, NAME)
        for number in range(1_100):
            record(connection, row.id, author="test", kind="response approved", subject=str(number))
        return follow_ups(connection, row)

    assert store.write(decide) == [LOOK]


def _ends_at_the_derivation(*given: Any, kind: str, **more: Any) -> None:
    if kind == "campaign derived":
        raise KeyboardInterrupt
    record(*given, kind=kind, **more)


def test_finished_gold_lists_are_taken_instead_of_the_proposal(store: Store) -> None:
    from datetime import UTC, datetime

    from sqlalchemy import Connection, insert

    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.curation.gold_lists.versions import gold_to_json
    from goldmark.records.gold import GoldMistake, GoldText
    from goldmark.store.tables import gold_version

    house = annotated(store)

    def curate(connection: Connection) -> None:
        row = find_campaign(connection, NAME)
        for version, mistakes in ((1, ()), (2, (GoldMistake("u1", Span(2, 3), "WORD"),))):
            number = connection.execute(select(unit_table.c.id).where(unit_table.c.name == "u1")).scalar_one()
            connection.execute(
                insert(gold_version).values(
                    campaign_id=row.id,
                    unit_id=number,
                    question="mistakes",
                    version=version,
                    steps=1,
                    mistakes=gold_to_json(GoldText("u1", mistakes)),
                    author="Cora",
                    at=datetime.now(UTC),
                )
            )

    store.write(curate)
    create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    record = record_of(store, LOOK)
    # Only u1 is curated. Its list holds "won"; Foxes, Friday and Friday night were reported and left out.
    assert sorted(one.id for one in record.units) == ["u1:2-2", "u1:3-3", "u1:5-5", "u1:5-6"]
    assert [one.id for one in record.units if one.hidden["reported"]["in_gold"]] == ["u1:3-3"]  # type: ignore[index]
    look = verified_gold(store, LOOK)
    assert dict(look.basis.versions) == {"u1": 2}
    assert [one.span for one in look.basis.gold] == [Span(2, 3)]


def test_explanations_become_texts_for_two_coders(store: Store) -> None:
    house = House.build(
        store, [unit("u1", system="alder"), unit("u2")], protocol="humanlike", review={"required": False}
    )
    ada = house.person("Ada")
    said = [
        {"source": "definitely_human", "why": "It reads like a friend who tells of a game."},
        {"source": "definitely_machine", "change": "Nobody plays on Friday night in the snow."},
    ]
    for answers in said:
        house.submit(ada, house.task(ada), answers)
    create_follow_up(store, house.links, EXPLANATION_CODING, NAME, name="coding", author="test")
    record = record_of(store, "coding")
    assert (record.protocol, record.settings["labels_per_unit"]) == ("explanation-coding/1", 2)
    texts = sorted(one.shown.texts["text"].text.characters for one in record.units)
    assert texts == [said[0]["why"], said[1]["change"]]
    assert {one.hidden["source"]["question"] for one in record.units} == {"why", "change"}  # type: ignore[index]
    with pytest.raises(NothingToFollowUp, match="mark passages"):
        create_follow_up(store, house.links, VERIFICATION, NAME, name="x", author="test")
    create_follow_up(store, house.links, EXPLANATION_CODING, NAME, name="why-only", question="why", author="test")
    assert len(record_of(store, "why-only").units) == 1
    with pytest.raises(NoFreeText, match=r"'because'.*why, change"):
        create_follow_up(store, house.links, EXPLANATION_CODING, NAME, name="x", question="because", author="test")


def test_responses_become_units_with_their_marks(store: Store) -> None:
    house = annotated(store)
    create_follow_up(store, house.links, RESPONSES, NAME, name="again", labels=2, author="test")
    record = record_of(store, "again")
    assert (record.protocol, len(record.units)) == ("accuracy/1", 6)
    (one,) = [unit for unit in record.units if unit.id == "u1:Bo"]
    marks = [(mark.start, mark.end, mark.label) for mark in one.shown.texts["text"].given]
    assert marks == [(1, 2, "NAME"), (4, 6, "NAME")]
    assert "Bo" not in json.dumps(one.shown.to_json())


def test_what_cannot_be_derived_is_said(store: Store) -> None:
    house = House.build(store, 2)
    for kind in (VERIFICATION, RESPONSES):
        with pytest.raises(NothingToFollowUp, match="no response is final"):
            create_follow_up(store, house.links, kind, NAME, name=LOOK, author="test")
    with pytest.raises(NoFreeText, match="there are: none"):
        create_follow_up(store, house.links, EXPLANATION_CODING, NAME, name=LOOK, author="test")
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    with pytest.raises(NothingToVerify):
        create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    with pytest.raises(NameNotPossible):
        create_follow_up(store, house.links, RESPONSES, NAME, name="Second look", author="test")
    with pytest.raises(CampaignExists):
        create_follow_up(store, house.links, RESPONSES, NAME, name=NAME, author="test")
    with pytest.raises(UnknownFollowUp, match="verification, explanation-coding, responses"):
        find_follow_up("verify")
    with pytest.raises(NotAVerification):
        verified_gold(store, NAME)


def test_codes_by_group_and_condition_and_how_far_coders_agree(store: Store) -> None:
    from goldmark.results.published.humanlike.coded import NothingCoded, code_rows, coded_tables, codes_question

    house = House.build(store, [unit("u1", condition="news"), unit("u2", condition="news")], "humanlike")
    token = house.person("Ada")
    following = house.next(token)
    with pytest.raises(NothingCoded, match="no choice of several codes"):
        coded_tables(record_of(store, NAME), AnalysisOptions())
    while following.task is not None:
        answers = {"source": "definitely_human", "why": "It sounds like a person wrote it."}
        _, following = house.submit(token, following.task, answers)
    create_follow_up(store, house.links, EXPLANATION_CODING, NAME, name=LOOK, author="test")
    move(store, LOOK, "started", author="test")
    with pytest.raises(NothingCoded, match="no response is final yet"):
        coded_tables(record_of(store, LOOK), AnalysisOptions())
    for coder, codes in (("Cora", ["grammar", "factuality"]), ("Dan", ["grammar"])):
        link = annotators.invite(store, house.links, LOOK, coder, author="test")[1]
        following = house.work.next(link)
        while following.task is not None:
            submission = Submission({"reasons": codes}, f"{coder}-{following.task.id:08}", None, 5.0)
            _, following = house.responses.submit(link, following.task.id, submission)
    record = record_of(store, LOOK)
    # Two explanations, two coders: grammar (form) four times, factuality (content) twice, all in one condition.
    rows = code_rows(record, codes_question(record))
    assert sorted((row["coder"], row["code"], row["group"], row["condition"]) for row in rows) == [
        ("Cora", "factuality", "Content", "news"), ("Cora", "factuality", "Content", "news"),
        ("Cora", "grammar", "Form", "news"), ("Cora", "grammar", "Form", "news"),
        ("Dan", "grammar", "Form", "news"), ("Dan", "grammar", "Form", "news"),
    ]  # fmt: skip
    about, agreement = coded_tables(record, AnalysisOptions(resamples=50))
    assert (about.column("group"), about.column("labels")) == (("Form", "Content"), (4, 2))
    assert about.column("percent") == pytest.approx((100 * 4 / 6, 100 * 2 / 6))
    chosen = {row["code"]: row["chosen"] for row in agreement.records()}
    assert (chosen["Grammar and spelling"], chosen["Factuality"], chosen["Genre"]) == (4, 2, 0)


def test_a_tgea_campaign_is_verified_in_one_step(store: Store) -> None:
    """The verifiers' categories are the 24 finer types of the source, under their coarser ones."""
    house = House.build(store, [unit("u1")], "tgea")
    token = house.person("Ada")
    mark = {
        "id": "e1", "start": 4, "end": 5, "label": "combination.predicate_object", "correction": "Monday",
        "rationale": "It was Monday.", "links": {"associated": [{"start": 2, "end": 3}]},
    }  # fmt: skip
    house.submit(token, house.task(token), {"verdict": "erroneous", "errors": [mark]})
    opened = create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    assert opened.campaign.protocol == "verification-of-tgea/1"
    protocol = house.work.content.protocol(opened.campaign.protocol_id)
    category = next(question for question in protocol.questions() if question.id == "category")
    options = {option.id: (option.name, option.group) for option in category.options}  # type: ignore[attr-defined]
    assert set(options) == load("tgea").taxonomies["tgea-24"].leaves
    assert options["combination.predicate_object"] == ("Predicate and object", "Combination")
    move(store, LOOK, "started", author="test")
    said = [{"error": "yes", "category_right": "no", "category": "missing.subject", "subjective": "no"}] * 3
    for number, answers in enumerate([*said, {"error": "no", "subjective": "yes"}]):
        link = annotators.invite(store, house.links, LOOK, f"V{number}", author="test")[1]
        task = house.work.next(link).task
        assert task is not None
        house.responses.submit(link, task.id, Submission(answers, f"V{number}-00000001", None, 5.0))
    look = verified_gold(store, LOOK)
    assert [one.label for one in look.result.kept] == ["combination.predicate_object"]  # 3 of 4 say that it is one
    assert {verdict.category for verdict in look.verdicts if verdict.is_error} == {"missing.subject"}
    assert verification_tables(look, AnalysisOptions(resamples=50))


def test_accuracy_and_its_refinements_get_the_categories_that_they_use(store: Store) -> None:
    plain, dates = load("verification"), load("accuracy-dates")
    assert fitted_to(plain, load("accuracy"), "mistakes") is plain
    fitted = fitted_to(plain, dates, "mistakes")
    category = next(question for question in fitted.questions() if question.id == "category")
    assert "NAME.DATE" in {option.id for option in category.options}  # type: ignore[attr-defined]
