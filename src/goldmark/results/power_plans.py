"""People, effect, power: give two and get the third, before the study (HUMANLIKE 2.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.significance import power as p
from goldmark.stats.significance.equivalence import equivalence_power

USUAL_POWER = 0.8


class PlanUnclear(GoldmarkError):
    code = "STUDY-02"
    message = "{reason}"


@dataclass(frozen=True)
class PowerPlan:
    """A study before it starts; what is None is to be found."""

    n: int | None = None
    effect: float | None = None
    power: float | None = None
    accuracy: float | None = None
    baseline: float = 0.5
    texts: int = 5
    between: float = 0.0
    design: p.Design = "two-sample"
    groups: int = 2
    alpha: float = 0.05
    comparisons: int = 1
    margin: float | None = None  # equality up to so many standard deviations is to be shown, not a difference
    pool: int | None = None  # different texts of a group, if it is to hold for other texts too; 0: how many are needed
    between_texts: float = 0.0  # standard deviation of texts' true means; of people's outcomes, unless of an accuracy


def plan(wanted: PowerPlan) -> Table:
    """One row: people per group and in all, effect, power, and what was assumed."""
    _sensible(wanted)
    level = wanted.alpha / wanted.comparisons
    effect = wanted.effect if wanted.margin is None else wanted.margin or None
    notes: list[str] = []
    if wanted.margin is not None:
        notes.append("of showing that two means are equal up to the margin, if they are equal (two one-sided tests)")
    if wanted.accuracy is not None:
        effect = abs(p.accuracy_effect(wanted.accuracy, wanted.baseline, texts=wanted.texts, between=wanted.between))
        notes.append(
            f"accuracy {wanted.accuracy:g} against {wanted.baseline:g}, {wanted.texts} texts a person: "
            f"Cohen's d = {effect:.3f}"
        )
        if wanted.between == 0:
            notes.append("people are taken to be equally good; say how far they differ with --between")

    texts = _texts(wanted, effect, notes)

    def power_of(size: float, people: int) -> float:
        if texts is not None:
            return p.crossed_power(size, people, texts, alpha=level, groups=groups)
        if wanted.margin is not None:
            return equivalence_power(size, people, difference=0.0, alpha=level, design=wanted.design)
        if wanted.groups > 2:
            return p.anova_power(size, people, groups=wanted.groups, alpha=level)
        return p.t_power(size, people, alpha=level, design=wanted.design)

    groups = 1 if wanted.design == "one-sample" else 2
    n, power, found = wanted.n, wanted.power, ""
    if texts is not None and wanted.pool == 0:
        size, people = effect or 0.0, n or 0
        power = USUAL_POWER if power is None else power
        texts = texts._replace(
            pool=_enough_texts(lambda many: texts._replace(pool=many), size, people, power, level, groups)
        )
        power, found = power_of(size, people), "texts"
    elif effect is None:
        # _sensible has seen to it that the number of people is known here.
        people = n or 0
        power = USUAL_POWER if power is None else power
        effect, found = p.smallest_effect(lambda size: power_of(size, people), power), "effect"
    elif n is None:
        size = effect
        power = USUAL_POWER if power is None else power
        if texts is not None and power_of(size, p.MOST) < power:
            most = f"{power_of(size, p.MOST):.3f}"
            raise PlanUnclear(
                reason=f"with {texts.pool} texts any number of people have a power of {most} at most; use more"
            )
        n, found = p.smallest_n(lambda people: power_of(size, people), power), "people"
        power = power_of(effect, n)
    else:
        power, found = power_of(effect, n), "power"
    together = (n or 0) * (wanted.groups if wanted.groups > 2 else 2 if wanted.design == "two-sample" else 1)
    row: dict[str, Cell] = {
        "n": n,
        "total": together,
        "effect": effect,
        "power": power,
        "alpha": wanted.alpha,
        "comparisons": wanted.comparisons,
        "found": found,
    }
    if texts is not None:
        row["texts"] = texts.pool
    test = f"anova-{wanted.groups}" if wanted.groups > 2 else f"t-{wanted.design}"
    measure = "Cohen's f" if wanted.groups > 2 else "Cohen's d"
    if wanted.margin is not None:
        test, measure = f"tost-{wanted.design}", "margin (in s.d.)"
    if texts is not None:
        test = f"mixed-{wanted.design}"
    labels = {"n": "people a group", "total": "people", "effect": measure, "texts": "texts a group"}
    sides = {} if wanted.margin is not None else {"sides": 2}
    signature = str(Signature.of(figure="power", test=test, **sides, level=f"{level:.6g}"))
    return Table.of("Power of the study", [row], notes=tuple(notes), signature=signature, labels=labels)


def _texts(wanted: PowerPlan, effect: float | None, notes: list[str]) -> p.ReadTexts | None:
    """The texts of a test over people and texts, in units of the standard deviation of people's outcomes."""
    if wanted.pool is None:
        return None
    between, answers = wanted.between_texts, None
    if wanted.accuracy is not None and effect:
        middle = (wanted.accuracy + wanted.baseline) / 2
        unit = abs(wanted.accuracy - wanted.baseline) / effect
        between, answers = between / unit, math.sqrt(max(0.0, middle * (1 - middle) - between**2)) / unit
    if between**2 > wanted.texts:
        raise PlanUnclear(
            reason="texts cannot differ further than people's outcomes, which are means of a few of them, allow"
        )
    notes.append("over people and texts: a mixed model with both crossed; what it finds holds for other texts too")
    if between == 0:
        notes.append("texts are taken to be alike; say how far they differ with --between-texts")
    return p.ReadTexts(wanted.texts, wanted.pool, between, answers)


def _enough_texts(
    of: Callable[[int], p.ReadTexts], effect: float, people: int, power: float, level: float, groups: int
) -> int:
    def reached(pool: int) -> float:
        return p.crossed_power(effect, people, of(pool), alpha=level, groups=groups)

    most = people * of(0).each  # nobody reads more than that
    if reached(most) < power:
        why = f"even if nobody read a text that another has read, {people} people have a power of {reached(most):.3f}"
        raise PlanUnclear(reason=f"{why}; take more people")
    return p.smallest_n(reached, power)


def _sensible(wanted: PowerPlan) -> None:
    problem = _about_texts(wanted)
    if problem:
        raise PlanUnclear(reason=problem)
    if wanted.margin is not None and (wanted.effect is not None or wanted.accuracy is not None or wanted.groups > 2):
        problem = "a margin is for showing that two means are equal: give no effect, accuracy or more groups beside it"
    elif wanted.margin is not None and wanted.margin < 0:
        problem = "a margin is above 0, or 0 to ask for the smallest that can be shown"
    elif wanted.margin == 0 and wanted.n is None:
        problem = "give the number of people (--n) to learn which margin they can show"
    elif wanted.margin:
        problem = "people, margin and power are all given" if None not in (wanted.n, wanted.power) else ""
    elif wanted.effect is not None and wanted.accuracy is not None:
        problem = "give an effect or an accuracy, not both"
    elif wanted.effect is None and wanted.accuracy is None and wanted.n is None:
        problem = "give the effect (--effect or --accuracy) or the number of people (--n)"
    elif None not in (wanted.n, wanted.power) and wanted.pool != 0 and (wanted.effect or wanted.accuracy) is not None:
        problem = "people, effect and power are all given; leave out the one to be computed"
    elif wanted.n is not None and wanted.n < 2:
        problem = f"{wanted.n} people a group are too few; two are the least"
    elif wanted.power is not None and not 0 < wanted.power < 1:
        problem = f"power is a probability between 0 and 1, not {wanted.power:g}"
    elif not 0 < wanted.alpha < 1:
        problem = f"alpha is a probability between 0 and 1, not {wanted.alpha:g}"
    elif wanted.comparisons < 1 or wanted.groups < 2 or wanted.texts < 1 or wanted.between < 0:
        problem = "at least one comparison, two groups and one text are needed, and a spread is not negative"
    elif wanted.accuracy is not None and not (0 <= wanted.accuracy <= 1 and 0 <= wanted.baseline <= 1):
        problem = "accuracies lie between 0 and 1"
    elif wanted.accuracy is not None and wanted.groups > 2:
        problem = "an accuracy compares two groups; for more give Cohen's f with --effect"
    if problem:
        raise PlanUnclear(reason=problem)


def _about_texts(wanted: PowerPlan) -> str:
    if wanted.pool is None:
        return "texts differ (--between-texts) only where they are a sample: say how many there are (--pool)" * (
            wanted.between_texts > 0
        )
    if wanted.margin is not None or wanted.groups > 2 or wanted.design == "paired":
        return "a test over people and texts compares two groups of people, or one with a number"
    if wanted.between_texts < 0 or wanted.pool < 0 or wanted.pool == 1:
        return "a pool has two texts or more (0 asks how many are needed), and a spread is not negative"
    if wanted.pool == 0 and (wanted.n is None or (wanted.effect is None and wanted.accuracy is None)):
        return "give the people (--n) and the effect to learn how many texts are needed"
    if 0 < wanted.pool < wanted.texts:
        return f"{wanted.pool} texts are fewer than the {wanted.texts} that each person reads"
    return ""
