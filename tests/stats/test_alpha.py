"""Agreement statistics: published examples, other tools' values, invariances, and explained nulls."""

from __future__ import annotations

from typing import Literal, get_args

import krippendorff as oracle
import numpy as np
import pytest
from hypothesis import example as always
from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.figures import Figure
from goldmark.stats.agreement_measures.alpha import Level, NotAMagnitude, krippendorff, percent_agreement, resamples_for
from goldmark.stats.agreement_measures.kappa import cohen_pairs, fleiss
from goldmark.stats.agreement_measures.unit_labels import LabelledTwice, UnitCounts, UnitLabels

LEVELS: tuple[Level, ...] = get_args(Level)
Triples = list[tuple[int, int, int]]

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section E: four observers, twelve units, a dot for
# a missing value. His results: nominal .743, ordinal .815, interval .849, ratio .797.
EXAMPLE = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def example() -> UnitLabels:
    rows = [
        (unit, observer, int(value))
        for observer, values in enumerate(EXAMPLE)
        for unit, value in enumerate(values)
        if value != "."
    ]
    return labels_of(rows)


def labels_of(rows: Triples) -> UnitLabels:
    units, annotators, values = zip(*rows, strict=True) if rows else ((), (), ())
    return UnitLabels.of(units, annotators, values)


def value_of(figure: Figure) -> float:
    assert figure.value is not None, figure.reason
    return figure.value


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_own_example(level: Level, published: float) -> None:
    figure = krippendorff(example(), level, rng=np.random.default_rng(1))
    assert figure.value == pytest.approx(published, abs=0.0005)
    assert (figure.used, figure.skipped) == (11, 1)
    assert figure.interval is not None
    assert figure.interval.low < published < figure.interval.high


def test_alpha_of_four_texts_rated_twice() -> None:
    # AA AA AB BB: 5 A, 3 B. Do = 2/8, De = 2*5*3/(8*7) = 15/28, alpha = 1 - 7/15.
    rows = [
        (unit, who, "AB".index(label))
        for unit, pair in enumerate(["AA", "AA", "AB", "BB"])
        for who, label in enumerate(pair)
    ]
    assert krippendorff(labels_of(rows)).value == pytest.approx(8 / 15)


@st.composite
def rated(draw: st.DrawFn, highest: int = 5) -> Triples:
    """Some of the cells of a small table of units x annotators."""
    units, annotators = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    cells = st.one_of(st.none(), st.integers(0, highest))
    table = draw(st.lists(cells, min_size=units * annotators, max_size=units * annotators))
    return [(place // annotators, place % annotators, value) for place, value in enumerate(table) if value is not None]


@given(rated(), st.sampled_from(LEVELS))
def test_alpha_equals_another_implementation(rows: Triples, level: Level) -> None:
    figure = krippendorff(labels_of(rows), level)
    if figure.value is None:
        assert figure.reason
        return
    table = np.full((5, 8), np.nan)
    for unit, annotator, value in rows:
        table[annotator, unit] = value
    assert figure.value == pytest.approx(oracle.alpha(reliability_data=table, level_of_measurement=level), abs=1e-9)


@given(rated(), st.permutations(range(6)))
def test_nominal_alpha_ignores_the_names_of_labels(rows: Triples, names: list[int]) -> None:
    renamed = [(unit, who, names[value]) for unit, who, value in rows]
    assert krippendorff(labels_of(renamed)).value == pytest.approx(krippendorff(labels_of(rows)).value)


@given(rated(), st.sampled_from(LEVELS), st.randoms(use_true_random=False))
def test_alpha_ignores_order_and_who_is_who(rows: Triples, level: Level, random: object) -> None:
    shuffled = [(unit, 10 - who, value) for unit, who, value in rows]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert krippendorff(labels_of(shuffled), level).value == pytest.approx(krippendorff(labels_of(rows), level).value)


@given(rated(), st.integers(-1000, 1000), st.integers(1, 50))
def test_interval_alpha_ignores_zero_and_unit_of_the_scale(rows: Triples, shift: int, factor: int) -> None:
    moved = [(unit, who, value * factor + shift) for unit, who, value in rows]
    expected = krippendorff(labels_of(rows), "interval").value
    assert krippendorff(labels_of(moved), "interval").value == pytest.approx(expected, abs=1e-9)


@given(rated(), st.integers(1, 50))
def test_ratio_alpha_ignores_the_unit_of_the_scale(rows: Triples, factor: int) -> None:
    scaled = [(unit, who, value * factor) for unit, who, value in rows]
    expected = krippendorff(labels_of(rows), "ratio").value
    assert krippendorff(labels_of(scaled), "ratio").value == pytest.approx(expected)


@given(rated())
def test_ordinal_alpha_needs_only_the_order(rows: Triples) -> None:
    squared = [(unit, who, value**3) for unit, who, value in rows]
    assert krippendorff(labels_of(squared), "ordinal").value == pytest.approx(
        krippendorff(labels_of(rows), "ordinal").value
    )


@given(rated(), st.integers(0, 5))
def test_a_unit_with_one_label_changes_nothing(rows: Triples, value: int) -> None:
    more = [*rows, (99, 0, value)]
    for level in LEVELS:
        before, after = krippendorff(labels_of(rows), level), krippendorff(labels_of(more), level)
        assert before.value == pytest.approx(after.value)
    assert percent_agreement(labels_of(rows)).value == percent_agreement(labels_of(more)).value


@given(rated(), st.sampled_from(LEVELS))
def test_alpha_never_exceeds_one_and_is_one_when_all_agree(rows: Triples, level: Level) -> None:
    value = krippendorff(labels_of(rows), level).value
    assert value is None or value <= 1 + 1e-12
    agreed = [(unit, who, unit) for unit, who, _ in rows]
    same = krippendorff(labels_of(agreed), level).value
    assert same is None or same == pytest.approx(1)


def test_large_numbers_far_from_zero_lose_no_digits() -> None:
    rows = [(unit, who, 10**9 + value) for unit, who, value in [(0, 0, 1), (0, 1, 2), (1, 0, 4), (1, 1, 4)]]
    near = [(unit, who, value - 10**9) for unit, who, value in rows]
    assert krippendorff(labels_of(rows), "interval").value == pytest.approx(
        value_of(krippendorff(labels_of(near), "interval")), abs=1e-12
    )


@pytest.mark.parametrize("factor", [1e-300, 1e-5, 1e200, 1e307])
def test_numbers_of_any_size_give_the_same_alpha(factor: float) -> None:
    labels = example()
    numbers = np.array(labels.scale, dtype=np.float64)[labels.values] * factor
    scaled = UnitLabels.of(labels.units, labels.annotators, numbers)
    for level in LEVELS:
        assert krippendorff(scaled, level).value == pytest.approx(krippendorff(labels, level).value)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "there are no labels"),
        ([(0, 0, 1), (1, 0, 2)], "there is only one annotator (0)"),
        ([(0, 0, 1), (1, 1, 2)], "no unit was labelled by two annotators"),
        ([(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)], "every label that can be compared is 1"),
        ([(0, 0, 1), (0, 1, 1), (1, 0, 2)], "every label that can be compared is 1"),
    ],
)
def test_what_cannot_be_computed_is_explained(rows: Triples, reason: str) -> None:
    for level in LEVELS:
        figure = krippendorff(labels_of(rows), level, rng=np.random.default_rng(1))
        assert figure.value is None
        assert figure.reason.startswith(reason)
    assert fleiss(labels_of(rows)).value is None
    assert cohen_pairs(labels_of(rows)).mean.value is None
    assert cohen_pairs(labels_of(rows)).mean.reason


def test_one_pairable_unit_has_a_value_but_no_interval() -> None:
    figure = krippendorff(labels_of([(0, 0, 1), (0, 1, 2)]), rng=np.random.default_rng(1))
    # One unit 1, 2: Do = De, so alpha is 0.
    assert figure.value == pytest.approx(0)
    assert figure.interval is None
    assert "only one unit" in figure.reason


def test_a_unit_labelled_twice_by_one_person_is_refused() -> None:
    with pytest.raises(LabelledTwice, match="annotator bob labelled unit u1 more than once"):
        UnitLabels.of(["u0", "u1", "u1"], ["ann", "bob", "bob"], [1, 1, 2])


def test_negative_numbers_have_no_ratio() -> None:
    with pytest.raises(NotAMagnitude, match="-1"):
        krippendorff(labels_of([(0, 0, -1), (0, 1, 2)]), "ratio")


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_covers_the_true_alpha(level: Level) -> None:
    """Simulate and recover: 95 % intervals of samples of 60 units contain the alpha of 40,000 units."""
    rng = np.random.default_rng(8)

    def sample(units: int) -> UnitLabels:
        truth = rng.integers(1, 6, size=units)
        given = np.where(rng.random((3, units)) < 0.7, truth, rng.integers(1, 6, size=(3, units)))
        return UnitLabels.of(np.tile(np.arange(units), 3), np.repeat(np.arange(3), units), given.ravel())

    target = value_of(krippendorff(sample(40_000), level))
    covered = 0
    for _ in range(60):
        interval = krippendorff(sample(60), level, rng=rng, resamples=300).interval
        assert interval is not None
        covered += interval.low <= target <= interval.high
    # 57 of 60 expected; fewer than 51 would happen by chance about once in a hundred.
    assert covered >= 51


def test_resampling_groups_widens_the_interval_of_dependent_units() -> None:
    # 20 texts of 30 tokens; within a text all tokens are alike, so there are 20 observations and not 600.
    rng = np.random.default_rng(2)
    kind = np.repeat(rng.integers(0, 2, size=20), 30)
    wrong = np.repeat(rng.random(20) < 0.2, 30)
    units = np.arange(600)
    labels = UnitLabels.of(
        np.concatenate([units, units]), np.repeat([0, 1], 600), np.concatenate([kind, np.where(wrong, 1 - kind, kind)])
    )
    alone = krippendorff(labels, rng=rng).interval
    grouped = krippendorff(labels, rng=rng, groups=np.repeat(np.arange(20), 30)).interval
    assert alone is not None
    assert grouped is not None
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)


def test_fewer_resamples_are_drawn_from_very_large_data() -> None:
    tally = UnitCounts.of(example())
    assert resamples_for(tally, "nominal", 1000) == 1000
    units, sizes = np.zeros(900_000, dtype=np.int64), np.zeros(100_000)
    few = UnitCounts(units, tally.value, tally.count, sizes, [0, 1], tally.places, 0)
    many = UnitCounts(units, tally.value, tally.count, sizes, range(100), tally.places, 0)
    assert resamples_for(few, "nominal", 1000) == 1000  # with few values a resample is a re-sum of a small table
    assert resamples_for(many, "nominal", 1000) == 200
    assert resamples_for(many, "interval", 1000) == 1000


@pytest.mark.parametrize("level", LEVELS)
def test_the_quick_way_with_few_values_draws_the_same(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, size=60)
    values = np.clip(truth[:, None] + rng.integers(-1, 2, size=(60, 3)), 1, 5)
    rows = [(unit, who, int(values[unit, who])) for unit in range(60) for who in range(3) if rng.random() < 0.9]
    quick = krippendorff(labels_of(rows), level, rng=np.random.default_rng(4)).interval
    monkeypatch.setattr("goldmark.stats.agreement_measures.alpha.FEW", 0)
    careful = krippendorff(labels_of(rows), level, rng=np.random.default_rng(4)).interval
    assert quick == pytest.approx(careful, rel=1e-9)


@pytest.mark.parametrize("few", [24, 0])
def test_a_unit_that_counts_three_times_is_three_units(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldmark.stats.agreement_measures.alpha.FEW", few)
    rng = np.random.default_rng(5)
    times = rng.integers(1, 4, size=40)
    first, second = rng.integers(0, 3, size=40), rng.integers(0, 3, size=40)
    texts = np.repeat(np.arange(10), 4)

    def labels(one: np.ndarray, other: np.ndarray) -> UnitLabels:
        units = np.arange(len(one))
        return UnitLabels.of(
            np.concatenate([units, units]), np.repeat([0, 1], len(one)), np.concatenate([one, other]).astype(np.int64)
        )

    short = krippendorff(
        labels(first, second), rng=np.random.default_rng(6), groups=texts, repeats=times.astype(np.float64)
    )
    long = krippendorff(
        labels(np.repeat(first, times), np.repeat(second, times)),
        rng=np.random.default_rng(6),
        groups=np.repeat(texts, times),
    )
    assert short.value == pytest.approx(long.value, rel=1e-12)
    assert short.interval == pytest.approx(long.interval, rel=1e-9)


def test_percent_agreement_counts_units_alike() -> None:
    # Unit 0: A A B, one of three pairs agrees; unit 1: A A agrees. Mean of 1/3 and 1.
    rows = [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 0), (1, 1, 0)]
    assert percent_agreement(labels_of(rows)).value == pytest.approx(2 / 3)


# Fleiss' kappa on the example that reference works share: ten subjects, fourteen raters, five categories; 0.210.
FLEISS = "0 0 0 0 14/0 2 6 4 2/0 0 3 5 6/0 3 9 2 0/2 2 8 1 1/7 7 0 0 0/3 2 6 3 0/2 5 3 2 2/6 5 2 1 0/0 2 2 3 7"


def test_fleiss_reference_example() -> None:
    rows: Triples = []
    for unit, line in enumerate(FLEISS.split("/")):
        values = [value for value, times in enumerate(map(int, line.split())) for _ in range(times)]
        rows += [(unit, who, value) for who, value in enumerate(values)]
    figure = fleiss(labels_of(rows), rng=np.random.default_rng(1))
    assert figure.value == pytest.approx(0.210, abs=0.0005)
    assert figure.interval is not None
    assert figure.interval.low < 0.210 < figure.interval.high


def test_fleiss_refuses_unequal_numbers_of_labels() -> None:
    figure = fleiss(labels_of([(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0), (1, 2, 1)]))
    assert figure.value is None
    assert "here 2 to 3" in figure.reason


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_cohen_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    units = range(len(pairs))
    figure = cohen_pairs(UnitLabels.of([*units, *units], [0] * len(units) + [1] * len(units), [*first, *second])).mean
    if figure.value is None:
        assert len(set(first) | set(second)) == 1
    else:
        assert figure.value == pytest.approx(cohen_kappa_score(first, second))


def test_cohen_uses_shared_units_of_each_pair_and_averages() -> None:
    rows = [(0, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 1), (2, 1, 0), (1, 2, 1), (2, 2, 1), (9, 3, 1)]
    result = cohen_pairs(labels_of(rows))
    by_pair = {(pair.first, pair.second): pair.kappa for pair in result.pairs}
    assert by_pair[0, 1].value == 1
    # Annotators 1 and 2 share units 1 and 2 (1 1 / 0 1): Po = Pe = 1/2.
    assert by_pair[1, 2].value == 0
    assert by_pair[0, 2].reason == "both gave every shared unit the same one value"
    assert by_pair[0, 3].reason == "they share no unit"
    assert result.mean.value == pytest.approx(0.5)
    assert (result.counted, len(result.pairs)) == (2, 6)
    assert (result.mean.used, result.mean.skipped) == (3, 1)


def test_too_many_annotators_for_pairs_are_explained() -> None:
    result = cohen_pairs(labels_of([(0, who, who % 2) for who in range(51)]))
    assert result.mean.value is None
    assert "51 annotators" in result.mean.reason


BELOW_CHANCE = [(1, 1, 0), (1, 2, 2), (2, 0, 3), (2, 2, 0), (4, 1, 1), (4, 2, 1), (5, 0, 2), (5, 1, 2)]


@given(rated(), st.sampled_from(LEVELS))
@always(BELOW_CHANCE, "ordinal")
def test_intervals_are_repeatable_and_ordered(rows: Triples, level: Level) -> None:
    labels = labels_of(rows)
    one = krippendorff(labels, level, rng=np.random.default_rng(4), resamples=200)
    assert one == krippendorff(labels, level, rng=np.random.default_rng(4), resamples=200)
    if one.interval is not None:
        assert one.interval.low <= one.interval.high <= 1 + 1e-12


def test_names_may_be_anything_hashable() -> None:
    kind: Literal["ordinal"] = "ordinal"
    figure = krippendorff(UnitLabels.of([("t", 1), ("t", 1)], ["x", 7], [2.5, 1]), kind)
    assert figure.used == 1


SETS = st.frozensets(st.sampled_from("ABC"))


@given(st.lists(st.lists(SETS, min_size=2, max_size=4), min_size=1, max_size=6))
def test_alpha_of_sets_is_that_of_another_tool(units: list[list[frozenset[str]]]) -> None:
    task = pytest.importorskip("nltk.metrics.agreement").AnnotationTask
    rows = [(f"c{coder}", f"u{unit}", said) for unit, values in enumerate(units) for coder, said in enumerate(values)]
    labels = UnitLabels.of([unit for _, unit, _ in rows], [coder for coder, _, _ in rows], [said for *_, said in rows])
    found = krippendorff(labels, "sets", rng=np.random.default_rng(1), resamples=100)
    if len({said for *_, said in rows}) == 1:
        assert found.value is None
        return
    told = task(rows, distance=lambda one, other: 1 - len(one & other) / len(one | other) if one | other else 0.0)
    assert found.value == pytest.approx(told.alpha(), abs=1e-9)


@given(st.lists(st.lists(st.sampled_from("ABC"), min_size=2, max_size=3), min_size=2, max_size=6))
def test_sets_of_one_label_are_as_at_the_nominal_level(units: list[list[str]]) -> None:
    rows = [(unit, coder, label) for unit, values in enumerate(units) for coder, label in enumerate(values)]
    plain = UnitLabels.of(*map(list, zip(*rows, strict=True)))
    sets = UnitLabels.of(
        *map(list, zip(*((unit, coder, frozenset(label)) for unit, coder, label in rows), strict=True))
    )
    for rng in (None, np.random.default_rng(1)):
        one, other = krippendorff(plain, rng=rng), krippendorff(sets, "sets", rng=rng)
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert other.value == pytest.approx(one.value)
