"""UIMA CAS as JSON or XMI, which INCEpTION and DKPro write: the final spans of one question, a CAS for each person.

The layout is INCEpTION's: `annotation/TEXT/PERSON.json` and `curation/TEXT/CURATION_USER.json`; XMI has its
`TypeSystem.xml` beside it, both often in `PERSON.zip`. Positions count what Java counts; dkpro-cassis turns them into
characters. Tokens and sentences are DKPro's where there are any.
"""

from __future__ import annotations

import io
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from goldmark.errors import Conflict, GoldmarkError, Problem, ProblemList
from goldmark.exchange.campaign.archive import Files, safe_names, without_archives
from goldmark.exchange.campaign.marks import MarkedSpans, campaign_of_layers, features_of, marked, spans_question
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.campaign.webanno import CURATOR, LAYER, UNTOUCHED
from goldmark.exchange.format import Format
from goldmark.exchange.left_out import ONE_QUESTION
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.spans import Span, covering
from goldmark.records.texts import Text
from goldmark.texts.readers.json_objects import unreadable
from goldmark.texts.segmentation.text import check_text, make_text

_SEGMENTS = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
TOKEN, SENTENCE = f"{_SEGMENTS}Token", f"{_SEGMENTS}Sentence"
ANNOTATION, STRING, DOCUMENT = "uima.tcas.Annotation", "uima.cas.String", "uima.tcas.DocumentAnnotation"
OWN = ("span_id", "label", "links")
NAMES, TYPES = "names.json", "TypeSystem.xml"
_BUILT_IN = ("begin", "end", "sofa")
# What INCEpTION and DKPro say of a text and of their own settings; none of it is anybody's mark.
_STRUCTURE = (
    _SEGMENTS,
    "uima.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.",
)
_ENCODING = re.compile(r"""\s+encoding\s*=\s*("[^"]*"|'[^']*')""")
_ENDS = {"Governor", "Dependent"}  # of a relation between two marks


class CassisMissing(Conflict):
    code = "EXCHANGE-42"
    message = "UIMA CAS needs dkpro-cassis; install it with: pip install 'goldmark[cas]'"


class NotCas(GoldmarkError):
    code = "EXCHANGE-43"
    message = "{reason}"


def _cassis() -> Any:
    try:
        import cassis
    except ImportError:
        raise CassisMissing from None
    return cassis


def write(record: CampaignRecord, question: str | None = None) -> Iterator[tuple[str, bytes]]:
    cassis = _cassis()
    asked = spans_question(record, question)
    work = list(marked(record, asked))
    folders = safe_names(dict.fromkeys(one.unit.id for one in work))
    people = safe_names({one.annotator for one in work}, ".json")
    features = sorted({name for one in work for mark in one.marks for name in features_of(mark)})
    types = cassis.TypeSystem(add_document_annotation_type=True)
    for name in (TOKEN, SENTENCE):
        types.create_type(name=name, supertypeName=ANNOTATION)
    layer = types.create_type(name=f"{LAYER}{asked.id}", supertypeName=ANNOTATION)
    for name in (*OWN, *features):
        types.create_feature(domainType=layer, name=name, rangeType=STRING)
    for one in sorted(work, key=lambda one: (folders[one.unit.id], people[one.annotator])):
        path = f"annotation/{folders[one.unit.id]}/{people[one.annotator]}"
        yield path, (_cas_of(one, types, layer, cassis).to_json() + "\n").encode()
    strange = {"texts": {name: unit for unit, name in folders.items() if name != unit}}
    strange["people"] = {name: person for person, name in people.items() if name != f"{person}.json"}
    if any(strange.values()):
        yield NAMES, (write_json(strange) + "\n").encode()


def _cas_of(one: MarkedSpans, types: Any, layer: Any, cassis: Any) -> Any:
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = one.text.characters, "text/plain"
    token, sentence = types.get_type(TOKEN), types.get_type(SENTENCE)
    for span in one.text.sentences:
        first, last = one.text.tokens[span.start], one.text.tokens[span.end - 1]
        cas.add(sentence(begin=first.start, end=last.end))
    for place in one.text.tokens:
        cas.add(token(begin=place.start, end=place.end))
    for mark in sorted(one.marks, key=lambda mark: (mark.characters.start, mark.characters.end, mark.id)):
        said = {name: _written(value) for name, value in features_of(mark).items()}
        links: dict[str, list[list[int]]] = {}
        for role, span in mark.links:
            places = [one.text.tokens[span.start].start, one.text.tokens[span.end - 1].end]
            links.setdefault(role, []).append(places)
        own = {"span_id": mark.id, "label": mark.label or None, "links": write_json(links) if links else None}
        cas.add(layer(begin=mark.characters.start, end=mark.characters.end, **own, **said))
    return cas


def _written(value: object) -> str:
    return value if isinstance(value, str) else write_json(value)


def read(files: Files) -> CampaignRecord:
    cassis = _cassis()
    files = without_archives(files)
    problems: list[Problem] = ProblemList()
    names = json.loads(files[NAMES]) if NAMES in files else {"texts": {}, "people": {}}
    texts: dict[str, Text] = {}
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    questions: dict[str, None] = {}
    for path, content in sorted(files.items()):
        folder, _, file = path.rpartition("/")
        stem, _, ending = file.rpartition(".")
        if ending not in ("json", "xmi") or stem == UNTOUCHED or _is_no_annotation(path):
            continue
        folder = folder.rpartition("/")[2] or stem
        unit, person = names["texts"].get(folder, folder), names["people"].get(f"{stem}.json", stem)
        try:
            cas = _loaded(path, content, files, cassis)
            text = _text(unit, cas)
            if texts.setdefault(unit, text) != text:
                raise NotCas(reason="it has another text or other tokens than another person's file")
            layer = _layer(cas)
            answers[unit, person] = [] if layer is None else list(_marks(cas, layer, text))
            if layer is not None:
                questions[layer.removeprefix(LAYER)] = None
        except Exception as error:
            problems.append(Problem(path, f"the file is no UIMA CAS: {unreadable(path, error).what}"[:300]))
    none = "there is no .json or .xmi file" if files else ""
    return campaign_of_layers(texts, answers, list(questions), problems, none=none)


def _is_no_annotation(path: str) -> bool:
    """What stands beside the annotations in the export of a whole project."""
    return path == NAMES or path.startswith(("source/", "exportedproject"))


def _loaded(path: str, content: bytes, files: Files, cassis: Any) -> Any:
    if path.endswith(".json"):
        return cassis.load_cas_from_json(content.decode())
    beside = f"{path.rpartition('/')[0]}/{TYPES}".lstrip("/")
    types = files.get(beside, files.get(TYPES))
    if types is None:
        raise NotCas(reason=f"{TYPES} is not beside it")
    content, types = map(_plain_xml, (content, types))
    return cassis.load_cas_from_xmi(io.BytesIO(content), typesystem=cassis.load_typesystem(io.BytesIO(types)))


def _plain_xml(written: bytes) -> bytes:
    """XML without document types, so that nothing is fetched and nothing grows; in an encoding in which one is seen."""
    try:
        plain = written.decode("utf-8-sig")
    except UnicodeDecodeError:
        plain = "\0"
    if "\0" in plain:
        raise NotCas(reason="it is not encoded in UTF-8")
    if "<!" in plain:
        raise NotCas(reason="it declares a document type")
    if not plain.startswith("<?xml"):
        return plain.encode()
    head, mark, rest = plain.partition("?>")  # what it says of its encoding would be believed
    return f"{_ENCODING.sub('', head)}{mark}{rest}".encode()


def _text(unit: str, cas: Any) -> Text:
    characters = cas.sofa_string
    if not isinstance(characters, str):
        raise NotCas(reason="it has no text")
    known = {one.name for one in cas.typesystem.get_types()}
    tokens = _places(cas, TOKEN) if TOKEN in known else []
    if not tokens:
        return make_text(unit, characters)
    starts = [place.start for place in tokens]
    sentences = []
    for place in _places(cas, SENTENCE) if SENTENCE in known else ():
        first, last = bisect_left(starts, place.start), bisect_left(starts, place.end)
        if first < last:
            sentences.append(Span(first, last))
    text = Text(unit, characters, tuple(tokens), tuple(sentences) or (Span(0, len(tokens)),), "given")
    check_text(text)
    return text


def _places(cas: Any, name: str) -> list[Span]:
    return sorted(Span(one.begin, one.end) for one in cas.select(name) if one.begin < one.end)


def _layer(cas: Any) -> str | None:
    """The first layer of the project's own, or of any with marks that is not the text's structure."""
    named = sorted(one.name for one in cas.typesystem.get_types())
    own = [name for name in named if name.startswith(LAYER)]
    others = [name for name in named if not name.startswith((*_STRUCTURE, LAYER))]
    spans = [name for name in (*own, *others) if _has_spans(cas.typesystem.get_type(name))]
    return next((name for name in spans if cas.select(name)), next((name for name in spans if name in own), None))


def _has_spans(layer: Any) -> bool:
    return layer.supertype.name == ANNOTATION and not _ENDS.issubset(one.name for one in layer.all_features)


def _marks(cas: Any, layer: str, text: Text) -> Iterator[dict[str, Any]]:
    features = [one.name for one in cas.typesystem.get_type(layer).all_features if one.name not in _BUILT_IN]
    ours = all(name in features for name in OWN)
    found = sorted(cas.select(layer), key=lambda one: (one.begin, one.end, str(getattr(one, "span_id", None) or "")))
    for number, one in enumerate(found, start=1):
        tokens = covering(text.places, one.begin, one.end)
        if tokens is None:
            continue
        said = {name: value for name in features if (value := _said(getattr(one, name, None)))}
        label = said.pop(_label_feature(features), None)
        mark: dict[str, Any] = {"id": f"m{number}", "start": tokens.start, "end": tokens.end}
        if ours:
            mark["id"] = said.pop("span_id", mark["id"])
            links = _links(said.pop("links", ""), text)
            mark |= {"links": links} if links else {}
        yield {**mark, **({"label": label} if label else {}), **said}


def _said(value: object) -> str:
    """A feature's value in words; what is no value, such as a link to another annotation, says nothing."""
    if isinstance(several := getattr(value, "elements", None), list):
        return "; ".join(filter(None, map(_said, several)))
    return value if isinstance(value, str) else write_json(value) if isinstance(value, int | float) else ""


def _label_feature(features: Sequence[str]) -> str:
    return next((name for name in ("label", "value") if name in features), features[0] if features else "")


def _links(written: str, text: Text) -> dict[str, list[dict[str, int]]]:
    given: Mapping[str, list[list[int]]] = json.loads(written) if written else {}
    found: dict[str, list[dict[str, int]]] = {}
    for role, places in given.items():
        for start, end in places:
            tokens = covering(text.places, start, end)
            if tokens is not None:
                found.setdefault(role, []).append({"start": tokens.start, "end": tokens.end})
    return found


CAS = Format(
    "cas",
    "final spans as UIMA CAS JSON; XMI is read, too",
    write,
    read,
    no_place=ONE_QUESTION,
    curator=CURATOR,
    only_marks=True,
    keys=("%TYPES", "%FEATURE_STRUCTURES"),
)
