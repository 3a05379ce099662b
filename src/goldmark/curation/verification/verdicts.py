"""What verifiers' answers mean: which gold mistakes stand, and the rows of the published tables.

An error is right if more verifiers say so than say not; a tie does not confirm it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from goldmark.curation.verification.units import Place, agreed_places, by_place, error_id
from goldmark.errors import GoldmarkError
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.gold import GoldMistake
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.spooled.units import hidden_facts
from goldmark.records.units import sign_of


class NotAVerification(GoldmarkError):
    code = "CURATION-21"
    message = "unit {unit} does not say which reported error it shows; was it made by `goldmark curation verify-units`?"


@dataclass(frozen=True)
class Verdict:
    """What one verifier said about one reported error."""

    place: Place
    verifier: str
    is_error: bool
    subjective: bool | None
    category: str  # the one the verifier thinks right; empty if it is no error


def verdicts_of(record: CampaignRecord) -> tuple[list[Verdict], set[Place]]:
    """The final answers of a verification campaign, and everything that it shows, answered or not."""
    shown: dict[str, tuple[Place, str]] = {}
    for name, hidden in hidden_facts(record.units):
        if sign_of(hidden):
            continue
        facts = hidden.get("reported")
        if not isinstance(facts, Mapping) or not {"text", "start", "end", "label"} <= set(facts):
            raise NotAVerification(unit=name)
        span = Span(int(str(facts["start"])), int(str(facts["end"])))
        shown[name] = ((str(facts["text"]), span), str(facts["label"]))
    verdicts = []
    for response in record.final_responses():
        said = response.answers
        if "error" not in said:
            continue
        place, label = shown[response.unit]
        is_error = said["error"] == "yes"
        category = (
            "" if not is_error else label if said.get("category_right") == "yes" else str(said.get("category", ""))
        )
        subjective = None if "subjective" not in said else said["subjective"] == "yes"
        verdicts.append(Verdict(place, response.annotator, is_error, subjective, category))
    return verdicts, {place for place, _ in shown.values()}


@dataclass(frozen=True)
class Verified:
    """A gold list after verification."""

    kept: tuple[GoldMistake, ...]
    removed: tuple[GoldMistake, ...]  # not confirmed by more verifiers than rejected it
    assumed: int  # kept without being shown
    waiting: int  # kept because nobody has answered yet


def verified(gold: Iterable[GoldMistake], verdicts: Iterable[Verdict], shown: set[Place]) -> Verified:
    """The list without the errors that verification did not confirm; a tie does not confirm."""
    right = confirmed(verdicts)
    kept: list[GoldMistake] = []
    removed: list[GoldMistake] = []
    assumed = waiting = 0
    for one in gold:
        place = (one.text_id, one.span)
        (kept if right.get(place, True) else removed).append(one)
        assumed += place not in shown
        waiting += place in shown and place not in right
    return Verified(tuple(kept), tuple(removed), assumed, waiting)


def confirmed(verdicts: Iterable[Verdict]) -> dict[Place, bool]:
    """For every error with an answer: do more verifiers call it an error than not?"""
    votes: dict[Place, list[bool]] = {}
    for verdict in verdicts:
        votes.setdefault(verdict.place, []).append(verdict.is_error)
    return {place: 2 * sum(said) > len(said) for place, said in votes.items()}


def verdict_rows(
    gold: Iterable[GoldMistake], verdicts: Sequence[Verdict], shown: set[Place]
) -> list[dict[str, object]]:
    """The rows of the table `verification`, of gold mistakes only, as published."""
    answers_to: dict[Place, list[Verdict]] = {}
    for verdict in verdicts:
        answers_to.setdefault(verdict.place, []).append(verdict)
    rows: list[dict[str, object]] = []
    for one in gold:
        place = (one.text_id, one.span)
        base = {"error": error_id(place), "text": one.text_id, "gold_category": one.label}
        said = answers_to.get(place, [])
        if not said:  # assumed right, or shown to verifiers of whom none has answered
            blank = {"is_error": None, "subjective": None, "category": ""}
            rows.append({**base, "verifier": "nobody yet" if place in shown else "", **blank})
        for verdict in said:
            answers = {"is_error": verdict.is_error, "subjective": verdict.subjective, "category": verdict.category}
            rows.append({**base, "verifier": verdict.verifier, **answers})
    return rows


def report_rows(
    gold: Iterable[GoldMistake],
    marks: Iterable[Mistake],
    verdicts: Iterable[Verdict],
    *,
    seen: Iterable[tuple[str, str]] = (),
) -> list[dict[str, object]]:
    """The rows of the table `combinations`: who reported exactly which span, is it in the list, is it right.

    Give the verified list, so that recall does not ask for what is no error.
    What everybody marked alike is taken to be right; a span that was neither shown nor agreed on is left out of
    precision, and the table says how many there are.
    """
    reports = by_place(marks)
    right = confirmed(verdicts)
    agreed = {(text_id, span) for text_id, span, _ in agreed_places(reports, seen)}
    listed = {(one.text_id, one.span) for one in gold}
    rows: list[dict[str, object]] = []
    for place in sorted({*reports, *listed}):
        valid = right.get(place, True if place in agreed else None)
        facts = {
            "error": error_id(place),
            "text": place[0],
            "gold": place in listed,
            "valid": valid,
        }
        people = sorted({mark.annotator or "" for mark in reports.get(place, ())}) or [""]
        rows += ({**facts, "annotator": person} for person in people)
    return rows
