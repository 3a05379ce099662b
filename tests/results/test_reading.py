"""What people read first: findings in words, sections in their order, what can be chosen, and the command for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.cli.nouns import app
from goldmark.observations.filter import COUNTING, Filter
from goldmark.protocols import load, parse
from goldmark.records.tables import Cell, Table
from goldmark.results.all_tables import NamedTable, Results, results_of
from goldmark.results.inputs.filter_options import choices_of
from goldmark.results.inputs.questions import AskedQuestion, asked
from goldmark.results.inputs.selection import chosen, command, described, parameters
from goldmark.results.options import AnalysisOptions
from goldmark.results.output.findings import findings
from goldmark.results.output.sections import answered, sections
from goldmark.samples.campaigns import fill
from goldmark.store import Store, open_store
from tests.databases import fresh
from tests.datasets.house import campaign

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
QUESTIONS = (AskedQuestion("good", "Is it?", (0.0, 1.0)), AskedQuestion("marks"), AskedQuestion("verdict"))


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_store(fresh(tmp_path_factory.mktemp("samples")))
    fill(store, now=NOW)
    restore(store, campaign(), name="group", author="test")
    yield store
    store.close()


def results(**tables: list[dict[str, Cell]]) -> Results:
    made = tuple(
        NamedTable(name, "", "", Table.of(name, rows))
        for key, rows in tables.items()
        for name in [key.replace("_", "-")]
    )
    return Results("c", "C", "p/1", "system", (), made, questions=QUESTIONS)


def figure(value: float | None, low: float | None = None, high: float | None = None, **names: Cell) -> dict[str, Cell]:
    return {**names, "value": value, "low": low, "high": high, "n": 12}


def said(found: Results) -> list[tuple[str, str]]:
    return [(one.question, one.words) for one in findings(found)]


# --- findings


def test_the_best_and_the_last_with_how_many_differences_are_real() -> None:
    rows = [figure(0.9, 0.8, 1.0, question="good", system="a"), figure(0.5, 0.4, 0.6, question="good", system="b")]
    pair: dict[str, Cell] = {"question": "good", "significant": True}
    highest = "a has the highest mean, 0.90 [0.80, 1.00]; b the lowest, 0.50 [0.40, 0.60]."
    assert said(results(ratings=rows)) == [("good", highest)]
    assert said(results(ratings=rows, differences=[pair])) == [("good", f"{highest} The difference is significant.")]
    chance = [{**pair, "significant": False}]
    assert said(results(ratings=rows, differences=chance)) == [("good", f"{highest} The difference may be chance.")]
    several = [pair, {**pair, "significant": False}, {**pair, "significant": None}]
    assert said(results(ratings=rows, differences=several)) == [
        ("good", f"{highest} 1 of 2 differences are significant.")
    ]


def test_systems_that_tie_are_named_together() -> None:
    """Whichever comes first in the table, it is not better."""
    a, b, c = (
        figure(0.9, low, 1.0, question="good", system=name) for name, low in zip("abc", (0.8, 0.7, 0.8), strict=True)
    )
    d = figure(0.5, question="good", system="d")
    assert said(results(ratings=[a, b, d])) == [
        ("good", "a and b tie for the highest mean, 0.90 [0.80, 1.00] and 0.90 [0.70, 1.00]; d the lowest, 0.50.")
    ]
    assert said(results(ratings=[d, a, c])) == [
        ("good", "d has the highest mean, 0.50; a and c the lowest, 0.90 [0.80, 1.00].")  # in the order of the table
    ]
    assert said(results(ratings=[a, b, c])) == [
        ("good", "a, b and c have the same mean, 0.90 [0.80, 1.00] and 0.90 [0.70, 1.00].")
    ]
    marks = [figure(value, question="marks", system=name, label="total") for name, value in (("a", 1.0), ("b", 1.0))]
    assert said(results(errors=marks)) == [("marks", "a and b have equally many errors, 1.00 a text.")]
    fewest = [*marks, figure(2.0, question="marks", system="c", label="total")]
    assert said(results(errors=fewest)) == [
        ("marks", "a and b tie for the fewest errors, 1.00 a text; c the most, 2.00.")
    ]
    wins = [figure(0.8, low, 0.9, question="verdict", system=name) for name, low in (("a", 0.6), ("b", 0.7))]
    assert said(results(win_rates=wins)) == [
        (
            "verdict",
            "a and b tie: a is preferred in 80 % [60 to 90 %] of its 12 comparisons and "
            "b is preferred in 80 % [70 to 90 %] of its 12 comparisons.",
        )
    ]


def test_one_system_alone_is_compared_with_nobody() -> None:
    assert said(results(ratings=[figure(0.5, question="good", system="all")])) == [("good", "The mean is 0.50.")]
    marks = [figure(0.9, 0.7, 1.1, question="marks", system="all", label="total")]
    assert said(results(errors=marks)) == [("marks", "A text has 0.90 [0.70, 1.10] errors on average.")]


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert said(results(ratings=[figure(None, question="good", system="a")])) == []
    assert said(results()) == []


def test_choices_of_one_group_and_of_several() -> None:
    def row(system: str, label: str, share: float, count: int) -> dict[str, Cell]:
        return {**figure(share, question="verdict", system=system, label=label), "count": count}

    alone = [row("all", "fine", 0.25, 1), row("all", "odd", 0.75, 3)]
    assert said(results(choices=alone)) == [("verdict", "Most often: odd 75 %, fine 25 %.")]
    two = [row("a", "fine", 0.9, 9), row("a", "odd", 0.1, 1), row("b", "fine", 0.4, 4), row("b", "odd", 0.6, 6)]
    assert said(results(choices=two)) == [("verdict", "fine: from 40 % (b) to 90 % (a).")]


def test_findings_follow_the_questions_and_agreement_comes_last() -> None:
    found = results(
        ratings=[figure(0.5, question="good", system="all")],
        errors=[figure(1.0, question="marks", system="all", label="total")],
        win_rates=[figure(0.8, 0.6, 0.9, question="verdict", system="a")],
        agreement=[
            figure(0.9, 0.8, 1.0, question="good", label="", measure="alpha"),
            figure(0.7, question="good", label="", measure="percent"),
            figure(0.4, 0.3, 0.5, question="marks", label="", measure="gamma"),
        ],
    )
    assert said(found) == [
        ("good", "The mean is 0.50."),
        ("marks", "A text has 1.00 errors on average."),
        ("verdict", "a is preferred in 80 % [60 to 90 %] of its 12 comparisons."),
        ("", "People agree least on marks, gamma 0.40 [0.30, 0.50], and most on good, alpha 0.90 [0.80, 1.00]."),
    ]


@pytest.mark.parametrize(
    "name", ["accuracy", "rating-qa", "rating-summary", "humanlike", "tgea", "pairwise", "best-worst"]
)
def test_every_sample_has_something_to_say(samples: Store, name: str) -> None:
    found = results_of(samples, f"sample-{name}", AnalysisOptions(resamples=50))
    assert findings(found)
    assert answered(found)
    assert sections(found)[0].id == "found"


# --- sections


def test_tables_stand_in_the_order_of_what_was_asked() -> None:
    row: dict[str, Cell] = {"question": "good"}
    found = results(
        coverage=[{"texts": 3}],
        ratings=[{**row, "question": "verdict"}],
        errors=[row],
        something_new=[{"figure": 1.0}],
        agreement=[row],
    )
    parts = sections(found)
    assert [(part.id, [one.name for one in part.tables]) for part in parts] == [
        ("found", ["errors", "ratings", "something-new"]),
        ("agreement", ["agreement"]),
        ("people", ["coverage"]),
    ]
    assert not answered(results(coverage=[{"texts": 3}]))


# --- what was asked


def test_the_ends_of_a_scale_and_the_order_of_its_options() -> None:
    (source, *_) = asked(load("humanlike"))
    assert (source.id, source.scale) == ("source", (1.0, 4.0))
    assert list(source.options) == ["definitely_human", "possibly_human", "possibly_machine", "definitely_machine"]
    protocol = parse(
        "protocol: x/1\ntitle: X\nsteps:\n  - questions:\n"
        "      - {id: grade, kind: number, at_least: 0, at_most: 100}\n"
        "      - {id: free, kind: number}\n"
        "      - {id: down, kind: choice, options: {good: 1, bad: 0}}\n"
        "      - {id: codes, kind: choices, options: [b, a], at_least: 1, at_most: 2}\n"
    )
    grade, free, down, codes = asked(protocol)
    assert (grade.scale, free.scale, down.scale, codes.scale) == ((0.0, 100.0), None, (0.0, 1.0), None)
    assert list(down.options) == ["bad", "good"]
    assert list(codes.options) == ["b", "a"]


# --- choosing


EVERYTHING = chosen(
    systems=["b b", "a"],
    conditions=["c"],
    annotators=["Ann O'Dea"],
    since=datetime(2026, 1, 2, tzinfo=UTC),
    until=datetime(2026, 2, 3, 4, tzinfo=UTC),
    excluded=True,
    tests=True,
)


def test_the_usual_needs_no_parameters() -> None:
    assert list(parameters("system", COUNTING)) == []
    assert command("zoo", "system", COUNTING, "--table", "people") == "goldmark campaign results zoo --table people"
    assert described(COUNTING) == []


def test_a_command_asks_for_what_was_chosen() -> None:
    """Read by the command line's own parser, it gives the same filter."""
    words = shlex.split(command("zoo", "domain", EVERYTHING, "--table", "ratings"))
    _, bound, _ = app["campaign"].parse_args(words[2:], exit_on_error=False, print_error=False)
    given = bound.arguments
    again = chosen(
        systems=given["system"],
        conditions=given["condition"],
        annotators=given["annotator"],
        since=given["since"],
        until=given["until"],
        excluded=given["with_excluded"],
        tests=given["with_tests"],
    )
    assert (given["by"], again, given["table"]) == ("domain", EVERYTHING, ("ratings",))


def test_what_was_chosen_in_words() -> None:
    assert described(EVERYTHING) == [
        "only systems a, b b",
        "only condition c",
        "only annotator Ann O'Dea",
        "only answers from 2026-01-02 on",
        "only answers before 2026-02-03",
    ]
    assert described(Filter(systems=frozenset({"a"}))) == ["only system a"]


def test_what_can_be_chosen(samples: Store) -> None:
    found = choices_of(samples, "sample-rating-qa")
    assert found.systems == ("alder", "birch", "cedar")
    assert found.annotators == ("Ada", "Bo", "Cleo")
    assert found.conditions == ()
    assert found.by[:2] == ("system", "annotator")  # nobody was drawn for a condition
    assert choices_of(samples, "sample-pairwise").systems == ("alder", "birch")  # of both texts of a unit
    assert not {"system_a", "system_b"} & set(choices_of(samples, "sample-pairwise").by)
    for by in choices_of(samples, "group").by:
        assert results_of(samples, "group", AnalysisOptions(resamples=20), by=by).tables
