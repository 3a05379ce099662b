"""A checker's suggestions on a text: one key each, by keyboard alone; what was decided is part of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from goldmark.records.units import Suggested
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


def suggested_unit(*marks: Suggested) -> dict[str, Any]:
    return texts.unit(texts.text(texts.GAME, suggested=marks))


def place(word: str) -> int:
    return list(texts.text(texts.GAME).text.words()).index(word)


def marks() -> tuple[Suggested, ...]:
    day, double = place("Friday"), place("double-double")
    return (
        Suggested("s1", day, day + 1, "NAME", {"correction": "Saturday"}),
        Suggested("s2", double, double + 1, "NAME", {"comment": "not two figures"}),
        Suggested("s3", double + 2, double + 3, "NUMBER", {"correction": "21"}),
    )


def begin(visit: Visit, address: str) -> Page:
    page = visit(address)
    page.get_by_role("button", name=re.compile("^(Start|Go on)$")).click()
    expect(page.locator("token-spans").first).to_be_visible()
    return page


def decided(study: Any) -> dict[str, Any]:
    answers: dict[str, Any] = study.accepted[1][0]
    return answers


def test_accept_change_and_dismiss_with_one_key_each(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", suggested_unit(*marks()))
    page = begin(visit, address)
    left = page.locator(".suggestions-left")
    expect(left).to_have_text("3 suggestions, 3 to decide")
    press(page, "Control+Enter")  # not before all are decided
    expect(page.locator(".question .problem")).to_contain_text("3 suggestions are not decided yet")
    press(page, "Enter")  # the first is at hand: accepted as it is, and on to the second
    expect(left).to_have_text("3 suggestions, 2 to decide")
    expect(page.locator(".suggestion.current")).to_have_attribute("data-suggestion", "s2")
    press(page, "w")  # another label: it is accepted changed
    expect(left).to_have_text("3 suggestions, 1 to decide")
    press(page, "Alt+ArrowDown")
    press(page, "Delete")
    expect(left).to_have_text("3 suggestions, all decided")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()

    answers = decided(study)
    assert [
        (one["suggested"], one["label"], one.get("correction"), one.get("comment")) for one in answers["mistakes"]
    ] == [
        ("s1", "NAME", "Saturday", None),
        ("s2", "WORD", None, "not two figures"),
    ]
    assert answers["mistakes.dismissed"] == ["s3"]


def test_a_dismissal_can_be_taken_back_and_an_extent_changed(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", suggested_unit(*marks()[:2]))
    page = begin(visit, address)
    press(page, "Alt+ArrowDown")
    press(page, "Delete")
    expect(page.locator(".dismissed-box")).to_contain_text("1 dismissed")
    press(page, "Control+z")
    expect(page.locator(".suggestions-left")).to_have_text("2 suggestions, 2 to decide")
    page.locator(".suggestion").first.get_by_role("button", name="Dismiss").click()
    page.locator(".dismissed-box summary").click()
    page.get_by_role("button", name="Bring back").click()
    expect(page.locator(".suggestion")).to_have_count(2)
    page.locator(".suggestion").first.get_by_role("button", name="Accept").click()
    press(page, "]")  # the second is at hand: one word more
    expect(page.locator(".suggestions-left")).to_have_text("2 suggestions, all decided")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    first, second = decided(study)["mistakes"]
    assert (first["suggested"], second["suggested"]) == ("s1", "s2")
    assert second["end"] - second["start"] == 2
    assert "mistakes.dismissed" not in decided(study)


def test_a_removed_suggestion_waits_again(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", suggested_unit(marks()[0]))
    page = begin(visit, address)
    page.locator(".suggestion").get_by_role("button", name="Accept").click()
    page.get_by_role("button", name=re.compile("^Remove the mark on")).click()
    expect(page.locator(".suggestions-left")).to_have_text("1 suggestion, 1 to decide")
