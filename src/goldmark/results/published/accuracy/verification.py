"""Do verifiers confirm reported errors? Agreement, subjectivity, categories (ACCURACY tables 4, 7 and 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, percent

VERDICTS = Columns(
    Column("error", about="which reported error"),
    Column("text", about="in which text; without it errors are taken as independent", optional=True),
    Column("verifier", about="who verified it; empty for an error assumed valid and not shown to anyone", empty=True),
    Column("is_error", "yes", about="does the verifier call it an error?", empty=True),
    Column("subjective", "yes", about="might others disagree?", optional=True, empty=True),
    Column("category", about="the category the verifier thinks right", optional=True, empty=True),
    Column("gold_category", about="the category in the gold list", optional=True, empty=True),
)


@dataclass
class _Case:
    """All that verifiers said about one error."""

    verdicts: list[bool] = field(default_factory=list)
    subjective: list[bool] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    gold: str = ""
    shown: bool = False
    text: str = ""


def verification(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """Errors by agreement of their verifiers, by subjectivity, confused categories, and errors that did not survive."""
    cases = _cases(checked)
    clusters = "texts" if "text" in checked else "errors"
    signature = settings.signature(figure="verification", interval=f"wilson-clustered-{clusters}")
    tables = [_agreement(cases, settings, signature)]
    if any(case.subjective for case in cases.values()):
        tables.append(_subjectivity(cases, settings, signature))
    if any(case.categories for case in cases.values()):
        tables.append(_confusion(cases, signature))
    tables.append(_removed(cases, signature))
    return tables


def _cases(checked: CheckedColumns) -> dict[str, _Case]:
    cases: dict[str, _Case] = {}
    empty = [""] * len(checked)
    nothing: list[bool | None] = [None] * len(checked)
    for error, text, verifier, verdict, subjective, category, gold in zip(
        checked.texts("error"),
        checked.texts("text" if "text" in checked else "error"),
        checked.texts("verifier"),
        checked.yes("is_error"),
        checked.yes("subjective") if "subjective" in checked else nothing,
        checked.texts("category") if "category" in checked else empty,
        checked.texts("gold_category") if "gold_category" in checked else empty,
        strict=True,
    ):
        case = cases.setdefault(error, _Case())
        case.gold = case.gold or gold
        case.text = case.text or text
        if not verifier:
            continue
        case.shown = True
        if verdict is not None:
            case.verdicts.append(verdict)
        if subjective is not None:
            case.subjective.append(subjective)
        if category:
            case.categories.append(category)
    return cases


def _split(votes: Sequence[bool]) -> tuple[int, int]:
    return sum(votes), len(votes) - sum(votes)


def _by_share(split: tuple[int, int]) -> tuple[float, int]:
    yes, no = split
    return -yes / (yes + no), -(yes + no)


def _agreement(cases: Mapping[str, _Case], settings: AnalysisOptions, signature: str) -> Table:
    assumed = sum(not case.shown for case in cases.values())
    unanswered = sum(case.shown and not case.verdicts for case in cases.values())
    splits = Counter(_split(case.verdicts) for case in cases.values() if case.verdicts)
    checked = sum(splits.values())
    total = assumed + checked
    known = [case for case in cases.values() if case.verdicts or not case.shown]
    rows: list[dict[str, Cell]] = []
    if assumed:
        rows.append(_share("assumed valid", known, lambda case: not case.shown, settings, of_checked=False))
    rows += [
        _share(_verdict(*split), known, lambda case, split=split: _said(case) == split, settings)  # type: ignore[misc]
        for split in sorted(splits, key=_by_share)
    ]
    valid = assumed + sum(count for (yes, no), count in splits.items() if yes > no)
    notes = [
        f"{checked:,} of {total:,} errors were checked; {valid:,} are valid "
        f"({100 * valid / total:.1f} %: assumed, or confirmed by a majority)"
        if total
        else "no error was checked or assumed"
    ]
    if unanswered:
        notes.append(f"left out: {counted(unanswered, 'error')} shown but not answered")
    return Table.of(
        "Errors by agreement of their verifiers",
        rows,
        notes=tuple(notes),
        signature=signature,
        labels={"percent": "% of all", "percent_of_checked": "% of checked"},
    )


def _verdict(yes: int, no: int) -> str:
    together = yes + no
    if yes == no:
        return f"{yes}-{no} split"
    return f"{yes}/{together} error" if yes > no else f"{no}/{together} not error"


def _said(case: _Case) -> tuple[int, int] | None:
    return _split(case.verdicts) if case.verdicts else None


def _share(
    name: str,
    cases: Sequence[_Case],
    hit: Callable[[_Case], bool],
    settings: AnalysisOptions,
    *,
    of_checked: bool = True,
) -> dict[str, Cell]:
    checked = [case for case in cases if case.verdicts] if of_checked else []
    return {
        "agreement": name,
        "errors": sum(map(hit, cases)),
        **_percent("percent", cases, hit, settings),
        **_percent("percent_of_checked", checked, hit, settings),
    }


def _percent(
    name: str, cases: Sequence[_Case], hit: Callable[[_Case], bool], settings: AnalysisOptions
) -> dict[str, Cell]:
    return percent(name, [hit(case) for case in cases], [case.text for case in cases], settings.level)


def _subjectivity(cases: Mapping[str, _Case], settings: AnalysisOptions, signature: str) -> Table:
    asked = [case for case in cases.values() if case.subjective]
    splits = Counter(_split(case.subjective) for case in asked)
    total = sum(splits.values())
    rows: list[dict[str, Cell]] = []
    for yes, no in sorted(splits, key=_by_share):
        name = f"{yes}-{no} split" if yes == no else f"yes ({yes}-{no})" if yes > no else f"no ({no}-{yes})"
        cells = _percent("percent", asked, lambda case, split=(yes, no): _split(case.subjective) == split, settings)  # type: ignore[misc]
        rows.append({"subjective": name, "errors": splits[yes, no], **cells})
    notes = (f"{counted(total, 'error')} with an answer",)
    labels = {"percent": "%"}
    return Table.of("Might others disagree?", rows, notes=notes, signature=signature, labels=labels, name="opinion")


def _confusion(cases: Mapping[str, _Case], signature: str) -> Table:
    """Each pair of different categories named for one error counts once: symmetric, nothing on the diagonal."""
    pairs: Counter[tuple[str, str]] = Counter()
    names: Counter[str] = Counter()
    agreed = judged = 0
    for case in cases.values():
        if not case.categories:
            continue
        said = [*case.categories, *([case.gold] if case.gold else [])]
        judged += 1
        names.update(said)
        different = sorted(set(said))
        agreed += len(different) == 1
        for first, second in combinations(different, 2):
            pairs[first, second] += 1
            pairs[second, first] += 1
    order = [name for name, _ in sorted(names.items(), key=lambda entry: (-entry[1], entry[0]))]
    rows: list[dict[str, Cell]] = [
        {"named": first, **{f"with {second}": pairs[first, second] for second in order}} for first in order
    ]
    share = f" ({100 * agreed / judged:.0f} %)" if judged else ""
    return Table.of(
        "Categories that verifiers confused",
        rows,
        notes=(f"all agreed on the category of {agreed:,} of {judged:,} errors{share}; the others are counted here",),
        signature=signature,
        labels={f"with {name}": name for name in order},
        name="categories",
    )


def _removed(cases: Mapping[str, _Case], signature: str) -> Table:
    rows: list[dict[str, Cell]] = []
    for error, case in cases.items():
        yes, no = _split(case.verdicts)
        if case.verdicts and yes <= no:
            rows.append({"error": error, "verdict": _verdict(yes, no), "category": case.gold})
    return Table(
        "Errors that a majority did not confirm",
        ("error", "verdict", "category"),
        tuple(tuple(row.values()) for row in rows),
        notes=(f"to leave out of a verified gold list: {counted(len(rows), 'error')}",),
        signature=signature,
        name="removed",
    )
