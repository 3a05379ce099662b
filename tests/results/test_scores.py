"""Scores of whole lists: the shared task's figures, undefined figures, intervals, comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.results.scoring.comparison import compare
from goldmark.results.scoring.scores import MEASURES, score
from goldmark.texts.readers.gsml import CATEGORIES, read_mistakes, read_spaced_texts

LABELS = ("NAME", "WORD")


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def mistakes(*places: tuple[str, int, str]) -> list[Mistake]:
    return [Mistake(text, Span(start, start + 1), label) for text, start, label in places]


# Overall: the figures published with the data (its README). Categories: the shared task's rule written with plain sets
# of token ids over the rows of that category in the order of the file, run once and rounded.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "laval_metric_TRAIN_texts.csv": {
        "overall": (0.485, 0.308, 0.435, 0.342),
        "NAME": (0.527, 0.671, 0.570, 0.694),
        "NUMBER": (0.300, 0.377, 0.293, 0.360),
        "WORD": (0.578, 0.203, 0.413, 0.224),
        "CONTEXT": (0, 0, 0, 0),
        "NOT_CHECKABLE": (0.595, 0.103, 0.278, 0.153),
    },
    "gsml_sent_based.csv": {"overall": (1, 1, 1, 1), "OTHER": (1, 1, 1, 1)},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_shared_tasks_figures(shared_data: Path, name: str) -> None:
    folder = shared_data / "accuracy-shared-task"
    texts = read_spaced_texts(folder / "train" / "texts")
    gold = read_mistakes(folder / "train" / "gsml.csv", texts)
    submitted = read_mistakes(folder / "example_submissions" / name, texts)
    sheet = score(gold, submitted, texts=texts, categories=CATEGORIES, rng=rng(), resamples=200)
    for row, expected in PUBLISHED[name].items():
        values = [getattr(sheet.rows[row], measure).value for measure in MEASURES]
        assert values == pytest.approx(expected, abs=0.0005)


@pytest.mark.parametrize("name", ["submission.csv", "submission_doc_based.csv", "submission_sent_based.csv"])
def test_both_kinds_of_ids_give_the_same_score(shared_data: Path, name: str) -> None:
    folder = shared_data / "accuracy-shared-task"
    texts = read_spaced_texts(folder / "train" / "texts")
    gold = read_mistakes(folder / "train" / "gsml.csv", texts)
    submitted = read_mistakes(folder / "example_submissions" / name, texts)
    sheet = score(gold, submitted, texts=texts, categories=CATEGORIES, rng=rng(), resamples=200)
    # 350 of 1,214 gold mistakes found by 571 submitted ones.
    assert sheet.rows["overall"].counts[:3] == (350, 1214, 571)


def test_a_category_is_compared_with_itself_alone() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "WORD"))
    submitted = mistakes(("a", 0, "WORD"), ("b", 0, "WORD"))
    sheet = score(gold, submitted, texts=["a", "b", "c"], categories=LABELS, rng=rng())
    assert sheet.rows["overall"].recall.value == 1
    assert sheet.rows["NAME"].recall.value == 0
    assert sheet.rows["NAME"].precision.value is None
    assert sheet.rows["NAME"].precision.reason == "the submitted list has no mistake of category NAME"
    assert sheet.rows["WORD"].precision.value == 0.5


def test_an_empty_submission_has_no_precision_and_an_empty_gold_list_no_recall() -> None:
    some = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    sheet = score(some, [], texts=["a", "b"], categories=LABELS, rng=rng())
    assert (sheet.rows["overall"].recall.value, sheet.rows["overall"].precision.value) == (0, None)
    sheet = score([], some, texts=["a", "b"], categories=LABELS, rng=rng())
    assert (sheet.rows["overall"].recall.value, sheet.rows["overall"].precision.value) == (None, 0)
    assert sheet.rows["overall"].token_recall.reason == "the gold list has no mistake"


def test_one_text_gives_a_value_without_interval() -> None:
    some = mistakes(("a", 0, "NAME"))
    figure = score(some, some, texts=["a"], categories=LABELS, rng=rng()).rows["overall"].recall
    assert figure.value == 1
    assert figure.interval is None
    assert figure.reason == "no interval: one unit alone cannot be resampled"
    assert figure.used == 1


def test_the_interval_of_two_texts_by_hand() -> None:
    # Found are the one mistake of "a", two of its three words, and one of the three of "b"; one of "b" is invented. The
    # resamples a a and b b are the extremes of every measure.
    gold = [Mistake("a", Span(0, 3), "NAME"), *mistakes(("b", 0, "NAME"), ("b", 2, "NAME"), ("b", 4, "NAME"))]
    submitted = [Mistake("a", Span(1, 3), "NAME"), *mistakes(("b", 0, "NAME"), ("b", 8, "NAME"))]
    row = score(gold, submitted, texts=["a", "b"], categories=LABELS, rng=rng()).rows["overall"]
    figures = (row.recall, row.precision, row.token_recall, row.token_precision)
    assert [figure.value for figure in figures] == pytest.approx([2 / 4, 2 / 3, 3 / 6, 3 / 4])
    ends = [(1 / 3, 1), (1 / 2, 1), (1 / 3, 2 / 3), (1 / 2, 1)]
    assert [figure.interval and figure.interval[:2] for figure in figures] == [pytest.approx(pair) for pair in ends]
    assert [figure.used for figure in figures] == [4, 3, 6, 4]


def test_the_interval_of_recall_has_the_width_that_theory_gives() -> None:
    # 400 texts of one gold mistake each, found with probability 0.7: recall is a mean of 400 independent zeros and
    # ones, with standard error sqrt(r (1 - r) / 400).
    found = np.random.default_rng(3).random(400) < 0.7
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(400)))
    submitted = [mistake for mistake, hit in zip(gold, found, strict=True) if hit]
    texts = [f"t{i}" for i in range(400)]
    recall = score(gold, submitted, texts=texts, categories=LABELS, rng=rng(), resamples=4000).rows["overall"].recall
    assert recall.value is not None
    assert recall.interval is not None
    error = 1.96 * np.sqrt(recall.value * (1 - recall.value) / 400)
    assert recall.interval.low == pytest.approx(recall.value - error, abs=0.006)
    assert recall.interval.high == pytest.approx(recall.value + error, abs=0.006)


def test_a_list_does_not_differ_from_itself() -> None:
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(20)))
    some = gold[::2]
    texts = [f"t{i}" for i in range(20)]
    row = compare(gold, some, some, texts=texts, categories=LABELS, rng=rng()).rows["overall"]["recall"]
    assert row.difference.value == 0
    assert row.difference.interval is not None
    assert row.difference.interval[:2] == (0, 0)
    assert row.p == 1


def test_the_p_value_of_a_clean_sweep() -> None:
    # First finds all eight mistakes, second none, one per text: only the 2 of 2^8 swappings that swap none or all
    # differ as much, so p = 2/256.
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(8)))
    texts = [f"t{i}" for i in range(8)]
    other = mistakes(*((f"t{i}", 5, "NAME") for i in range(8)))
    rows = compare(gold, gold, other, texts=texts, categories=LABELS, rng=rng(), resamples=40_000).rows
    assert rows["overall"]["recall"].difference.value == 1
    assert rows["overall"]["recall"].p == pytest.approx(2 / 256, abs=0.002)
    assert rows["WORD"]["recall"].p is None
    assert rows["WORD"]["recall"].difference.reason == "the gold list has no mistake of category WORD"


def test_two_texts_can_be_resampled_and_one_cannot() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    row = compare(gold, gold, gold[1:], texts=["a", "b"], categories=LABELS, rng=rng()).rows["overall"]["recall"]
    # A resample has text "a", in which alone the lists differ by its one mistake, never, once or twice.
    assert (row.first.value, row.second.value, row.difference.value) == (1, 0.5, 0.5)
    assert row.difference.interval is not None
    assert row.difference.interval[:2] == (0, 1)
    assert (row.first.interval, row.second.interval) == (None, None)  # what is told is how sure the difference is
    alone = mistakes(("a", 0, "NAME"), ("a", 2, "NAME"))
    row = compare(alone, alone, alone[1:], texts=["a"], categories=LABELS, rng=rng()).rows["overall"]["recall"]
    assert (row.first.value, row.second.value, row.difference.value) == (1, 0.5, 0.5)
    assert row.difference.interval is None
    assert row.difference.reason == "no interval: one unit alone cannot be resampled"


def test_every_measure_has_the_interval_of_its_own_difference() -> None:
    # Both find the mistake of every text, the second with one word too many: only its token precision is worse.
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(5)))
    wide = [Mistake(one.text_id, Span(0, 2), "NAME") for one in gold]
    row = compare(gold, gold, wide, texts=[one.text_id for one in gold], categories=(), rng=rng()).rows["overall"]
    seen = {measure: (one.difference.value, one.difference.interval) for measure, one in row.items()}
    assert {measure: (value, interval and interval[:2]) for measure, (value, interval) in seen.items()} == {
        "recall": (0, (0, 0)),
        "precision": (0, (0, 0)),
        "token_recall": (0, (0, 0)),
        "token_precision": (0.5, (0.5, 0.5)),
    }


def test_a_comparison_names_the_list_that_has_nothing() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    for lists, missing in (((gold, []), "second"), (([], gold), "first")):
        row = compare(gold, *lists, texts=["a", "b"], categories=LABELS, rng=rng()).rows["overall"]["precision"]
        assert row.difference.value is None
        assert row.difference.reason == f"the {missing} list has no mistake"


@pytest.mark.parametrize(("seeded", "told"), [({}, "none"), ({"seed": 0}, "0"), ({"seed": 17}, "17")])
def test_signatures_tell_what_was_done_and_with_which_seed(seeded: dict[str, int], told: str) -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    options: dict[str, Any] = {"texts": ["a", "b", "c"], "categories": LABELS, "rng": rng(), "resamples": 50, **seeded}
    how = "match:token-overlap-once|texts:3|categories:NAME+WORD|interval:percentile-95-texts"
    counted = f"{how}|resamples:50|seed:{told}|"
    assert str(score(gold, gold, **options).signature).startswith(counted)
    assert str(compare(gold, gold, gold, **options).signature).startswith(f"test:paired-randomisation|{counted}")


def test_p_values_are_fair_when_there_is_no_difference() -> None:
    # Both lists find each mistake with probability 0.5, so p is about uniform: at most 5 % below 0.05, with some slack.
    texts = [f"t{i}" for i in range(30)]
    gold = mistakes(*((text, 0, "NAME") for text in texts))
    small = 0
    for seed in range(200):
        luck = np.random.default_rng(seed)
        lists = [[mistake for mistake in gold if luck.random() < 0.5] for _ in range(2)]
        p = compare(gold, *lists, texts=texts, categories=(), rng=luck, resamples=200).rows["overall"]["recall"].p
        small += p is not None and p <= 0.05
    assert small <= 20
