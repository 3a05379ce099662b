"""A study from its file to its report, with programs as participants, through the real application."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy import stats as scipy_stats

from goldmark.campaigns.assignments.responses import AnswerLocked, Submission
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.exchange.formats import export_campaign, import_campaign
from goldmark.people.annotators import JoinClosed, join
from goldmark.people.exclusions import exclude
from goldmark.people.participants import Arrival, TookPartBefore
from goldmark.results.options import AnalysisOptions
from goldmark.stats.mixed_models.rating_models import RatingDesign, linear_rating_model
from goldmark.store import open_store
from goldmark.studies.design.create import create_study, in_strata, keep_plan, plans_of, study_in
from goldmark.studies.design.file import StudyWithTexts
from goldmark.studies.evaluation.exclusions import COPIED, SHORT, suggestions
from goldmark.studies.evaluation.explanation_coding import coding_tables, start_coding
from goldmark.studies.evaluation.outcomes import outcomes_of
from goldmark.studies.evaluation.report import report_of
from goldmark.web.services import Services
from tests.databases import fresh
from tests.studies.small import HUMANLIKE, SUGGESTIONS, Running, changed
from tools.simulate.study import REASONS, Answer, guesser
from tools.simulate.study_texts import readers

SMALL = {
    "factors": {"domain": ["stories"], "model": ["older", "newer"], "training": ["none", "examples"]},
    "participants": 4,
    "training": {"factor": "training", "kits": {"none": "none", "examples": "examples-{domain}"}},
    "tests": [
        {"against": "chance", "where": {"training": "none"}, "each": ["model"]},
        {"compare": "training", "to": "none", "where": {"model": "newer"}},
        {"variance": "model", "where": {"training": "none"}},
        {"pairs": "training", "where": {"model": "newer"}},
    ],
    "tables": [],
    "pay": None,
}
PER_CELL = 4
CELLS = 3  # older untrained, newer untrained, newer with examples


@pytest.fixture
def services(database: str) -> Iterator[Services]:
    opened = Services.open(database)
    yield opened
    opened.store.close()


@pytest.fixture
def lite(sqlite_database: str) -> Iterator[Services]:
    opened = Services.open(sqlite_database)
    yield opened
    opened.store.close()


def small(**changes: object) -> StudyWithTexts:
    made = changed(HUMANLIKE, **(SMALL | changes))
    return replace(made, units=tuple(unit for unit in made.units if unit.hidden["domain"] == "stories"))


def run(services: Services, people: int = CELLS * PER_CELL, seed: int = 3) -> Running:
    running = Running(services, small())
    answer_for = running.guess(lambda levels: 0.95 if levels["model"] == "older" else 0.5, np.random.default_rng(seed))
    for number in range(people):
        running.send(f"worker-{number}", answer_for)
    return running


def test_everybody_gets_one_cell_and_one_batch_and_the_report_says_what_came_out(services: Services) -> None:
    running = run(services)
    record = record_of(services.store, running.study.name)
    counts = Counter(one.facts["condition"] for one in record.annotators)
    assert counts == dict.fromkeys(["stories.older.none", "stories.newer.none", "stories.newer.examples"], PER_CELL)
    assert set(Counter(one.annotator for one in record.final_responses()).values()) == {5}
    for person in record.annotators:
        strata = {
            str(unit.hidden["stratum"])
            for unit in record.units
            if unit.id in {one.unit for one in record.final_responses() if one.annotator == person.id}
        }
        model = str(person.facts["condition"]).split(".")[1]
        assert strata == {"human.stories", f"machine.stories.{model}"}
    with pytest.raises(JoinClosed):
        join(services.store, services.links, running.invite, arrival=Arrival("prolific", "late"))
    report = report_of(running.study, record, resamples=60)
    assert report.flow.analysed == CELLS * PER_CELL
    assert report.registration.before is True
    # Nobody met an item twice, and in each condition a text of a kind has one reader more than another at most.
    assert readers(record) == (CELLS * PER_CELL, 0, 1, 5 * CELLS * PER_CELL)
    older = next(row for row in report.results[0].records() if row["model"] == "older")
    assert float(older["accuracy"] or 0) > 0.8
    assert len(report.conclusions) == 5  # four t-tests and variances, one set of pairs
    # The same from an exported bundle, and from the bundle brought back.
    assert report_of(study_in(record), record, resamples=60) == report


def test_an_exported_study_gives_the_same_report(lite: Services, tmp_path: Path) -> None:
    running = run(lite, people=7)
    record = record_of(lite.store, running.study.name)
    report = report_of(running.study, record, resamples=60)
    export_campaign(record, "jsonl", tmp_path / "study.jsonl")
    assert b"worker-3" not in (tmp_path / "study.jsonl").read_bytes()
    read = import_campaign(tmp_path / "study.jsonl", "jsonl")
    assert report_of(study_in(read), read, resamples=60) == report
    other = open_store(fresh(tmp_path, "other.db"))
    restore(other, read, author="test")
    again = record_of(other, running.study.name)
    assert report_of(study_in(again), again, resamples=60) == report
    other.close()


def test_answers_lock_and_nobody_takes_part_twice_in_a_family(lite: Services) -> None:
    running = run(lite, people=1)
    record = record_of(lite.store, running.study.name)
    first = record.final_responses()[0]
    token = join(lite.store, lite.links, running.invite, arrival=Arrival("simulation", "worker-0", proven=True))
    earlier = lite.responses.earlier(token)
    assert len(earlier) == 5
    with pytest.raises(AnswerLocked):
        lite.responses.submit(token, earlier[0].id, Submission(dict(first.answers), "another-key", None, 1.0))
    sister = small(study="sister")
    opened = create_study(lite.store, lite.links, sister, author="test")
    move(lite.store, "sister", "started", author="test")
    with pytest.raises(TookPartBefore):
        join(lite.store, lite.links, str(opened.invite), arrival=Arrival("simulation", "worker-0"))
    # The follow-up question hangs on the answer, and an explanation is required.
    for one in record.final_responses():
        wanted = "why" if one.answers["source"] == "definitely_human" else "change"
        assert set(one.answers) == {"source", wanted}


def test_who_is_excluded_is_replaced_in_the_same_cell_and_told_in_the_flow(lite: Services) -> None:
    running = run(lite)
    name = running.study.name
    victim = record_of(lite.store, name).annotators[3]
    exclude(lite.store, name, victim.id, author="test", reason="copied", rule=COPIED)
    rng = np.random.default_rng(8)
    running.send("replacement", running.guess(lambda levels: 0.5, rng))
    record = record_of(lite.store, name)
    assert record.annotators[-1].facts["condition"] == victim.facts["condition"]
    outcomes = outcomes_of(running.study, record)
    assert outcomes.flow.excluded == {COPIED: 1}
    assert (outcomes.flow.joined, outcomes.flow.analysed) == (CELLS * PER_CELL + 1, CELLS * PER_CELL)


def test_rules_suggest_the_careless_and_nobody_else(lite: Services) -> None:
    running = Running(lite, small())
    rng = np.random.default_rng(1)
    honest = running.guess(lambda levels: 0.6, rng)
    running.send("honest", honest)
    running.send("short", lambda token: guesser(running.truth, 0.5, rng, reasons=("hm, funny",)))

    def copier(token: str) -> Answer:
        inner = guesser(running.truth, 0.5, rng)

        def answer(unit: Mapping[str, Any]) -> dict[str, Any]:
            answers = dict(inner(unit))
            # Not one long paste, which the server refuses, but short runs of the text.
            words = str(unit["texts"]["text"]["characters"]).split()
            key = "why" if "why" in answers else "change"
            answers[key] = " ".join([*words[20:26], "hm", *words[30:36]])
            return answers

        return answer

    running.send("copier", copier)
    record = record_of(lite.store, running.study.name)
    found = {one.annotator: one.rules for one in suggestions(running.study, record)}
    assert set(found) == {"annotator-2", "annotator-3"}
    assert SHORT in found["annotator-2"]
    assert COPIED in found["annotator-3"]


def test_the_tests_agree_with_scipy_and_statsmodels(lite: Services) -> None:
    running = run(lite)
    record = record_of(lite.store, running.study.name)
    outcomes = outcomes_of(running.study, record)
    report = report_of(running.study, record, resamples=60)
    rows = report.tests[0].records()
    older, newer = outcomes.values(["stories.older.none"]), outcomes.values(["stories.newer.none"])
    trained = outcomes.values(["stories.newer.examples"])
    expected = [
        scipy_stats.ttest_1samp(older, 0.5).pvalue,
        scipy_stats.ttest_1samp(newer, 0.5).pvalue,
        scipy_stats.ttest_ind(trained, newer, equal_var=False).pvalue,
        scipy_stats.f_oneway(older, newer).pvalue,
    ]
    assert [row["p"] for row in rows] == pytest.approx(expected)
    assert [row["p_corrected"] for row in rows] == pytest.approx([min(1.0, 4 * p) for p in expected])
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    tukey = pairwise_tukeyhsd(np.concatenate([newer, trained]), ["none"] * PER_CELL + ["trained"] * PER_CELL)
    assert report.tests[1].records()[0]["p"] == pytest.approx(float(tukey.pvalues[0]), abs=1e-4)


def test_conclusions_have_the_intervals_of_their_correction(lite: Services) -> None:
    """Every interval of a planned test leaves out 0 just where the test found a difference."""
    running = run(lite)
    record = record_of(lite.store, running.study.name)
    tests = yaml.safe_load(running.study.source)["tests"]
    for correction in ("none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"):
        study = small(correction=correction, tests=[*tests, {"against": "chance", "margin": 0.4}]).study
        report = report_of(study, record)
        rows = [row for row in report.tests[0].records() if row["difference_low"] is not None]
        assert rows
        for row in rows:
            low, high = float(row["difference_low"] or 0), float(row["difference_high"] or 0)
            if "equal up to" in str(row["test"]):
                assert row["significant"] == (low > -0.4 and high < 0.4)
                continue
            assert row["significant"] == (low > 0 or high < 0 or 0.0 in (low, high))
        # Each sentence tells the level that its interval has, and the very numbers of the table.
        for row, said in zip(report.tests[0].records(), report.conclusions, strict=False):
            if row["difference_low"] is not None:
                ends = f"{row['difference_low']:.3f} to {row['difference_high']:.3f}"
                assert f"{100 * float(row['level'] or 0):.4g} % interval {ends}" in said
        assert any("equal up to 0.4" in said for said in report.conclusions)


def test_texts_can_be_a_sample_too(lite: Services) -> None:
    """Planned over people and texts, a test is a mixed model: of a complete design it is what the means say."""
    running = run(lite)
    record = record_of(lite.store, running.study.name)
    study = small(tests=[{"against": "chance", "over": over} for over in ("people", "people-and-texts")]).study
    report = report_of(study, record)
    alone, both = report.tests[0].records()
    assert (alone["over"], both["over"]) == ("people", "people and texts")
    assert any("mixed model" in note for note in report.tests[0].notes)
    people = outcomes_of(study, record).participants
    rows = [(one.name, text, value - 0.5) for one in people for text, value in zip(one.texts, one.values, strict=True)]
    names, texts, values = zip(*rows, strict=True)
    design = RatingDesign.of(["all"] * len(rows), texts, names)
    expected = linear_rating_model(design, np.array(values)).contrast(np.ones(1))
    assert (both["difference"], both["p"]) == pytest.approx((expected.value, expected.p))


def test_a_plan_is_written_down_once_and_shown(lite: Services) -> None:
    made = small()
    study = made.study
    digest = keep_plan(lite.store, study, author="test")
    keep_plan(lite.store, study, author="test")
    create_study(lite.store, lite.links, made, author="test")
    plans = lite.store.read(lambda connection: plans_of(connection, study.name))
    assert [(one.digest, one.created) for one in plans] == [(digest, False), (digest, True)]


def test_explanations_are_coded_by_two_and_compared_between_cells(lite: Services) -> None:
    running = run(lite)
    name = running.study.name
    opened = start_coding(lite.store, lite.links, name, name="codes", people=2, seed=4, author="test")
    move(lite.store, "codes", "started", author="test")
    for coder in ("Ann", "Bo"):
        token = join(lite.store, lite.links, str(opened.invite), coder)
        following = lite.work.next(token)
        while following.task is not None:
            words = lite.content.shown_json(following.task.unit_id)
            chosen = ["repetition"] if REASONS[1][:20].encode() in words else ["coherence"]
            key = f"{coder}-{following.task.id:06}"
            _, following = lite.responses.submit(
                token, following.task.id, Submission({"reasons": chosen}, key, None, 5.0)
            )
    record, coded = record_of(lite.store, name), record_of(lite.store, "codes")
    assert len(coded.units) == 2 * CELLS  # one explanation each of two people a cell
    tables = coding_tables(running.study, record, coded, "training", AnalysisOptions(resamples=60))
    shares = tables[0].records()
    assert {row["condition"] for row in shares} == {"training: none", "training: examples"}
    assert {row["group"] for row in shares} == {"Content"}
    agreement = {row["code"]: row["alpha"] for row in tables[1].records()}
    assert agreement["Coherence"] in (1.0, None)  # both coders said the same; None if nobody said otherwise


def test_any_other_study_works_the_same_way(lite: Services) -> None:
    made = changed(SUGGESTIONS, participants=5)
    running = Running(lite, made)

    def marker(token: str) -> Answer:
        helped = running.condition(token) == "suggestions"

        def answer(unit: Mapping[str, Any]) -> dict[str, Any]:
            shown = unit["texts"]["text"]
            marks: list[dict[str, Any]] = [{"id": "e1", "start": 0, "end": 1, "label": "OTHER", "comment": "odd"}]
            assert bool(shown.get("suggested")) == helped  # the page differs as the study says, and in nothing else
            for number, one in enumerate(shown.get("suggested") or ()):
                marks.append(
                    {
                        "id": f"s{number}",
                        "start": one["start"],
                        "end": one["end"],
                        "label": one["label"],
                        "suggested": one["id"],
                        "correction": "x",
                    }
                )
            return {"mistakes": marks}

        return answer

    for number in range(10):
        running.send(f"person-{number}", marker)
    record = record_of(lite.store, made.study.name)
    report = report_of(made.study, record, resamples=60)
    means = {row["help"]: row["mean"] for row in report.results[0].records()}
    assert means == {"none": 1.0, "suggestions": 4.0}
    # Nothing varies within the cells, so there is no test, and the report says why.
    assert "no test could be made" in report.conclusions[0]


def test_texts_that_more_people_read_want_more_labels(lite: Services) -> None:
    made = small()
    units = {unit.id: unit.hidden["labels_wanted"] for unit in in_strata(made)}
    # Three cells of four people read 2.5 human texts each, of which there are five: 4 x 2.5 / 5 a cell, one to spare.
    assert units["S1-human"] == 7
    # One cell reads the older machine's: 4 x 2.5 / 5, and one to spare; two read the newer one's.
    assert (units["S1-older"], units["S1-newer"]) == (3, 5)
    row = create_study(lite.store, lite.links, made, author="test").campaign
    wanted = lite.store.read(lambda connection: progress_of(connection, row)).labels_wanted
    assert wanted == 5 * (7 + 3 + 5)
