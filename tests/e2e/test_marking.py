"""Marking words: by mouse, by finger, by keyboard alone; in any script; without harm from hostile text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldmark.protocols import parse
from goldmark.records.spans import Span
from goldmark.records.units import ContextText
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


def begin(visit: Visit, address: str, **options: object) -> Page:
    page = visit(address, **options)
    page.get_by_role("button", name=re.compile("^(Start|Go on)$")).click()
    expect(page.locator("token-spans").first).to_be_visible()
    return page


def drag(page: Page, first: str, last: str) -> None:
    start, end = (page.locator(".w", has_text=text).first.bounding_box() for text in (first, last))
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 3, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    page.mouse.up()


def submitted(page: Page) -> None:
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()


def test_the_whole_path_with_the_mouse(stand: Stand, visit: Visit) -> None:
    consent = "<p>We record your answers.</p>"
    address, study = stand.add("accuracy", texts.game(), texts.game(1), consent=consent, more=True)
    page = visit(address)
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()

    page.locator(".w", has_text="Friday").click()
    page.get_by_role("group", name="Labels").get_by_role("button", name="Name").click()
    page.get_by_role("textbox", name="Correction").fill(" Saturday\n")
    drag(page, "double-double", "12")
    expect(page.locator(".say")).to_contain_text("double-double with 12")
    page.get_by_role("group", name="Labels").get_by_role("button", name="Word").click()
    page.locator(".mark-card.current").get_by_role("textbox", name="Comment").fill("not two figures")
    page.get_by_role("button", name="Submit").click()

    expect(page.locator("#progress")).to_contain_text("2 of 2")
    expect(page.locator(".mark-card")).to_have_count(0)
    page.get_by_role("button", name="Submit").click()
    submitted(page)
    expect(page.get_by_label("Completion code")).to_have_text("K7QM-3XPA")
    first, second = study.accepted[1][0]["mistakes"], study.accepted[2][0]["mistakes"]
    assert [(one["label"], one.get("correction"), one.get("comment")) for one in first] == [
        ("NAME", "Saturday", None),
        ("WORD", None, "not two figures"),
    ]
    tokens = study.units[0]["texts"]["text"]["tokens"]
    characters = study.units[0]["texts"]["text"]["characters"]
    read = [characters[tokens[one["start"]][0] : tokens[one["end"] - 1][1]] for one in first]
    assert read == ["Friday", "double-double with 12"]
    assert second == []

    page.get_by_role("button", name="Another batch").click()
    expect(page.locator("token-spans")).to_be_visible()


def test_the_whole_path_with_the_keyboard_alone(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("tgea", texts.unit(texts.text(texts.STORM)), consent="<p>We record your answers.</p>")
    page = visit(address)
    expect(page.get_by_role("heading", name="Before you start")).to_be_focused()
    press(page, "Tab", "Enter")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    for _ in range(20):
        if page.evaluate("document.activeElement.textContent").startswith("Start"):
            break
        press(page, "Tab")
    press(page, "Enter")
    expect(page.locator("token-spans")).to_be_visible()
    press(page, "2")  # erroneous: on to the second part, where the text has the focus

    press(page, "Control+ArrowRight", "Control+ArrowRight", "ArrowRight", "ArrowRight")
    expect(page.locator("#announcements")).to_contain_text("drank, word 32 of 41")
    press(page, "c", "p")  # combination, predicate and object
    expect(page.locator(".say")).to_contain_text("Which words show that it is wrong?")
    press(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter")  # new proposal
    page.keyboard.type("approved")
    press(page, "Tab")
    page.keyboard.type("Nobody drinks a proposal.")
    press(page, "Escape", "Control+Enter")
    submitted(page)
    [answers] = study.accepted[1]
    assert answers == {
        "verdict": "erroneous",
        "errors": [
            {
                "id": "e1",
                "start": 31,
                "end": 32,
                "label": "combination.predicate_object",
                "links": {"associated": [{"start": 33, "end": 35}]},
                "correction": "approved",
                "rationale": "Nobody drinks a proposal.",
            }
        ],
    }


def test_linked_words_are_chosen_with_the_mouse_and_drawn(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("tgea", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    page.get_by_role("radio", name="Erroneous").check()
    page.get_by_role("button", name="Next").click()
    page.locator(".w", has_text="drank").click()
    labels = page.get_by_role("group", name="Labels")
    labels.get_by_role("button", name="Combination").click()
    labels.get_by_role("button", name="Predicate and object").click()
    drag(page, "new", "proposal")
    expect(page.locator(".link-role li")).to_contain_text("new proposal")
    expect(page.locator(".wires path")).to_have_count(1)
    assert page.locator(".badge").all_inner_texts() == ["CPO1", "→1"]
    page.get_by_role("button", name="Remove the linked words").click()
    expect(page.locator(".wires")).to_have_count(0)
    page.get_by_role("button", name="Choose in the text").click()
    page.locator(".w", has_text="debate").click()
    expect(page.locator(".link-role li")).to_contain_text("debate")
    page.get_by_role("button", name="Back").click()
    page.get_by_role("radio", name="Fine").check()
    expect(page.locator(".u")).to_have_count(0)  # no longer asked, so no longer shown
    press(page, "Control+Enter")
    submitted(page)
    assert study.accepted[1] == [{"verdict": "fine"}]


def test_a_finger_taps_the_first_and_the_last_word_and_drags_a_handle(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address, has_touch=True, viewport={"width": 360, "height": 740})
    page.locator(".w", has_text="Marsh").tap()
    page.locator(".w", has_text="beat").tap()
    expect(page.locator(".say")).to_contain_text("Marsh Herons beat")
    labels = page.get_by_role("group", name="Labels")
    assert labels.bounding_box()["y"] < 740  # type: ignore[index]  # the labels have come to the thumb
    labels.get_by_role("button", name="Word").tap()
    expect(page.locator(".mark-card")).to_have_count(1)
    handle = page.locator(".handle[data-side=end]")
    handle.hover()  # waits until it stands still: the page moves when labels give way to the mark's card
    grip, goal = handle.bounding_box(), page.locator(".w", has_text="Foxes").first.bounding_box()
    assert grip is not None
    assert goal is not None
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + 12)
    page.mouse.down()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2 + 14, steps=5)
    page.mouse.up()
    expect(page.locator(".mark-words")).to_have_text("Marsh Herons beat the Hill Foxes")
    page.get_by_role("textbox", name="Comment").fill("all wrong")
    page.get_by_role("button", name="Submit").tap()
    submitted(page)
    [mark] = study.accepted[1][0]["mistakes"]
    assert (mark["start"], mark["end"]) == (1, 7)


def test_on_a_phone_labels_and_deeds_come_to_the_thumb_wherever_the_text_is(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.unit(texts.long_text(600)))
    page = begin(visit, address, has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740})
    page.locator(".w", has_text="visitors").first.tap()
    labels = page.get_by_role("group", name="Labels")
    expect(labels.get_by_role("button", name="Word")).to_be_in_viewport()
    labels.get_by_role("button", name="Word").tap()
    expect(page.locator(".w.marked")).to_be_in_viewport()  # the page has not jumped away from the text
    page.get_by_role("button", name="Describe").tap()
    expect(page.get_by_role("textbox", name="Correction")).to_be_focused()
    expect(page.get_by_role("textbox", name="Correction")).to_be_in_viewport()
    page.locator(".w.marked").tap()
    page.get_by_role("button", name="Remove this mark").tap()
    expect(page.locator(".mark-card")).to_have_count(0)


def test_marks_are_changed_resized_removed_and_all_of_it_undone(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    card = page.locator(".mark-card")
    press(page, "ArrowRight", "n")
    expect(card).to_contain_text("Name Marsh")
    expect(page.get_by_role("textbox", name="Correction")).to_be_focused()  # what this mark cannot do without
    press(page, "Escape", "u")
    expect(card).to_contain_text("Number Marsh")
    press(page, "]", "{")
    expect(card).to_contain_text("The Marsh Herons")
    press(page, "}", "[")
    expect(card).to_contain_text("Number Marsh")
    press(page, "Delete")
    expect(card).to_have_count(0)
    press(page, "Control+z")
    expect(card).to_contain_text("Number Marsh")
    for _ in range(5):
        press(page, "Control+z")
    expect(card).to_contain_text("Name Marsh")
    press(page, "Control+z")
    expect(card).to_have_count(0)
    press(page, "Control+Shift+z", "Control+Shift+z")
    expect(card).to_contain_text("Number Marsh")


def test_a_mark_on_marked_words_is_refused_in_words_where_marks_may_not_overlap(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    press(page, "ArrowRight", "Shift+ArrowRight", "n", "Escape", "Shift+ArrowLeft", "Shift+ArrowLeft", "w")
    expect(page.locator(".mark-card")).to_have_count(1)
    expect(page.locator(".say.problem")).to_contain_text("already marked")


def test_enter_finishes_a_correction_and_what_is_needed_next_gets_the_focus(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    press(page, "ArrowRight", "n")
    correction = page.get_by_role("textbox", name="Correction")
    expect(page.locator(".attribute .soft:visible")).to_have_text(["(one of these is needed)"] * 2)
    expect(correction).to_be_focused()
    page.keyboard.type(" Reed")
    press(page, "Shift+Enter", "Enter")  # a line break, and then it is finished: the comment is not needed
    expect(page.locator(".cursor")).to_be_focused()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "w", "Enter")  # no correction: then a comment
    expect(page.locator(".mark-card.current").get_by_role("textbox", name="Comment")).to_be_focused()
    page.keyboard.type("they lost")
    press(page, "Enter", "Control+ArrowRight", "Shift+ArrowRight", "Control+Enter")
    asks = page.get_by_role("dialog", name="These words are not marked")
    expect(asks).to_contain_text("Devereaux led")
    press(page, "Enter")  # back to the text, where the words are still chosen
    expect(page.locator(".say")).to_contain_text("Devereaux led")
    press(page, "Control+Enter")
    asks.get_by_role("button", name="Go on without marking them").click()
    submitted(page)
    marks = study.accepted[1][0]["mistakes"]
    assert [(one["label"], one.get("correction"), one.get("comment")) for one in marks] == [
        ("NAME", "Reed", None),
        ("WORD", None, "they lost"),
    ]


KEYBOARDS = {
    "Russian": ("т", "KeyN", "Name"),
    "Greek": ("ω", "KeyW", "Word"),
    "Arabic": ("ى", "KeyN", "Name"),
    "AZERTY": ("w", "KeyZ", "Word"),
    "Hebrew": ("'", "KeyW", "Word"),
}


def test_a_labels_key_works_on_other_keyboards(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    strike = "(how) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how))"
    for typed, code, label in KEYBOARDS.values():
        page.evaluate(strike, {"key": typed, "code": code, "bubbles": True, "cancelable": True})
        expect(page.locator(".mark-card .mark-title")).to_have_text(label)
        press(page, "Escape")
        page.evaluate(strike, {"key": "я", "code": "KeyZ", "ctrlKey": True, "bubbles": True, "cancelable": True})
        expect(page.locator(".mark-card")).to_have_count(0)  # undone


def test_a_text_in_two_tabs_is_noticed_and_one_that_was_sent_is_left(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game(), texts.game(1))
    one = begin(visit, address)
    with one.context.expect_page() as opened:
        one.evaluate("open(location.href)")
    other = opened.value
    expect(other.locator("token-spans")).to_be_visible()
    for page in (one, other):
        expect(page.locator(".notice.warn")).to_contain_text("open in another tab")
    other.get_by_role("button", name="Submit").click()
    for page in (one, other):
        expect(page.locator("#progress")).to_contain_text("2 of 2")
    other.close()


NESTED = """
protocol: nested/1
title: Nested
taxonomies:
  two: [{id: one, key: o, mark: O}, {id: other, key: r, mark: R}]
steps:
  - questions:
      - {id: marks, kind: spans, overlap: true, labels: {tree: two}}
"""


def test_nested_marks_have_a_line_and_a_letter_each(stand: Stand, visit: Visit) -> None:
    address, study = stand.add(parse(NESTED), texts.unit(texts.text(texts.STORM)))
    page = visit(address)
    expect(page.locator("token-spans")).to_be_visible()
    press(page, "Shift+ArrowRight", "Shift+ArrowRight", "o", "Home", "Space", "r")
    assert page.locator(".w .u").count() == 4  # three words of the outer mark, one of them also in the inner
    lanes = (
        page.locator(".w").first.locator(".u").evaluate_all("all => all.map(u => u.style.getPropertyValue('--lane'))")
    )
    assert lanes == ["0", "1"]
    assert page.locator(".w").first.locator(".badge").all_inner_texts() == ["O", "R"]
    press(page, "Control+Enter")
    submitted(page)
    assert [(one["start"], one["end"]) for one in study.accepted[1][0]["marks"]] == [(0, 1), (0, 3)]


def test_what_is_missing_is_said_beside_the_mark(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    press(page, "n", "Control+Enter")
    expect(page.locator(".mark-card .problem").last).to_contain_text("correction")
    assert study.accepted == {}
    page.keyboard.type("Those")  # the focus has gone to the first field of the mark
    press(page, "Control+Enter")
    submitted(page)
    assert study.accepted[1][0]["mistakes"][0]["correction"] == "Those"


def test_the_given_beginning_is_bold_and_cannot_be_marked(stand: Stand, visit: Visit) -> None:
    prompt = Span(0, 6)
    address, _ = stand.add("accuracy", texts.unit(texts.text(texts.STORM, prompt=prompt)))
    page = begin(visit, address)
    assert page.locator(".w.prompt").count() == 6
    press(page, "ArrowLeft", "n")
    expect(page.locator(".say")).to_contain_text("not judged")
    press(page, "ArrowRight", "n")
    expect(page.locator(".mark-card")).to_have_count(1)


def test_in_right_to_left_text_the_left_arrow_goes_on(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.unit(texts.text(texts.ARABIC, language="ar")))
    page = begin(visit, address)
    press(page, "ArrowLeft", "Shift+ArrowLeft", "n")
    expect(page.locator(".mark-words")).to_have_text("المعلم إلى")
    first, second = (page.locator(".w").nth(n).bounding_box() for n in (0, 1))
    assert first is not None
    assert second is not None
    assert second["x"] < first["x"]


BY_CHARACTER = """
protocol: letters/1
title: Letters
texts: [text]
steps:
  - questions:
      - {id: marks, kind: spans, by: character, overlap: true}
"""


def test_chinese_by_character_and_positions_in_code_points(stand: Stand, visit: Visit) -> None:
    address, study = stand.add(parse(BY_CHARACTER), texts.unit(texts.text("😀" + texts.CHINESE, language="zh")))
    page = visit(address)
    expect(page.locator(".cursor")).to_be_focused()
    press(page, "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter", "Control+Enter")
    submitted(page)
    # The emoji is one code point (though two UTF-16 units), so 星期五 are code points 1 to 4.
    assert [(one["start"], one["end"]) for one in study.accepted[1][0]["marks"]] == [(1, 4)]


def test_hostile_text_is_shown_as_text_and_its_invisible_characters_are_named(stand: Stand, visit: Visit) -> None:
    hostile = ContextText("<b>Source</b>", texts.HOSTILE)
    unit = texts.unit(texts.text(texts.HOSTILE), context=(hostile,))
    unit["context"].append({"kind": "link", "title": "A link", "url": "javascript:document.title='owned'"})
    address, _ = stand.add("accuracy", unit, title="<i>A study</i>")
    page = begin(visit, address)
    expect(page.locator(".words")).to_contain_text("<script>document.title='owned'</script>")
    assert page.locator(".words script, .words img, .context script, .context img, .context a").count() == 0
    assert page.title() == "<i>A study</i>"
    named = page.locator(".words .invisible").all_inner_texts()
    assert [name for name in named if name in ("RLO", "PDF", "zero-width space", "U+0007")] == [
        "RLO",
        "PDF",
        "zero-width space",
        "U+0007",
    ]
    page.locator(".w", has_text="evil").first.click()
    press(page, "n")
    expect(page.locator(".mark-words")).to_have_text("evil")


def test_only_the_passage_in_focus_is_shown_until_the_rest_is_asked_for(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("verification", texts.verification())
    page = begin(visit, address)
    expect(page.locator(".w", has_text="Monday")).to_be_hidden()
    expect(page.locator(".badge.given")).to_have_text("NAME")
    page.get_by_role("button", name="Show the whole text").click()
    expect(page.locator(".w", has_text="Monday")).to_be_visible()


def test_a_large_table_is_searched_and_stays_in_its_box(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_label("Search in Box score").fill("foxes 30")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    expect(page.locator("tbody tr:visible th")).to_have_text("Wenlock")
    link = page.get_by_role("link", name="The league's page")
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert link.get_attribute("target") == "_blank"


@pytest.mark.slow
def test_a_key_touches_as_little_of_a_long_text_as_of_a_short_one(stand: Stand, visit: Visit) -> None:
    """Why two thousand words do not lag: what a key changes on the page does not grow with the text."""
    changes = """async (key) => {
      let seen = 0;
      const watch = new MutationObserver((records) => { seen += records.length; });
      watch.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      watch.disconnect();
      return seen;
    }"""
    touched = []
    for length in (200, 2000):
        address, _ = stand.add("accuracy", texts.unit(texts.long_text(length)))
        page = begin(visit, address)
        for n in range(12):  # a text with many marks is the hard case
            press(page, "ArrowRight", "ArrowRight", "ArrowRight", "nuw"[n % 3])
        touched.append([page.evaluate(changes, key) for key in ("ArrowRight", "ArrowRight", "n")])
    for short, long in zip(*touched, strict=True):
        assert long <= 2 * short + 10, touched


@pytest.mark.slow
@pytest.mark.parametrize("characters", [" ".join(f"word{n}" for n in range(11_300))[:100_000], "x" * 100_000])
def test_a_hundred_thousand_characters_in_one_line_can_be_marked(stand: Stand, visit: Visit, characters: str) -> None:
    address, _ = stand.add(parse(NESTED), texts.unit(texts.text(characters)))
    page = visit(address)
    expect(page.locator("token-spans")).to_be_visible()
    press(page, "Control+End", "o")
    expect(page.locator(".mark-card")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
