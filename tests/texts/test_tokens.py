"""Tokens: what the promise of every tokeniser is, and how the rules read difficult text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goldmark.plugins import UnknownPlugin
from goldmark.records.spans import Span
from goldmark.texts.segmentation import sentences, tokens
from goldmark.texts.segmentation.text import make_text
from goldmark.texts.segmentation.tokens import CharactersLeft, TokensDoNotFit, TokensMissing, fit_tokens

# Every character, and often those on which tokenisers stumble.
STUMBLING_BLOCKS = (
    "aZé1.,:'’-_/()\"!?…“” \n\t\u00a0\u3000\u0301\u200b\u200d\u200f\u202e\ufe0f🏽👨👩🇩🇪中がﾊﾟ한ᄒ\u0600א״\ud800\0"
)
ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from(STUMBLING_BLOCKS)), max_size=60)


def words(characters: str, tokeniser: str = "rules") -> list[str]:
    return [characters[span.start : span.end] for span in tokens.find_tokeniser(tokeniser)(characters)]


@pytest.mark.parametrize("name", sorted(set(tokens.TOKENISERS) - {"given"}))
@settings(deadline=None)  # jieba reads its dictionary on first use
@given(characters=ANY_TEXT)
@example(characters="\ud800")
def test_tokens_are_in_order_and_only_white_space_lies_between(name: str, characters: str) -> None:
    place = 0
    for span in tokens.find_tokeniser(name)(characters):
        gap = characters[place : span.start]
        assert span.start >= place
        assert gap == "" or gap.isspace()
        assert not any(mark.isspace() for mark in characters[span.start : span.end])
        place = span.end
    assert characters[place:] == "" or characters[place:].isspace()


@given(ANY_TEXT)
def test_given_tokens_are_found_again(characters: str) -> None:
    for name in ("whitespace", "rules"):
        assert list(fit_tokens(characters, words(characters, name))) == tokens.find_tokeniser(name)(characters)


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        # Contractions and names stay whole; the possessive is apart, so that a wrong name can be marked alone.
        ("D'Angelo didn't see Boston's win", "D'Angelo didn't see Boston 's win"),
        ("D’Angelo didn’t see Boston’s win", "D’Angelo didn’t see Boston ’s win"),
        ("the players' '90s", "the players ' ' 90s"),
        ("a double-double", "a double-double"),
        # Numbers hold together, but each number of a score or a shooting line can be marked alone.
        ("1,234.5 points on 10-of-17, 113-107", "1,234.5 points on 10 - of - 17 , 113 - 107"),
        ("a .500 team at 10:30, 5%", "a .500 team at 10:30 , 5 %"),
        ("1,2,3 and 1,2345", "1 , 2 , 3 and 1 , 2345"),
        ("C.J. Miles of the U.S. at 7 p.m.", "C.J. Miles of the U.S. at 7 p.m."),
        ("He won.Then", "He won . Then"),
        ("Wait... what?! \u201cNo\u2026\u201d", "Wait ... what ?! “ No … ”"),
        (
            "See https://example.org/a_(b)?q=1, or www.example.org.",
            "See https://example.org/a_(b)?q=1 , or www.example.org .",
        ),
        ("<script>alert('x')</script>", "< script > alert ( ' x ' ) < / script >"),
        ("m² ½ H₂O 10th foo_bar", "m² ½ H₂O 10th foo_bar"),
        # Ideographs and kana one by one; other scripts by their spaces.
        ("湖人113比107胜。", "湖 人 113 比 107 胜 。"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("한국어 문장", "한국어 문장"),
        ("مرحبا، العالم", "مرحبا ، العالم"),
        ("צה״ל", "צה״ל"),
        ("हिन्दी क्ष", "हिन्दी क्ष"),
    ],
)
def test_rules(characters: str, expected: str) -> None:
    assert words(characters) == expected.split(" ")


@pytest.mark.parametrize(
    "seen_as_one",
    [
        "e\u0301",  # letter and combining accent
        "👨\u200d👩\u200d👧\u200d👦",  # family: three joiners
        "👍🏽",  # skin tone
        "❤\ufe0f\u200d🔥",  # variation selector and joiner
        "🏳\ufe0f\u200d🌈",
        "🇩🇪",  # flag: two regional indicators
        "1\ufe0f\u20e3",  # keycap
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # flag of England: tags
        "ﾊﾟ",  # half-width kana with its voiced mark
        "か\u3099",  # kana with combining voiced mark
        "각",  # Hangul written as conjoining letters
        "\u0600\u0661",  # Arabic number sign with its number
        "葛\U000e0100",  # ideographic variation
    ],
)
def test_what_a_reader_sees_as_one_character_is_never_cut(seen_as_one: str) -> None:
    for frame in ("{}", "a {} b", "中{}中", "!{}!", "a{}", "{}{}"):
        characters = frame.format(seen_as_one, seen_as_one)
        edges = {edge for span in tokens.rules(characters) for edge in (span.start, span.end)}
        place = characters.find(seen_as_one)
        assert not edges & set(range(place + 1, place + len(seen_as_one))), characters


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.",
        "a-",
        "a'",
        "1,",
        "1:",
        "'s",
        "(",
        ".",
        "\u0301",
        "\u200d",
        "👨\u200d",
        "🇩",
        "https://",
        "www.).",
        "\u0600",
        "w ",
    ],
)
def test_a_very_long_line_is_read_to_the_end(piece: str) -> None:
    # Quadratic time would take a minute here; how long it takes is measured in benchmarks/texts.py.
    characters = piece * (30_000 // len(piece))
    assert tokens.rules(characters)[-1].end == len(characters.rstrip())


@settings(deadline=None)
@given(piece=st.text(st.sampled_from("aA1.,-'(\"@:/w \n\u0301\u200d👨🇩̈\u0600\u3002ไ中"), min_size=1, max_size=6))
def test_no_repeated_pattern_is_read_in_more_than_linear_time(piece: str) -> None:
    # The same for patterns that nobody thought of. A quadratic one would hold up the run for minutes.
    characters = piece * (20_000 // len(piece))
    found = tokens.rules(characters)
    assert (found[-1].end if found else 0) == len(characters.rstrip())
    if found:
        assert sentences.rules(characters, found)[-1].end == len(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Am 3. Mai kamen 12,5 Liter.", ["Am", "3.", "Mai", "kamen", "12,5", "Liter", "."]),
        ("Es waren 1.234,56 Euro.", ["Es", "waren", "1.234,56", "Euro", "."]),
        ("Er wurde 3. Dann ging er.", ["Er", "wurde", "3", ".", "Dann", "ging", "er", "."]),
        ("Nach dem 2. Weltkrieg", ["Nach", "dem", "2.", "Weltkrieg"]),
        ("Sie nahm 1, 2 und 3.", ["Sie", "nahm", "1", ",", "2", "und", "3", "."]),
        ("am 03.05.2026", ["am", "03.05.2026"]),
    ],
)
def test_german_numbers_and_ordinals_stay_whole(text: str, expected: list[str]) -> None:
    assert words(text, "german") == expected


def test_a_german_date_ends_no_sentence() -> None:
    text = make_text("t", "Am 3. Mai siegten sie. Es war kalt.", tokeniser="german")
    assert len(text.sentences) == 2


def test_every_character_can_be_a_token() -> None:
    assert words("ที่ 👩‍👩‍👧 é", "characters") == ["ที่", "👩‍👩‍👧", "é"]


def test_jieba_is_given_no_block_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a block without punctuation its time grows with the square of the characters that it does not know."""
    given: list[str] = []

    class Dictionary:
        def cut(self, block: str, HMM: bool) -> list[str]:  # noqa: N803
            given.append(block)
            return list(block)

    monkeypatch.setattr(tokens, "jieba_dictionary", Dictionary)
    found = tokens.jieba("龘" * 5_000 + "，" + "龘" * 30)
    assert (len(found), max(map(len, given)), given[-2:]) == (5_031, 1_000, ["，", "龘" * 30])


def test_jieba_finds_words() -> None:
    pytest.importorskip("jieba", reason="the extra chinese is not installed")
    expected = ["他", "来到", "了", "网易", "杭研", "大厦", "，", "第", "1,234.5", "次", "。"]
    assert words("".join(expected), "jieba") == expected


@pytest.mark.parametrize(
    "expected",
    [
        "ภาษา ไทย ง่าย นิด เดียว",  # Thai: the language is quite easy
        "ພາສາ ລາວ ງ່າຍ",
        "ភាសាខ្មែរ ងាយស្រួល",
        "今日 は 東京タワー に",
        "C.J. don't 10 - of - 17 12.5",  # as `rules` has it
    ],
)
def test_icu_finds_words_where_no_spaces_part_them(expected: str) -> None:
    pytest.importorskip("icu4py", reason="the extra icu is not installed")
    whole = expected if expected.isascii() else expected.replace(" ", "")
    assert words(whole.replace(" - ", "-"), "icu") == expected.split()


def test_tokens_that_do_not_fit_are_named() -> None:
    assert fit_tokens(" New York  won ", ["New York", "won"]) == (Span(1, 9), Span(11, 14))
    with pytest.raises(TokensDoNotFit, match=r'token 1 \("lost"\).*"won"'):
        fit_tokens("He won", ["He", "lost"])
    with pytest.raises(CharactersLeft, match='"won" at character 3'):
        fit_tokens("He won", ["He"])
    for empty in ("", " ", "He "):
        with pytest.raises(TokensDoNotFit):
            fit_tokens("He ", [empty])


def test_unknown_and_missing() -> None:
    with pytest.raises(UnknownPlugin, match="characters, german, given, icu, jieba, rules, whitespace"):
        tokens.find_tokeniser("spacy")
    with pytest.raises(TokensMissing):
        tokens.given("a")
