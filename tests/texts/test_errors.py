"""Introduced errors: as many as the method says, where it says, of its kinds, and every one of them on the list."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import ProblemsFound
from goldmark.records.spans import Span
from goldmark.texts.introduced_errors.domain import BUNDLED, Domain, DomainMissing, domain_from, read_domain
from goldmark.texts.introduced_errors.errors import Changed, introduce
from goldmark.texts.introduced_errors.rows import ApprovedErrors, IntroducedRows, NotTheseErrors, introduce_in_rows
from goldmark.texts.preparation.rows import read_rows
from goldmark.texts.readers.gsml import parse_mistakes
from goldmark.texts.readers.rows import SegmentationRules
from goldmark.texts.segmentation.text import check_text, make_text

LANTERN = read_domain("lantern")
PIECES = [
    "Chidi Umeh",
    "the Herons",
    "Copperdale's",
    "won",
    "at home",
    "27",
    "three",
    "107-93",
    "nothing",
    "the",
    "0.519",
]
sentences = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map(
    lambda words: " ".join(words).capitalize() + " ."
)
texts = st.lists(sentences, min_size=1, max_size=20).map(" ".join)


def changed(words: str, seed: int = 0, domain: Domain = LANTERN, tokeniser: str = "rules") -> Changed:
    return introduce(make_text("t", words, tokeniser=tokeniser), domain, np.random.default_rng(seed))


@given(texts, st.integers(0, 2**32), st.sampled_from(["rules", "whitespace"]))
def test_every_change_is_on_the_list_and_undoing_them_gives_the_text_back(
    words: str, seed: int, tokeniser: str
) -> None:
    before = make_text("t", words, tokeniser=tokeniser)
    made = introduce(before, LANTERN, np.random.default_rng(seed))
    check_text(made.text)
    assert len(made.text.sentences) == len(before.sentences)
    most = len(before.sentences) if len(before.sentences) < 8 else min(12, len(before.sentences))
    least = min(8, len(before.sentences))
    assert least <= made.wanted <= most
    assert len(made.introduced) <= made.wanted
    in_sentences = [made.text.sentence_of(one.span.start) for one in made.introduced]
    assert len(set(in_sentences)) == len(in_sentences), "at most one error a sentence"
    undone = {made.text.characters}
    for one in reversed(made.introduced):
        start, end = made.text.tokens[one.span.start].start, made.text.tokens[one.span.end - 1].end
        assert one.text != one.original
        # A token such as 107-107 holds the wrong number twice, so each of them may be the changed one.
        undone = {
            text[:at] + one.original + text[at + len(one.text) :]
            for text in undone
            for at in range(start, end)
            if text.startswith(one.text, at)
        }
    assert before.characters in undone


def test_the_same_seed_gives_the_same_errors_and_another_seed_others() -> None:
    words = "The Herons won by 27 . Chidi Umeh had three steals . " * 6
    assert changed(words, 1) == changed(words, 1)
    assert changed(words, 1) != changed(words, 2)


def test_a_player_becomes_another_of_the_same_team() -> None:
    foxes = {name for group in LANTERN.names if "Chidi Umeh" in group for name in group}
    assert len(foxes) == 10
    seen = {changed("Chidi Umeh", seed).introduced[0].text for seed in range(200)}
    assert seen == foxes - {"Chidi Umeh"}
    # After the first mention people go by their last names.
    by_last_name = {changed("Umeh", seed).introduced[0].text for seed in range(200)}
    assert by_last_name == {name.split()[-1] for name in foxes} - {"Umeh"}


@pytest.mark.parametrize(
    ("words", "kind"), [("Herons", "team"), ("Port Ansel", "city"), ("Foundry Court", "stadium"), ("Hills", "division")]
)
def test_other_names_stay_of_their_kind(words: str, kind: str) -> None:
    import yaml

    named = yaml.safe_load(
        Path(read_domain.__code__.co_filename).parents[1].joinpath("domains", "lantern.yaml").read_text()
    )
    for seed in range(20):
        (error,) = changed(words, seed).introduced
        assert error.label == "NAME"
        assert error.text in named["names"][kind]
        assert (error.original, error.text == words) == (words, False)


def test_numbers_move_by_at_most_30_per_cent_and_at_least_1() -> None:
    plain = Domain((), ())
    for value in (0, 1, 2, 3, 7, 10, 27, 107):
        found = {int(changed(str(value), seed, plain).introduced[0].text) for seed in range(400)}
        furthest = max(1, int(0.3 * value))
        assert found == set(range(max(0, value - furthest), value + furthest + 1)) - {value}
    assert {changed("three", seed, plain).introduced[0].text for seed in range(50)} == {"two", "four"}
    assert {changed("Ten", seed, plain).introduced[0].text for seed in range(200)} == {
        *("Seven", "Eight", "Nine", "Eleven", "Twelve", "Thirteen")
    }


@pytest.mark.parametrize(
    "words", ["one", "3-pointer", "3 - pointers", "three - point range", "05", "1,234", "B2B", "two-point"]
)
def test_what_is_no_number_is_left_alone(words: str) -> None:
    assert changed(words, domain=Domain((), ())).introduced == ()


def test_shares_keep_their_places_and_years_stay_near() -> None:
    plain = Domain((), ())
    for seed in range(50):
        share = changed("0.519", seed, plain).introduced[0].text
        assert re.fullmatch(r"0\.\d\d\d", share)
        assert 0.519 * 0.7 - 0.001 <= float(share) <= 0.519 * 1.3 + 0.001
        assert abs(int(changed("2014", seed, plain).introduced[0].text) - 2014) <= 5


def test_words_turn_into_their_opposites_in_their_own_case() -> None:
    assert changed("won").introduced[0].text == "lost"
    assert changed("Lost").introduced[0].text == "Won"
    assert changed("a double-double").introduced[0].text == "triple-double"
    assert changed("playing at home").introduced[0].text == "on the road"


def test_the_second_and_third_kind_are_tried_when_the_first_has_no_place() -> None:
    for seed in range(20):
        assert changed("They won .", seed).introduced[0].label == "WORD"
        assert changed("nothing here", seed).introduced == ()


def test_the_place_decides_which_of_several() -> None:
    """Two numbers, one at each end of a sentence without names: a random place makes both equally likely."""
    words = "27 " + "nothing " * 30 + "45"
    first = sum(changed(words, seed).introduced[0].original == "27" for seed in range(400))
    assert 150 <= first <= 250  # 200, standard error 10


def test_all_three_kinds_are_preferred_equally() -> None:
    words = "Herons 27 won"
    labels = [changed(words, seed).introduced[0].label for seed in range(600)]
    assert all(150 <= labels.count(kind) <= 250 for kind in ("NAME", "NUMBER", "WORD"))


def test_a_prompt_stays_as_it_is() -> None:
    text = make_text("t", "The Herons won by 27 .")
    for seed in range(30):
        made = introduce(text, LANTERN, np.random.default_rng(seed), keep=Span(0, 3))
        assert made.text.characters.startswith("The Herons won")


def test_rows_keep_their_facts_and_bring_their_own_names() -> None:
    rows = [
        {"id": "a", "text": "Zed Alpha won .", "system": "s", "names": {"player": {"X": ["Zed Alpha", "Yan Beta"]}}},
        {"id": "b", "text": "Nothing .", "context": {"Data": "x"}},
    ]
    made = introduce_in_rows(rows, Domain((), ()), np.random.default_rng(1), SegmentationRules(), test=True)
    first, second = made.rows
    assert (first["text"], first["tokens"], first["system"]) == ("Yan Beta won .", ["Yan", "Beta", "won", "."], "s")
    assert first["introduced"] == [{"start": 0, "end": 2, "label": "NAME", "text": "Yan Beta", "original": "Zed Alpha"}]
    assert first["test"] == "introduced"
    assert "names" not in first
    assert "test" not in second
    assert made.untouched == ("b",)
    (back,) = parse_mistakes(made.gsml(), made.texts, categories=None)
    assert (back.span, back.label, back.correction) == (Span(0, 2), "NAME", "Zed Alpha")


def test_texts_of_a_folder_go_by_their_names_in_the_list() -> None:
    made = introduce_in_rows(
        [{"id": "S001.txt", "text": "The Herons won ."}], LANTERN, np.random.default_rng(1), SegmentationRules()
    )
    assert made.gsml().splitlines()[1].startswith("S001.txt,1,1,")


def test_the_published_texts_have_a_place_in_nearly_every_sentence(shared_data: Path) -> None:
    """ACCURACY 9.1: only in a very small number of cases was it impossible to add an error."""
    rows = read_rows([shared_data / "accuracy-shared-task" / "train" / "texts"])
    rules = SegmentationRules("whitespace", "full_stop")
    made = introduce_in_rows(rows, read_domain("basketball"), np.random.default_rng(7), rules)
    assert len(made.rows) == 60
    assert 8 * 60 <= made.wanted <= 12 * 60
    assert len(made.mistakes) >= 0.98 * made.wanted
    assert made.untouched == ()


@pytest.mark.parametrize("name", BUNDLED)
def test_domains_that_come_with_goldmark_can_be_read(name: str) -> None:
    domain = read_domain(name)
    assert domain.other_words["double-double"] == ("triple-double",)
    assert len(domain.other_names) > 100


def test_all_problems_of_a_domain_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text("name: {}\nnames: {team: Foxes, city: [A, A]}\nwords: [[won, lost], up]\n")
    with pytest.raises(ProblemsFound) as found:
        read_domain(path)
    assert [problem.part for problem in found.value.problems] == ["name", "names.team", "names.city", "words.2"]
    path.write_text("names: [")
    with pytest.raises(ProblemsFound, match="1 problem"):
        read_domain(path)
    with pytest.raises(DomainMissing, match="basketball"):
        read_domain(tmp_path / "none.yaml")


def test_two_people_with_one_last_name_are_not_called_by_it() -> None:
    problems: list[object] = []
    domain = domain_from({"names": {"player": ["Ann Lee", "Bo Lee", "Cy Dow", "Di Eck"]}}, "d", problems)  # type: ignore[arg-type]
    assert "Lee" not in domain.other_names
    assert domain.other_names["Dow"] == ("Eck",)


@pytest.mark.parametrize(
    ("words", "never"),
    [
        ("They met at the Harbour Lights Center .", {"Forward", "Guard"}),
        ("The Copperdale Foxes lost to the Port Ansel Herons .", {"Copperdale Herons", "Port Ansel Foxes"}),
        ("The Foxes host the Herons .", {"Foxes host the Foxes", "Herons host the Herons"}),
        ("He made 5 - 5 FT .", {"5 - 4", "6 - 5"}),
        ("He was 4 - of - 5 from long range .", {"6 - of - 5", "4 - of - 3"}),
        ("The Foxes beat them 101 - 99 .", {"- 101", "99 - 99", "98 - 99"}),
        ("They shot 98 percent .", {"101", "105", "120"}),
        ("It was the fourth quarter .", {"fourth half"}),
        ("He had 32 points .", {"32 assists", "32 rebounds"}),
        ("He had 10 points , 12 rebounds and six assists .", {"six rebounds", "six points", "12 assists"}),
        ("It was a double-double with 11 points and 12 rebounds .", {"with 9", "with 8", "and 9"}),
        ("They won five of their last six games .", {"seven of", "last four", "last three"}),
        ("The 2014 - 15 season is over .", {"2013", "2015 - 15", "2016"}),
        ("They remain home on Friday .", {"remain road"}),
    ],
)
def test_what_shows_without_the_data_is_not_introduced(words: str, never: set[str]) -> None:
    for seed in range(150):
        made = changed(words, seed, tokeniser="whitespace").text.characters
        assert not [one for one in never if one in made], made


def test_only_what_is_approved_is_introduced(tmp_path: Path) -> None:
    rows = [{"id": name, "text": "The Foxes won . Chidi Umeh had 27 points . The Herons lost ."} for name in "ab"]

    def made(seed: int = 3, approved: ApprovedErrors | None = None) -> IntroducedRows:
        return introduce_in_rows(rows, LANTERN, np.random.default_rng(seed), SegmentationRules(), approved=approved)

    whole = made()
    assert [row["sentence"].count("[") for row in whole.to_approve().records()] == [1] * 6  # type: ignore[union-attr]
    header, *lines = whole.gsml().splitlines(keepends=True)
    path = tmp_path / "approved.csv"
    path.write_text("".join([header, lines[1], lines[3]]))
    kept = made(approved=ApprovedErrors.read(path))
    assert [(one.text_id, one.id) for one in kept.mistakes] == [("a", "2"), ("b", "1")]
    assert [one.comment for one in kept.mistakes] == [whole.mistakes[1].comment, whole.mistakes[3].comment]
    assert kept.rows[0]["text"].startswith("The Foxes won .")
    with pytest.raises(NotTheseErrors, match=r"approved\.csv is no list of what these texts"):
        made(4, ApprovedErrors.read(path))
