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
    sheet = score(gold, submitted, texts=texts, categories=CATEGORIES)
    for row, expected in PUBLISHED[name].items():
        values = [getattr(sheet.rows[row], measure).value for measure in MEASURES]
        assert values == pytest.approx(expected, abs=0.0005)


@pytest.mark.parametrize("name", ["submission.csv", "submission_doc_based.csv", "submission_sent_based.csv"])
def test_both_kinds_of_ids_give_the_same_score(shared_data: Path, name: str) -> None:
    folder = shared_data / "accuracy-shared-task"
    texts = read_spaced_texts(folder / "train" / "texts")
    gold = read_mistakes(folder / "train" / "gsml.csv", texts)
    submitted = read_mistakes(folder / "example_submissions" / name, texts)
    sheet = score(gold, submitted, texts=texts, categories=CATEGORIES)
    # 350 of 1,214 gold mistakes found by 571 submitted ones.
    assert sheet.rows["overall"].counts[:3] == (350, 1214, 571)


def test_a_category_is_compared_with_itself_alone() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "WORD"))
    submitted = mistakes(("a", 0, "WORD"), ("b", 0, "WORD"))
    sheet = score(gold, submitted, texts=["a", "b", "c"], categories=LABELS)
    assert sheet.rows["overall"].recall.value == 1
    assert sheet.rows["NAME"].recall.value == 0
    assert sheet.rows["NAME"].precision.value is None
    assert sheet.rows["NAME"].precision.reason == "the submitted list has no mistake of category NAME"
    assert sheet.rows["WORD"].precision.value == 0.5


def test_an_empty_submission_has_no_precision_and_an_empty_gold_list_no_recall() -> None:
    some = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    sheet = score(some, [], texts=["a", "b"], categories=LABELS)
    assert (sheet.rows["overall"].recall.value, sheet.rows["overall"].precision.value) == (0, None)
    sheet = score([], some, texts=["a", "b"], categories=LABELS)
    assert (sheet.rows["overall"].recall.value, sheet.rows["overall"].precision.value) == (None, 0)
    assert sheet.rows["overall"].token_recall.reason == "the gold list has no mistake"


def test_one_text_gives_a_value_without_interval() -> None:
    some = mistakes(("a", 0, "NAME"))
    figure = score(some, some, texts=["a"], categories=LABELS).rows["overall"].recall
    assert figure.value == 1
    assert figure.interval is None
    assert figure.reason == "no interval: one text alone does not tell how texts differ"
    assert figure.used == 1


def test_the_interval_of_two_texts_by_hand() -> None:
    # Found are the one mistake of "a" and one of the three of "b". Without "a" recall is 1/3, without "b" 1: the
    # jackknife's variance is 1/2 * 2 * (1/3)^2 = 1/9, as of (1/4) / (1/9) = 9/4 independent mistakes. t(1) = 12.706.
    gold = [Mistake("a", Span(0, 3), "NAME"), *mistakes(("b", 0, "NAME"), ("b", 2, "NAME"), ("b", 4, "NAME"))]
    submitted = [Mistake("a", Span(1, 3), "NAME"), *mistakes(("b", 0, "NAME"), ("b", 8, "NAME"))]
    row = score(gold, submitted, texts=["a", "b"], categories=LABELS).rows["overall"]
    figures = (row.recall, row.precision, row.token_recall, row.token_precision)
    assert [figure.value for figure in figures] == pytest.approx([2 / 4, 2 / 3, 3 / 6, 3 / 4])
    assert [figure.used for figure in figures] == [4, 3, 6, 4]
    reach = 12.7062 / (1 + 161.4476 / 2.25) * (0.25 / 2.25 + 161.4476 / (4 * 2.25**2)) ** 0.5
    assert row.recall.interval is not None
    assert row.recall.interval[:2] == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-5)


def test_the_interval_of_recall_has_the_width_that_theory_gives() -> None:
    # 400 texts of one gold mistake each, found with probability 0.7: recall is a mean of 400 independent zeros and
    # ones, with standard error sqrt(r (1 - r) / 400).
    found = np.random.default_rng(3).random(400) < 0.7
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(400)))
    submitted = [mistake for mistake, hit in zip(gold, found, strict=True) if hit]
    texts = [f"t{i}" for i in range(400)]
    recall = score(gold, submitted, texts=texts, categories=LABELS).rows["overall"].recall
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
    assert row.difference.interval is None
    assert "never differ" in row.difference.reason
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


def test_two_texts_have_an_interval_and_one_has_none() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    row = compare(gold, gold, gold[1:], texts=["a", "b"], categories=LABELS, rng=rng()).rows["overall"]["recall"]
    assert (row.first.value, row.second.value, row.difference.value) == (1, 0.5, 0.5)
    assert row.difference.interval is not None
    assert row.difference.interval.low < 0 < 0.5 < row.difference.interval.high <= 1
    assert (row.first.interval, row.second.interval) == (None, None)  # what is told is how sure the difference is
    alone = mistakes(("a", 0, "NAME"), ("a", 2, "NAME"))
    row = compare(alone, alone, alone[1:], texts=["a"], categories=LABELS, rng=rng()).rows["overall"]["recall"]
    assert (row.first.value, row.second.value, row.difference.value) == (1, 0.5, 0.5)
    assert row.difference.interval is None
    assert row.difference.reason == "no interval: one text alone does not tell how texts differ"


def test_every_measure_has_the_interval_of_its_own_difference() -> None:
    # Both find the mistake of every text, the second with one word too many: only its token precision is worse.
    gold = mistakes(*((f"t{i}", 0, "NAME") for i in range(5)))
    wide = [Mistake(one.text_id, Span(0, 2), "NAME") for one in gold]
    row = compare(gold, gold, wide, texts=[one.text_id for one in gold], categories=(), rng=rng()).rows["overall"]
    for measure in ("recall", "precision", "token_recall"):
        assert row[measure].difference.value == 0
        assert "never differ" in row[measure].difference.reason
    worse = row["token_precision"].difference
    assert worse.value == 0.5
    assert worse.interval is not None
    assert worse.interval.low < 0.5 < worse.interval.high


def test_a_comparison_names_the_list_that_has_nothing() -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    for lists, missing in (((gold, []), "second"), (([], gold), "first")):
        row = compare(gold, *lists, texts=["a", "b"], categories=LABELS, rng=rng()).rows["overall"]["precision"]
        assert row.difference.value is None
        assert row.difference.reason == f"the {missing} list has no mistake"


@pytest.mark.parametrize(("seeded", "told"), [({}, "none"), ({"seed": 0}, "0"), ({"seed": 17}, "17")])
def test_signatures_tell_what_was_done_and_with_which_seed(seeded: dict[str, Any], told: str) -> None:
    gold = mistakes(("a", 0, "NAME"), ("b", 0, "NAME"))
    options: dict[str, Any] = {"texts": ["a", "b", "c"], "categories": LABELS}
    how = "match:token-overlap-once|texts:3|categories:NAME+WORD|interval:wilson-jackknife-95-texts|"
    assert str(score(gold, gold, **options).signature).startswith(how)
    compared = compare(gold, gold, gold, **options, rng=rng(), resamples=50, **seeded)
    assert str(compared.signature).startswith(f"test:paired-randomisation|flips:50|seed:{told}|{how}")


def test_none_of_51_is_not_certain_to_be_none() -> None:
    # 17 texts with three mistakes each, none found: Wilson on 17 texts with t(16) = 2.12 reaches 2.12^2/(17 + 2.12^2).
    gold = mistakes(*((f"t{text}", place, "NAME") for text in range(17) for place in range(3)))
    figure = score(gold, [], texts=[f"t{text}" for text in range(17)], categories=LABELS).rows["overall"].recall
    assert figure.value == 0
    assert figure.interval is not None
    assert (figure.interval.low, figure.interval.high) == pytest.approx((0, 4.494 / 21.494), abs=1e-3)


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
