"""Mixed models of ratings as tables: systems, their differences, the variances; and how reliable people are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.kept import Keep
from goldmark.results.inputs.files.rating_rows import scale_ends
from goldmark.results.options import of_figure, with_interval
from goldmark.results.rank_tables import NoScores, RankOptions, judgements
from goldmark.stats.inference.scales import OPEN, Ends, clipped, ends_of
from goldmark.stats.mixed_models.crossed_effects import Codes, Floats
from goldmark.stats.mixed_models.cumulative_link import Link
from goldmark.stats.mixed_models.generalisability import Reliability, reliability
from goldmark.stats.mixed_models.linear_mixed import UNCERTAIN, Contrast
from goldmark.stats.mixed_models.rating_models import (
    Effect,
    RatingDesign,
    RatingModel,
    linear_rating_model,
    ordinal_rating_model,
)

ModelKind = Literal["linear", "ordinal"]
MOST_PEOPLE = 10  # of a D study
MOST_CATEGORIES = 20  # of an ordinal model: more are numbers, and every one would need a threshold
NO_DIFFERENCE = (0.0, "no difference")
LABELS = {
    "standard_error": "s.e.",
    "p_adjusted": "p (Holm)",
    "n": "ratings",
    "sd": "s.d.",
}


class ModelOptions(NamedTuple):
    """Which model, and how sure its intervals are to be."""

    kind: ModelKind = "linear"
    link: Link = "logit"
    without: tuple[Effect, ...] = ()
    level: float = 0.95
    alpha: float = 0.05

    def signature(self, model: RatingModel | None = None) -> str:
        how = {"criterion": "reml"} if self.kind == "linear" else {"link": self.link, "integral": "laplace"}
        effects = "+".join(effect.name for effect in model.design.effects) if model else "as-told-apart"
        interval = "satterthwaite-t" if self.kind == "linear" else "wald-t"
        return str(
            Signature.of(figure=f"{self.kind}-mixed-model", random=effects, **how, interval=interval, level=self.level)
        )


class CategoriesTooMany(NoScores):
    code = "MODEL-03"
    message = "{source} has {count} different scores, too many for an ordered scale; use --kind linear"


def fitted(design: RatingDesign, score: Floats, options: ModelOptions, source: str = "the table") -> RatingModel:
    """The model of one question's ratings."""
    if options.kind == "linear":
        return linear_rating_model(design, score)
    count = len(np.unique(score))
    if count > MOST_CATEGORIES:
        raise CategoriesTooMany(source=source, count=count)
    return ordinal_rating_model(design, score, link=options.link)


def system_rows(
    model: RatingModel, options: ModelOptions, by: str = "system", ends: Ends = OPEN
) -> list[dict[str, Cell]]:
    """Every system with its interval, without what lies beyond the ends of a scale; a hidden scale has none."""
    low, high = ends if options.kind == "linear" else OPEN
    counts = np.bincount(model.design.system, minlength=len(model.design.systems))
    number = dict(zip(model.design.systems, counts.tolist(), strict=True))
    warned = warnings(model)
    return [
        {
            by: name,
            **_with_interval(one, options.level, low, high),
            "standard_error": one.error,
            "df": _df(one.df),
            "n": number[name],
            "reason": _reason(one, warned),
        }
        for name, one in model.systems
    ]


def pair_rows(model: RatingModel, options: ModelOptions, ends: Ends = OPEN) -> list[dict[str, Cell]]:
    width = ends[1] - ends[0] if options.kind == "linear" else math.inf
    warned = warnings(model)
    return [
        {
            "first": pair.first,
            "second": pair.second,
            **_with_interval(pair.contrast, options.level, -width, width),
            "standard_error": pair.contrast.error,
            "df": _df(pair.contrast.df),
            "p": pair.contrast.p,
            "p_adjusted": pair.adjusted,
            "significant": None if pair.adjusted is None else pair.adjusted < options.alpha,
            "reason": _reason(pair.contrast, warned),
        }
        for pair in model.pairs
    ]


def _with_interval(one: Contrast, level: float, low: float, high: float) -> dict[str, Cell]:
    interval = one.interval(level)
    return with_interval("value", one.value, interval and clipped(interval, low, high))


def _reason(one: Contrast, warned: Iterable[str]) -> str:
    return "; ".join((*warned, *([UNCERTAIN] if one.error is None else [])))


def component_rows(model: RatingModel, options: ModelOptions) -> list[dict[str, Cell]]:
    return [_component(name, figure, share) for name, figure, share in model.components(options.level)]


def _component(name: str, figure: Figure, share: float) -> dict[str, Cell]:
    cells = of_figure(figure)
    return {
        "effect": name,
        **{column: cells[column] for column in ("value", "low", "high")},
        "sd": None if figure.value is None else float(np.sqrt(figure.value)),
        "share": share,
        "levels": figure.used,
        "reason": figure.reason,
    }


def threshold_rows(model: RatingModel, options: ModelOptions) -> list[dict[str, Cell]]:
    return [
        {"between": between, **{name: of_figure(figure)[name] for name in ("value", "low", "high")}}
        for between, figure in model.thresholds(options.level)
    ]


def warnings(model: RatingModel) -> list[str]:
    found = list(model.design.warnings)
    if not model.model.converged:
        found.append("the search for the best fit did not end; take these figures as rough")
    return found


def _df(df: float) -> float | None:
    return None if np.isinf(df) else df


SYSTEMS_ARE = {
    "linear": "value: the mean of a system, had every person rated every item of it",
    "ordinal": "value: how far above the mean of all systems, on the hidden scale ({link}s)",
}


def tables_of_model(
    systems: Sequence[Mapping[str, Cell]],
    pairs: Sequence[Mapping[str, Cell]],
    components: Sequence[Mapping[str, Cell]],
    thresholds: Sequence[Mapping[str, Cell]],
    options: ModelOptions,
    signature: str,
    notes: Sequence[str] = (),
) -> list[Table]:
    """The tables of one model or of several questions' models."""
    about = SYSTEMS_ARE[options.kind].format(link=options.link)
    kind = options.kind.capitalize()
    made = [
        Table.of(f"{kind} mixed model", systems, notes=(about, *notes), signature=signature, labels=LABELS),
        Table.of(
            "Differences in the model",
            pairs,
            signature=signature,
            labels={**LABELS, "value": "difference"},
            name="differences",
            reference=NO_DIFFERENCE,
        ),
        Table.of(
            "Variances in the model",
            components,
            notes=("how much of what varies is of each effect",),
            signature=signature,
            labels={**LABELS, "value": "variance"},
            name="variances",
        ),
    ]
    if thresholds:
        made.append(Table.of("Thresholds", thresholds, signature=signature, name="thresholds"))
    return made


def rating_model(
    frame: Frame, options: ModelOptions, names: Mapping[str, str] | None = None, *, keep: Keep | None = None
) -> list[Table]:
    """The tables of a model of a tidy table of ratings; `names` says how it calls its columns."""
    system, item, annotator, score, notes = _columns(frame, names, keep)
    design = RatingDesign.of(system, item, annotator, without=options.without)
    model, ends = fitted(design, score, options, frame.source), ends_of(score, scale_ends(frame))
    return tables_of_model(
        system_rows(model, options, ends=ends),
        pair_rows(model, options, ends),
        component_rows(model, options),
        threshold_rows(model, options),
        options,
        options.signature(model),
        (*notes, *design.left_out),
    )


def _columns(
    frame: Frame, names: Mapping[str, str] | None, keep: Keep | None
) -> tuple[Coded, Coded, Coded, Floats, list[str]]:
    judged, notes = judgements(frame, RankOptions(keep=keep or {}), names)
    if not judged.annotators:
        raise NoScores(source=frame.source, why="a model of people needs a column that says who judged")
    known = ~np.isnan(judged.score)
    return (
        Coded(judged.system[known], judged.systems),
        Coded(judged.item[known], judged.items),
        Coded(judged.annotator[known], judged.annotators),
        judged.score[known],
        notes,
    )


# --- how reliable people are -----------------------------------------------------------------------------------------


def reliability_rows(found: Reliability) -> list[dict[str, Cell]]:
    """A D study: the reliability of the mean of one person, of two, and so on."""
    rows: list[dict[str, Cell]] = []
    for people in range(1, MOST_PEOPLE + 1):
        agreement, consistency = found.of_mean(people, "agreement"), found.of_mean(people, "consistency")
        rows.append(
            {
                "people": people,
                **with_interval("agreement", agreement.value, agreement.interval),
                **with_interval("consistency", consistency.value, consistency.interval),
                "texts": found.agreement.used,
                "reason": found.warning,
            }
        )
    return rows


def reliability_components(found: Reliability, level: float) -> list[dict[str, Cell]]:
    total = float(found.model.variances.sum())
    return [
        _component(name, figure, (figure.value or 0.0) / total)
        for name, figure in zip(("text", "annotator", "residual"), found.model.variance_figures(level), strict=True)
    ]


def reliability_tables(
    rows: Sequence[Mapping[str, Cell]],
    components: Sequence[Mapping[str, Cell]],
    level: float,
    notes: Sequence[str] = (),
) -> list[Table]:
    signature = str(
        Signature.of(
            figure="generalisability",
            design="text-x-annotator",
            criterion="reml",
            interval="profile-likelihood",
            level=level,
        )
    )
    variances = str(
        Signature.of(
            figure="variances", design="text-x-annotator", criterion="reml", interval="satterthwaite-chi2", level=level
        )
    )
    about = (
        "agreement: people's strictness counts as error (dependability); consistency: only the order of texts counts"
    )
    return [
        Table.of("Reliability of the mean of several people", rows, notes=(about, *notes), signature=signature),
        Table.of(
            "Where ratings vary",
            components,
            signature=variances,
            labels={**LABELS, "value": "variance"},
            name="variances",
        ),
    ]


def rating_reliability(
    frame: Frame, names: Mapping[str, str] | None = None, *, keep: Keep | None = None, level: float = 0.95
) -> list[Table]:
    """The reliability of people who rated texts, of a tidy table."""
    named = dict(names or {})
    if "system" not in named and "system" not in frame.cells:
        frame = Frame(frame.source, {**frame.cells, "system": ["all"] * len(frame)}, frame.lines)
    system, item, annotator, score, notes = _columns(frame, named, keep)
    found = reliability(score, text_codes(system, item), codes_of(annotator), level=level)
    return reliability_tables(reliability_rows(found), reliability_components(found, level), level, notes)


def text_codes(system: Coded, item: Coded) -> Codes:
    """A code of every rating for its text: one system's text of one item."""
    pairs = item.codes * np.int64(len(system.names)) + system.codes
    codes: Codes = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return codes


def codes_of(column: Coded) -> Codes:
    return column.used()[0]
