"""Which language somebody gets."""

from __future__ import annotations

import pytest

from goldmark.languages import best, gettext, known, ngettext, offered, speaking


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("nl,fr;q=0.3,pt-BR;q=0.7", "pt"),
        ("zh-Hant-TW, en;q=0.1", "zh"),
        ("en-GB,de", "en"),
        ("de;q=0, en", "en"),
        ("tlh", ""),
        ("", ""),
        ("*;q=nonsense, ;;;, de;q=", "de"),
        ("x" * 10_000, ""),
    ],
)
def test_the_language_that_a_browser_likes_best(accepted: str, language: str) -> None:
    assert best(accepted) == language


def test_a_variety_of_a_language_is_that_language() -> None:
    assert [known(one) for one in ("de", "DE_de", "de-CH", "xx", "../de", "")] == ["de", "de", "de", "", "", ""]


def test_a_message_is_said_in_the_language_that_is_spoken() -> None:
    token = speaking.set("ru")
    try:
        said = [ngettext("{count} suggestion", "{count} suggestions", count) for count in (1, 3, 5, 11, 21)]
    finally:
        speaking.reset(token)
    assert said == ["1 предложение", "3 предложения", "5 предложений", "11 предложений", "21 предложение"]
    assert gettext("{at} of {all}", at=1, all=2) == "1 of 2"
    assert gettext("nobody wrote {this}", that=1) == "nobody wrote {this}"


def test_arabic_runs_from_right_to_left() -> None:
    assert {one.language for one in offered().values() if one.direction == "rtl"} == {"ar"}
