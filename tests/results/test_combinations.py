from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations as choose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import ProblemsFound
from goldmark.records.tables import Cell
from goldmark.records.tidy.columns import Frame, MissingColumn
from goldmark.results.options import AnalysisOptions
from goldmark.results.published import catalogue
from goldmark.results.published.accuracy.combinations import TooManyAnnotators
from goldmark.texts.readers.tidy import read_tidy

FAST = AnalysisOptions(resamples=100)


def run(frame: Frame) -> tuple[dict[str, dict[str, Cell]], dict[str, dict[str, Cell]]]:
    recall, precision = catalogue.run("combinations", [frame], FAST)
    return (
        {str(row["combination"]): row for row in recall.records()},
        {str(row["combination"]): row for row in precision.records()},
    )


def venn(regions: dict[str, int], **facts: object) -> Iterator[dict[str, object]]:
    """So many errors found by exactly these people: {"T1 T2": 100}; "" for errors found by nobody."""
    for region, count in regions.items():
        for number in range(count):
            for name in region.split() or [""]:
                yield {"error": f"{region}/{number}", "annotator": name, **facts}


def test_table_5_of_the_accuracy_paper() -> None:
    # The seven regions follow from table 5 by inclusion and exclusion, per mille of the gold list: all three .613;
    # T1-T2 .713 - .613; T1-T3 .678 - .613; T2-T3 .737 - .613; T1 alone .817 - .613 - .100 - .065 and so on.
    regions = {
        "T1 T2 T3": 613, "T1 T2": 100, "T1 T3": 65, "T2 T3": 124, "T1": 39, "T2": 36, "T3": 20, "": 3,
    }  # fmt: skip
    recall, _ = run(Frame.of(venn(regions, gold="yes")))
    published = {
        "T1": (0.817, None, 0.817),
        "T2": (0.873, None, 0.873),
        "T3": (0.822, None, 0.822),
        "T1-T2": (0.978, None, 0.713),
        "T1-T3": (0.962, None, 0.678),
        "T2-T3": (0.958, None, 0.737),
        "T1-T2-T3": (0.998, 0.901, 0.613),
    }
    for name, (any_of, majority, all_of) in published.items():
        row = recall[name]
        assert row["any"] == pytest.approx(any_of, abs=0.0021)  # three roundings add up
        assert row["all"] == pytest.approx(all_of, abs=0.0005)
        assert row["majority"] == (None if majority is None else pytest.approx(majority, abs=0.0015))


def test_table_6_of_the_accuracy_paper() -> None:
    # 1,106 errors were reported by all three, of which .999 right: 1,105. T1-T2 shared 1,298, .995 right: 1,292.
    rows = [*venn({"T1 T2 T3": 1105, "T1 T2": 187}, valid="yes")]
    rows += [{**row, "error": "wrong " + str(row["error"])} for row in venn({"T1 T2 T3": 1, "T1 T2": 5}, valid="no")]
    _, precision = run(Frame.of(rows))
    assert precision["T1-T2-T3"]["all"] == pytest.approx(0.999, abs=0.0005)
    assert precision["T1-T2-T3"]["all_reports"] == 1106
    assert precision["T1-T2"]["all"] == pytest.approx(0.995, abs=0.0005)
    assert precision["T1-T2"]["all_reports"] == 1298


@given(st.lists(st.sets(st.sampled_from(["a", "b", "c"])), min_size=1, max_size=20))
def test_more_people_find_more_and_agree_on_less(finders: list[set[str]]) -> None:
    rows = [{"error": str(i), "annotator": name, "gold": 1} for i, team in enumerate(finders) for name in team or {""}]
    rows += [{"error": "x", "annotator": name, "gold": 1} for name in "abc"]
    recall, _ = run(Frame.of(rows))
    for first, second in choose("abc", 2):
        pair = recall[f"{first}-{second}"]
        alone = recall[first]
        assert pair["any"] >= alone["any"] >= pair["all"]  # type: ignore[operator]
    three = recall["a-b-c"]
    assert three["all"] <= three["majority"] <= three["any"]  # type: ignore[operator]


def test_texts_are_resampled_and_silence_is_told() -> None:
    rows = [
        {"error": f"{text}{i}", "annotator": name, "gold": "y", "valid": "y" if i else "", "text": text}
        for text in ("t1", "t2", "t3")
        for i in range(3)
        for name in ("a", "b")
        if not (name == "b" and text == "t3")
    ]
    recall, precision = catalogue.run("combinations", [Frame.of(rows)], FAST)
    assert "interval:wilson-jackknife-texts" in recall.signature
    assert "b reported nothing in 1 of 3 texts; leave out texts they never saw" in recall.notes
    assert "left out of precision: 3 reported errors not verified" in precision.notes


def test_contradictions_are_named() -> None:
    frame = Frame("r.csv", {"error": ["e", "e"], "annotator": ["a", "b"], "gold": ["y", "n"]}, [2, 3])
    with pytest.raises(ProblemsFound) as found:
        catalogue.run("combinations", [frame])
    assert found.value.problems[0].where == "r.csv:3"


def test_gold_or_valid_is_needed() -> None:
    with pytest.raises(MissingColumn, match="'gold' or 'valid'"):
        catalogue.run("combinations", [Frame.of([{"error": 1, "annotator": "a"}])])


def test_too_many_annotators_are_refused() -> None:
    with pytest.raises(TooManyAnnotators, match="511 sets"):
        catalogue.run("combinations", [Frame.of([{"error": 1, "annotator": i, "gold": 1} for i in range(9)])])


def test_the_three_annotators_of_the_shared_task(shared_data: Path) -> None:
    """Eleven texts of T1 to T3 against the gold list, an error counting as found if spans overlap.

    Published for 90 texts: recall .817, .873 and .822 alone, .958 or more in pairs, .613 for all three. Eleven give
    no more than the neighbourhood. The gold list is what a majority found, so their majority finds nearly all of it.
    """
    lines = (shared_data / "annotators" / "individual_annotations.jsonl").read_text(encoding="utf-8").splitlines()
    people = [row for row in map(json.loads, lines) if row["stage"] == "turker_main_experiment"]
    marks = {
        (row["annotator"], row["text_id"]): [
            (mark["doc_token_start"], mark["doc_token_end"])
            for mark in (*row["marked_spans"], *row["mistake_list"])
            if mark.get("doc_token_start") is not None
        ]
        for row in people
    }
    gold = read_tidy(shared_data / "accuracy-shared-task" / "train" / "gsml.csv").cells
    rows = []
    for number, text in enumerate(name.removesuffix(".txt") for name in gold["TEXT_ID"]):
        first, last = int(gold["DOC_TOKEN_START"][number]), int(gold["DOC_TOKEN_END"][number])
        if ("T1", text) not in marks:
            continue
        finders = [
            name
            for name in ("T1", "T2", "T3")
            if any(start <= last and first <= end for start, end in marks[name, text])
        ]
        rows += [{"error": number, "annotator": name, "gold": "yes", "text": text} for name in finders or [""]]
    recall, _ = run(Frame.of(rows))
    for name in ("T1", "T2", "T3"):
        assert 0.8 < recall[name]["any"] < 0.92  # type: ignore[operator]
    assert all(recall[pair]["any"] > 0.95 for pair in ("T1-T2", "T1-T3", "T2-T3"))  # type: ignore[operator]
    assert recall["T1-T2-T3"]["majority"] > 0.98  # type: ignore[operator]
    assert recall["T1-T2-T3"]["all_low"] < 0.613 < recall["T1-T2-T3"]["all_high"]  # type: ignore[operator]
