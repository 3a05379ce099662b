"""Campaigns that could exist, with everything in them that has ever broken an export."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    CurationStepRecord,
    EventRecord,
    GoldVersionRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.spans import Span
from goldmark.records.units import ContextLink, ContextTable, ContextText, GivenMark, ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text

NASTY = "=+-@'\"\\|_*[];>\t\n\r\f\b\v\x1f\x85\u2028\ufeff\u200d\u202e\u0301, .aZ1é中🎉👨𝔘<&"
TEXT = st.text(st.sampled_from(NASTY) | st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
IDS = st.text(
    st.sampled_from("abAB12.-_ /\\~%:*'=+é🎉中") | st.characters(exclude_categories=["Cs", "Cc"]),
    min_size=1,
    max_size=8,
).filter(lambda one: one == one.strip())
# Names of files, and names that differ in nothing but an ending.
IDS |= st.builds("{}{}".format, st.sampled_from(["a", "A", "a.b"]), st.sampled_from(["", ".txt", ".TXT", ".txt.txt"]))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
FACTS = st.dictionaries(TEXT, JSON, max_size=2)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda time: time.replace(tzinfo=UTC))  # noqa: DTZ001


@st.composite
def shown_texts(draw: st.DrawFn, name: str) -> ShownText:
    words = draw(st.lists(TEXT.filter(str.strip), min_size=1, max_size=5))
    characters = draw(st.sampled_from([" ", "\n", ". ", " . ", "\r\n\n"])).join(words)
    tokeniser = draw(st.sampled_from(["rules", "whitespace"]))
    text = make_text(name, characters, tokeniser=tokeniser, sentences=draw(st.sampled_from(["rules", "lines"])))
    length = len(text.tokens)
    return ShownText(
        text,
        prompt=draw(st.none() | st.integers(1, length).map(lambda end: Span(0, end))),
        focus=draw(st.none() | spans(length)),
        given=tuple(draw(st.lists(spans(length).map(lambda one: GivenMark(one.start, one.end, "X")), max_size=1))),
        language=draw(st.sampled_from(["", "ar"])),
    )


def spans(length: int) -> st.SearchStrategy[Span]:
    return st.integers(0, length - 1).flatmap(
        lambda start: st.integers(start + 1, length).map(lambda end: Span(start, end))
    )


@st.composite
def units(draw: st.DrawFn, name: str, roles: tuple[str, ...]) -> Unit:
    context = st.one_of(
        st.builds(ContextText, TEXT, TEXT),
        st.just(ContextLink("Page", "https://example.org/=1")),
        st.builds(lambda title, cell: ContextTable(title, ("a",), ((cell,), (None,), (3,))), TEXT, TEXT),
    )
    texts = {role: draw(shown_texts(name if role == "text" else f"{name}/{role}")) for role in roles}
    return Unit(name, ShownUnit(texts, tuple(draw(st.lists(context, max_size=2)))), draw(FACTS))


@st.composite
def marks(draw: st.DrawFn, length: int) -> list[dict[str, Any]]:
    found = []
    for number, span in enumerate(draw(st.lists(spans(length), max_size=3)), start=1):
        mark: dict[str, Any] = {"id": f"e{number}", "start": span.start, "end": span.end}
        mark["label"] = draw(st.sampled_from(["NAME", "commonsense.time", "NOT_CHECKABLE"]))
        mark |= draw(st.fixed_dictionaries({}, optional={"correction": TEXT, "comment": TEXT, "severity": JSON}))
        if draw(st.booleans()):
            linked = draw(spans(length))
            mark["links"] = {"associated": [{"start": linked.start, "end": linked.end}]}
        found.append(mark)
    return found


@st.composite
def campaigns(draw: st.DrawFn, *, roles: tuple[str, ...] = ("text",), any_answers: bool = False) -> CampaignRecord:
    made = tuple(draw(units(name, roles)) for name in draw(st.lists(IDS, max_size=3, unique=True)))
    people = draw(st.lists(IDS, max_size=3, unique=True))
    assignments, responses = [], []
    for unit in made:
        for person in draw(st.lists(st.sampled_from(people), unique=True) if people else st.just([])):
            times = st.none() | TIMES
            state = draw(st.sampled_from(["done", "active"]))
            assignments.append(AssignmentRecord(unit.id, person, state, draw(times), draw(times), draw(FACTS)))
            if state != "done":
                continue
            last = draw(st.integers(1, 2))
            for revision in range(1, last + 1):
                answers: dict[str, Any] = draw(FACTS) if any_answers else {"verdict": draw(TEXT)}
                answers["mistakes"] = draw(marks(len(unit.shown.texts[roles[0]].text.tokens)))
                seconds = draw(st.none() | st.floats(0, 1e6))
                keys = (draw(TEXT), draw(times), draw(times), seconds)
                responses.append(ResponseRecord(unit.id, person, revision, revision == last, answers, "p/1", *keys))
    return CampaignRecord(
        settings=draw(FACTS),
        protocol="p/1",
        protocols=(ProtocolRecord("p", 1, draw(TEXT)),),
        units=made,
        annotators=tuple(AnnotatorRecord(one, "active", draw(st.none() | TIMES), draw(FACTS)) for one in people),
        assignments=tuple(assignments),
        responses=tuple(responses),
        events=tuple(draw(st.lists(st.builds(EventRecord, TIMES, TEXT, TEXT, TEXT, TEXT, FACTS), max_size=2))),
        curation=tuple(
            CurationStepRecord(unit.id, "q", number, draw(TEXT), draw(FACTS), draw(TEXT), draw(TEXT), draw(TIMES))
            for unit in made[:1]
            for number in range(1, draw(st.integers(1, 3)))
        ),
        gold_versions=tuple(
            GoldVersionRecord(unit.id, draw(TEXT), 1, 2, draw(FACTS), draw(TEXT), draw(TIMES)) for unit in made[1:]
        ),
    )
