"""What a board's pages draw: short names of metrics, and every metric beside people on one scale."""

from __future__ import annotations

from goldmark.records.tables import Cell, Table
from goldmark.web.pages.evaluations.board_rows import agreement_lines, metric_names


def test_a_metric_is_called_by_its_name_and_by_its_options_only_where_two_have_the_same() -> None:
    names = metric_names(["bleu", "chrf", "chrf:word_order=2", "bertscore:checkpoint=/models/roberta-large,layer=17"])
    assert [one.short for one in names.values()] == ["bleu", "chrf", "chrf 2", "bertscore"]
    assert names["chrf:word_order=2"].full == "chrf:word_order=2"
    paths = metric_names(["comet:checkpoint=/a/first", "comet:checkpoint=/b/second/"])
    assert [one.short for one in paths.values()] == ["comet first", "comet second"]


def test_every_metric_is_drawn_with_its_interval_and_what_is_missing_says_why() -> None:
    row: dict[str, Cell] = {"metric": "bleu", "level": "system", "method": "pearson", "correlation": 0.5}
    rows: list[dict[str, Cell]] = [
        {**row, "correlation_low": 0.0, "correlation_high": 1.0, "reason": ""},
        {**row, "level": "segment", "correlation": None, "correlation_low": None, "correlation_high": None}
        | {"reason": "one system"},
        {**row, "method": "kendall", "correlation_low": None, "correlation_high": None, "reason": ""},
    ]
    systems, outputs = agreement_lines(Table.of("Metrics and people", rows))
    assert systems.mark is not None
    assert (systems.mark.low, systems.mark.dot, systems.mark.high) == (50, 75, 100)
    assert systems.words == "0.50 [0.00, 1.00]"
    assert (outputs.level, outputs.mark, outputs.words) == ("outputs", None, "one system")
