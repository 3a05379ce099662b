"""Gold lists as a layer of marks, in WebAnno TSV 3 or UIMA CAS.

Our own, and curators' exports from WebAnno and INCEpTION that say how many found an error, its type, its span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from goldmark.curation.gold_lists.formats import GoldFormat
from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import read_files
from goldmark.exchange.campaign.cas import CAS
from goldmark.exchange.campaign.marks import campaign_of, marked, spans_question
from goldmark.exchange.campaign.webanno import CURATOR, WEBANNO
from goldmark.exchange.format import Format
from goldmark.exchange.formats import in_words
from goldmark.records.answers import Mark
from goldmark.records.gold import GoldMistake
from goldmark.records.texts import Text
from goldmark.texts.readers.text_ids import find_id

# Our features first, then those of the accuracy shared task's curators.
FEATURES: Mapping[str, tuple[str, ...]] = {
    "label": ("J_Corrected_Type",),  # what the curator put in the place of the annotators' label
    "correction": ("correction", "B_Correction"),
    "comment": ("comment", "C_Comment"),
    "found_by": ("found_by", "H_FOUND_ERR"),
    "label_agreed_by": ("label_agreed_by", "J_Types_Match"),
    "span_agreed_by": ("span_agreed_by", "I_Spans_Match"),
    "annotators": ("annotators",),
    "note": ("note", "G_Problem"),
    "group": ("group",),
}
ATTRIBUTE = "attribute_"  # before the name of what else was asked of a mark
COUNTS = ("found_by", "label_agreed_by", "span_agreed_by", "annotators")
_ORDERED = re.compile(r"(?<!\d)\d{1,9}_(?=.)")  # "1_NAME": a number that only sorts the menu of labels


class NotOneCurator(GoldmarkError):
    code = "CURATION-11"
    message = "text {text} has files of {count} people; a gold list is one person's: give the folder `curation` alone"


def write_layer(
    mistakes: Iterable[GoldMistake], texts: Mapping[str, Text], form: Format = WEBANNO
) -> Iterator[tuple[str, bytes]]:
    """The files of a gold list in the layout of an export from there, with counts and notes as features."""
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {(text_id, CURATOR): [] for text_id in texts}
    for one in mistakes:
        spans = answers[one.text_id, CURATOR]
        more = {name: getattr(one, name) for name in FEATURES if name != "label"}
        said = {name: str(value) for name, value in more.items() if value not in (None, "")}
        place = {"start": one.span.start, "end": one.span.end}
        for name, value in one.attributes:
            feature = f"{ATTRIBUTE}{name}"
            said[feature] = f"{said[feature]}; {value}" if feature in said else value
        links: dict[str, list[dict[str, int]]] = {}
        for role, linked in one.links:
            links.setdefault(role, []).append({"start": linked.start, "end": linked.end})
        more_said: dict[str, Any] = {**said, **({"links": links} if links else {})}
        spans.append({"id": one.id or f"m{len(spans) + 1}", **place, "label": one.label, **more_said})
    return form.write(campaign_of(texts, answers, question="mistakes"), None)


def read_layer(path: Path, texts: Mapping[str, Text], form: Format = WEBANNO) -> tuple[GoldMistake, ...]:
    """The gold list in a folder of such files, one per text.

    A file belongs to the text with its name and tokens, or else to the one with its tokens. Where a tool has spoilt
    some characters, it is the text with as many tokens whose id the folder's name begins with.
    """
    with in_words(form.name):
        record = form.read(read_files(path))
    by_words: dict[tuple[str, ...], dict[str, Text]] = {}
    for text_id, text in texts.items():
        by_words.setdefault(text.words(), {})[text_id] = text
    problems: list[Problem] = ProblemList()
    gold: list[GoldMistake] = []
    people: dict[str, int] = {}
    work = list(marked(record, spans_question(record)))
    curated = [one for one in work if one.annotator == CURATOR]  # in a whole project, others' files stand beside
    for one in curated or work:
        alike = by_words.get(one.text.words(), {})
        meant = _meant(one.unit.id, len(one.text.tokens), alike, texts)
        if meant is None:
            what = f"its {len(one.text.tokens)} tokens are those of none of the {len(texts)} texts"
            if alike:
                what = f"its name is that of no text, and {', '.join(sorted(alike))} have the same words"
            problems.append(Problem(one.unit.id, what, "give the folder of the texts that were annotated"))
            continue
        people[meant.id] = people.get(meant.id, 0) + 1
        if people[meant.id] > 1:
            raise NotOneCurator(text=meant.id, count=people[meant.id])
        gold += (_gold(mark, meant, one.unit.id, problems) for mark in one.marks)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was imported")
    return tuple(sorted(gold, key=lambda one: (one.text_id, one.span)))


def _meant(folder: str, tokens: int, alike: Mapping[str, Text], texts: Mapping[str, Text]) -> Text | None:
    """Which text a file is about; `alike` are those with exactly its tokens."""
    named = find_id(folder, alike)
    if named is not None:
        return alike[named]
    return next(iter(alike.values())) if len(alike) == 1 else _named(folder, tokens, alike or texts)


def _named(folder: str, tokens: int, texts: Mapping[str, Text]) -> Text | None:
    """`S014_00_Existing.txt` is S014; where several ids fit, the longest."""
    fitting = [
        text
        for text_id, text in texts.items()
        if folder.startswith(text_id) and not folder[len(text_id) : len(text_id) + 1].isalnum()
    ]
    return max((text for text in fitting if len(text.tokens) == tokens), key=lambda text: len(text.id), default=None)


def _gold(mark: Mark, text: Text, where: str, problems: list[Problem]) -> GoldMistake:
    said = {name: _said(mark, names) for name, names in FEATURES.items()}
    counts: dict[str, int | None] = dict.fromkeys(COUNTS)
    for name in COUNTS:
        if said[name].isascii() and said[name].isdigit():
            counts[name] = int(said[name])
        elif said[name]:
            problems.append(Problem(where, f"{name} of {mark.id} is {said[name]!r}, not a whole number"))
    return GoldMistake(
        text.id,
        mark.tokens,
        _ORDERED.sub("", said["label"] or mark.label, count=1),
        said["correction"],
        said["comment"],
        found_by=counts["found_by"],
        label_agreed_by=counts["label_agreed_by"],
        span_agreed_by=counts["span_agreed_by"],
        annotators=counts["annotators"],
        corrections=(said["correction"],) if said["correction"] else (),
        comments=(said["comment"],) if said["comment"] else (),
        note=said["note"],
        id=mark.id,
        group=said["group"],
        attributes=tuple(
            (name.removeprefix(ATTRIBUTE), value)
            for name, values in sorted(mark.attributes.items())
            if name.startswith(ATTRIBUTE)
            for value in str(values).split("; ")
        ),
        links=mark.links,
    )


def _said(mark: Mark, names: tuple[str, ...]) -> str:
    return next((str(mark.attributes[name]).strip() for name in names if mark.attributes.get(name)), "")


WEBANNO_LIST = GoldFormat(
    "webanno-tsv",
    "WebAnno TSV 3 with counts and notes as features",
    write_layer,
    read_layer,
    holds=(".tsv",),
)
CAS_LIST = GoldFormat(
    "cas",
    "UIMA CAS with counts and notes as features: JSON, and read as XMI, too",
    partial(write_layer, form=CAS),
    partial(read_layer, form=CAS),
    holds=(".json", ".xmi", ".zip"),
)
