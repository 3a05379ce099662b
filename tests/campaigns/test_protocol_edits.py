"""A protocol's text changed field by field: only what was changed is written, and the rest stays as it was typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldmark.campaigns.protocol_editor import categories, items, questions, translations
from goldmark.campaigns.protocol_editor.edits import acted, with_fields
from goldmark.campaigns.protocol_editor.items import NewItem, NotAMark, with_item
from goldmark.campaigns.protocol_editor.problem_fields import field_of
from goldmark.campaigns.protocol_editor.source import with_key
from goldmark.errors import ProblemsFound
from goldmark.protocols import load, parse, present
from goldmark.protocols.loader import resolved_data

RATING = """# ours
protocol: ours/1
extends: rating-qa/1
title: Is it right?  # short

# what people read
summary: Say so.
"""
COPY = "protocol: ours/1\nextends: accuracy/1\ntitle: Errors\n"
TREE = "accuracy-6"


def edited(source: str, **given: str) -> str:
    """The text after these fields were changed; a field's name has `__` where a name of Python cannot have a slash."""
    return with_fields(source, {name.replace("__", "/"): [value] for name, value in given.items()})


def set_to(source: str, name: str, *values: str) -> str:
    return with_fields(source, {name: values})


@pytest.mark.parametrize("name", ["accuracy-qualified", "mqm", "rating-qa", "tgea", "verification"])
def test_sending_every_field_back_as_it_was_changes_nothing(name: str) -> None:
    protocol = load(name)
    given: dict[str, list[str]] = {key: [str(getattr(protocol, key))] for key in questions.WORDS}
    given[questions.NEEDS] = [questions.needs_of(protocol)]
    for one in questions.fields_of(protocol):
        given |= {f"{part}/{one.id}": [getattr(one, part)] for part in questions.PARTS}
        for option in one.options:
            given[f"option/{one.id}/{option.id}/title"] = [option.title]
            given[f"option/{one.id}/{option.id}/value"] = [option.value]
    for part in items.parts_of(protocol):
        given[f"part/{part.address}/title"] = [part.title]
        for item in part.items:
            given |= {f"item/{item.address}/{key}": [text] for key, text in item.texts.items()}
            given |= {f"item/{item.address}/marks.{key}": [lines] for key, lines in item.marks.items()}
            given |= {f"item/{item.address}/chosen.{key}": list(some) for key, some in item.chosen.items() if some}
    for tree in protocol.taxonomies:
        for label in categories.fields_of(protocol, tree):
            given |= {
                f"label/{tree}/{label.path}/{part}": [getattr(label, part)] for part in (*categories.PARTS, "under")
            }
    if protocol.file.qualification is not None:
        given |= {"test/attempts": [str(protocol.file.qualification.attempts)]}
    source = f"protocol: ours/1\nextends: {name}\n"
    assert with_fields(source, given) == source


def test_only_what_differs_is_written() -> None:
    text = edited(RATING, title="Is it right?", summary="Say so, please.", ask__x="nobody asks this")
    assert text == RATING.replace("Say so.", "Say so, please.")
    assert edited(text) == text


def test_what_is_needed_beside_the_texts() -> None:
    source = "protocol: ours/1\nextends: rating-qa\n"
    more = set_to(source, "needs", "Question, Frage, 问题\n\n Source \n")
    warned, refused = parse(more).file.needs
    assert (warned.context, warned.missing) == (("Question", "Frage", "问题"), "warn")  # as it was
    assert (refused.context, refused.missing) == (("Source",), "refuse")
    assert parse(set_to(more, "needs", "")).file.needs == ()


def test_options_with_their_numbers() -> None:
    (question,) = questions.fields_of(parse(RATING))
    assert [(one.id, one.value) for one in question.options][:2] == [("strongly_disagree", "0"), ("disagree", "0.25")]
    text = set_to(RATING, f"option/{question.id}/neutral/title", "")
    text = set_to(text, f"option/{question.id}//title", "Cannot say")
    text = set_to(text, f"option/{question.id}/agree/value", "0,8")
    (changed,) = questions.fields_of(parse(acted(text, "up", f"option/{question.id}/cannot_say")))
    assert [(one.id, one.value) for one in changed.options] == [
        ("strongly_disagree", "0"),
        ("disagree", "0.25"),
        ("agree", "0.8"),
        ("cannot_say", ""),
        ("strongly_agree", "1"),
    ]
    assert text.startswith("# ours\n")
    assert "change:" in text  # it goes on saying only what differs


def test_a_question_of_a_protocol_that_stands_alone() -> None:
    source = load("rating-qa").source.replace("protocol: rating-qa/1", "protocol: ours/1")
    (question,) = questions.fields_of(parse(source))
    text = set_to(source, f"ask/{question.id}", "Is it?")
    assert [one.ask for one in questions.fields_of(parse(text))] == ["Is it?"]
    assert "change:" not in text


def test_when_a_question_is_asked() -> None:
    source = "protocol: ours/1\nextends: tgea/1\n"
    second = questions.fields_of(parse(source))[1]
    text = set_to(source, f"when/{second.id}", "verdict == fine or verdict == erroneous")
    assert questions.fields_of(parse(text))[1].when == "verdict == fine or verdict == erroneous"
    assert questions.fields_of(parse(set_to(text, f"when/{second.id}", "")))[1].when == ""
    with pytest.raises(ProblemsFound) as wrong:
        parse(set_to(source, f"when/{second.id}", "verdict == nonsense"))
    assert wrong.value.problems[0].where.endswith(":5"), "told at its line"


def paths(source: str) -> list[str]:
    return [one.path for one in categories.fields_of(parse(source), TREE)]


def preferred(source: str) -> list[str]:
    order: list[str] = present(parse(source))["steps"][0]["questions"][0]["labels"]["priority"]
    return order


def test_a_category_is_added_named_and_preferred() -> None:
    text = categories.with_label(COPY, TREE, "Wrong date", "d")
    assert "add:" in text, "it goes on saying only what differs"
    assert paths(text)[-1] == "WRONG_DATE"
    assert preferred(text)[-2:] == ["OTHER", "WRONG_DATE"], "an added one is preferred last, and named"
    text = acted(text, "up", "priority/mistakes/WRONG_DATE")
    assert preferred(text)[-2:] == ["WRONG_DATE", "OTHER"]
    text = set_to(text, f"label/{TREE}/WRONG_DATE/help", "A day that was another.")
    assert "add:" in text
    assert parse(text).taxonomies[TREE].paths["WRONG_DATE"].help == "A day that was another."
    assert preferred(acted(text, "remove", "priority/mistakes")) == []


def test_a_category_is_changed_moved_and_removed() -> None:
    text = with_fields(COPY, {f"label/{TREE}/NAME/title": ["Nom"], f"label/{TREE}/NAME/key": ["Z"]})
    name = parse(text).taxonomies[TREE].paths["NAME"]
    assert (name.title, name.key, name.mark) == ("Nom", "z", "N")
    assert paths(acted(text, "down", f"label/{TREE}/NAME"))[:2] == ["NUMBER", "NAME"]
    assert paths(acted(text, "up", f"label/{TREE}/NAME")) == paths(text), "the first cannot go further up"
    gone = acted(text, "remove", f"label/{TREE}/CONTEXT")
    assert "CONTEXT" not in paths(gone)
    assert "CONTEXT" not in preferred(gone)
    with pytest.raises(ProblemsFound) as wrong:
        parse(set_to(COPY, f"label/{TREE}/NAME/key", "u"))
    assert "key" in str(wrong.value.problems[0])


def test_what_names_a_category_follows_it() -> None:
    source = "protocol: ours/1\nextends: accuracy-qualified/1\n"
    text = set_to(source, f"label/{TREE}/NUMBER/under", "WORD")
    assert [one for one in paths(text) if "WORD" in one] == ["WORD", "WORD.NUMBER"]
    assert "WORD.NUMBER" in preferred(text)
    assert any("WORD.NUMBER" in one.marks["mistakes"] for one in items.test_of(parse(text)))
    back = parse(set_to(text, f"label/{TREE}/WORD.NUMBER/under", ""))
    assert sorted(back.taxonomies[TREE].paths) == sorted(parse(source).taxonomies[TREE].paths)
    with pytest.raises(categories.NotUnder):
        set_to(text, f"label/{TREE}/WORD/under", "WORD.NUMBER")


def test_training_and_qualification_items() -> None:
    marks = {"mistakes": "24 | NUMBER | 22 | the box score\n"}
    item = NewItem("examples", {"text": "Kim had 24 points."}, marks, {}, "Count.")
    text = with_item(with_item(COPY, item), replace(item, place="practice"))
    text = with_item(with_item(text, item), replace(item, place="qualification"))
    found = parse(text).file
    assert [(part.title, len(part.examples or part.practice or ())) for part in found.training["lessons"]] == [
        ("Examples", 2),
        ("Practice", 1),
    ]
    assert found.qualification is not None
    assert (found.qualification.name, found.qualification.attempts) == ("ours", 2)
    # What the other protocol taught stays where one is added.
    more = with_item("protocol: ours/1\nextends: accuracy-qualified/1\n", item)
    assert len(parse(more).file.training["lessons"]) == 3
    with pytest.raises(NotAMark):
        with_item(COPY, replace(item, marks={"mistakes": "24 NUMBER"}))


def test_an_item_of_several_texts() -> None:
    source = "protocol: ours/1\nextends: best-worst/1\n"
    texts = {letter: f"Answer {letter}." for letter in "abcd"}
    item = NewItem("practice", texts, chosen={"picked": ["b>d"]}, explanation="Count.")
    text = with_item(source, item)
    (part,) = items.parts_of(parse(text))
    assert (part.items[0].texts, part.items[0].chosen) == (texts, {"picked": ("b>d",)})
    asked = next(one for one in questions.fields_of(parse(text)) if one.id == "picked")
    assert dict(asked.answers)["b>d"] == "Best: Text B; worst: Text D"
    changed = set_to(text, f"item/{part.items[0].address}/c", "Another.")
    changed = set_to(changed, f"item/{part.items[0].address}/chosen.picked", "c>d")
    now = items.parts_of(parse(changed))[0].items[0]
    assert (now.texts, now.chosen["picked"]) == ({**texts, "c": "Another."}, ("c>d",))
    with pytest.raises(items.NotAnItem):
        with_item(source, replace(item, texts={**texts, "d": " "}))
    # Two texts, which stand beside one another in the row, have fields as well.
    two = replace(item, texts={"a": "One.", "b": "Two."}, chosen={})
    pair = with_item("protocol: ours/1\nextends: pairwise/1\n", two)
    assert items.parts_of(parse(pair))[0].items[0].texts == {"a": "One.", "b": "Two."}


def test_an_item_is_changed_moved_and_removed() -> None:
    source = "protocol: ours/1\nextends: accuracy-qualified/1\n"
    first, second = items.test_of(parse(source))[:2]
    line = first.marks["mistakes"].splitlines()[0]
    assert line == "eight | NUMBER | six | Farrow had six assists."
    changed = first.marks["mistakes"].replace("| six |", "| 6 |", 1)
    text = set_to(source, f"item/{first.address}/marks.mistakes", changed)
    text = set_to(text, f"item/{first.address}/explanation", "Two lines\r\nof it.")
    now = items.test_of(parse(text))[0]
    assert (now.marks["mistakes"], now.explanation) == (changed, "Two lines\nof it.\n")
    raw = parse(text).resolved["qualification"]["units"]
    assert raw[0]["context"] == parse(source).resolved["qualification"]["units"][0]["context"], "the rest stays"
    assert [one.beginning for one in items.test_of(parse(acted(text, "down", f"item/{first.address}")))][:2] == [
        second.beginning,
        first.beginning,
    ]
    assert len(items.test_of(parse(acted(text, "remove", f"item/{second.address}")))) == 3
    text = with_fields(text, {"test/attempts": ["3"], "test/score": ["0,5"]})
    test = parse(text).file.qualification
    assert test is not None
    assert (test.attempts, test.passing.score) == (3, 0.5)
    with pytest.raises(ProblemsFound) as wrong:
        parse(set_to(source, f"item/{first.address}/text", "Nothing that is quoted."))
    assert "does not stand in the text" in str(wrong.value.problems[0])


def test_parts_of_a_kit_and_the_last_of_their_items() -> None:
    source = "protocol: ours/1\nextends: accuracy-qualified/1\n"
    reading, *_ = items.parts_of(parse(source))
    text = with_fields(
        source, {f"part/{reading.address}/title": ["First"], f"part/{reading.address}/instructions": ["Read."]}
    )
    assert items.parts_of(parse(text))[0].instructions == "Read."
    practice = next(one for one in items.parts_of(parse(text)) if one.kind == "practice")
    assert len(practice.items) == 1
    assert "practice" not in [
        one.kind for one in items.parts_of(parse(acted(text, "remove", f"item/{practice.items[0].address}")))
    ]
    assert items.parts_of(parse(acted(text, "remove", f"item/{reading.address}")))[0].kind == "examples"
    pair = next(one for one in items.parts_of(load("humanlike")) if one.kind == "comparison").items[0]
    assert (pair.pair, pair.answer in ("a", "b"), sorted(pair.texts)) == (True, True, ["a", "b"])


def test_a_text_can_be_worked_on_by_any_action_that_does_not_fit_it() -> None:
    for deed in ("up", "down", "remove"):
        for what in (
            "label/x/y",
            "option/a/b",
            "item/training.x.9",
            "item/qualification.z",
            "item/",
            "nonsense",
            "a/b/c/d",
        ):
            assert acted(COPY, deed, what) == COPY


def test_a_key_is_written_where_it_stood() -> None:
    text = "a: 1\nb:\n- x\n- y\n\n# about c\nc: 3\n"
    assert with_key(text, "b", ["z"]) == "a: 1\nb:\n- z\n\n# about c\nc: 3\n"
    assert with_key("a: 1", "b", "two\nlines\n") == "a: 1\nb: |\n  two\n  lines\n"


def test_translations_are_written_and_stay_with_their_words() -> None:
    text = translations.with_language(COPY, "it")
    (found,) = translations.fields_of(parse(text))
    at = [said for said, _ in found.words].index("Errors")
    text = set_to(text, f"translation/it/{at}", "Errori")
    text = set_to(text, "translation/it/instructions", "Segnate gli errori.")
    text = set_to(text, "title", "Mistakes")
    (found,) = translations.fields_of(parse(text))
    assert ("Mistakes", "Errori") in found.words, "a changed title keeps its translation"
    assert present(parse(text), "it")["title"] == "Errori"
    assert "Segnate" in present(parse(text), "it")["instructions_html"]
    text = set_to(text, f"label/{TREE}/NAME/under", "WORD")  # an edit of something else
    assert present(parse(text), "it")["title"] == "Errori"
    assert translations.fields_of(parse(acted(text, "remove", "translation/it"))) == []


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("title", "title"),
        ("needs.0.context", "needs"),
        ("steps.0.questions.0.when", "when/mistakes"),
        ("steps.0.questions.0.attributes.0.kind", "ask/mistakes"),
        ("taxonomies.accuracy-6.0.key", "label/accuracy-6/NAME/key"),
        ("taxonomies.accuracy-6.0.children.1.help", "label/accuracy-6/NAME.PROPER_NAME/help"),
        ("taxonomies.accuracy-6.77.key", ""),
        (
            "training.lessons.1.examples.0.expected.mistakes.0.label",
            "item/training.lessons.1.examples.0/marks.mistakes",
        ),
        ("training.lessons.0.title", "part/training.lessons.0/title"),
        ("qualification.units.3.text", "item/qualification.3/text"),
        ("qualification.pass.score", "test/score"),
        ("translations.de.words", "translation/de/instructions"),
        ("steps.9.questions.0", ""),
        ("extends", ""),
    ],
)
def test_a_problem_belongs_to_a_field(path: str, field: str) -> None:
    data = resolved_data("protocol: ours/1\nextends: accuracy-dates/1\n")
    assert field_of(path.split("."), data) == field


def test_an_option_is_found_by_its_id() -> None:
    data = resolved_data("protocol: ours/1\nextends: rating-qa/1\n")
    assert field_of(["steps", "0", "questions", "0", "options", "1", "value"], data) == "option/correct/disagree/value"
    assert field_of(["steps", "0", "questions", "0", "options", "1"], data) == "option/correct/disagree/title"
