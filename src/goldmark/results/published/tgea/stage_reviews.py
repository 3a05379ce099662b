"""Stage by stage, from reviewers' remarks: accuracy, how far reviewers agree, and which candidates pass (TGEA 3.4).

A stage of a response is wrong if a reviewer remarked on it. Only first versions count: what was amended is right
because somebody said how. Counted are responses, not marks; those of one person, or of one text, hang together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldmark.protocols import Protocol
from goldmark.protocols.stages import Stage, asked_stages, stages, wrong_stages
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, exact_percent, in_percent, with_interval
from goldmark.stats.agreement_measures.kappa import cohen_pairs
from goldmark.stats.agreement_measures.unit_labels import UnitLabels
from goldmark.stats.ranks.clustered_shares import share_of

WHOLE = "(whole response)"
CandidateOutcome = Literal["passes", "does not pass", "too few yet"]


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """One reviewer's last word on one version: approved or not, and the stages that it remarks on."""

    reviewer: str
    approved: bool
    wrong: frozenset[str]


@dataclass(frozen=True, slots=True)
class Version:
    """A response as it was when reviewers judged it, with the stages that it went through."""

    unit: str
    annotator: str
    asked: frozenset[str]
    words: tuple[VersionVerdict, ...]

    @property
    def approved(self) -> bool:
        return all(word.approved for word in self.words)

    @property
    def wrong(self) -> frozenset[str]:
        """Wrong is what any reviewer remarked on."""
        return frozenset[str]().union(*(word.wrong for word in self.words)) & self.asked

    @property
    def loose(self) -> bool:
        """It came back, but nobody said which stage is wrong."""
        return not self.approved and not self.wrong


def version_of(
    known: Sequence[Stage],
    unit: str,
    annotator: str,
    answers: Mapping[str, object],
    said: Iterable[tuple[str, bool, Iterable[Mapping[str, str]]]],
) -> Version:
    """From an answer, the stages of its protocol, and what was said of it: reviewer, whether it is right, remarks."""
    words = tuple(VersionVerdict(who, approved, wrong_stages(known, remarks)) for who, approved, remarks in said)
    # What was never answered can be remarked on too: an error that a "fine" text has after all.
    remarked = frozenset[str]().union(*(word.wrong for word in words))
    return Version(unit, annotator, asked_stages(known, answers) | remarked, words)


@dataclass(frozen=True)
class StageShare:
    """So many right of so many, at one stage."""

    stage: str
    right: int
    of: int


def shares(versions: Iterable[Version]) -> dict[str, StageShare]:
    """By stage, in no order."""
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one in versions:
        asked.update(one.asked)
        wrong.update(one.wrong)
    return {stage: StageShare(stage, asked[stage] - wrong[stage], asked[stage]) for stage in asked}


def ordered(protocols: Iterable[Protocol]) -> tuple[Stage, ...]:
    """The stages of all protocols that a campaign asked, each once, in the order of the work."""
    found: dict[str, Stage] = {}
    for protocol in protocols:
        for stage in stages(protocol):
            found.setdefault(stage.id, stage)
    return tuple(found.values())


def accuracy_by_stage(
    title: str,
    order: Sequence[Stage],
    versions: Sequence[Version],
    settings: AnalysisOptions,
    *,
    notes: tuple[str, ...] = (),
) -> Table:
    """The share of responses without a remark at each stage, and of those without any."""
    rows = [
        _accuracy(
            stage.id, stage.title, [(stage.id not in one.wrong, one.unit, one.annotator) for one in own], settings
        )
        for stage in order
        if (own := [one for one in versions if stage.id in one.asked])
    ]
    if versions:
        rows.append(_accuracy(WHOLE, "", [(one.approved, one.unit, one.annotator) for one in versions], settings))
    loose = sum(one.loose for one in versions)
    if loose:
        notes = (*notes, f"{loose} came back with a comment on the whole only, which counts at no stage")
    signature = settings.signature(figure="stage-accuracy", interval="wilson-clustered")
    return Table.of(title, rows, notes=notes, signature=signature, labels={"percent": "% right"})


def _accuracy(
    stage: str, title: str, each: Sequence[tuple[bool, str, str]], settings: AnalysisOptions
) -> dict[str, Cell]:
    counts = {"reviewed": len(each), "right": sum(right for right, _, _ in each)}
    return {"stage": stage, "about": title, **counts, **share_cells(each, settings)}


def share_cells(each: Sequence[tuple[bool, str, str]], settings: AnalysisOptions) -> dict[str, Cell]:
    """The share of hits among responses, each with its text and annotator: an interval over texts and people.

    Where one person gave them all, it is about that person: an interval over texts.
    """
    hits, texts, people = zip(*each, strict=True) if each else ((), (), ())
    found = share_of(hits, texts, people if len(set(people)) > 1 else None, settings.level)
    return {**in_percent("percent", found), "reason": found.reason}


def agreement_by_stage(order: Sequence[Stage], versions: Sequence[Version], settings: AnalysisOptions) -> Table | None:
    """Agreement of every two reviewers on versions that both judged: on the verdict, and stage by stage."""
    shared = [one for one in versions if len(one.words) > 1]
    if not shared:
        return None
    rows: list[dict[str, Cell]] = []
    for about in (WHOLE, *(stage.id for stage in order)):
        places, people, values = [], [], []
        for place, one in enumerate(shared):
            if about != WHOLE and about not in one.asked:
                continue
            for word in one.words:
                places.append(place)
                people.append(word.reviewer)
                fine = word.approved if about == WHOLE else about not in word.wrong
                values.append("right" if fine else "wrong")
        rows += (
            {
                "about": about,
                "first": str(pair.first),
                "second": str(pair.second),
                "shared": pair.kappa.used,
                **in_percent("percent", pair.percent),
                **with_interval("kappa", pair.kappa.value, pair.kappa.interval),
                "reason": pair.percent.reason or pair.kappa.reason,
            }
            for pair in cohen_pairs(UnitLabels.of(places, people, values)).pairs
            if pair.kappa.used
        )
    notes = ("both judged the same first version without knowing the other's word; kappa is Cohen's",)
    signature = settings.signature(figure="reviewers-agreement", interval="jackknife-responses")
    return Table.of("How far reviewers agree", rows, notes=notes, signature=signature, labels={"percent": "% agreed"})


@dataclass(frozen=True)
class Candidate:
    """Somebody's first versions, judged against the rule for candidates."""

    annotator: str
    reviewed: int
    shares: tuple[StageShare, ...]  # in the order of the work
    loose: int
    outcome: CandidateOutcome


def passes(one: StageShare, above: float) -> bool:
    """More than `above`, strictly; a hair's breadth, for 0.9 of 10 is not exact in binary."""
    return one.right > above * one.of + 1e-9


def candidates(
    order: Sequence[Stage], versions: Iterable[Version], *, above: float, after: int
) -> tuple[Candidate, ...]:
    """Who passes: after at least `after` reviewed responses, right in more than `above` of them at every stage.

    Every stage has to have come up; who was never given an erroneous text has not shown that they can correct one.
    """
    people: dict[str, list[Version]] = {}
    for one in versions:
        people.setdefault(one.annotator, []).append(one)
    found = []
    for name, mine in sorted(people.items()):
        counted = shares(mine)
        own = tuple(counted.get(stage.id, StageShare(stage.id, 0, 0)) for stage in order)
        outcome: CandidateOutcome = "too few yet"
        if len(mine) >= after and all(share.of for share in own):
            outcome = "passes" if all(passes(share, above) for share in own) else "does not pass"
        found.append(Candidate(name, len(mine), own, sum(one.loose for one in mine), outcome))
    return tuple(found)


def candidates_table(
    order: Sequence[Stage], found: Sequence[Candidate], settings: AnalysisOptions, *, above: float, after: int
) -> Table:
    """One row a person and stage, with the exact interval, for one person's texts are separate, and what follows."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": one.annotator,
            "outcome": one.outcome,
            "stage": share.stage,
            "reviewed": share.of,
            "right": share.right,
            **exact_percent("percent", share.right, share.of, settings.level),
            "met": ("yes" if passes(share, above) else "no") if share.of else "",
        }
        for one in found
        for share in one.shares
    ]
    notes = (f"passes: at least {after} responses reviewed, more than {100 * above:g} % right at every stage",)
    signature = settings.signature(figure="candidates", above=above, after=after, interval="exact")
    return Table.of("Candidates", rows, notes=notes, signature=signature, labels={"percent": "% right"})
