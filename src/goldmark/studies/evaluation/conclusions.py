"""What can be concluded of a study, and what cannot, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import counted
from goldmark.records.tables import Cell as TableCell
from goldmark.records.tables import Table
from goldmark.stats.significance import power as p
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.file import Study
from goldmark.studies.evaluation.outcomes import Outcomes
from goldmark.studies.evaluation.planned_tests import PlannedTest, planned_tests
from goldmark.studies.evaluation.run_tests import PLANNED
from goldmark.studies.evaluation.tables import outcome_in_words

UNEVEN = 0.1  # shares of people lost that differ by more than this between cells are worth a word


def conclusions(study: Study, outcomes: Outcomes, made: Sequence[Table]) -> Iterator[str]:
    """One sentence for each planned test."""
    planned = [one for one in planned_tests(study.file) if not one.corrects_itself]
    table = next((one for one in made if one.title == PLANNED), None)
    for test, row in zip(planned, table.records() if table else [], strict=True):
        yield _sentence(study, outcomes, test, row, len(planned))
    for one in made:
        if one.title != PLANNED:
            yield _pairs(one)


def _sentence(study: Study, outcomes: Outcomes, test: PlannedTest, row: dict[str, TableCell], tests: int) -> str:
    where = "" if test.scope == "all cells" else f" ({test.scope})"
    outcome = outcome_in_words(study)
    title = test.title.partition(", equal up to")[0]
    name = f"{outcome[:1].upper()}{outcome[1:]}, {title}{where}"
    if row["p"] is None:
        return f"{name}: no test could be made, because {row['reason']}."
    corrected = "" if study.file.correction == "none" else " after correction"
    said = f"{_p(row['p_corrected'])}{corrected}"
    if test.kind == "variance":
        if row["significant"]:
            return f"{name}: the levels differ ({row['statistic']}, {said})."
        return f"{name}: no difference was found ({row['statistic']}, {said}); that does not show that there is none."
    level = f"{100 * float(row['level'] or 0):.4g} % interval "
    ends = f"{_number(row['difference_low'])} to {_number(row['difference_high'])}"
    gap = f"{_number(row['difference'])} ({level}{ends})"
    if test.margin is not None:
        equal = f"equal up to {test.margin:g}"
        if row["significant"]:
            return f"{name}: {equal}; the difference is {gap}, {said}."
        return f"{name}: that they are {equal} was not shown; the difference is {gap}, {said}."
    if row["significant"]:
        way = "higher" if float(row["difference"] or 0) > 0 else "lower"
        return f"{name}: {way}, by {gap}; d = {_number(row['effect'])}, {said}."
    return f"{name}: no difference was found ({gap}, {said}). {_reach(study, outcomes, test, row, tests)}"


def _reach(study: Study, outcomes: Outcomes, test: PlannedTest, row: dict[str, TableCell], tests: int) -> str:
    """What a test that found nothing could have found."""
    if test.over_texts:
        low, high = float(row["difference_low"] or 0), float(row["difference_high"] or 0)
        return (
            f"That does not show that there is none: differences from {_number(low)} to {_number(high)} fit these "
            "data, with other people and other texts."
        )
    samples = [outcomes.values(conditions) for _, conditions in test.groups]
    level = study.file.alpha / (1 if study.file.correction == "none" else tests)  # at its strictest
    n = min(len(sample) for sample in samples)
    design: p.Design = "one-sample" if test.kind == "against" else "two-sample"
    power = study.file.expect.power
    smallest = p.smallest_effect(lambda effect: p.t_power(effect, n, alpha=level, design=design), power)
    low, high = float(row["difference_low"] or 0), float(row["difference_high"] or 0)
    return (
        f"That does not show that there is none: differences from {_number(low)} to {_number(high)} fit these data, "
        f"and with {counted(n, 'person', 'people')}{'' if design == 'one-sample' else ' a side'} only an effect of "
        f"d = {smallest:.2f} or more would have been found with a probability of {power:g}."
    )


def _pairs(table: Table) -> str:
    found = [row for row in table.records() if row["significant"]]
    if not found:
        return f"{table.title}: no pair differs significantly."
    pairs = "; ".join(
        f"{row['first']} against {row['second']}: {_number(row['difference'])} "
        f"[{_number(row['difference_low'])}, {_number(row['difference_high'])}], {_p(row['p'])}, "
        f"d = {_number(row['d'])}"
        for row in found
    )
    return f"{table.title}: {pairs}. No other pair differs significantly."


def _number(value: TableCell) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "–"


def _p(value: TableCell) -> str:
    return "p < 0.001" if isinstance(value, float) and value < 0.001 else f"p = {_number(value)}"


def limits(
    study: Study, outcomes: Outcomes, record: CampaignRecord, *, registered_before: bool | None
) -> Iterator[str]:
    """What a reader has to know before believing the rest."""
    file = study.file
    short = [cell for cell in cells_of(file) if len(outcomes.values([cell.name])) < file.participants]
    if short:
        got = sum(len(outcomes.values([cell.name])) for cell in cells_of(file))
        yield (
            f"The study is not complete: {len(short)} of {len(cells_of(file))} cells have fewer people than planned "
            f"({got:,} of {file.participants * len(cells_of(file)):,} in all). Testing again as people arrive would "
            "make chance findings more likely; decide on the planned number."
        )
    if registered_before is False:
        yield "The plan was written down after the first answer: read the tests as exploratory."
    excluded = sum(outcomes.flow.excluded.values())
    if excluded:
        share = 100 * excluded / max(1, outcomes.flow.joined)
        people = counted(excluded, "person", "people")
        yield f"Excluded: {people} ({share:.1f} %); the report can be made again with them included."
    lost = _losses(outcomes)
    if lost and max(lost.values()) - min(lost.values()) > UNEVEN:
        most, least = max(lost, key=lambda name: lost[name]), min(lost, key=lambda name: lost[name])
        yield (
            f"People were lost unevenly: {100 * lost[most]:.0f} % in {most}, {100 * lost[least]:.0f} % in {least}. "
            "Those who stayed may differ between cells, which no randomisation repairs."
        )
    texts = len({one.unit for one in record.final_responses()})
    planned = planned_tests(file)
    over_texts = sum(one.over_texts for one in planned)
    reach = {
        0: "are taken as they are: the tests do not say how other texts of the same kind would fare.",
        len(planned): "are taken as a sample, as people are: the tests are about other texts of the same kind too.",
    }.get(
        over_texts,
        f"are a sample in the {over_texts} of {len(planned)} tests over people and texts; the others do not say how "
        "other texts would fare.",
    )
    yield (
        "Participants were randomised to cells, so a difference between cells is an effect of what was varied. The "
        f"{f'{texts:,} ' if texts > 1 else ''}texts {reach}"
    )


def _losses(outcomes: Outcomes) -> dict[str, float]:
    """The share of those who joined each cell and are not analysed."""
    return {
        name: 1 - counts.get("analysed", 0) / counts["joined"]
        for name, counts in outcomes.flow.cells.items()
        if counts.get("joined", 0) >= 10
    }
