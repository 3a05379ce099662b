"""Mixed models of a campaign's ratings, question by question, and how reliable the people are who gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from goldmark.errors import GoldmarkError
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results import rating_model_tables as made_of
from goldmark.results.inputs.files.rating_rows import scale_ends
from goldmark.results.inputs.groups import questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.rating_model_tables import ModelKind, ModelOptions
from goldmark.results.result_table import RATED, Make, ResultTable
from goldmark.results.tables.ratings import numbers
from goldmark.stats.inference.scales import OPEN, Ends, ends_of
from goldmark.stats.mixed_models.generalisability import reliability
from goldmark.stats.mixed_models.rating_models import RatingDesign, RatingModel

PAGE = "mixed-models"
# Ratings of which a page may fit a model; an ordinal one is fitted when somebody asks for it.
AT_ONCE: Mapping[str, int] = {"linear": 5_000, "ordinal": 0, "reliability": 5_000}
SYSTEM = ("value", "value_low", "value_high", "standard_error", "df", "n")


def _too_many(frame: Frame, what: str, name: str, settings: AnalysisOptions) -> str:
    if settings.patient or len(frame) <= AT_ONCE[what]:
        return ""
    why = f"of {len(frame):,} ratings this takes a while" if AT_ONCE[what] else "this is fitted when it is asked for"
    return f"{why}; goldmark table {name} of this campaign or its files gives it"


def _models(
    frame: Frame, options: ModelOptions, by: str, order: Sequence[str]
) -> Iterator[tuple[str, RatingModel | str, Ends]]:
    """The model of every question, or why there is none, and the ends of its scale."""
    for question in questions(frame, order):
        rows = rows_of(frame, question, by)
        try:
            design = RatingDesign.of(rows.group, rows.item, rows.annotator)
            score = numbers(rows)
            yield question, made_of.fitted(design, score, options), ends_of(score, scale_ends(rows.frame))
        except GoldmarkError as error:
            yield question, str(error), OPEN


def model_tables(kind: ModelKind, name: str) -> Make:
    """What makes the tables of one kind of model."""

    def made(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
        frame, by = given.frames["ratings"], given.by
        options = ModelOptions(kind, level=settings.level, alpha=settings.alpha)
        nothing: dict[str, Cell] = dict.fromkeys(SYSTEM)
        why = _too_many(frame, kind, name, settings)
        if why:
            rows: list[dict[str, Cell]] = [
                {"question": question, by: "", **nothing, "reason": why} for question in questions(frame, given.order)
            ]
            return made_of.tables_of_model(rows, [], [], [], options, options.signature())
        systems: list[dict[str, Cell]] = []
        pairs: list[dict[str, Cell]] = []
        components: list[dict[str, Cell]] = []
        thresholds: list[dict[str, Cell]] = []
        notes: list[str] = []
        for question, model, ends in _models(frame, options, by, given.order):
            asked: dict[str, Cell] = {"question": question}
            if isinstance(model, str):
                systems.append({**asked, by: "", **nothing, "reason": model})
                continue
            systems += ({**asked, **row} for row in made_of.system_rows(model, options, by, ends))
            pairs += ({**asked, **row} for row in made_of.pair_rows(model, options, ends))
            components += ({**asked, **row} for row in made_of.component_rows(model, options))
            thresholds += ({**asked, **row} for row in made_of.threshold_rows(model, options))
            notes += (f"{question}: {left}" for left in model.design.left_out)
        return made_of.tables_of_model(systems, pairs, components, thresholds, options, options.signature(), notes)

    return made


def reliability_tables(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Of every rating question: how reliable the mean of several people is."""
    frame = given.frames["ratings"]
    why = _too_many(frame, "reliability", "reliability", settings)
    rows: list[dict[str, Cell]] = []
    components: list[dict[str, Cell]] = []
    ends = ("agreement", "agreement_low", "agreement_high", "consistency", "consistency_low", "consistency_high")
    for question in questions(frame, given.order):
        asked: dict[str, Cell] = {"question": question}
        try:
            own = rows_of(frame, question, "system" if "system" in frame.cells else "question")
            if not why:
                found = reliability(
                    numbers(own),
                    made_of.text_codes(own.group, own.item),
                    made_of.codes_of(own.annotator),
                    level=settings.level,
                )
                rows += ({**asked, **row} for row in made_of.reliability_rows(found))
                components += ({**asked, **row} for row in made_of.reliability_components(found, settings.level))
                continue
            reason = why
        except GoldmarkError as error:
            reason = str(error)
        rows.append({**asked, "people": None, **dict.fromkeys(ends), "texts": None, "reason": reason})
    return made_of.reliability_tables(rows, components, settings.level)


MIXED_MODEL_TABLE = ResultTable(
    "mixed-model",
    "Systems in a model in which people and items differ.",
    PAGE,
    ("ratings",),
    model_tables("linear", "mixed-model"),
    "dots",
    needs=RATED,
)
ORDINAL_MODEL_TABLE = ResultTable(
    "ordinal-model",
    "The same of an ordered scale whose steps need not be equal.",
    PAGE,
    ("ratings",),
    model_tables("ordinal", "ordinal-model"),
    "dots",
    needs=RATED,
)
RELIABILITY_TABLE = ResultTable(
    "reliability",
    "How reliable the mean of several people's ratings is.",
    "reliability",
    ("ratings",),
    reliability_tables,
    needs=RATED,
)
