"""Noisy annotators: criteria, priors, combination of question kinds, flags."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from goldmark.quality.noisy import (
    PSEUDO_CORRECT,
    PSEUDO_N,
    AnnotatorModel,
    ModelNotPossible,
    NoAnnotators,
    NoisyAnnotators,
    QuestionScore,
    UnknownQuestionKind,
    judgement_table,
    merge,
    mixture_table,
)
from goldmark.simulate.noisy import QUESTIONS, draw_crowd
from goldmark.stats.models.beta_mixtures import BetaMixture, MixtureFit, fit_mixture
from tests.examples import one_in

GOOD_AND_BAD = [
    QuestionScore("ann", 19, 20),
    QuestionScore("bea", 40, 41),
    QuestionScore("cid", 3, 20),
    QuestionScore("dan", 0, 0),
]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def fitted(tallies: list[QuestionScore], model: AnnotatorModel | None = None) -> NoisyAnnotators:
    return NoisyAnnotators.fit(tallies, model or AnnotatorModel(), rng=rng())


tallies_of_crowds = st.lists(
    st.builds(
        lambda worker, n, share, kind: QuestionScore(worker, round(n * share), n, kind),
        st.sampled_from("abcdefgh"),
        st.integers(0, 40),
        st.floats(0, 1),
        st.sampled_from(["positive", "negative"]),
    ),
    min_size=1,
    max_size=15,
)


def test_pseudo_annotators_are_those_of_the_paper() -> None:
    # GENIE B.1: 40 workers with 20 tasks each; 36 with 19 successes, four with 1, 1, 5 and 10.
    assert len(PSEUDO_CORRECT) == len(PSEUDO_N) == 40
    assert set(PSEUDO_N) == {20}
    assert sorted(PSEUDO_CORRECT) == [1, 1, 5, 10] + [19] * 36


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # 3 of 10 right. Jeffreys: Beta(3.5, 7.5); uniform: Beta(4, 8); fixed: Beta(4 + 3, 1 + 7); each below 0.9.
        (AnnotatorModel("rate", "jeffreys", 1), special.betainc(3.5, 7.5, 0.9)),
        (AnnotatorModel("rate", "uniform", 1), special.betainc(4, 8, 0.9)),
        (AnnotatorModel("rate", "fixed", 1), special.betainc(7, 8, 0.9)),
        # Two fixed components: weights .05 and .95 times B(a + 3, b + 7) / B(a, b).
        (
            AnnotatorModel("class", "fixed", 2),
            1
            / (
                1
                + math.exp(
                    math.log(0.95 / 0.05)
                    + special.betaln(12.5, 7.5)
                    - special.betaln(9.5, 0.5)
                    - special.betaln(3.5, 11.5)
                    + special.betaln(0.5, 4.5)
                )
            ),
        ),
    ],
)
def test_closed_forms_of_the_given_priors(model: AnnotatorModel, expected: float) -> None:
    assert fitted(GOOD_AND_BAD, model).probability_noisy(right=3, wrong=7) == pytest.approx(expected, rel=1e-9)


def test_a_learned_prior_is_learned_from_answers_and_pseudo_annotators() -> None:
    found = fitted(GOOD_AND_BAD)
    same = fit_mixture(
        [19, 40, 3, 0, *PSEUDO_CORRECT], [20, 41, 20, 0, *PSEUDO_N], components=2, rng=np.random.default_rng(0)
    )
    assert found.fits[""] == same
    assert found.converged


# What the published procedure (benchmarks/_published_mixture.py: 10 starts, fixed-point loop) made of the crowds of
# `draw_crowd` with these seeds and the pseudo-annotators: weights, alphas, betas. A minute or more each, so recorded.
PUBLISHED_FITS = {
    1: BetaMixture((0.06447523, 0.93552477), (1.43833036, 1853.98988), (4.53466143, 53.98405069)),
    2: BetaMixture((0.05562889, 0.94437111), (0.543846514, 1224.1138), (3.60351947, 43.67581419)),
    3: BetaMixture((0.05731677, 0.94268323), (0.46144808, 220.44506577), (2.65528864, 7.73764881)),
}


@pytest.mark.parametrize("seed", PUBLISHED_FITS)
def test_at_least_as_likely_as_what_the_published_procedure_found(seed: int) -> None:
    crowd = draw_crowd(QUESTIONS, rng(seed))
    found = AnnotatorModel().fit(crowd.correct, crowd.n, rng())
    assert isinstance(found, MixtureFit)
    theirs = PUBLISHED_FITS[seed].log_likelihoods([*crowd.correct, *PSEUDO_CORRECT], [*crowd.n, *PSEUDO_N]).sum()
    assert theirs < found.log_likelihood < theirs + 0.5  # higher, and the same summit


@pytest.mark.parametrize("criterion", ["rate", "class"])
def test_the_noisy_are_flagged_and_the_good_are_not(criterion: str) -> None:
    judged = {one.worker: one for one in fitted(GOOD_AND_BAD, AnnotatorModel(criterion)).judge()}  # type: ignore[arg-type]
    assert [worker for worker, one in judged.items() if one.flagged] == ["cid"]
    assert judged["ann"].noisy < 0.1
    assert judged["bea"].noisy < 0.05
    # Without an answer the prior speaks: about one pseudo-annotator in ten is noisy.
    assert 0.03 < judged["dan"].noisy < 0.2


def test_kinds_are_modelled_apart_and_combined() -> None:
    found = fitted(
        [
            QuestionScore("yes-sayer", 20, 20, "positive"),
            QuestionScore("yes-sayer", 1, 20, "negative"),
            QuestionScore("good", 20, 20, "positive"),
            QuestionScore("good", 19, 20, "negative"),
            QuestionScore("new", 5, 5, "positive"),
        ]
    )
    judged = {one.worker: one for one in found.judge()}
    assert set(found.mixtures) == {"negative", "positive"}
    for one in judged.values():
        apart = dict(one.by_kind)
        assert one.noisy == pytest.approx(1 - math.prod(1 - q for q in apart.values()), abs=1e-12)
    assert judged["yes-sayer"].flagged
    assert dict(judged["yes-sayer"].by_kind)["positive"] < 0.1
    assert not judged["good"].flagged
    assert set(dict(judged["new"].by_kind)) == {"positive"}


def test_a_probability_of_exactly_99_percent_is_flagged() -> None:
    # One wrong answer under the uniform prior: Beta(1, 2) lies below 0.9 with probability 1 - 0.1^2 = 0.99.
    (judged,) = fitted([QuestionScore("x", 0, 1)], AnnotatorModel("rate", "uniform", 1)).judge()
    assert judged.noisy == pytest.approx(0.99, abs=1e-12)
    assert judged.flagged


def test_sequential_answers_need_no_new_fit() -> None:
    found = fitted(GOOD_AND_BAD)
    course = [found.probability_noisy(right=0, wrong=wrong) for wrong in range(6)]
    assert course == sorted(course)
    assert course[-1] > 0.99
    later = {one.worker: one for one in found.judge([QuestionScore("ann", 19, 40), QuestionScore("zoe", 0, 8)])}
    assert later["ann"].noisy > 0.99
    assert later["zoe"].flagged


def test_a_hundred_thousand_wrong_answers_are_noisy() -> None:
    tallies = [*GOOD_AND_BAD, QuestionScore("bot", 0, 100_000), QuestionScore("coin", 50_000, 100_000)]
    for model in (
        AnnotatorModel(),
        AnnotatorModel("class"),
        AnnotatorModel("rate", "jeffreys", 1),
        AnnotatorModel("class", "fixed", 2),
    ):
        judged = {one.worker: one for one in fitted(tallies, model).judge()}
        assert all(0 <= one.noisy <= 1 for one in judged.values())
        assert judged["bot"].flagged
        if model.criterion == "rate":
            assert judged["coin"].flagged


@settings(max_examples=one_in(3), derandomize=True)
@given(tallies_of_crowds, st.randoms(use_true_random=False))
def test_order_and_splitting_of_rows_change_nothing(tallies: list[QuestionScore], shuffle: object) -> None:
    pieces = [
        piece
        for tally in tallies
        for piece in (
            QuestionScore(tally.worker, tally.correct, tally.correct, tally.kind),
            QuestionScore(tally.worker, 0, tally.n - tally.correct, tally.kind),
        )
    ]
    pieces.sort(key=lambda _: shuffle.random())  # type: ignore[attr-defined]
    assert merge(pieces) == merge(tallies)
    assert fitted(pieces).judge() == fitted(tallies).judge()


@settings(derandomize=True)
@given(tallies_of_crowds)
def test_two_kinds_are_never_less_noisy_than_one(tallies: list[QuestionScore]) -> None:
    for one in fitted(tallies, AnnotatorModel("rate", "fixed", 2)).judge():
        assert 0 <= one.noisy <= 1
        assert one.noisy >= max(q for _, q in one.by_kind) - 1e-12


def test_noisy_annotators_of_a_simulated_crowd_come_first() -> None:
    crowd = draw_crowd(QUESTIONS * 3, rng(7))
    tallies = [
        QuestionScore(f"w{place:03}", int(correct), int(n))
        for place, (correct, n) in enumerate(zip(crowd.correct, crowd.n, strict=True))
        if n >= 5
    ]
    noisy = {f"w{place:03}" for place in np.flatnonzero(crowd.noisy)} & {tally.worker for tally in tallies}
    for criterion in ("rate", "class"):
        judged = fitted(tallies, AnnotatorModel(criterion)).judge()
        assert {one.worker for one in judged[: len(noisy)]} == noisy


def test_models_that_make_no_sense_are_refused() -> None:
    for criterion, prior, components in [
        ("class", "jeffreys", 1),
        ("rate", "uniform", 2),
        ("rate", "fixed", 3),
        ("class", "learned", 1),
        ("rate", "learned", 0),
    ]:
        with pytest.raises(ModelNotPossible):
            AnnotatorModel(criterion, prior, components)  # type: ignore[arg-type]
    with pytest.raises(ModelNotPossible, match="threshold"):
        AnnotatorModel(threshold=1.0)
    assert AnnotatorModel.choose("rate", "uniform").components == 1
    assert AnnotatorModel.choose("class").components == 2


def test_nobody_and_unknown_kinds_are_explained() -> None:
    with pytest.raises(NoAnnotators):
        fitted([])
    with pytest.raises(UnknownQuestionKind, match="positive"):
        fitted([QuestionScore("a", 1, 2, "positive")]).probability_noisy(right=1, wrong=1, kind="negative")


def test_tables_say_how_they_were_made() -> None:
    found = NoisyAnnotators.fit(GOOD_AND_BAD, AnnotatorModel(), rng=rng(), seed=0)
    table = judgement_table(found, found.judge())
    assert table.columns == ("worker", "correct", "n", "probability_noisy", "flagged")
    assert "1 of 4 annotators flagged" in table.notes[0]
    assert "1 answered no test question" in table.notes[1]
    assert "criterion:rate|prior:learned|components:2|threshold:0.9|flag:0.99|annotators:4|seed:0" in table.signature
    assert any("converged" in note for note in mixture_table(found).notes)
    assert isinstance(found.fits[""], MixtureFit)
    given_prior = fitted(GOOD_AND_BAD, AnnotatorModel("rate", "uniform", 1))
    assert mixture_table(given_prior).notes == ("the prior is given, not learned",)
