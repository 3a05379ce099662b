"""A small TGEA campaign whose dataset can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from goldmark.datasets.sources.readings import Associated, MarkedError, Reading, ReadText, SourceDescription
from goldmark.protocols import load
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TEXTS = {
    "T1": "The bridge was closed for two weeks.",
    "T2": "The committee drank the new proposal after lunch.",
    "T3": "The small little village lies in a valley.",
    "T4": "Nobody knows what this one means.",
    "T5": "The mayor a new library.",
    "T6": "The silence barked.",
}


def error(
    start: int, end: int, label: str, correction: str, rationale: str, associated: tuple[int, int]
) -> dict[str, Any]:
    return {
        "id": "e1",
        "start": start,
        "end": end,
        "label": label,
        **({"correction": correction} if correction else {}),
        "rationale": rationale,
        "links": {"associated": [{"start": associated[0], "end": associated[1]}]},
    }


def erroneous(*errors: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": "erroneous", "errors": list(errors)}


FINE: dict[str, Any] = {"verdict": "fine"}
DRANK = erroneous(error(2, 3, "combination.predicate_object", "approved", "A proposal cannot be drunk.", (5, 6)))
DRANK_WIDE = erroneous(error(2, 6, "combination.predicate_object", "approved it", "No.", (0, 2)))
LITTLE = erroneous(error(2, 3, "redundancy.modifier", "", "It is said twice.", (1, 2)))
MAYOR = erroneous(error(2, 5, "missing.predicate", "opened a new library", "There is no verb.", (0, 2)))
BARKED = erroneous(error(2, 3, "combination.subject_predicate", "grew", "Silence makes no sound.", (1, 2)))
# Unit, person, answers. Zed is excluded; T6 is a test question.
ANSWERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("T1", "Ada Lovelace", FINE),
    ("T1", "Grace Hopper", FINE),
    ("T2", "Ada Lovelace", DRANK_WIDE),
    ("T2", "Grace Hopper", DRANK),
    ("T2", "Mary Shelley", DRANK),
    ("T2", "Zed Zero", FINE),
    ("T3", "Ada Lovelace", LITTLE),
    ("T4", "Grace Hopper", {"verdict": "ambiguous"}),
    ("T5", "Ada Lovelace", MAYOR),
    ("T5", "Mary Shelley", FINE),
    ("T6", "Ada Lovelace", BARKED),
)


def campaign() -> CampaignRecord:
    protocol = load("tgea")
    people = sorted({who for _, who, _ in ANSWERS})
    times = {
        key: START + timedelta(minutes=number) for number, key in enumerate((unit, who) for unit, who, _ in ANSWERS)
    }
    return CampaignRecord(
        settings={"campaign": "small", "title": "Small errors", "state": "closed", "labels_per_unit": 4},
        protocol=protocol.id,
        protocols=(ProtocolRecord(protocol.name, protocol.version, protocol.source),),
        units=tuple(
            Unit(
                name,
                ShownUnit({"text": ShownText(make_text(name, text, tokeniser="rules"), language="en")}),
                {"system": "template", **({"test": "positive", "expected": BARKED} if name == "T6" else {})},
            )
            for name, text in TEXTS.items()
        ),
        annotators=tuple(AnnotatorRecord(who, "excluded" if who == "Zed Zero" else "active", START) for who in people),
        assignments=tuple(
            AssignmentRecord(unit, who, "done", times[unit, who], times[unit, who]) for unit, who, _ in ANSWERS
        ),
        responses=tuple(
            ResponseRecord(
                unit,
                who,
                1,
                True,
                answers,
                protocol=protocol.id,
                client_key=f"{unit} {who}",
                client_time=times[unit, who],
                server_time=times[unit, who],
                seconds_active=5.0,
            )
            for unit, who, answers in ANSWERS
        ),
    )


def mark(start: int, end: int, label: str = "a.b", **rest: Any) -> MarkedError:
    rest.setdefault("associated", ())
    rest["associated"] = tuple(Associated("associated", *place) for place in rest["associated"])
    return MarkedError(rest.pop("id", "e1"), start, end, label, **rest)


def text(
    name: str, characters: str, *readings: Reading, gold: Reading | None = None, tokeniser: str = "rules"
) -> ReadText:
    made = make_text(name, characters, tokeniser=tokeniser)
    tokens = [(span.start, span.end) for span in made.tokens]
    return ReadText(name, characters, tokens, tuple(readings), gold, "en", tokeniser)


class Texts:
    """Texts that are already there, as a source."""

    def __init__(self, texts: Sequence[ReadText], name: str = "given") -> None:
        self.about = SourceDescription(name=name, title=f"The dataset {name}")
        self._texts = texts

    def texts(self) -> Iterator[ReadText]:
        yield from self._texts
