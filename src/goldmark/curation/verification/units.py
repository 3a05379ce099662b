"""Verification: which reported errors are shown to verifiers, and the campaign that shows them.

Gold mistakes that everybody marked alike are assumed to be right; all others are shown, and so is every reported span
that is not in the list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldmark.curation.proposals.propose import rank
from goldmark.errors import GoldmarkError
from goldmark.records.gold import GoldMistake
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import Unit
from goldmark.texts.readers.text_ids import find_id

Place = tuple[str, Span]  # a text's id and tokens in it: what one reported error is


class NothingToVerify(GoldmarkError):
    code = "CURATION-23"
    message = "everybody agreed on all {gold} gold mistakes and nothing was left out, so there is nothing to verify"


@dataclass(frozen=True)
class VerificationUnit:
    """One reported error to be shown: where it is, and under which label."""

    id: str
    text_id: str
    span: Span
    label: str
    in_gold: bool
    reported_by: tuple[str, ...]  # who marked exactly this; never shown

    @property
    def place(self) -> Place:
        return self.text_id, self.span


def verification_units(
    gold: Iterable[GoldMistake],
    marks: Iterable[Mistake],
    *,
    seen: Iterable[tuple[str, str]] = (),
    priority: Sequence[str] = (),
    variants: bool = True,
) -> list[VerificationUnit]:
    """All that verifiers should see, by text and place.

    `variants` are reported spans that overlap a gold mistake without being it, such as "the bench" for "bench". The
    published method shows them too, because the precision of annotators is about what each of them marked.
    """
    listed = {(one.text_id, one.span): one for one in gold}
    reports = by_place(marks)
    agreed = agreed_places(reports, seen)
    units = []
    for place, mistake in listed.items():
        if (*place, mistake.label) not in agreed:
            units.append(_unit(place, mistake.label, reports.get(place, ()), in_gold=True))
    of_text: dict[str, list[Span]] = {}
    for text_id, span in listed:
        of_text.setdefault(text_id, []).append(span)
    for place, said in reports.items():
        overlapping = any(place[1].overlaps(span) for span in of_text.get(place[0], ()))
        if place not in listed and (variants or not overlapping):
            units.append(_unit(place, _commonest(said, priority), said, in_gold=False))
    return sorted(units, key=lambda unit: unit.place)


def agreed_places(
    reports: Mapping[Place, Sequence[Mistake]], seen: Iterable[tuple[str, str]]
) -> set[tuple[str, Span, str]]:
    """Text, span and label of what everybody who saw the text marked exactly alike; nobody agrees with themselves."""
    people: dict[str, set[str]] = {}
    for text_id, annotator in seen:
        people.setdefault(text_id, set()).add(annotator)
    for (text_id, _), said in reports.items():
        people.setdefault(text_id, set()).update(mark.annotator or "" for mark in said)
    votes: dict[tuple[str, Span, str], set[str]] = {}
    for (text_id, span), said in reports.items():
        for mark in said:
            votes.setdefault((text_id, span, mark.label), set()).add(mark.annotator or "")
    return {key for key, who in votes.items() if len(who) > 1 and who == people[key[0]]}


def by_place(marks: Iterable[Mistake]) -> dict[Place, list[Mistake]]:
    """Marks by exactly where they are: those on the same tokens report the same error."""
    places: dict[Place, list[Mistake]] = {}
    for mark in marks:
        places.setdefault((mark.text_id, mark.span), []).append(mark)
    return places


def _unit(place: Place, label: str, said: Sequence[Mistake], *, in_gold: bool) -> VerificationUnit:
    people = tuple(sorted({mark.annotator or "" for mark in said}))
    return VerificationUnit(error_id(place), *place, label, in_gold, people)


def error_id(place: Place) -> str:
    """How a reported error is called in files: its text, and its tokens counted from 1."""
    text_id, span = place
    return f"{text_id}:{span.start + 1}-{span.end}"


def _commonest(said: Sequence[Mistake], priority: Sequence[str]) -> str:
    votes = Counter(mark.label for mark in said)
    return min(votes, key=lambda label: (-votes[label], rank(label, priority)))


def campaign_files(
    units: Sequence[VerificationUnit],
    texts: Mapping[str, Text],
    *,
    name: str,
    protocol: str,
    verifiers: int = 4,
    seed: int = 1,
    more: Mapping[str, Mapping[str, object]] | None = None,
) -> Iterator[tuple[str, bytes]]:
    """A campaign folder: what verifiers see is the text, its sentence and the mark; who reported it stays hidden.

    `more` holds, by text, what else stands beside the text: its `context` and `language`.
    """
    yield (
        "campaign.yaml",
        f"# Is it really an error? Made from {len(units)} reported errors.\n"
        f"campaign: {name}\nprotocol: {protocol}\ntexts: texts.jsonl\nlabels_per_unit: {verifiers}\n"
        f"order: {{seed: {seed}}}\n".encode(),
    )
    beside = more or {}
    rows = (_row(unit, texts[unit.text_id], beside.get(find_id(unit.text_id, beside) or "", {})) for unit in units)
    yield "texts.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _row(unit: VerificationUnit, text: Text, more: Mapping[str, object]) -> dict[str, object]:
    first, last = text.sentence_of(unit.span.start), text.sentence_of(unit.span.end - 1)
    start, end = unit.span.start, unit.span.end
    return {
        "id": unit.id,
        "text": text.characters,
        "tokens": list(text.words()),
        "sentences": [[sentence.start, sentence.end] for sentence in text.sentences],
        "focus": [text.sentences[first].start, text.sentences[last].end],
        "given": [{"start": start, "end": end, "label": unit.label}],
        **{key: more[key] for key in ("context", "language") if more.get(key)},
        "reported": {"text": unit.text_id, "start": start, "end": end, "label": unit.label, "in_gold": unit.in_gold},
        "reported_by": list(unit.reported_by),
    }


def surroundings(units: Iterable[Unit]) -> dict[str, dict[str, object]]:
    """Context and language by text, from the units of the campaign in which the texts were annotated."""
    found: dict[str, dict[str, object]] = {}
    for unit in units:
        shown = unit.shown.to_json()
        language = next((text.language for text in unit.shown.texts.values()), "")
        found[unit.id] = {"context": shown["context"], "language": language}
    return found
