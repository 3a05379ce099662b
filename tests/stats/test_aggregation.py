"""Label aggregation: published accuracies, other tools' values, brute force, and invariances."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from goldmark.stats.inference.proportions import exact_interval
from goldmark.stats.models.aggregation import (
    Aggregated,
    ColumnsDiffer,
    ItemLabels,
    NoConfusionMatrix,
    NoLabels,
    NoSuchAnnotator,
    majority,
)
from goldmark.stats.models.glad import glad
from goldmark.stats.models.latent_truth import aggregate, dawid_skene, mace, one_coin

Row = tuple[str, str, str]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def labels_of(rows: list[Row]) -> ItemLabels:
    items, annotators, values = zip(*rows, strict=True)
    return ItemLabels.of(items, annotators, values)


def read(path: Path, item: str = "task", annotator: str = "worker") -> tuple[ItemLabels, dict[object, str]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    truth: dict[object, str] = {row[item]: row["gold"] for row in rows if row.get("gold")}
    return ItemLabels.of(*([row[column] for row in rows] for column in (item, annotator, "label"))), truth


def crowd(
    seed: int, items: int = 300, annotators: int = 12, each: int = 5, values: int = 3
) -> tuple[list[Row], list[str]]:
    """Annotators of very different accuracy; those who err choose at random among all values."""
    random, values = rng(seed), 3
    truth = random.integers(0, values, size=items)
    accuracy = np.linspace(0.1, 0.95, annotators)
    rows = []
    for item in range(items):
        for annotator in random.choice(annotators, size=each, replace=False):
            right = random.uniform() < accuracy[annotator]
            said = truth[item] if right else random.integers(0, values)
            rows.append((f"i{item:03}", f"a{annotator:02}", f"v{said}"))
    return rows, [f"v{value}" for value in truth]


rows_of_labels = st.lists(
    st.tuples(st.sampled_from("pqrstu"), st.sampled_from("ABCD"), st.sampled_from("xyz")), min_size=1, max_size=40
)
METHODS = st.sampled_from(["majority", "dawid-skene", "one-coin", "mace", "glad"])


@pytest.mark.parametrize(
    ("file", "method", "accuracy"),
    [
        # Published with the data: vote .897 (ties broken at random), Dawid-Skene .9275.
        ("snow2008_rte", "majority", 0.897),
        ("snow2008_rte", "dawid-skene", 0.9275),
        # crowd-kit 1.4.2, OneCoinDawidSkene(n_iter=1000, tol=1e-9): .925, .58333, .91678.
        ("snow2008_rte", "one-coin", 0.925),
        ("bluebirds", "one-coin", 0.58333),
        ("act_sp", "one-coin", 0.91678),
        # Published with the data: vote .759, Dawid-Skene .898.
        ("bluebirds", "majority", 0.759),
        ("bluebirds", "dawid-skene", 0.898),
        # crowd-kit 1.4.2, MACE(n_iter=200): .86111.
        ("bluebirds", "mace", 0.86111),
        # crowd-kit 1.4.2, GLAD(n_iter=300, tol=1e-9, m_step_max_iter=200): .72222.
        ("bluebirds", "glad", 0.72222),
    ],
)
def test_published_accuracies(shared_data: Path, file: str, method: str, accuracy: float) -> None:
    labels, truth = read(shared_data / "crowd" / f"{file}.csv")
    done = aggregate(labels, method, rng=rng())  # type: ignore[arg-type]
    assert done.accuracy(truth).value == pytest.approx(accuracy, abs=0.0005)


@pytest.mark.parametrize(("file", "at_least"), [("snow2008_rte", 0.92), ("act_sp", 0.914)])
def test_mace_is_as_accurate_as_others_find_it(shared_data: Path, file: str, at_least: float) -> None:
    # crowd-kit 1.4.2, MACE(n_restarts=1, n_iter=200): .915 and .91398.
    labels, truth = read(shared_data / "crowd" / f"{file}.csv")
    done = mace(labels, rng=rng())
    value = done.accuracy(truth).value
    assert done.ending is not None
    assert done.ending.converged
    assert value is not None
    assert value >= at_least


def test_the_patients_of_1979(shared_data: Path) -> None:
    # Shares of the four grades, the first observer's error rates, log likelihood and the probabilities of patients 7,
    # 35 and 38: the estimates of Dawid and Skene (1979) as recomputed by github.com/alexandry-augustin/dawid_skene.
    with (shared_data / "crowd" / "dawid_skene_1979_anesthesia.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = ItemLabels.of(
        [int(row["patient"]) for row in rows], [row["observer"] for row in rows], [row["label"] for row in rows]
    )
    assert labels.repeated == 90  # the first observer graded each of the 45 patients three times
    done = dawid_skene(labels, tolerance=1e-10)
    assert done.ending is not None
    assert done.ending.converged
    assert done.ending.log_likelihood == pytest.approx(-192.89088, abs=1e-4)
    assert done.shares == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=0.005)
    assert done.confusion("1") == pytest.approx(
        np.array([[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]), abs=0.006
    )
    assert done.posterior[[6, 34, 37]] == pytest.approx(
        np.array([[0.981, 0.019, 0, 0], [0, 0.948, 0.052, 0], [0, 0.0212, 0.9788, 0]]), abs=0.0006
    )


def test_majority_reports_ties() -> None:
    done = majority(labels_of([("p", "A", "x"), ("p", "B", "y"), ("q", "A", "x"), ("q", "B", "x"), ("q", "C", "y")]))
    assert done.chosen() == {"p": None, "q": "x"}
    assert done.tied == ("p",)
    # The tie counts a half if it holds the truth, as breaking it at random would on average.
    assert done.accuracy({"p": "y", "q": "x"}).value == pytest.approx(0.75)
    # A: half of p and all of q; B the same; C: none of q.
    assert done.reliability == pytest.approx([0.75, 0.75, 0.0])


def test_accuracy_without_any_truth_says_so() -> None:
    figure = majority(labels_of([("p", "A", "x")])).accuracy({"z": "x"})
    assert figure.value is None
    assert "known truth" in figure.reason
    # A truth that nobody ever said can only be missed.
    assert majority(labels_of([("p", "A", "x")])).accuracy({"p": "never"}).value == 0.0


def brute_force_likelihood(rows: list[Row], done: Aggregated, chance: Callable[[str, str, str], float]) -> float:
    """log P(labels), item by item, summed over what its true value may be."""
    values = [str(value) for value in done.labels.values]
    assert done.shares is not None
    total = 0.0
    for item in done.labels.items:
        own = [(annotator, said) for name, annotator, said in rows if name == item]
        total += float(
            np.log(
                sum(
                    share * np.prod([chance(annotator, said, true) for annotator, said in own])
                    for share, true in zip(done.shares, values, strict=True)
                )
            )
        )
    return total


def test_dawid_skene_likelihood_is_that_of_its_confusion_matrices() -> None:
    rows, _ = crowd(1, items=40, annotators=4, each=3)
    done = dawid_skene(labels_of(rows), tolerance=1e-12)
    place = {str(value): number for number, value in enumerate(done.labels.values)}
    matrices = {annotator: done.confusion(annotator) for annotator in done.labels.annotators}
    found = brute_force_likelihood(rows, done, lambda who, said, true: float(matrices[who][place[true], place[said]]))
    assert done.ending is not None
    assert done.ending.log_likelihood == pytest.approx(found, rel=1e-6)
    for matrix in matrices.values():
        assert matrix.sum(axis=1) == pytest.approx(np.ones(3))


def test_one_coin_likelihood_is_that_of_its_accuracies() -> None:
    rows, _ = crowd(2, items=40, annotators=4, each=3)
    done = one_coin(labels_of(rows), tolerance=1e-12)
    right = dict(zip(done.labels.annotators, done.reliability, strict=True))
    found = brute_force_likelihood(
        rows, done, lambda who, said, true: float(right[who] if said == true else (1 - right[who]) / 2)
    )
    assert done.ending is not None
    assert done.ending.log_likelihood == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "mace", "glad"])
def test_the_truth_of_a_simulated_crowd_is_recovered(method: str) -> None:
    rows, truth = crowd(3, items=600, each=6)
    known = {f"i{place:03}": value for place, value in enumerate(truth)}
    done = aggregate(labels_of(rows), method, rng=rng())  # type: ignore[arg-type]
    voted = majority(labels_of(rows)).accuracy(known).value
    found = done.accuracy(known).value
    assert voted is not None
    assert found is not None
    assert found > voted + 0.03
    # Twelve annotators, from one who is right about four times in ten to one nearly always right: found in order.
    assert np.corrcoef(done.reliability, np.arange(12))[0, 1] > 0.97


def test_glad_has_the_skills_and_difficulties_that_others_find(shared_data: Path) -> None:
    # crowd-kit 1.4.2, as above: skills of the first four annotators, log clearness of the first four images.
    done = glad(read(shared_data / "crowd" / "bluebirds.csv")[0], tolerance=1e-10)
    assert done.difficulty is not None
    assert special.logit(done.reliability[:4]) / np.e == pytest.approx([-0.2114, 0.0132, 0.8741, -0.1005], abs=2e-4)
    assert -np.log(done.difficulty[:4]) == pytest.approx([1.0363, -0.3040, 1.9799, 2.1610], abs=2e-4)
    assert done.posterior[1] == pytest.approx([0.80612, 0.19388], abs=2e-5)


def test_glad_finds_which_items_are_hard() -> None:
    random = rng(6)
    skill, clear = random.normal(1.5, 0.5, size=40), np.exp(random.normal(0.5, 1.0, size=300))
    right = random.random((300, 40)) < 1 / (1 + np.exp(-clear[:, None] * skill))
    rows = [
        (f"i{item:03}", f"a{who:02}", "yes" if right[item, who] else "no") for item in range(300) for who in range(40)
    ]
    done = glad(labels_of(rows))
    assert done.difficulty is not None
    assert stats.spearmanr(done.difficulty, 1 / clear)[0] > 0.9
    assert stats.spearmanr(done.reliability, skill)[0] > 0.8
    assert done.accuracy(dict.fromkeys(done.labels.items, "yes")).value == pytest.approx(1.0, abs=0.03)


def test_mace_competence_is_how_often_annotators_know() -> None:
    rows, _ = crowd(4, items=3_000, each=6)
    done = mace(labels_of(rows), rng=rng())
    # Each made about 1,500 labels: the standard error of a share is at most sqrt(.25 / 1500) = 0.013; truth is not
    # known but inferred, so allow four of them.
    assert done.reliability == pytest.approx(np.linspace(0.1, 0.95, 12), abs=0.052)


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "mace", "glad"])
def test_every_step_goes_up(method: str) -> None:
    rows, _ = crowd(5, items=60, annotators=6, each=3)
    search: dict[str, Callable[[int], Aggregated]] = {
        "dawid-skene": lambda steps: dawid_skene(labels_of(rows), iterations=steps, tolerance=0.0),
        "one-coin": lambda steps: one_coin(labels_of(rows), iterations=steps, tolerance=0.0),
        "mace": lambda steps: mace(labels_of(rows), rng=rng(), starts=1, trial=1, iterations=steps, tolerance=0.0),
        "glad": lambda steps: glad(labels_of(rows), iterations=steps, tolerance=-1.0),
    }
    reached = []
    for steps in range(2, 14):
        ending = search[method](steps).ending
        assert ending is not None
        reached.append(ending.log_likelihood)
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(reached))


@settings(derandomize=True)
@given(rows_of_labels, st.randoms(use_true_random=False), METHODS)
def test_the_order_of_labels_changes_nothing(rows: list[Row], shuffle: object, method: str) -> None:
    shuffled = sorted(rows, key=lambda _: shuffle.random())  # type: ignore[attr-defined]
    first, second = (aggregate(labels_of(each), method, rng=rng()) for each in (rows, shuffled))  # type: ignore[arg-type]
    assert first.posterior == pytest.approx(second.posterior, abs=1e-9)
    assert first.reliability == pytest.approx(second.reliability, abs=1e-9)
    assert first.posterior.sum(axis=1) == pytest.approx(np.ones(len(first.labels.items)))


@settings(derandomize=True)
@given(rows_of_labels, st.permutations("xyz"), st.permutations("pqrstu"), st.permutations("ABCD"))
def test_names_mean_nothing(rows: list[Row], values: list[str], items: list[str], annotators: list[str]) -> None:
    value, item, annotator = dict(zip("xyz", values)), dict(zip("pqrstu", items)), dict(zip("ABCD", annotators))  # noqa: B905
    renamed = [(item[i], annotator[a], value[v]) for i, a, v in rows]
    for search in (majority, dawid_skene, one_coin):
        before, after = search(labels_of(rows)), search(labels_of(renamed))
        for row, name in enumerate(before.labels.items):
            other = after.posterior[after.labels.items.index(item[str(name)])]
            for column, said in enumerate(before.labels.values):
                assert before.posterior[row, column] == pytest.approx(
                    other[after.labels.values.index(value[str(said)])], abs=1e-6
                )


@settings(derandomize=True)
@given(rows_of_labels)
def test_one_annotator_alone_is_believed(rows: list[Row]) -> None:
    mine = list({item: (item, "A", value) for item, _, value in rows}.values())
    for search in (majority, dawid_skene):
        assert search(labels_of(mine)).chosen() == {item: value for item, _, value in mine}


def test_an_item_on_which_everyone_does_what_they_never_do_has_a_probability() -> None:
    # A and B agree on twenty items each of x and y and then contradict each other once: no 0/0.
    rows = [(f"{value}{number}", who, value) for value in "xy" for number in range(20) for who in "AB"]
    rows += [("odd", "A", "x"), ("odd", "B", "y")]
    for search in (dawid_skene, one_coin):
        done = search(labels_of(rows))
        assert np.isfinite(done.posterior).all()
        assert done.posterior.sum(axis=1) == pytest.approx(np.ones(41))


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    labels = ItemLabels.of(["p", "q", "p"], ["A", "A", "B"], ["x", None, "y"])
    assert (len(labels), labels.skipped, labels.items) == (2, 1, ("p",))


def test_numbers_and_text_give_the_same_codes() -> None:
    rows, _ = crowd(6, items=30)
    numbers = [np.array([int(row[column][1:]) for row in rows]) for column in range(3)]
    from_text, from_numbers = labels_of(rows), ItemLabels.of(*numbers)
    for name in ("item", "annotator", "value"):
        assert (getattr(from_text, name) == getattr(from_numbers, name)).all()
    far = ItemLabels.of(np.array([10**12, 5]), np.array([1, 2]), np.array([-3, 4]))
    assert far.items == (5, 10**12)
    assert ItemLabels.of([1, "b"], ["A", "A"], ["x", "x"]).items == (1, "b")


def test_one_value_only() -> None:
    rows = [("p", "A", "x"), ("q", "B", "x")]
    for method in ("majority", "dawid-skene", "one-coin", "mace"):
        done = aggregate(labels_of(rows), method, rng=rng())
        assert done.chosen() == {"p": "x", "q": "x"}


def test_what_cannot_be_aggregated_is_explained() -> None:
    with pytest.raises(NoLabels):
        ItemLabels.of([], [], [])
    with pytest.raises(NoLabels, match="2 rows"):
        ItemLabels.of(["p", "q"], ["A", "B"], [None, None])
    with pytest.raises(ColumnsDiffer):
        ItemLabels.of(["p"], ["A", "B"], ["x"])
    done = majority(labels_of([("p", "A", "x")]))
    with pytest.raises(NoConfusionMatrix, match="majority does not"):
        done.confusion("A")
    with pytest.raises(NoSuchAnnotator):
        dawid_skene(labels_of([("p", "A", "x")])).confusion("Z")


def test_exact_interval_of_a_share() -> None:
    # None of 10: the upper limit solves (1 - p)^10 = 0.025, p = 1 - 0.025^(1/10) = 0.3085. 5 of 10: R's binom.test
    # prints 0.1870860 0.8129140.
    assert exact_interval(0, 10)[:2] == pytest.approx((0.0, 1 - 0.025**0.1))
    assert exact_interval(10, 10)[:2] == pytest.approx((0.025**0.1, 1.0))
    assert exact_interval(5, 10)[:2] == pytest.approx((0.1870860, 0.8129140), abs=1e-6)
