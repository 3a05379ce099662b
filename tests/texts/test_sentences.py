"""Sentences: what the promise of every splitter is, and how the rules read difficult text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.plugins import UnknownPlugin
from goldmark.records.spans import Span
from goldmark.texts.segmentation import sentences, tokens
from goldmark.texts.segmentation.sentences import SentencesDoNotFit, SentencesEndEarly, SentencesMissing

PIECES = st.sampled_from(
    ["Mr", "U.S.", ".", "!", "?", "…", "...", '"', "'", "”", ")", "(", "。", "\n", "\n\n", " ", "He", "won", "1", "J"]
)
ANY_TEXT = st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join)


def split(characters: str, splitter: str = "rules", tokeniser: str = "rules") -> list[str]:
    places = tokens.find_tokeniser(tokeniser)(characters)
    spans = sentences.find_splitter(splitter)(characters, places)
    return [characters[places[span.start].start : places[span.end - 1].end] for span in spans]


@pytest.mark.parametrize("name", sorted(set(sentences.SPLITTERS) - {"given"}))
@given(characters=ANY_TEXT)
def test_sentences_cover_all_tokens_in_order(name: str, characters: str) -> None:
    for tokeniser in ("rules", "whitespace"):
        places = tokens.find_tokeniser(tokeniser)(characters)
        sentences.check_sentences(sentences.find_splitter(name)(characters, places), len(places))


@pytest.mark.parametrize(
    "expected",
    [
        ["C.J. Miles scored 3.5 points.", "Mr. Smith left the U.S.", "The team of J. Smith won the U.S. Open."],
        ["It was No. 5 on Jan. 5, vs. Boston.", "No.", "It was not."],
        ["He is from Acme Inc. and Jr. members of Acme Inc. left.", "They ran."],
        ["He ran at 10 p.m.", "The bus left."],
        ['"He won."', 'Then she said "No!" and left.', "Really?!", "Yes... but no."],
        ['He said: "Go.', 'Stay."', "OK."],
        ["“Great.”", "He left.", "‘Fine.’", "She too.", "Wait…", "What?"],
        ["(It was late.)", "He slept [in bed.]", "So."],
        ["end.", "The next."],
        ["Vitamin C.", "The end.", "It is he, not I.", "We know."],
        ["1. First things first.", "2. Second things second."],
        ["See example.com for more.", "iPhones sold well."],
        ["他赢了。", "她说：“好！”", "然后走了？", "是的。"],
        ["مرحبا بك.", "كيف حالك؟", "جيد."],
        ["¿Qué?", "¡No!", "Великий день.", "И ещё."],
    ],
)
def test_rules(expected: list[str]) -> None:
    # Chinese has no spaces between sentences; elsewhere both tokenisers must lead to the same sentences.
    joint = "" if "。" in expected[0] else " "
    characters = joint.join(expected)
    assert split(characters) == expected
    if joint and "[" not in characters:
        assert split(characters, tokeniser="whitespace") == expected


def test_lines() -> None:
    characters = "A title\n\nFirst line\ngoes on. End\n- one\n- two"
    assert split(characters) == ["A title", "First line\ngoes on.", "End", "- one", "- two"]
    assert split(characters, "lines") == ["A title", "First line", "goes on. End", "- one", "- two"]


def test_missing_spaces_and_missing_capitals() -> None:
    assert split("He won.The team left at 20.He ran.") == ["He won.", "The team left at 20.", "He ran."]
    assert split("the hawks won . they left . ok") == ["the hawks won .", "they left .", "ok"]


def test_full_stops_are_the_shared_tasks_rule() -> None:
    assert split("He won . She ran ! Then . no", "full_stop", "whitespace") == ["He won .", "She ran ! Then .", "no"]


def test_rules_agree_with_the_shared_task_on_its_own_texts(shared_data: Path) -> None:
    paths = sorted((shared_data / "accuracy-shared-task/train/texts").glob("*.txt"))
    assert len(paths) == 60
    for path in paths:
        characters = path.read_text(encoding="utf-8")
        assert split(characters, "rules", "whitespace") == split(characters, "full_stop", "whitespace"), path.name


@pytest.mark.parametrize("piece", [". ", "a. ", '" . ', ".\"'", "( ", "Mr. ", ".)", "a\n"])
def test_a_very_long_line_is_read_to_the_end(piece: str) -> None:
    # Quadratic time would take a minute here; how long it takes is measured in benchmarks/texts.py.
    characters = piece * (30_000 // len(piece))
    places = tokens.rules(characters)
    assert sentences.rules(characters, places)[-1].end == len(places)


def test_lines_end_where_python_ends_them() -> None:
    """A text that `splitlines` leaves whole has no end of a line, by which the rules pass over most words."""
    ends = {mark for mark in map(chr, range(0x110000)) if f"a{mark}b".splitlines() != [f"a{mark}b"]}
    assert ends == sentences._LINE_ENDS


def test_given_sentences_must_cover_the_tokens() -> None:
    sentences.check_sentences([Span(0, 2), Span(2, 3)], 3)
    with pytest.raises(SentencesDoNotFit, match="sentence 1 is 1-3, but it should start at token 2"):
        sentences.check_sentences([Span(0, 2), Span(1, 3)], 3)
    with pytest.raises(SentencesEndEarly, match="end at token 2, but the text has 3"):
        sentences.check_sentences([Span(0, 2)], 3)
    with pytest.raises(SentencesMissing):
        sentences.given("a", [Span(0, 1)])
    with pytest.raises(UnknownPlugin):
        sentences.find_splitter("pysbd")
