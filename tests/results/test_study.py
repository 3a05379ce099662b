from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.errors import ProblemsFound
from goldmark.records.tidy.columns import Frame
from goldmark.results.options import AnalysisOptions
from goldmark.results.published import catalogue
from goldmark.results.published.humanlike.study import NoSuchCondition, read_answer

FAST = AnalysisOptions(resamples=200)
ANSWERS = ("definitely human", "possibly human", "possibly machine", "definitely machine")


def simulated(skills: dict[str, float], evaluators: int = 60) -> Frame:
    """Each evaluator judges five texts of one domain and is right with the condition's probability."""
    rng = np.random.default_rng(7)
    rows = []
    for condition, skill in skills.items():
        for person in range(evaluators):
            domain = ("stories", "news", "recipes")[person % 3]
            for text in rng.choice(20, size=5, replace=False):
                machine = text % 2 == 1
                says_machine = machine == (rng.random() < skill)
                rows.append(
                    {
                        "evaluator": f"{condition}{person}",
                        "text": f"{domain}{text}",
                        "truth": "machine" if machine else "human",
                        "answer": ANSWERS[2 * says_machine + rng.integers(2)],
                        "condition": condition,
                        "domain": domain,
                    }
                )
    return Frame.of(rows)


@pytest.fixture(scope="module")
def frame() -> Frame:
    return simulated({"none": 0.5, "instructions": 0.55, "examples": 0.75})


def test_every_column_agrees_with_other_tools(frame: Frame) -> None:
    from sklearn.metrics import precision_recall_fscore_support

    table = catalogue.run("study", [frame], FAST)[0]
    rows = {(row["condition"], row["domain"]): row for row in table.records()}
    assert len(rows) == 12  # three conditions, each in all and in three domains
    own = [place for place, condition in enumerate(frame.cells["condition"]) if condition == "examples"]
    truth = [frame.cells["truth"][place] for place in own]
    answers = [frame.cells["answer"][place] for place in own]
    said = [answer.split()[1] for answer in answers]
    row = rows["examples", "all"]
    precision, recall, f1, _ = precision_recall_fscore_support(truth, said, labels=["machine"])
    assert row["precision"] == pytest.approx(precision[0])
    assert row["recall"] == pytest.approx(recall[0])
    assert row["f1"] == pytest.approx(f1[0])
    right = [a == b for a, b in zip(truth, said, strict=True)]
    assert row["accuracy"] == pytest.approx(np.mean(right))
    assert row["percent_human"] == pytest.approx(100 * np.mean([word == "human" for word in said]))
    confident = [answer.startswith("definitely") for answer in answers]
    assert row["percent_confident"] == pytest.approx(100 * np.mean(confident))
    # The test: one accuracy per evaluator, five answers each, in order.
    reference = stats.ttest_1samp(np.array(right).reshape(60, 5).mean(axis=1), 0.5)
    assert (row["t"], row["p"]) == pytest.approx((reference.statistic, reference.pvalue))
    assert row["p_bonferroni"] == pytest.approx(min(1, 12 * reference.pvalue))
    assert row["significant"] is True
    assert rows["none", "all"]["significant"] is False


def test_comparisons_variance_and_tukey(frame: Frame) -> None:
    _, compared, variance, tukey, signal = catalogue.run("study", [frame], AnalysisOptions(baseline="none"))
    assert [row["condition"] for row in signal.records()].count("none") == 4  # together and in three domains
    rows = {(row["condition"], row["domain"]): row for row in compared.records()}
    assert set(rows) == {(c, d) for c in ("instructions", "examples") for d in ("all", "stories", "news", "recipes")}
    best = rows["examples", "all"]
    assert best["significant"] is True
    assert best["d_low"] < best["d"] < best["d_high"]  # type: ignore[operator]
    factors = {row["factor"]: row for row in variance.records()}
    assert factors["condition"]["p"] < 0.001  # type: ignore[operator]
    assert factors["condition"]["freedom_within"] == 177  # 180 evaluators, 3 conditions
    assert "domain, in none" in factors
    assert {(row["first"], row["second"]) for row in tukey.records()} == {
        ("none", "instructions"),
        ("none", "examples"),
        ("instructions", "examples"),
    }


@pytest.mark.parametrize(
    ("recall", "precision", "f1"),
    [(0.56, 0.64, 0.60), (0.47, 0.60, 0.52), (0.40, 0.59, 0.48), (0.37, 0.54, 0.44), (0.53, 0.58, 0.55)],
)
def test_f1_of_tables_1_and_2(recall: float, precision: float, f1: float) -> None:
    """The published F1 follows from the published precision and recall, as ours does from its counts."""
    # 10,000 machine texts; `found` of them are called machine, and precision gives how many calls there are.
    found = round(10_000 * recall)
    wrong = round(found / precision) - found
    rows = [("machine", "machine")] * found + [("machine", "human")] * (10_000 - found) + [("human", "machine")] * wrong
    frame = Frame.of([{"evaluator": "e", "text": i, "truth": t, "answer": a} for i, (t, a) in enumerate(rows)])
    row = catalogue.run("study", [frame], FAST)[0].records()[0]
    assert row["f1"] == pytest.approx(f1, abs=0.0101)  # two roundings of half a hundredth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Definitely human-written", (False, True)),
        ("possibly_human", (False, False)),
        ("Possibly machine-generated", (True, False)),
        ("4", (True, True)),
        ("1", (False, True)),
        ("5", None),
        ("human or machine", None),
    ],
)
def test_answers_in_words_and_numbers(text: str, expected: tuple[bool, bool] | None) -> None:
    assert read_answer(text) == expected


def test_answers_that_are_not_understood_are_all_named() -> None:
    frame = Frame(
        "s.csv",
        {"evaluator": ["e"] * 3, "text": ["1", "2", "3"], "truth": ["human"] * 3, "answer": ["human", "maybe", "9"]},
        [2, 3, 4],
    )
    with pytest.raises(ProblemsFound) as found:
        catalogue.run("study", [frame])
    assert [problem.where for problem in found.value.problems] == ["s.csv:3", "s.csv:4"]


def test_an_answer_given_twice_is_refused() -> None:
    rows = [{"evaluator": "e", "text": "t", "truth": "human", "answer": answer} for answer in "13"]
    with pytest.raises(ProblemsFound) as found:
        catalogue.run("study", [Frame.of(rows)])
    assert "'e' judged 't' before" in str(found.value.problems[0])


def test_an_unknown_baseline_is_refused(frame: Frame) -> None:
    with pytest.raises(NoSuchCondition, match="none, instructions, examples"):
        catalogue.run("study", [frame], AnalysisOptions(baseline="nothing"))


def test_one_evaluator_gives_no_test() -> None:
    frame = Frame.of([{"evaluator": "e", "text": i, "truth": "machine", "answer": "4"} for i in range(3)])
    table = catalogue.run("study", [frame], FAST)[0]
    row = table.records()[0]
    assert row["accuracy"] == 1
    assert row["p"] is None
    assert row["alpha"] is None
    assert any("no test" in note for note in table.notes)
