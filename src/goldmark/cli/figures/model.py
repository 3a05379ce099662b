"""`goldmark model`: models of what people said, in which people and items differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import Alpha, Keep, OnDatabase, PlotCall, Probability, columns
from goldmark.cli.output import emit

if TYPE_CHECKING:
    from goldmark.records.tidy.columns import Frame

app = App(name="model", help="Models of ratings: systems, people, items, and how reliable people are.")

SystemColumn = Annotated[str, Parameter(help="The column that names whose output was judged.")]
ItemColumn = Annotated[
    str, Parameter(help="The column that names the test item (`item`, or `unit` where that is empty).")
]
AnnotatorColumn = Annotated[str, Parameter(help="The column that names who judged.")]
ScoreColumn = Annotated[
    str, Parameter(help="The column of scores (`score`, or else `value`); an empty cell is no score.")
]
Level = Annotated[Probability, Parameter(help="How often an interval should hold the truth.")]
RatingsFile = Annotated[Path | None, Parameter(help="Ratings (CSV, TSV or JSON lines), one a row; or use --campaign.")]
Campaign = Annotated[str | None, Parameter(help="Make it of this campaign's ratings instead of a file.")]


@app.command
def fit(
    file: RatingsFile = None,
    /,
    *,
    campaign: Campaign = None,
    kind: Annotated[
        Literal["linear", "ordinal"],
        Parameter(help="linear: the numbers as they are. ordinal: an ordered scale whose steps need not be equal."),
    ] = "linear",
    link: Annotated[
        Literal["logit", "probit"], Parameter(help="Of an ordinal model: logistic or normal chance.")
    ] = "logit",
    without: Annotated[
        tuple[Literal["item", "text", "annotator", "annotator:system"], ...],
        Parameter(
            help="Random effects to leave out. All that the ratings can tell apart are in the model.", negative=""
        ),
    ] = (),
    system: SystemColumn = "system",
    item: ItemColumn = "",
    annotator: AnnotatorColumn = "annotator",
    score: ScoreColumn = "",
    keep: Keep = (),
    level: Level = 0.95,
    alpha: Alpha = 0.05,
    call: PlotCall = PlotCall(),
) -> int:
    """Fit a mixed model of ratings: systems are compared, people and items are drawn by chance."""
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.rating_model_tables import ModelOptions, rating_model

    frame = _ratings(file, campaign, call)
    if frame is None:
        return 2
    given = columns(system=system, item=item, annotator=annotator, score=score)
    options = ModelOptions(kind, link, tuple(without), level, alpha)
    emit(call, tables=rating_model(frame, options, given, keep=named_values(keep)), picture=("value", ("system",)))
    return 0


@app.command
def reliability(
    file: RatingsFile = None,
    /,
    *,
    campaign: Campaign = None,
    system: SystemColumn = "",
    item: ItemColumn = "",
    annotator: AnnotatorColumn = "annotator",
    score: ScoreColumn = "",
    keep: Keep = (),
    level: Level = 0.95,
    call: PlotCall = PlotCall(),
) -> int:
    """How reliable the mean of one, two, ... ten people's ratings is (intraclass correlation, generalisability)."""
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.rating_model_tables import rating_reliability

    frame = _ratings(file, campaign, call)
    if frame is None:
        return 2
    given = columns(system=system, item=item, annotator=annotator, score=score)
    tables = rating_reliability(frame, given, keep=named_values(keep), level=level)
    emit(call, tables=tables, picture=("agreement", ("people",)))
    return 0


def _ratings(file: Path | None, campaign: str | None, call: OnDatabase) -> Frame | None:
    """The ratings of a file or of a campaign; None, with a word on it, where neither or both are named."""
    from goldmark.cli.output import talk

    if (file is None) == (campaign is None):
        talk("name a file of ratings or --campaign NAME, one of the two")
        return None
    if file is not None:
        from goldmark.texts.readers.tidy import read_tidy

        return read_tidy(file)
    from goldmark.cli.store import opened
    from goldmark.results.all_tables import look_at

    with opened(call) as store:
        return look_at(store, str(campaign)).found.frames["ratings"]
