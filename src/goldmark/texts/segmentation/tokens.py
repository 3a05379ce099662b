"""Tokenisers: from characters to the places of tokens, under a name that is stored with the text.

Every tokeniser keeps the same promise: tokens are in order, not empty, do not overlap, and only white space (what
`str.isspace` calls so) lies between them. So no character is lost, and a text can be shown exactly as it came.
All run in linear time: generated text may be 100,000 characters without a space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from goldmark.errors import Failed, GoldmarkError
from goldmark.plugins import Group, not_callable
from goldmark.records.spans import Span, shared_span, shared_spans

Tokeniser = Callable[[str], Sequence[Span]]


class TokensMissing(GoldmarkError):
    code = "TEXT-02"
    message = 'the tokeniser is "given", but this text comes without tokens; give "tokens", or choose another tokeniser'


class TokensDoNotFit(GoldmarkError):
    code = "TEXT-03"
    message = 'token {position} ("{token}") does not fit: the text goes on with "{found}" at character {place}'


class CharactersLeft(GoldmarkError):
    code = "TEXT-04"
    message = 'the {count} tokens end before the text does: "{found}" at character {place} belongs to none'


class ExtraMissing(Failed):
    code = "TEXT-05"
    message = 'the tokeniser "{tokeniser}" needs the extra "{extra}", which is not installed; {remedy}'


TOKENISERS: Group[Tokeniser] = Group(
    "tokenisers",
    "tokeniser",
    object,
    {
        name: f"goldmark.texts.segmentation.tokens:{name}"
        for name in ("characters", "german", "given", "icu", "jieba", "rules", "whitespace")
    },
    not_callable,
)


@cache  # it is asked for with every text
def find_tokeniser(name: str) -> Tokeniser:
    return TOKENISERS.find(name)


def _spans(found: Iterable[re.Match[str]]) -> list[Span]:
    return shared_spans(map(re.Match.span, found))


def whitespace(characters: str) -> list[Span]:
    """Whatever stands between white space: right for text that was tokenised before."""
    return _spans(re.finditer(r"\S+", characters))


def rules(characters: str) -> list[Span]:
    """Words, numbers, addresses and marks of punctuation, each apart; no character that a reader sees is ever cut.

    A possessive 's is its own token, so that a wrong name can be marked without it. A hyphen joins letters
    (double-double) and parts numbers (10-of-17 is five tokens), so that one wrong number can be marked alone.
    """
    return _spans(_rules().finditer(characters))


def german(characters: str) -> list[Span]:
    """As `rules`, but a decimal comma stays in its number (12,5) and the stop of an ordinal with it (am 3. Mai).

    A token "3." ends no sentence, so a date is not torn apart.
    """
    spans: list[Span] = []
    for span in rules(characters):
        before = spans[-1] if spans else None
        if before is not None and before.end == span.start and _stays(characters, before, span):
            spans[-1] = Span(before.start, span.end)
        else:
            spans.append(span)
    return spans


def characters(characters: str) -> list[Span]:
    """Every character that a reader sees: for scripts without spaces whose words nobody can tell apart here."""
    whole = rf"[^\s{_extending()}](?:[{_extending()}]*+(?:(?<={_JOINER})\S)?+)*+|[{_extending()}]++"
    return _spans(re.finditer(whole, characters))


def given(characters: str) -> list[Span]:
    """The tokens that came with the text; this name alone cannot make them."""
    raise TokensMissing


def jieba(characters: str) -> list[Span]:
    """Chinese words by jieba, an extra; anything that is not Chinese as `rules` has it."""
    dictionary = jieba_dictionary()

    def cut(chunk: str) -> Iterable[str]:
        return (word for block in _BLOCKS.findall(chunk) for word in dictionary.cut(block, HMM=True))

    return _words_of(characters, cut, _HAN)


def icu(characters: str) -> list[Span]:
    """Words of scripts without spaces (Thai, Lao, Khmer, Burmese, Japanese, Chinese) by the dictionaries of ICU, an
    extra; anything else as `rules` has it."""
    breaker = icu_breaker()
    # ICU takes only what UTF-8 can hold; half of a surrogate pair is one character to it as well.
    return _words_of(characters, lambda chunk: breaker(chunk.encode(errors="replace").decode(), "und"), _UNSPACED)


def _words_of(characters: str, cut: Callable[[str], Iterable[str]], script: re.Pattern[str]) -> list[Span]:
    """Words of one script as `cut` finds them; what stands between them as `rules` has it."""
    spans: list[Span] = []
    for found in re.finditer(r"\S+", characters):
        place, chunk = found.start(), found.group()
        edges = {span.start for span in rules(chunk)}
        start = 0
        for word in cut(chunk):
            end = start + len(word)
            if script.search(word):
                edges -= set(range(start + 1, end))
                edges |= {start, end}
            start = end
        marks = sorted(edge for edge in _whole_characters(chunk, edges) if edge < len(chunk))
        spans += [shared_span(place + a, place + b) for a, b in zip(marks, [*marks[1:], len(chunk)], strict=True)]
    return spans


def fit_tokens(characters: str, words: Iterable[str]) -> tuple[Span, ...]:
    """Where the given tokens stand in the text; they must make up all of it but the white space between them."""
    spans: list[Span] = []
    place = 0
    for position, word in enumerate(words):
        place = _skip_space(characters, place)
        if not word or word != word.strip() or not characters.startswith(word, place):
            raise TokensDoNotFit(position=position, token=word, found=characters[place : place + 20], place=place)
        spans.append(shared_span(place, place + len(word)))
        place += len(word)
    place = _skip_space(characters, place)
    if place < len(characters):
        raise CharactersLeft(count=len(spans), found=characters[place : place + 20], place=place)
    return tuple(spans)


def _skip_space(characters: str, place: int) -> int:
    while place < len(characters) and characters[place].isspace():
        place += 1
    return place


# --- the rule-based tokeniser ---------------------------------------------------------------------------------------

_ZERO_WIDTH_SPACE, _JOINER = "\u200b", "\u200d"
# Signs that a number follows (Arabic number sign and its like) belong to what comes after them, not before.
_PREPENDED = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
# Ideographs and kana are written without spaces: one token each. (U+3000, the ideographic space, is not among them.)
_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309b-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
_HAN = re.compile(f"[{_CJK}]")
_UNSPACED = re.compile(
    f"[{_CJK}\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17f9\uaa60-\uaa7f]"
)  # and Thai to Burmese


@cache
def _extending() -> str:
    """A regular expression class of all that belongs to the character before it: marks, variation selectors, skin
    tones, tags, joiners and other invisible format characters."""
    own = {0xFF9E, 0xFF9F, *range(0x1F3FB, 0x1F400)}  # half-width voiced marks; skin tones
    prepended = re.compile(f"[{_PREPENDED}]")
    ranges: list[list[int]] = []
    for code in (*range(0x20000), *range(0xE0000, 0xE0200)):  # marks and format characters live nowhere else
        character = chr(code)
        category = unicodedata.category(character)
        if (category[0] == "M" or category == "Cf" or code in own) and not prepended.match(character):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


@cache
def _rules() -> re.Pattern[str]:
    """One pattern, read left to right without ever going back (every repetition is possessive), so time is linear."""
    extend = f"[{_extending()}]"
    within = f"(?!{_ZERO_WIDTH_SPACE}){extend}"  # a zero width space is where a word may end
    letter = rf"[^\W\d_{_CJK}]"
    after_letter = rf"(?:(?<={letter})|(?<={extend}))"
    word_part = rf"(?:[^\W{_CJK}]++|(?:{within})++)++"
    apostrophe = "['’]"
    possessive = rf"{apostrophe}[sS](?!\w)"
    joint = "|".join(
        [
            rf"{after_letter}(?!{possessive}){apostrophe}(?={letter})",  # don't, D'Angelo
            rf"{after_letter}[-‐‑·׳״](?={letter})",  # double-double, col·laboració, Hebrew acronyms
            r"(?<=\d)[.٫](?=\d)",  # 3.5
            r"(?<=\d)[,٬](?=\d{3}(?!\d))",  # 1,234
            r"(?<=\d):(?=\d\d(?!\d))",  # 10:30
        ]
    )
    word = rf"{word_part}(?:(?:{joint}){word_part})*+"
    body = "|".join(
        [
            r"(?:https?://|www\.)[^\s<>\"“”„«»「」『』、。，]*[^\s<>\"“”„«»「」『』、。，.,;:!?'’)\]}…]",
            rf"{letter}(?:\.{letter}(?!\w))++(?:\.(?!\.))?+",  # C.J., U.S., p.m.
            rf"(?<=[\w]){possessive}|(?<={extend}){possessive}",
            rf"(?<![\w.])\.(?=\d){word}",  # .500
            word,
            f"[{_CJK}]",
            "[\U0001f1e6-\U0001f1ff]{2}",  # a flag
            r"\.{2,}+|…++|[!?！？]++|-{2,}+|[—–]++|\*++|~++|={2,}+|#{2,}+|`{2,}+|'{2,}+",
            r"[^\w\s]",
        ]
    )
    # What a joiner joins is one character to the reader: a family, a rainbow flag.
    joined = rf"{extend}*+(?:(?<={_JOINER})\S{extend}*+)*+"
    lead = f"(?:{extend}|[{_PREPENDED}])++"
    plain = r"[A-Za-z0-9]++(?=[.,;:!?)]*+(?:\s|\Z))"  # most words; what follows would say the same of them, slower
    # No token begins with white space: to say so at once is three times as fast as to let every part find it out.
    return re.compile(rf"(?=\S)(?:{plain}|(?:{lead}(?:{body})?+|(?:{body})){joined})")


# --- German ---------------------------------------------------------------------------------------------------------

_ORDINAL = re.compile(
    r"\.\s+(?:Jan|Jän|Feb|März|Mär|April|Apr|Mai|Jun|Jul|Aug|Sept?|Okt|Nov|Dez)[a-zä]*\b", re.IGNORECASE
)
_BEFORE_ORDINAL = re.compile(r"\b(?:der|die|das|dem|den|des|am|im|zum|zur|vom|beim|ins)\s+$", re.IGNORECASE)


def _stays(characters: str, before: Span, span: Span) -> bool:
    """Whether what follows belongs to the number before it: a comma with digits after it, digits after that comma, or
    the stop of an ordinal."""
    number, mark = characters[before.start : before.end], characters[span.start : span.end]
    after = characters[span.end : span.end + 1]
    if mark == ",":
        return number.replace(".", "").isdecimal() and after.isdecimal()
    if number.endswith(","):
        return mark.isdecimal() and after != ","
    if mark == "." and number.isdecimal() and len(number) <= 2:
        article = _BEFORE_ORDINAL.search(characters, max(before.start - 8, 0), before.start)
        following = characters[span.end : span.end + 2]
        return bool(_ORDINAL.match(characters, span.start)) or (article is not None and following[1:].isalpha())
    return False


# --- jieba ----------------------------------------------------------------------------------------------------------

# The blocks that jieba itself cuts one by one. In one without any mark of punctuation it takes time that grows with the
# square of its unknown characters: what nobody writes is cut apart before.
_BLOCK = "\u4e00-\u9fd5a-zA-Z0-9+#&._%\\-"
_BLOCKS = re.compile(f"[{_BLOCK}]{{1,1000}}|[^{_BLOCK}]+")


@cache
def jieba_dictionary() -> Any:
    """jieba's own tokeniser with its dictionary loaded, or a word on how to install it."""
    import logging
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it imports pkg_resources, which warns about itself
            import jieba as package
    except ImportError:
        raise ExtraMissing(
            tokeniser="jieba", extra="chinese", remedy="install it with: pip install 'goldmark[chinese]'"
        ) from None
    package.setLogLevel(logging.ERROR)
    dictionary = package.Tokenizer()
    # Its own start would load a cache from the shared temporary folder, where anybody could have laid one.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dictionary.FREQ, dictionary.total = dictionary.gen_pfdict(dictionary.get_dict_file())
    dictionary.initialized = True
    return dictionary


@cache
def icu_breaker() -> Callable[[str, str], Iterable[str]]:
    """What parts a text into words by the rules and dictionaries of Unicode, or a word on how to install it."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        raise ExtraMissing(
            tokeniser="icu", extra="icu", remedy="install it with: pip install 'goldmark[icu]', or take characters"
        ) from None
    return WordBreaker


def _whole_characters(chunk: str, edges: set[int]) -> set[int]:
    """The edges that do not cut a mark off the character it belongs to."""
    extend = re.compile(f"[{_extending()}]")
    return {edge for edge in edges if edge == 0 or edge == len(chunk) or not extend.match(chunk, edge)} | {0}
