"""People, effect, power: give two and get the third, before the study (HUMANLIKE 2.3)."""

from __future__ import annotations

from dataclasses import dataclass

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.inference import power as p
from goldmark.stats.inference.equivalence import equivalence_power

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

    def power_of(size: float, people: int) -> float:
        if wanted.margin is not None:
            return equivalence_power(size, people, difference=0.0, alpha=level, design=wanted.design)
        if wanted.groups > 2:
            return p.anova_power(size, people, groups=wanted.groups, alpha=level)
        return p.t_power(size, people, alpha=level, design=wanted.design)

    n, power, found = wanted.n, wanted.power, ""
    if effect is None:
        # _sensible has seen to it that the number of people is known here.
        people = n or 0
        power = USUAL_POWER if power is None else power
        effect, found = p.smallest_effect(lambda size: power_of(size, people), power), "effect"
    elif n is None:
        size = effect
        power = USUAL_POWER if power is None else power
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
    test = f"anova-{wanted.groups}" if wanted.groups > 2 else f"t-{wanted.design}"
    measure = "Cohen's f" if wanted.groups > 2 else "Cohen's d"
    if wanted.margin is not None:
        test, measure = f"tost-{wanted.design}", "margin (in s.d.)"
    labels = {"n": "people a group", "total": "people", "effect": measure}
    sides = {} if wanted.margin is not None else {"sides": 2}
    signature = str(Signature.of(figure="power", test=test, **sides, level=f"{level:.6g}"))
    return Table.of("Power of the study", [row], notes=tuple(notes), signature=signature, labels=labels)


def _sensible(wanted: PowerPlan) -> None:
    problem = ""
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
    elif None not in (wanted.n, wanted.power) and (wanted.effect is not None or wanted.accuracy is not None):
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
