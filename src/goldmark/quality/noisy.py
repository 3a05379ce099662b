"""Noisy annotators: who answers test questions so badly that their work should not count (GENIE 5, appendix B).

Every annotator's right answers to n test questions are binomial around an accuracy of their own, and accuracies come
from a mixture of Betas (`goldmark.stats.models.beta_mixtures`). Two ways to say who is noisy:

- *rate*: an accuracy below 0.9;
- *class*: belonging to any component of the mixture but the one with the highest expected accuracy.

Positive test questions (a gold text stood in for the system's) and negative ones (gold texts exchanged, so that the
text is wrong) are modelled apart, and an annotator is noisy if noisy on either: 1 - (1 - q1)(1 - q2). Someone is
flagged when the probability reaches 0.99. The model can be asked again as answers arrive, without fitting anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.errors import GoldmarkError
from goldmark.quality.estimates import AnnotatorEstimate
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.models.beta_mixtures import BetaMixture, MixtureFit, fit_mixture
from goldmark.stats.models.log_gamma import Floats

Criterion = Literal["rate", "class"]
Prior = Literal["learned", "jeffreys", "uniform", "fixed"]

RATE_THRESHOLD = 0.9
FLAG_AT = 0.99

# Added to the data before a prior is learned, so that a handful of annotators, or a crowd without a single noisy one,
# still gives a usable prior: 40 imagined annotators with 20 questions each, four of them noisy (GENIE B.1).
PSEUDO_CORRECT = (19,) * 36 + (1, 1, 5, 10)
PSEUDO_N = (20,) * 40

JEFFREYS = BetaMixture((1.0,), (0.5,), (0.5,))
UNIFORM = BetaMixture((1.0,), (1.0,), (1.0,))
FIXED = {
    1: BetaMixture((1.0,), (4.0,), (1.0,)),
    2: BetaMixture((0.05, 0.95), (0.5, 9.5), (4.5, 0.5)),
}


class ModelNotPossible(GoldmarkError):
    code = "NOISY-01"
    message = "{reason}; {remedy}"


class NoAnnotators(GoldmarkError):
    code = "NOISY-02"
    message = "there are no annotators to judge; give at least one with its right answers and its number of questions"


class UnknownQuestionKind(GoldmarkError):
    code = "NOISY-03"
    message = "no test questions of the kind {kind!r} were fitted; the kinds are {kinds}"


class QuestionScore(NamedTuple):
    """One annotator's test questions of one kind: how many were asked and how many answered rightly."""

    worker: str
    correct: int
    n: int
    kind: str = ""


@dataclass(frozen=True)
class AnnotatorModel:
    """Which model of annotators: how noisy is defined, and what is assumed before any answer."""

    criterion: Criterion = "rate"
    prior: Prior = "learned"
    components: int = 2
    threshold: float = RATE_THRESHOLD
    flag_at: float = FLAG_AT

    def __post_init__(self) -> None:
        if self.prior in ("jeffreys", "uniform") and self.components != 1:
            raise ModelNotPossible(
                reason=f"the {self.prior} prior has one component, not {self.components}",
                remedy="ask for 1 component, or for --prior learned or fixed",
            )
        if self.prior == "fixed" and self.components not in FIXED:
            raise ModelNotPossible(
                reason=f"there is no fixed prior of {self.components} components", remedy="ask for 1 or 2, or learn it"
            )
        if self.components < 1:
            raise ModelNotPossible(reason=f"{self.components} components", remedy="ask for at least 1")
        if self.criterion == "class" and self.components < 2:
            raise ModelNotPossible(
                reason="the class criterion tells components apart and there is only one",
                remedy="ask for 2 components or more, or for the rate criterion",
            )
        for name, value in (("threshold", self.threshold), ("flag_at", self.flag_at)):
            if not 0 < value < 1:
                raise ModelNotPossible(reason=f"{name} is {value:g}", remedy="choose a number between 0 and 1")

    @classmethod
    def choose(
        cls, criterion: Criterion = "rate", prior: Prior = "learned", components: int | None = None
    ) -> AnnotatorModel:
        """A model with the number of components that its prior implies, unless one is given."""
        implied = 1 if prior in ("jeffreys", "uniform") else 2
        return cls(criterion, prior, implied if components is None else components)

    @property
    def name(self) -> str:
        parts = [] if self.prior in ("jeffreys", "uniform") else [f"{self.components}-component"]
        return " ".join([*parts, self.prior, self.criterion])

    def noisy(self, mixture: BetaMixture, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The probability that each annotator is noisy, given the mixture."""
        return -np.expm1(self.log_fine(mixture, correct, n))

    def log_fine(self, mixture: BetaMixture, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The log of the probability that each annotator is not noisy."""
        if self.criterion == "rate":
            return mixture.log_probability_at_least(self.threshold, correct, n)
        return mixture.log_probability_in(mixture.best, correct, n)

    def flags(self, log_fine: Floats) -> NDArray[np.bool_]:
        """Who is flagged: noisy with probability `flag_at` or more, even if rounding makes it a hair less."""
        # One wrong answer under the uniform prior is noisy with probability 0.99 exactly; it must not depend on luck.
        return np.asarray(log_fine <= np.log1p(-self.flag_at) + 1e-9)

    def fit(self, correct: ArrayLike, n: ArrayLike, rng: np.random.Generator) -> BetaMixture | MixtureFit:
        """The prior: looked up if it is fixed, learned from the answers and the pseudo-annotators otherwise."""
        if self.prior == "fixed":
            return FIXED[self.components]
        if self.prior != "learned":
            return JEFFREYS if self.prior == "jeffreys" else UNIFORM
        return fit_mixture(
            np.concatenate([np.atleast_1d(correct), PSEUDO_CORRECT]),
            np.concatenate([np.atleast_1d(n), PSEUDO_N]),
            components=self.components,
            rng=rng,
        )


@dataclass(frozen=True)
class NoisyAnnotators:
    """A finished model of a crowd, to be asked about its annotators and about new ones."""

    model: AnnotatorModel
    mixtures: Mapping[str, BetaMixture]
    fits: Mapping[str, MixtureFit]  # how learning ended, per kind of question; empty for a prior that is not learned
    tallies: tuple[QuestionScore, ...]
    signature: Signature

    @classmethod
    def fit(
        cls,
        tallies: Iterable[QuestionScore],
        model: AnnotatorModel,
        *,
        rng: np.random.Generator,
        seed: int | None = None,
    ) -> NoisyAnnotators:
        """Learn (or look up) the prior of each kind of test question. A worker's tallies of one kind are added up.

        `seed` only goes into the signature: what `rng` was made from.
        """
        merged = merge(tallies)
        if not merged:
            raise NoAnnotators()
        mixtures: dict[str, BetaMixture] = {}
        fits: dict[str, MixtureFit] = {}
        for kind in sorted({tally.kind for tally in merged}):
            own = [tally for tally in merged if tally.kind == kind]
            found = model.fit([tally.correct for tally in own], [tally.n for tally in own], rng)
            if isinstance(found, MixtureFit):
                fits[kind], mixtures[kind] = found, found.mixture
            else:
                mixtures[kind] = found
        signature = Signature.of(
            method="noisy-annotators",
            criterion=model.criterion,
            prior=model.prior,
            components=model.components,
            **({"threshold": f"{model.threshold:g}"} if model.criterion == "rate" else {}),
            flag=f"{model.flag_at:g}",
            annotators=len({tally.worker for tally in merged}),
            **({} if seed is None else {"seed": seed}),
        )
        return cls(model, mixtures, fits, merged, signature)

    @property
    def converged(self) -> bool:
        return all(fit.converged for fit in self.fits.values())

    def probability_noisy(self, *, right: int, wrong: int, kind: str = "") -> float:
        """For an annotator with these answers, as when a new answer has just arrived."""
        if kind not in self.mixtures:
            raise UnknownQuestionKind(kind=kind, kinds=", ".join(map(repr, self.mixtures)))
        return float(self.model.noisy(self.mixtures[kind], [right], [right + wrong])[0])

    def judge(self, tallies: Iterable[QuestionScore] | None = None) -> tuple[AnnotatorEstimate, ...]:
        """Every annotator, the most probably noisy first; of the fitted answers, or of newer ones."""
        given = self.tallies if tallies is None else merge(tallies)
        log_fine: dict[str, dict[str, float]] = {}
        accuracy: dict[str, float] = {}
        kinds = sorted({tally.kind for tally in given})
        for kind in kinds:
            if kind not in self.mixtures:
                raise UnknownQuestionKind(kind=kind, kinds=", ".join(map(repr, self.mixtures)))
            own = [tally for tally in given if tally.kind == kind]
            correct, n = [tally.correct for tally in own], [tally.n for tally in own]
            for tally, value in zip(own, self.model.log_fine(self.mixtures[kind], correct, n), strict=True):
                log_fine.setdefault(tally.worker, {})[kind] = float(value)
            if len(kinds) == 1 or len({tally.worker for tally in given}) > 1:  # else it is not told
                expected = self.mixtures[kind].expected_accuracy(correct, n)
                accuracy |= {tally.worker: float(one) for tally, one in zip(own, expected, strict=True)}
        totals = merge(QuestionScore(tally.worker, tally.correct, tally.n) for tally in given)
        found = [self._judgement(total, log_fine[total.worker], accuracy.get(total.worker)) for total in totals]
        return tuple(sorted(found, key=lambda one: (-one.noisy, one.worker)))

    def _judgement(
        self, total: QuestionScore, log_fine: Mapping[str, float], accuracy: float | None
    ) -> AnnotatorEstimate:
        # 1 - (1 - q1)(1 - q2) as a sum of logs: where both are nearly certain the product would lose its digits.
        fine = sum(log_fine.values())
        by_kind = tuple((kind, float(-np.expm1(value))) for kind, value in log_fine.items())
        single = accuracy if len(log_fine) == 1 else None
        flagged = bool(self.model.flags(np.array(fine)))
        return AnnotatorEstimate(total.worker, total.correct, total.n, float(-np.expm1(fine)), flagged, by_kind, single)


def merge(tallies: Iterable[QuestionScore]) -> tuple[QuestionScore, ...]:
    """One tally per worker and kind, in the order of names, so that the order of rows changes nothing."""
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for tally in tallies:
        correct, n = sums.get((tally.worker, tally.kind), (0, 0))
        sums[tally.worker, tally.kind] = correct + tally.correct, n + tally.n
    return tuple(QuestionScore(worker, correct, n, kind) for (worker, kind), (correct, n) in sorted(sums.items()))


def judgement_table(fitted: NoisyAnnotators, judgements: Sequence[AnnotatorEstimate]) -> Table:
    """Every annotator with the probability of being noisy."""
    kinds = [kind for kind in fitted.mixtures if kind]
    rows: list[dict[str, Cell]] = []
    for one in judgements:
        apart = dict(one.by_kind)
        rows.append(
            {
                "worker": one.worker,
                "correct": one.correct,
                "n": one.n,
                "probability_noisy": one.noisy,
                **({f"noisy_{kind}": apart.get(kind) for kind in kinds} if len(kinds) > 1 else {}),
                "flagged": one.flagged,
            }
        )
    flagged, silent = sum(one.flagged for one in judgements), sum(one.n == 0 for one in judgements)
    notes = [f"{flagged} of {len(judgements)} annotators flagged at a probability of {fitted.model.flag_at:g} or more"]
    if silent:
        notes.append(f"{silent} answered no test question: theirs is the prior probability")
    notes.append("P(noisy) takes the mixture for known: it orders people by suspicion and is not calibrated")
    return Table.of(
        f"Noisy annotators ({fitted.model.name})",
        rows,
        notes=tuple(notes),
        signature=str(fitted.signature),
        labels={"probability_noisy": "P(noisy)", **{f"noisy_{kind}": f"P(noisy), {kind}" for kind in kinds}},
    )


def mixture_table(fitted: NoisyAnnotators) -> Table:
    """The kinds of people the model believes in, and how learning them ended."""
    rows: list[dict[str, Cell]] = []
    notes: list[str] = []
    for kind, mixture in fitted.mixtures.items():
        about = f"{kind} questions: " if kind else ""
        parts = zip(mixture.weights, mixture.means, mixture.alphas, mixture.betas, strict=True)
        for number, (weight, mean, alpha, beta) in enumerate(parts, start=1):
            rows.append(
                {
                    **({"kind": kind} if kind else {}),
                    "component": number,
                    "weight": weight,
                    "mean": mean,
                    "alpha": alpha,
                    "beta": beta,
                    "best": number - 1 == mixture.best,
                }
            )
        fit = fitted.fits.get(kind)
        if fit is None:
            notes.append(f"{about}the prior is given, not learned")
            continue
        ended = "converged" if fit.converged else "did not converge"
        notes.append(
            f"{about}{ended} after {fit.iterations} steps at log likelihood {fit.log_likelihood:.4f}; "
            f"{fit.starts_agreeing} of {len(fit.starts)} starts agree; "
            f"{len(PSEUDO_N)} pseudo-annotators were added to the {fit.people - len(PSEUDO_N)} real ones"
        )
        if fit.at_limit:
            notes.append(f"{about}a component is as good as a point: its people differ no more than by chance")
    return Table.of("The fitted mixture", rows, notes=tuple(notes), signature=str(fitted.signature))
