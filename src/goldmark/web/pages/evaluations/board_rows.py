"""Standings made ready for a page: sorted and filtered as the address says, dots and whiskers on one scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from goldmark.leaderboards.definition.tasks import figure_of
from goldmark.leaderboards.scores.standings import AxisScore, MetricCell, Standing
from goldmark.metrics.plugins import Spec
from goldmark.records.tables import Table
from goldmark.results.pictures.axes import round_axis

if TYPE_CHECKING:
    from goldmark.leaderboards.scores.correlations import Point


LONGEST_OPTIONS = 16  # characters of a metric's options at the head of a column


class Whisker(NamedTuple):
    """Where on a scale, in per cent of its width."""

    low: float | None
    dot: float
    high: float | None
    words: str


class Scale(NamedTuple):
    low: float
    high: float

    def place(self, value: float) -> float:
        return round(100 * (value - self.low) / (self.high - self.low), 2)


@dataclass(frozen=True)
class StandingsRequest:
    """What the address asks for; an address with it shows the same again."""

    sort: str = ""
    order: str = ""
    search: str = ""
    axis: str = ""
    phase: str = ""

    def query(self, **changed: str) -> str:
        """The address's question mark and what follows, with some of it changed."""
        said = {name: getattr(self, name) for name in ("phase", "axis", "sort", "order", "search")} | changed
        kept = {key: value for key, value in said.items() if value}
        return f"?{urlencode(kept)}" if kept else "?"


def shown_number(value: float | None, digits: int | None = None) -> str:
    """A figure as people read it: 0.713, 4.15, 31.4; with `digits`, as its column has them."""
    if value is None:
        return "–"
    return f"{value:,.{decimals([value]) if digits is None else digits}f}"


def decimals(values: Iterable[float | None]) -> int:
    """How many digits after the point the figures of one column have, so that they can be compared at a glance."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return 3 if largest < 2 else 2 if largest < 10 else 1


def metric_decimals(rows: Sequence[Standing], metrics: Iterable[str]) -> dict[str, int]:
    cells = {name: [one.metrics.get(name) for one in rows] for name in metrics}
    return {name: decimals(cell.value for cell in found if cell is not None) for name, found in cells.items()}


class MetricName(NamedTuple):
    """What a metric is called at the head of a column, and in full."""

    short: str
    full: str


def metric_names(metrics: Iterable[str]) -> dict[str, MetricName]:
    """A word for each metric; with its options only where two would be called the same."""
    specs = [Spec.parse(one) for one in metrics]
    times = Counter(one.name for one in specs)
    return {str(one): MetricName(_short(one, times[one.name]), str(one)) for one in specs}


def _short(spec: Spec, times: int) -> str:
    figure = figure_of(str(spec))
    if figure is not None:
        return figure.replace("_", " ")
    return spec.name if times == 1 else _told_apart(spec)


def _told_apart(spec: Spec) -> str:
    """By what stands after the equals signs; of a path its end."""
    values = " ".join(value.rstrip("/").rpartition("/")[2] for _, value in spec.options)
    return f"{spec.name} {values[:LONGEST_OPTIONS]}".strip()


def arranged(rows: Sequence[Standing], wish: StandingsRequest) -> list[Standing]:
    """Those whose system, team, description or author holds the words, in the order that was asked for."""
    words = wish.search.casefold()
    kept = [one for one in rows if not words or words in _all_words(one)]
    if not wish.sort:
        return kept
    values = {one.submission.id: _value(one, wish.sort) for one in kept}
    known = [one for one in kept if values[one.submission.id] is not None]
    unknown = [one for one in kept if values[one.submission.id] is None]
    known.sort(key=lambda one: values[one.submission.id], reverse=wish.order == "down")
    return known + unknown


def _all_words(one: Standing) -> str:
    about = one.submission
    return " ".join((about.system, about.team or "", about.description, *about.authors)).casefold()


def _value(one: Standing, key: str) -> Any:
    about, judged = one.submission, one.judged
    plain: Mapping[str, Any] = {
        "system": about.system.casefold(),
        "team": (about.team or "").casefold() or None,
        "submitted": about.submitted_at,
        "rank": one.best,
        "labels": judged.labels if judged else None,
        "annotators": judged.annotators if judged else None,
        "excluded": judged.excluded if judged else None,
        "cost": judged.cost if judged else None,
    }
    if key in plain:
        return plain[key]
    cell = one.scores.get(key) or one.metrics.get(key)
    return None if cell is None else cell.value


def scale_of(rows: Sequence[Standing], axis: str) -> Scale | None:
    """From the lowest to the highest end of any interval, between round numbers."""
    ends = [
        end
        for one in rows
        if (score := _drawn_by(one, axis)) is not None
        for end in (score.low, score.value, score.high)
        if end is not None
    ]
    if not ends:
        return None
    return _round_scale(ends)


def _round_scale(values: Sequence[float]) -> Scale:
    """The narrowest scale with round ends that holds all values."""
    axis = round_axis(min(values), max(values), 11)
    return Scale(axis.low, axis.high)


def _drawn_by(one: Standing, axis: str) -> AxisScore | MetricCell | None:
    """What people say on an axis, or what a metric of that name does."""
    return one.scores.get(axis) or one.metrics.get(axis)


def whisker(one: Standing, axis: str, scale: Scale | None) -> Whisker | None:
    score = _drawn_by(one, axis)
    if score is None or score.value is None or scale is None:
        return None
    if score.low is None or score.high is None:
        why = score.message if isinstance(score, MetricCell) else score.reason
        return Whisker(None, scale.place(score.value), None, f"{shown_number(score.value)}, {why}")
    words = f"{shown_number(score.value)}, interval {shown_number(score.low)} to {shown_number(score.high)}"
    return Whisker(scale.place(score.low), scale.place(score.value), scale.place(score.high), words)


class AgreementLine(NamedTuple):
    """How one metric goes with people on one level, ready to be drawn from -1 to 1."""

    metric: str
    level: str
    mark: Whisker | None
    words: str  # the figure, or why there is none
    without: str = ""  # why there is no interval


LEVELS = {"system": "systems", "segment": "outputs"}


def agreement_lines(table: Table) -> list[AgreementLine]:
    """Pearson's correlation of every metric with people, over systems and over outputs, on one scale."""
    scale, found = Scale(-1.0, 1.0), []
    for row in table.records():
        level, value = str(row["level"]), row["correlation"]
        if row["method"] != "pearson" or level not in LEVELS:
            continue
        low, high, metric = row["correlation_low"], row["correlation_high"], str(row["metric"])
        if not isinstance(value, float):
            found.append(AgreementLine(metric, LEVELS[level], None, str(row["reason"])))
            continue
        words = f"{value:.2f}"
        ends: tuple[float | None, float | None] = (None, None)
        if isinstance(low, float) and isinstance(high, float):
            words, ends = f"{words} [{low:.2f}, {high:.2f}]", (scale.place(low), scale.place(high))
        mark = Whisker(ends[0], scale.place(value), ends[1], f"{metric}, over {LEVELS[level]}: {words}")
        found.append(AgreementLine(metric, LEVELS[level], mark, words, str(row["reason"] or "")))
    return found


class Plotted(NamedTuple):
    """A metric against people, ready to be drawn: points in per cent, and what the ends of the axes are."""

    points: tuple[tuple[float, float, str, str], ...]  # where, the system, everything in words
    x: tuple[str, str]
    y: tuple[str, str]


def plotted(points: Sequence[Point]) -> Plotted | None:
    if not points:
        return None
    human, metric = [one.human for one in points], [one.metric for one in points]
    across, up = _round_scale(human), _round_scale(metric)
    return Plotted(
        tuple(
            (
                across.place(one.human),
                round(100 - up.place(one.metric), 2),
                one.system,
                f"{one.system}: people {shown_number(one.human)}, metric {shown_number(one.metric)}",
            )
            for one in points
        ),
        (shown_number(across.low), shown_number(across.high)),
        (shown_number(up.low), shown_number(up.high)),
    )
