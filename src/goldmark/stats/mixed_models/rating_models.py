"""Mixed models of ratings: systems as fixed effects; items, people and what they make of each other as random ones.

Which random effects a set of ratings can tell apart is decided here, once, for the linear and the ordinal model:

    item                what an item does to every system's text of it
    text                what is special about one system's text of one item
    annotator           how strict somebody is
    annotator:system    whom somebody likes more than others do

All that can be told apart are in the model (Barr, Levy, Scheepers and Tily, *Random effects structure for confirmatory
hypothesis testing: keep it maximal*, 2013): leaving `annotator:system` out is what makes intervals of few people's
favourites too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import scipy

from goldmark.records.figures import Figure, Interval, counted
from goldmark.records.tidy.coded import first_seen
from goldmark.stats.mixed_models.crossed_effects import Codes, Floats
from goldmark.stats.mixed_models.cumulative_link import Link
from goldmark.stats.mixed_models.linear_mixed import UNCERTAIN, Contrast, LinearMixed, NothingToFit, fit_linear
from goldmark.stats.mixed_models.ordinal_mixed import OrdinalMixed, fit_ordinal

Effect = Literal["item", "text", "annotator", "annotator:system"]
FEW = 5  # people from whose number on intervals hold in simulations; fewer are warned of


class RandomEffect(NamedTuple):
    name: Effect
    codes: Codes
    levels: int


@dataclass(frozen=True)
class RatingDesign:
    """Who rated what: a code of every rating for its system, and its random effects."""

    systems: tuple[str, ...]
    system: Codes
    effects: tuple[RandomEffect, ...]
    left_out: tuple[str, ...]  # effects that these ratings cannot tell, and why
    people: int

    @classmethod
    def of(
        cls, system: Sequence[str], item: Sequence[str], annotator: Sequence[str], *, without: Sequence[Effect] = ()
    ) -> RatingDesign:
        found, names = first_seen(system)
        order = sorted(range(len(names)), key=names.__getitem__)
        place = np.argsort(order)
        systems, code = tuple(names[one] for one in order), place[found]
        items, people = first_seen(item)[0], first_seen(annotator)[0]
        among: dict[Effect, Codes] = {
            "item": items,
            "text": items * len(systems) + code,
            "annotator": people,
            "annotator:system": people * len(systems) + code,
        }
        kept: list[RandomEffect] = []
        left = []
        for name, raw in among.items():
            codes = np.unique(raw, return_inverse=True)[1].astype(np.int64)
            levels = int(codes.max()) + 1 if len(codes) else 0
            same = next((one.name for one in kept if _same(one, codes, levels)), None)
            why = (
                "not wanted"
                if name in without
                else "there is only one"
                if levels < 2
                else "every rating has its own"
                if levels == len(codes)
                else f"it cannot be told from {same}"
                if same
                else "it cannot be told from the systems"
                if len(np.unique(code * levels + codes)) == len(systems)
                else ""
            )
            if why:
                left.append(f"no effect of {name}: {why}")
            else:
                kept.append(RandomEffect(name, codes, levels))
        if not kept:
            raise NothingToFit(why="; ".join(left))
        return cls(systems, code, tuple(kept), tuple(left), len(np.unique(people)))

    @property
    def factors(self) -> list[Codes]:
        return [effect.codes for effect in self.effects]

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before trusting an interval."""
        if self.people < FEW:
            people = counted(self.people, "person", "people")
            return [f"{people} rated; from fewer than {FEW} nothing sure can be said of how people differ"]
        return []


def _same(one: RandomEffect, codes: Codes, levels: int) -> bool:
    """Whether two factors part the ratings in the same way."""
    return one.levels == levels == len(np.unique(one.codes * levels + codes))


class SystemPair(NamedTuple):
    first: str
    second: str
    contrast: Contrast
    adjusted: float | None  # Holm's p


@dataclass(frozen=True)
class RatingModel:
    """A fitted model of ratings, linear or ordinal, in the words of systems and people."""

    design: RatingDesign
    model: LinearMixed | OrdinalMixed
    df_from: LinearMixed  # whose degrees of freedom contrasts have
    categories: tuple[float, ...] = ()  # of an ordinal model

    def weights(self, system: int) -> Floats:
        """One system: its mean, or, on a hidden scale that has no zero, its distance from the mean of all systems."""
        own: Floats = np.eye(len(self.design.systems))[system]
        return own if isinstance(self.model, LinearMixed) else own - 1 / len(own)

    def contrast(self, weights: Floats) -> Contrast:
        if isinstance(self.model, LinearMixed):
            return self.model.contrast(weights)
        # The first system is where the hidden scale starts: its effect is 0. What the ordinal likelihood does not say
        # is how many people its errors rest on; that is taken from the linear model of the same answers.
        return self.model.contrast(weights[1:], df=self.df_from.contrast(weights).df)

    @cached_property
    def systems(self) -> list[tuple[str, Contrast]]:
        """Every system, the best first."""
        found = [(name, self.contrast(self.weights(place))) for place, name in enumerate(self.design.systems)]
        return sorted(found, key=lambda one: -one[1].value)

    @cached_property
    def pairs(self) -> list[SystemPair]:
        """Every two systems, the better first, with p-values corrected by Holm."""
        from goldmark.stats.significance.tests import holm

        order = [name for name, _ in self.systems]
        place = {name: row for row, name in enumerate(self.design.systems)}
        eye = np.eye(len(order))
        made = [(a, b, self.contrast(eye[place[a]] - eye[place[b]])) for a, b in combinations(order, 2)]
        adjusted = holm([one.p for _, _, one in made])
        return [SystemPair(a, b, one, p) for (a, b, one), p in zip(made, adjusted, strict=True)]

    def components(self, level: float) -> list[tuple[str, Figure, float]]:
        """The variance of every effect and of what is left, with its share of all."""
        names = [*(effect.name for effect in self.design.effects), "residual"]
        figures = self.model.variance_figures(level)
        total = float(self.model.variances.sum())
        return [(name, figure, (figure.value or 0.0) / total) for name, figure in zip(names, figures, strict=True)]

    def thresholds(self, level: float) -> list[tuple[str, Figure]]:
        """Where the hidden scale is cut, between every two categories."""
        if isinstance(self.model, LinearMixed):
            return []
        z = float(scipy.stats.norm.ppf((1 + level) / 2))
        half = z * np.sqrt(np.maximum(np.diag(self.model.covariance), 0.0))
        return [
            (f"{low:g} | {high:g}", _threshold(cut, own, level))
            for low, high, cut, own in zip(
                self.categories, self.categories[1:], self.model.thresholds.tolist(), half.tolist(), strict=False
            )
        ]


def _threshold(cut: float, half: float, level: float) -> Figure:
    if half > 0:
        return Figure(cut, Interval(cut - half, cut + half, level))
    return Figure(cut, reason=UNCERTAIN)


def linear_rating_model(design: RatingDesign, score: Floats) -> RatingModel:
    """`score ~ system + (1 | item) + (1 | text) + (1 | annotator) + (1 | annotator:system)`, or what of it there is."""
    fitted = fit_linear(score, np.eye(len(design.systems))[design.system], design.factors)
    return RatingModel(design, fitted, fitted)


def ordinal_rating_model(design: RatingDesign, score: Floats, *, link: Link = "logit") -> RatingModel:
    """The same of the hidden number behind answers on an ordered scale."""
    categories, answer = np.unique(score, return_inverse=True)
    columns = np.eye(len(design.systems))[design.system]
    linear = fit_linear(answer.astype(np.float64), columns, design.factors)
    fitted = fit_ordinal(answer.astype(np.int64), columns[:, 1:], design.factors, link=link)
    return RatingModel(design, fitted, linear, tuple(categories.tolist()))
