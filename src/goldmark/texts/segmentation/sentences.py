"""Sentence splitters: from tokens to the spans of sentences, under a name that is stored with the campaign.

Every splitter keeps the same promise: sentences are spans of tokens that cover all tokens in order. All are linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from goldmark.errors import GoldmarkError
from goldmark.plugins import Group, not_callable
from goldmark.records.spans import Span

Splitter = Callable[[str, Sequence[Span]], Sequence[Span]]


class SentencesMissing(GoldmarkError):
    code = "TEXT-12"
    message = 'sentences are to be as "given", but this text comes without; give "sentences", or choose a splitter'


class SentencesDoNotFit(GoldmarkError):
    code = "TEXT-13"
    message = (
        "the sentences do not cover the {tokens} tokens in order: sentence {position} is {start}-{end}, "
        "but it should start at token {expected}"
    )


class SentencesEndEarly(GoldmarkError):
    code = "TEXT-14"
    message = "the sentences end at token {end}, but the text has {tokens} tokens"


SPLITTERS: Group[Splitter] = Group(
    "splitters",
    "sentence splitter",
    object,
    {name: f"goldmark.texts.segmentation.sentences:{name}" for name in ("full_stop", "given", "lines", "rules")},
    not_callable,
)


@cache  # it is asked for with every text
def find_splitter(name: str) -> Splitter:
    return SPLITTERS.find(name)


def check_sentences(sentences: Sequence[Span], tokens: int) -> None:
    """Sentences that come from outside must cover every token in order."""
    expected = 0
    for position, sentence in enumerate(sentences):
        if sentence.start != expected:
            raise SentencesDoNotFit(
                tokens=tokens, position=position, start=sentence.start, end=sentence.end, expected=expected
            )
        expected = sentence.end
    if expected != tokens:
        raise SentencesEndEarly(end=expected, tokens=tokens)


def given(characters: str, tokens: Sequence[Span]) -> list[Span]:
    """The sentences that came with the text; this name alone cannot make them."""
    raise SentencesMissing


def full_stop(characters: str, tokens: Sequence[Span]) -> list[Span]:
    """A sentence ends at a token that is a full stop: the rule of the accuracy shared task."""
    ends = (i + 1 for i, token in enumerate(tokens) if characters[token.start : token.end] == ".")
    return _from_ends(ends, len(tokens))


def lines(characters: str, tokens: Sequence[Span]) -> list[Span]:
    """A sentence ends where its line ends."""
    ends = (i + 1 for i in range(len(tokens) - 1) if _LINE_ENDS & set(_gap(characters, tokens, i)))
    return _from_ends(ends, len(tokens))


def rules(characters: str, tokens: Sequence[Span]) -> list[Span]:
    """Full stops, question and exclamation marks of many scripts; not after abbreviations, initials or in numbers.

    Closing quotes and brackets stay with the sentence they close. A new line begins a sentence, unless it goes on in
    lower case.
    """
    reader = _Reader(characters, tokens)
    return _from_ends(reader.ends(), len(tokens))


def _from_ends(ends: Iterable[int], tokens: int) -> list[Span]:
    spans, start = [], 0
    for end in ends:
        spans.append(Span(start, end))
        start = end
    if start < tokens:
        spans.append(Span(start, tokens))
    return spans


def _gap(characters: str, tokens: Sequence[Span], position: int) -> str:
    return characters[tokens[position].end : tokens[position + 1].start]


_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_ALWAYS_FINAL = "。！？｡︒؟۔।॥።။។᠃"
_FINAL = "." + "!?…‼⁇⁈⁉‽" + _ALWAYS_FINAL
_CLOSERS = ")]}»”’›」』）】〉》〕］｝"
_STRAIGHT = "\"'"
_OPENERS = "([{«“‘‹「『（【〈《〔［｛„‚¿¡*" + _STRAIGHT


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# After these the sentence goes on.
_TITLES = _listed(
    "mr mrs ms mx dr prof st mt ft gen sen rep gov pres capt cmdr lt col maj sgt cpl rev hon fr vs v cf eg ie e.g i.e "
    "viz approx ca est fig figs eq eqs sec ch nr nos vol vols pp ed eds al dept univ assn ave blvd rd hwy messrs "
    "z.b bzw d.h vgl mme mlle bspw"
)
# After these it goes on if a number follows ("No. 3", "Jan. 5", "p. 7").
_BEFORE_NUMBERS = _listed("no p art jan feb mar apr jun jul aug sep sept oct nov dec op ver")
# After these only a word that often begins sentences begins one.
_MAYBE_FINAL = _listed(
    "jr sr inc ltd co corp bros etc esq ph.d m.d b.a m.a a.m p.m mon tue tues wed thu thur thurs fri sat sun "
    "jan feb mar apr jun jul aug sep sept oct nov dec llc plc no min max avg pts reb ast"
)
_STARTERS = _listed(
    "the a an this that these those he she it they we you i his her its their our my your there here in on at by for "
    "from to with without after before during while when where who what why how if as although though because since "
    "until unless once but and or so yet however meanwhile also then thus therefore still just now today yesterday "
    "tomorrow not no one two both all each every some most many only even another other such next last first second "
    "finally instead despite according is are was were do does did has have had can could will would should"
)


class _Reader:
    """Walks over the tokens once and says after which of them a sentence ends."""

    def __init__(self, characters: str, tokens: Sequence[Span]) -> None:
        self.characters = characters
        self.tokens = tokens
        self.words = [characters[token.start : token.end] for token in tokens]
        # In text without capitals, a lower-case letter says nothing about where a sentence begins.
        self.cased = characters != characters.lower()
        self.one_line = characters.splitlines() == [characters]

    def ends(self) -> Iterable[int]:
        start, last, open_quotes = 0, -1, 0
        for position, word in enumerate(self.words[:-1]):
            if self.one_line and word[-1].isalnum():  # nearly always: nothing can end here
                continue
            if position <= last:  # behind the end of a sentence that was found before
                continue
            open_quotes += word in ('"', "''", "``")
            last = position
            final = self._final(position)
            if final:
                last = self._last_closer(position, odd=open_quotes % 2 == 1)
                open_quotes += sum(word in ('"', "''") for word in self.words[position + 1 : last + 1])
            if last < len(self.words) - 1 and (
                (final and self._ends(position, last, first=start)) or self._new_line(last)
            ):
                yield last + 1
                start, open_quotes = last + 1, 0

    def _final(self, position: int) -> bool:
        """Whether the token ends in a mark that can end a sentence, apart from quotes and brackets behind it."""
        word = self.words[position].rstrip(_CLOSERS + _STRAIGHT)
        return bool(word) and word[-1] in _FINAL

    def _last_closer(self, position: int, *, odd: bool) -> int:
        """The last of the quotes and brackets that close what the sentence opened."""
        last = position
        while last + 1 < len(self.words):
            word = self.words[last + 1]
            adjacent = self.tokens[last].end == self.tokens[last + 1].start
            closes = all(mark in _CLOSERS for mark in word) and (adjacent or word not in ("’", "›"))
            if not closes and all(mark in _STRAIGHT for mark in word):
                free_behind = last + 2 == len(self.words) or self.tokens[last + 1].end < self.tokens[last + 2].start
                closes = (adjacent and (free_behind or odd)) or (odd and word in ('"', "''"))
                odd = False
            repeats = adjacent and all(mark in _FINAL for mark in word)
            if not closes and not repeats:
                break
            last += 1
        return last

    def _new_line(self, last: int) -> bool:
        gap = _gap(self.characters, self.tokens, last)
        if gap in ("", " "):  # nearly always
            return False
        breaks = sum(mark in _LINE_ENDS for mark in gap.replace("\r\n", "\n"))
        return breaks > 1 or (breaks == 1 and not self._lower(self.words[last + 1]))

    def _lower(self, word: str) -> bool:
        return self.cased and word[:1].islower() and not word[1:2].isupper()  # "iPhone" may begin a sentence

    def _ends(self, position: int, last: int, *, first: int) -> bool:
        word = self.words[position].rstrip(_CLOSERS + _STRAIGHT)
        mark = word[-1]
        if mark in _ALWAYS_FINAL:
            return True
        following = self._following(last)
        if not following or self._lower(following) or following[0] in ",;:)]}%":
            return False
        core = word.rstrip(_FINAL)
        if word[len(core) :] != ".":  # "!", "?!", "...": final unless the sentence goes on in lower case
            return True
        if not core:  # the full stop is a token of its own, and what it may abbreviate is the one before
            if position == first or (position > first and self.tokens[position - 1].end < self.tokens[position].start):
                # Set apart by white space: text that was tokenised before, where abbreviations keep their stop.
                return True
            core = self.words[position - 1]
        glued = self.tokens[last].end == self.tokens[last + 1].start
        return self._full_stop_ends(core, following, alone=position - first <= 1, glued=glued)

    def _full_stop_ends(self, core: str, following: str, *, alone: bool, glued: bool) -> bool:
        """Whether a full stop after `core` ends the sentence when `following` comes next."""
        name = core.lstrip(_OPENERS).lower()
        starts = following.lower() in _STARTERS and (following[:1].isupper() or not self.cased)
        if name in _TITLES or (name in _BEFORE_NUMBERS and following[:1].isdigit()):
            return False
        if name.isdigit() and alone:  # "1. First"
            return False
        ends_plainly = len(name) > 1 and (core[-1].islower() or core[-1].isdigit())
        if glued and not (ends_plainly and following[:1].isupper()):
            return False  # "example.com", "A.Smith"; but "he won.The"
        initial = len(name) == 1 and name.isalpha() and core != "I"
        if initial or name in _MAYBE_FINAL or "." in name.strip("."):
            return starts
        return True

    def _following(self, last: int) -> str:
        """The next word, past at most three opening quotes and brackets."""
        for word in self.words[last + 1 : last + 5]:
            bare = word.lstrip(_OPENERS)
            if bare:
                return bare
        return self.words[last + 1]
