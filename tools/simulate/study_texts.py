"""Studies whose texts differ: how often the planned tests find something, with the tests as the report makes them.

Texts are drawn anew for every simulated study, some easier to judge than others, as they would be if somebody repeated
it with other texts. A test of people's means takes the drawn texts for all there are and finds what differs between
them; one planned `over: people-and-texts` should not. `readers` looks at a study that ran through a server.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from goldmark.records.campaigns import CampaignRecord
from goldmark.results.options import AnalysisOptions
from goldmark.studies.design.cells import cells_of, shares, stratum_of
from goldmark.studies.design.file import Study
from goldmark.studies.evaluation.outcomes import Flow, Outcomes, Participant
from goldmark.studies.evaluation.planned_tests import planned_tests
from goldmark.studies.evaluation.run_tests import tested


@dataclass(frozen=True)
class SimulatedTexts:
    """How a simulated study is drawn."""

    texts: int  # of every kind
    between_texts: float  # standard deviation of how often texts are judged rightly
    between_people: float = 0.05


class Found(NamedTuple):
    """In which share of the studies a planned test found something, before any correction and after."""

    test: str
    over_texts: bool
    alone: float
    corrected: float


def found_in(
    study: Study, accuracy: Mapping[str, float], drawn: SimulatedTexts, *, runs: int, rng: np.random.Generator
) -> list[Found]:
    """Simulate the study so often with other people and other texts; `accuracy` is that of each cell."""
    planned = [one for one in planned_tests(study.file) if not one.corrects_itself]
    alone, corrected = (np.zeros(len(planned)) for _ in range(2))
    for _ in range(runs):
        outcomes = Outcomes(tuple(_people(study, accuracy, drawn, rng)), Flow(0, 0, 0, {}, 0))
        rows = tested(study, outcomes, AnalysisOptions(resamples=60))[0].records()
        alone += [row["p"] is not None and float(row["p"]) < study.file.alpha for row in rows]
        corrected += [bool(row["significant"]) for row in rows]
    return [
        Found(f"{one.title}, {one.scope}", one.over_texts, before / runs, after / runs)
        for one, before, after in zip(planned, alone, corrected, strict=True)
    ]


def _people(
    study: Study, accuracy: Mapping[str, float], drawn: SimulatedTexts, rng: np.random.Generator
) -> list[Participant]:
    file = study.file
    ease: dict[str, np.ndarray] = {}
    people = []
    for cell in cells_of(file):
        strata = {group: stratum_of(file, group, cell.levels) for group in file.groups}
        for stratum in strata.values():
            ease.setdefault(stratum, rng.normal(0, drawn.between_texts, drawn.texts))
        turns = {group: _turns(drawn.texts, rng) for group in strata}
        for number in range(file.participants):
            skill = rng.normal(0, drawn.between_people)
            values, texts = [], []
            for group, count in _mix(study, rng).items():
                for _ in range(count):
                    text = next(turns[group])
                    right = np.clip(accuracy[cell.name] + skill + ease[strata[group]][text], 0.02, 0.98)
                    values.append(float(rng.random() < right))
                    texts.append(f"{strata[group]} {text}")
            people.append(Participant(f"{cell.name} {number}", cell.name, tuple(values), texts=tuple(texts)))
    return people


def _turns(texts: int, rng: np.random.Generator) -> Iterator[int]:
    """Texts as a campaign hands them out: all of them before any comes again."""
    while True:
        yield from rng.permutation(texts).tolist()


def _mix(study: Study, rng: np.random.Generator) -> dict[str, int]:
    """How many texts of each group somebody reads; what does not come out even is drawn."""
    wanted = shares(study.file)
    counts = {group: int(share) for group, share in wanted.items()}
    left = study.file.per_participant.texts - sum(counts.values())
    for group in rng.permutation(list(counts))[:left]:
        counts[str(group)] += 1
    return counts


class Readers(NamedTuple):
    """How texts were handed out in a study that ran."""

    people: int
    met_twice: int  # people who read two versions of one item
    widest_gap: int  # between the most and the fewest readers of a text, in any condition and kind of text
    answers: int


def readers(record: CampaignRecord) -> Readers:
    """Who read what: nobody an item twice, and in each condition every text of a kind nearly as often as the others."""
    items = {unit.id: str(unit.hidden.get("item", unit.id)) for unit in record.units}
    strata = {unit.id: str(unit.hidden["stratum"]) for unit in record.units}
    conditions = {person.id: str(person.facts["condition"]) for person in record.annotators}
    read: dict[str, list[str]] = defaultdict(list)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in record.responses:
        read[one.annotator].append(items[one.unit])
        counts[conditions[one.annotator], strata[one.unit]][one.unit] += 1
    sizes = Counter(strata.values())
    gaps = [
        max(of.values()) - (min(of.values()) if len(of) == sizes[stratum] else 0) for (_, stratum), of in counts.items()
    ]
    twice = sum(len(some) > len(set(some)) for some in read.values())
    return Readers(len(read), twice, max(gaps, default=0), len(record.responses))
