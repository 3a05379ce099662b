"""Statistics of an annotated dataset and its error types (TGEA table 4 and figure 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, percent

TEXTS = Columns(
    Column("text", about="the id of the text"),
    Column("tokens", about="its tokens, separated by blanks", free=True),
    Column("split", about="train, dev or test", optional=True),
)
ERRORS = Columns(
    Column("text", about="in which text"),
    Column("start", "whole", about="first token of the erroneous span, from 0; empty without one", empty=True, low=0),
    Column("end", "whole", about="the token after its last", empty=True, low=1),
    Column("associated_start", "whole", about="first token of the associated span", optional=True, empty=True, low=0),
    Column("associated_end", "whole", about="the token after its last", optional=True, empty=True, low=1),
    Column("rationale", about="the reason, its tokens separated by blanks", optional=True, empty=True, free=True),
    Column("type", about="the type of the error", optional=True, empty=True),
    Column("subtype", about="its second level", optional=True, empty=True),
)
WHOLE = "all"


@dataclass(frozen=True)
class _Error:
    length: int
    associated: int | None
    distance: int | None
    rationale: int | None


def dataset(texts: CheckedColumns, errors: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """Sizes of each split, texts by number of errors, lengths and distances of spans; the distribution of types."""
    tokens = dict(zip(texts.texts("text"), (cell.split() for cell in texts.texts("tokens")), strict=True))
    splits = texts.texts("split") if "split" in texts else [WHOLE] * len(texts)
    split_of = dict(zip(texts.texts("text"), splits, strict=True))
    found = _errors(errors, {name: len(words) for name, words in tokens.items()}, texts)
    most = max((len(marks) for marks in found.values()), default=0)
    names = [name for name in dict.fromkeys(splits) if name != WHOLE]
    rows = [
        _row(name, [text for text in tokens if split_of[text] == name], tokens, found, most)
        for name in names
        if len(names) > 1
    ]
    rows.append(_row(WHOLE, list(tokens), tokens, found, most))
    notes = ("counts and means of the whole dataset, not estimates from a sample: they have no interval",)
    signature = settings.signature(figure="dataset", distance="first-to-last-gap")
    tables = [Table.of("Dataset", rows, notes=notes, signature=signature, labels=_labels(most))]
    if "type" in errors:
        tables.append(_types(errors, settings, signature))
    return tables


def distance(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Steps from the last token of the earlier span to the first of the later: neighbours 1, overlapping spans 0."""
    (_, end), (start, _) = sorted((first, second))
    return max(0, start - end + 1)


def _errors(errors: CheckedColumns, lengths: dict[str, int], texts: CheckedColumns) -> dict[str, list[_Error]]:
    rows = len(errors)
    nothing: list[float | None] = [None] * rows
    linked = "associated_start" in errors and "associated_end" in errors
    starts = errors.numbers("associated_start") if linked else nothing
    ends = errors.numbers("associated_end") if linked else nothing
    rationales = errors.texts("rationale") if "rationale" in errors else [""] * rows
    found: dict[str, list[_Error]] = {}
    problems: list[Problem] = []
    for row, (text, start, end) in enumerate(
        zip(errors.texts("text"), errors.numbers("start"), errors.numbers("end"), strict=True)
    ):
        if start is None and end is None:
            continue  # somebody found nothing
        if start is None or end is None:
            problems.append(Problem(errors.frame.where(row), "the span has no start or no end", "fill both"))
            continue
        span = (int(start), int(end))
        low, high = starts[row], ends[row]
        associated = (int(low), int(high)) if low is not None and high is not None else None
        where = errors.frame.where(row)
        if text not in lengths:
            problems.append(Problem(where, f"text {text!r} is not in {texts.frame.source}", "add it there"))
            continue
        for name, place in (("span", span), ("associated span", associated)):
            if place is not None and not 0 <= place[0] < place[1] <= lengths[text]:
                problems.append(
                    Problem(
                        where,
                        f"{name} {place[0]}-{place[1]} does not fit text {text!r} of {lengths[text]} tokens",
                        "positions count from 0 and the end is the token after the last",
                    )
                )
        found.setdefault(text, []).append(
            _Error(
                span[1] - span[0],
                None if associated is None else associated[1] - associated[0],
                None if associated is None else distance(span, associated),
                len(rationales[row].split()) or None,
            )
        )
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return found


def _row(
    name: str, texts: Sequence[str], tokens: dict[str, list[str]], found: dict[str, list[_Error]], most: int
) -> dict[str, Cell]:
    numbers = Counter(len(found.get(text, ())) for text in texts)
    marks = [mark for text in texts for mark in found.get(text, ())]
    total = sum(len(tokens[text]) for text in texts)
    row: dict[str, Cell] = {"split": name, "texts": len(texts)}
    row |= {f"errors_{number}": numbers[number] for number in range(most + 1)}
    row |= {
        "erroneous_percent": 100 * (len(texts) - numbers[0]) / len(texts) if texts else None,
        "tokens": total,
        "vocabulary": len({token for text in texts for token in tokens[text]}),
        "tokens_per_text": total / len(texts) if texts else None,
        "tokens_per_error": _mean([mark.length for mark in marks]),
        "tokens_per_associated": _mean([mark.associated for mark in marks]),
        "distance": _mean([mark.distance for mark in marks]),
        "tokens_per_rationale": _mean([mark.rationale for mark in marks]),
    }
    return row


def _mean(values: Sequence[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _labels(most: int) -> dict[str, str]:
    labels = {f"errors_{number}": f"with {number} {'error' if number == 1 else 'errors'}" for number in range(most + 1)}
    return labels | {"erroneous_percent": "% erroneous"}


def _types(errors: CheckedColumns, settings: AnalysisOptions, signature: str) -> Table:
    kinds = errors.texts("type")
    subtypes = errors.texts("subtype") if "subtype" in errors else [""] * len(errors)
    marks = [kind for kind, start in zip(kinds, errors.numbers("start"), strict=True) if start is not None]
    known = [one for one in zip(errors.texts("text"), kinds, subtypes, strict=True) if one[1]]
    first = Counter(kind for _, kind, _ in known)
    second = Counter((kind, subtype) for _, kind, subtype in known if subtype)
    rows: list[dict[str, Cell]] = []
    for kind, count in first.most_common():
        rows.append(_share(kind, "", count, known, settings))
        rows.extend(
            _share(kind, subtype, times, known, settings)
            for (own, subtype), times in second.most_common()
            if own == kind
        )
    missing = len(marks) - len(known)
    notes = (f"left out: {counted(missing, 'error')} without a type",) if missing else ()
    labels = {"percent": "% of errors"}
    return Table.of("Types of errors", rows, notes=notes, signature=signature, labels=labels, name="types")


def _share(
    kind: str, subtype: str, count: int, known: Sequence[tuple[str, str, str]], settings: AnalysisOptions
) -> dict[str, Cell]:
    """A share of all errors that have a type; errors of one text hang together."""
    hits = [own == kind and subtype in ("", finer) for _, own, finer in known]
    cells = percent("percent", hits, [text for text, _, _ in known], settings.level)
    return {"type": kind, "subtype": subtype, "errors": count, **cells}
