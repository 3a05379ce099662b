"""thresh's lists of edits, with and without the template of what was asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.import_answers import import_answers
from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.foreign_projects import thresh
from goldmark.exchange.foreign_projects.project import answers_of
from goldmark.exchange.responses.given import Target
from goldmark.protocols import parse, validate
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText, ShownText, ShownUnit
from goldmark.results.all_tables import results_of
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store
from goldmark.texts.segmentation.text import make_text

SOURCE = "The old fox ran away quickly."
TARGET = "The 🦊 ran.\nIt was quick."  # in units of 16 bits: the fox 4 and 5, ran 7-10, It 12, quick 19-24
DELETION = {
    "category": "deletion",
    "id": 1,
    "input_idx": [[4, 7]],
    # "minor" was chosen first, before the annotator went another way
    "annotation": {"kind": {"val": "good", "good": "a lot", "bad": "minor"}, "grammar_error": "no"},
}
CHANGE = {
    "category": "substitution",
    "id": 1,
    "input_idx": [[21, 28]],
    "output_idx": [[12, 14], [19, 24]],
    "annotation": {"meaning": {"val": "more", "more": {"val": "wrong"}}, "grammar_error": "yes"},
}
TEMPLATE = """
template_name: fox_edits
template_label: Edits of foxes
instructions: Mark **every** edit.
edits:
  - name: deletion
    label: "Left out"
    enable_input: true
    annotation:
      - name: kind
        question: "Was it needed?"
        options:
          - {name: good, label: "Not needed", question: "How much does it help?", options: likert-3}
          - {name: bad, label: "Needed", question: "How much does it hurt?", options: likert-3}
          - {name: trivial, label: "Trivial"}
      - {name: grammar_error, question: "Is it wrong now?", options: binary}
  - name: substitution
    label: "Other words"
    enable_input: true
    enable_output: true
    multi_span: true
    annotation:
      - name: meaning
        options:
          - name: same
            label: "The same"
          - name: more
            label: "More"
            options: [{name: right, label: "Right"}, {name: wrong, label: "Wrong"}]
      - {name: grammar_error, question: "Is it wrong now?", options: binary}
      - {name: explanation, question: "Why?", options: textarea}
  - name: structure
    type: composite
"""


def entry(*edits: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 7, "system": "alder", "source": SOURCE, "target": TARGET, "edits": list(edits), **more}


def files(*entries: dict[str, Any], name: str = "ada.json", template: str = "") -> dict[str, bytes]:
    written = {name: json.dumps(list(entries)).encode()}
    return {**written, "template.yml": template.encode()} if template else written


def said(record: CampaignRecord, unit: str = "7:alder", annotator: str = "ada") -> dict[str, Any]:
    (found,) = (one.answers for one in record.responses if (one.unit, one.annotator) == (unit, annotator))
    return dict(found)


def asked(record: CampaignRecord, question: str) -> SpansQuestion:
    (found,) = (one for one in parse(record.protocols[0].source).questions() if one.id == question)
    assert isinstance(found, SpansQuestion)
    return found


def valid(record: CampaignRecord) -> bool:
    protocol = parse(record.protocols[0].source)
    shown = {unit.id: unit.shown for unit in record.units}
    return all(validate(protocol, one.answers, shown[one.unit]) == [] for one in record.responses)


@pytest.mark.parametrize("template", ["", TEMPLATE])
def test_an_edit_stands_on_each_side_where_it_has_passages_and_has_its_answers_once(template: str) -> None:
    record = thresh.read(files(entry(DELETION, CHANGE), template=template))
    # Without a template only one option of each question is known, so the way through it is kept as words.
    meaning = "more.wrong" if template else "more: wrong"
    assert said(record) == {
        "edits": [
            {
                "id": "e2",
                "start": 11,
                "end": 13,
                "label": "substitution",
                "links": {"parts": [{"start": 18, "end": 23}]},
                "meaning": meaning,
                "grammar_error": "yes",
            }
        ],
        "source_edits": [
            {
                "id": "e1",
                "start": 4,
                "end": 7,
                "label": "deletion",
                "kind": "good",
                "kind_rating": "a_lot",
                "grammar_error": "no",
            },
            {"id": "e2", "start": 21, "end": 28, "label": "substitution"},
        ],
    }
    assert (TARGET[11:13], TARGET[18:23], SOURCE[4:7], SOURCE[21:28]) == ("It", "quick", "old", "quickly")
    (unit,) = record.units
    assert {role: shown.text.characters for role, shown in unit.shown.texts.items()} == {
        "text": TARGET,
        "source": SOURCE,
    }
    assert (unit.hidden, unit.shown.context) == ({"system": "alder", "item": "7"}, ())
    assert asked(record, "source_edits").attribute_numbers["kind_rating"] == {"minor": 1, "somewhat": 2, "a_lot": 3}
    assert valid(record)


def test_the_template_says_what_could_have_been_answered() -> None:
    record = thresh.read(files(entry(DELETION), template=TEMPLATE))
    protocol = parse(record.protocols[0].source)
    assert (record.protocol, protocol.title, protocol.instructions) == (
        "fox-edits/1",
        "Edits of foxes",
        "Mark **every** edit.",
    )
    edits, source = asked(record, "edits"), asked(record, "source_edits")
    assert {path: one.name for path, one in protocol.taxonomies["text_categories"].paths.items()} == {
        "substitution": "Other words",
        "structure": "Structure",
    }
    assert set(protocol.taxonomies["source_categories"].paths) == {"deletion", "substitution"}
    meaning, grammar, explanation = edits.attributes
    assert meaning.titles() == {"same": "The same", "more.right": "More: Right", "more.wrong": "More: Wrong"}
    assert grammar.numbers() == {"yes": 1, "no": 0}
    assert (explanation.kind, edits.explained_by) == ("text", "explanation")
    kind, rating, _ = source.attributes
    assert kind.ask == "Was it needed?"
    assert rating.when is not None
    assert rating.when.source == 'kind in ["good", "bad"]'


def test_without_edits_in_the_source_it_is_context_like_all_that_is_read_besides() -> None:
    only = {"category": "wrong", "output_idx": [[7, 10]]}
    record = thresh.read(files(entry(only, context="## A game", target_context_after="The end.")))
    (unit,) = record.units
    assert unit.shown.context == (
        ContextText("Source", SOURCE),
        ContextText("Context", "## A game"),
        ContextText("After the text", "The end."),
    )
    assert said(record) == {"edits": [{"id": "e1", "start": 6, "end": 9, "label": "wrong"}]}
    assert valid(record)


def test_composite_edits_keep_what_they_are_made_of() -> None:
    parts = [
        {"id": 1, "category": "deletion", "input_idx": [[8, 11]]},
        {"id": 2, "category": "insertion", "output_idx": [[4, 6], [7, 10]]},
    ]
    record = thresh.read(files(entry({"category": "structure", "annotation": None, "constituent_edits": parts})))
    assert said(record) == {
        "edits": [
            {
                "id": "e1",
                "start": 4,
                "end": 5,
                "label": "structure",
                "links": {"parts": [{"start": 6, "end": 9}]},
                "constituents": "deletion: source 8-11; insertion: text 4-6, text 7-10",
            }
        ],
        "source_edits": [{"id": "e1", "start": 8, "end": 11, "label": "structure"}],
    }
    assert valid(record)


@pytest.mark.parametrize(
    ("passages", "place"),
    [
        (None, (0, 24)),  # nowhere: of the whole target
        ([], (0, 24)),
        ([[], ""], (0, 24)),  # as the page keeps it if nothing was selected
        ([7, 10], (6, 9)),
        ([[19, 99]], (18, 24)),  # cut at the end, as the page shows it
        ([[6, 6]], (6, 7)),  # between two words: the next letter
        ([[25, 25]], (23, 24)),
        ([[11, 12]], (11, 12)),  # the end of a line: the next letter
    ],
)
def test_where_passages_are(passages: object, place: tuple[int, int]) -> None:
    record = thresh.read(files(entry({"category": "wrong", "output_idx": passages})))
    (mark,) = said(record)["edits"]
    assert (mark["start"], mark["end"]) == place
    assert valid(record)


def test_answers_of_any_kind_are_kept_and_what_else_an_edit_says() -> None:
    edits: list[dict[str, Any]] = [
        {
            "category": "错误",
            "output_idx": [[0, 3]],
            "votes": 2,
            "metadata": {"pass": "first"},
            "annotation": {"label": "x y", "explanation": "odd", "sure": True, "degree": 3, "tags": ["a", "b"]},
        },
        {"category": "R:OTHER", "output_idx": [[0, 3]], "annotation": {"sure": "no", "degree": 1.5, "tier": None}},
        {"category": "无", "output_idx": [[0, 3]], "annotation": {"tier": {"val": None}, "explanation": ""}},
    ]
    record = thresh.read(files(entry(*edits)))
    first, second, third = said(record)["edits"]
    assert {key: first[key] for key in ("votes", "pass", "label_answer", "explanation", "sure", "degree", "tags")} == {
        "votes": 2,
        "pass": "first",
        "label_answer": "x y",
        "explanation": "odd",
        "sure": "yes",
        "degree": 3,
        "tags": '["a","b"]',
    }
    assert (second["label"], second["sure"], second["degree"]) == ("r_other", "no", 1.5)
    assert set(third) == {"id", "start", "end", "label"}
    titles = {one.title for one in parse(record.protocols[0].source).taxonomies["text_categories"].labels}
    assert titles == {"错误", "R:OTHER", "无"}
    assert len({first["label"], second["label"], third["label"]}) == 3
    assert valid(record)


def test_people_are_named_in_the_entry_in_its_metadata_or_by_their_file() -> None:
    rows = [
        entry(DELETION, annotator="cy"),
        entry(CHANGE, id=8, metadata={"rater": "dee", "doc": "d1", "n": 1}),
        entry(id=9, comment="fine \n so far"),
        entry(DELETION, id=3, system="birch", target="The fox ran.", metadata={"doc": "d1"}),
        {"id": 4, "source": SOURCE, "target": "Nobody looked at this."},
    ]
    record = thresh.read({**files(*rows), **files(entry(DELETION), name="more/bo.json")})
    # Whatever their ids, everybody's entries of the same texts are one unit.
    assert [unit.id for unit in record.units] == ["7:alder", "3:birch", "4"]
    assert {(one.unit, one.annotator) for one in record.responses} == {
        ("7:alder", "cy"),
        ("7:alder", "dee"),
        ("7:alder", "ada"),
        ("7:alder", "bo"),
        ("3:birch", "ada"),
    }
    assert said(record) == {"edits": [], "source_edits": [], "comment": "fine so far"}
    assert [unit.hidden["item"] for unit in record.units] == ["7", "7", "7"]
    assert record.units[1].hidden == {"system": "birch", "item": "7", "thresh_doc": "d1"}
    # What only some of its entries say is no fact of a unit.
    assert record.units[0].hidden == {"system": "alder", "item": "7"}
    assert valid(record)


def test_the_same_texts_twice_in_one_file_are_two_units_and_another_text_keeps_its_own_name() -> None:
    record = thresh.read(files(entry(DELETION), entry(id=8), entry(target="Other words.")))
    assert [unit.id for unit in record.units] == ["7:alder", "8:alder", "7:alder~2"]
    again = files(entry(CHANGE, annotator="ada"), name="b.json")
    assert len(thresh.read({**files(entry(CHANGE)), **again}).responses) == 1
    with pytest.raises(ProblemsFound) as caught:
        thresh.read({**files(entry(CHANGE)), **files(entry(annotator="ada"), name="b.json")})
    (problem,) = map(str, caught.value.problems)
    assert problem.startswith("b.json, entry 1  ada annotated '7:alder' in another way at ada.json, entry 1")


def test_what_crowd_workers_handed_in_is_read_from_the_database_of_the_study() -> None:
    given = {
        "annotations": json.dumps([entry(DELETION), {key: one for key, one in entry().items() if key != "id"}]),
        "time_submitted": "1/2/2026, 3:04:05 PM",
        "prolific_metadata": json.dumps({"prolific_pid": "p-17", "study_id": "s"}),
    }
    record = thresh.read(files(given))
    assert {(one.unit, one.annotator) for one in record.responses} == {("7:alder", "p-17"), ("2:alder", "p-17")}


def test_a_unit_without_a_source_says_so_where_others_have_edits_in_theirs() -> None:
    record = thresh.read(files(entry(DELETION), entry(id=8, source="")))
    assert record.units[1].shown.texts["source"].text.characters == "(no source)"
    assert valid(record)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (files({"source": "x"}), "ada.json, entry 1  it has no target"),
        (files(entry({"output_idx": [[0, 3]]})), "ada.json, entry 1  edit 1: it has no category"),
        (files(entry({"category": "x", "output_idx": [[5, 3]]})), "ada.json, entry 1  edit 1: 5-3 is not in the text"),
        (files(entry({"category": "x", "output_idx": [[99, 100]]})), "99-100 is not in the text, which has 25"),
        (files(entry({"category": "x", "input_idx": [[0, 1]]}, source="")), "0-1 is not in the text, which has 0"),
        (files(entry({"category": "x", "output_idx": [["a", 3]]})), "edit 1: a-3 is not in the text"),
        (
            files(entry({"category": "x", "output_idx": [[1]]})),
            "edit 1: it is of another shape than expected: not enough values",
        ),
        (files(entry(target=" ")), "ada.json, entry 1  the text is empty"),
        ({"ada.json": b"[{"}, "ada.json  the file is not JSON"),
        ({"ada.json": b"[1]"}, "ada.json, entry 1  a number, not an object"),
        ({"notes.txt": b"hello"}, "notes.txt  it holds no edits"),
        (files(entry(), template="edits: [{label: x}]"), "template.yml  it has no 'name', so it is of another shape"),
        (files(entry(), template="edits: ["), "template.yml:2  this is not YAML"),
        (
            {**files(entry(), template=TEMPLATE), "a.yml": b"edits: []"},
            "template.yml  there is another template, a.yml",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(given: dict[str, bytes], wrong: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        thresh.read(given)
    (problem,) = map(str, caught.value.problems)
    assert wrong in problem


def test_it_comes_in_as_a_campaign_with_results_and_more_answers_into_it(store: Store, tmp_path: Path) -> None:
    record = completed(thresh.read(files(entry(DELETION, CHANGE), template=TEMPLATE)), name="foxes")
    restore(store, record, author="test")
    (tmp_path / "more").mkdir()
    for name, content in files(entry(CHANGE), name="more/bo.json", template=TEMPLATE).items():
        (tmp_path / "more" / Path(name).name).write_bytes(content)
    done = import_answers(store, ContentCache(store), "foxes", tmp_path / "more", format_name="thresh", author="test")
    assert (done.answers, done.new_annotators) == (1, ("bo",))
    kept = record_of(store, "foxes")
    (mark,) = said(kept, annotator="bo")["source_edits"]
    assert (mark["id"], mark["label"]) == ("e1", "substitution")
    errors = results_of(store, "foxes", AnalysisOptions(seed=1, resamples=50)).table("errors")
    assert errors is not None
    assert {(row["question"], row["label"]): row["value"] for row in errors.records()} == {
        ("edits", "total"): 1,
        ("edits", "substitution"): 1,
        ("source_edits", "total"): 1.5,  # ada marked two, bo one
        ("source_edits", "deletion"): 0.5,
        ("source_edits", "substitution"): 1,
    }


def test_answers_for_a_campaign_that_marks_only_the_text() -> None:
    source = (
        "protocol: mine/1\ntitle: Mark\ntaxonomies: {t: [{id: substitution}]}\n"
        "steps: [{questions: [{id: marks, kind: spans, labels: {tree: t}, links: {parts: {}}}]}]"
    )
    shown = ShownUnit({"text": ShownText(make_text("7:alder", TARGET))})
    read = answers_of(thresh.project)
    problems: list[Problem] = []
    (found,) = read(files(entry(CHANGE)), Target(parse(source), {"7:alder": shown}), problems)
    # Marks of the source are another text's: they are not lost and stand where the campaign will refuse them.
    assert set(found.answers) == {"marks", "source_edits"}
    left_out = Target(parse(source), {"7:alder": shown}, leave_out=frozenset({"source_edits"}))
    (found,) = read(files(entry(CHANGE)), left_out, problems)
    (mark,) = found.answers["marks"]
    # The 🦊 ran . It was quick . in tokens
    assert (mark["start"], mark["end"], mark["links"]) == (4, 5, {"parts": [{"start": 6, "end": 7}]})
    (found,) = read(files(entry({**CHANGE, "input_idx": []})), Target(parse(source), {"7:alder": shown}), problems)
    assert set(found.answers) == {"marks"}
    assert problems == []
