"""Text into claims: the rules of `data/grammar.yaml` and `data/phrases.yaml` looked for in every sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Part
from goldmark_boxscore.league import Vocabulary, read_words
from goldmark_boxscore.patterns import Sentence, compiled, find, needed
from goldmark_boxscore.units import CODES

EARLIER = "earlier"  # claims about other games, whose words no other claim may read


@dataclass(frozen=True)
class Rule:
    """One kind of claim and one way of saying it."""

    kind: str
    pattern: re.Pattern[str]
    needed: tuple[str, ...]  # words of which a sentence must have one for the pattern to hold; none: any sentence


@cache
def _data() -> dict[str, Any]:
    folder = files("goldmark_boxscore") / "data"
    data: dict[str, Any] = {}
    for name in ("grammar.yaml", "phrases.yaml"):
        data |= yaml.safe_load((folder / name).read_text(encoding="utf-8"))
    words = read_words()
    data["lists"]["period"] = [_coded(phrase, words) for phrase in words.periods]
    data["lists"]["ordinal"] = list(words.ordinals)
    for name in ("beat", "moved"):
        data["lists"][f"{name}_base"], data["lists"][f"{name}_ing"] = inflected(data["lists"][name], data["irregular"])
    return data


def inflected(pasts: Sequence[str], irregular: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Verbs in the past tense as "to beat" and "beating" have them; a phrase's first word is its verb."""
    bases, participles = [], []
    for phrase in pasts:
        verb, _, rest = phrase.partition(" ")
        stems = [irregular[verb]] if verb in irregular else _stems(verb)
        for stem in stems:
            bases.append(f"{stem} {rest}".strip())
            participles += [f"{ing} {rest}".strip() for ing in (f"{stem.removesuffix('e')}ing", f"{stem}{stem[-1]}ing")]
    return bases, participles


def _stems(verb: str) -> list[str]:
    """What "topped", "edged" or "downed" may be a past tense of; one that is no word does no harm."""
    if not verb.endswith("ed"):
        return []
    stem = verb.removesuffix("ed")
    doubled = [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
    return [stem, f"{stem}e", *doubled]


def _coded(phrase: str, words: Vocabulary) -> str:
    """A phrase as sentences of units show it: "final two quarters" is `final N quarters`."""
    return " ".join("N" if word in words.numbers else word for word in phrase.split())


def _expanded(pattern: str, shapes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A pattern with `<name>` in it, once for every shape of that name."""
    found = re.search(r"<(\w+)>", pattern)
    if found is None:
        yield pattern
        return
    for shape in shapes[found[1]]:
        yield from _expanded(pattern.replace(found[0], shape), shapes)


@cache
def phrases(name: str) -> re.Pattern[str]:
    """A pattern that finds any phrase of one of the grammar's lists."""
    return compiled(f"{{{name}}}", _data()["lists"])


@cache
def rules() -> tuple[Rule, ...]:
    """The grammar's rules, in its order."""
    data = _data()
    lists = data["lists"]
    return tuple(
        Rule(
            rule["kind"], compiled(text, lists), tuple({max(phrase.split(), key=len) for phrase in needed(text, lists)})
        )
        for rule in data["rules"]
        for pattern in rule["patterns"]
        for text in _expanded(pattern, data["shapes"])
    )


@cache
def _rules_by_word() -> Mapping[str, tuple[int, ...]]:
    """The places of the rules that a word may call up; those that need no word at all are under the empty one."""
    found: dict[str, list[int]] = {}
    for place, rule in enumerate(rules()):
        for word in rule.needed or ("",):
            found.setdefault(word, []).append(place)
    return {word: tuple(places) for word, places in found.items()}


def _rules_for(codes: Sequence[str]) -> Iterator[Rule]:
    """The rules that may hold in a sentence, in the grammar's order."""
    index, every = _rules_by_word(), rules()
    for place in sorted({place for word in {"", *codes} for place in index.get(word, ())}):
        yield every[place]


def claims_of(sentence: Sentence, number: int) -> Iterator[Claim]:
    """Every claim of one sentence; the first rule that reads a number has it, and a kind reads its place once."""
    for kind, slots, whole in _readings(sentence.text):
        parts = {role: Part(sentence.units[start:end]) for role, (start, end) in slots.items()}
        covered = list(slots.values()) or [whole]
        first, last = min(start for start, _ in covered), max(end for _, end in covered)
        yield Claim(kind, number, Span(sentence.units[first].start, sentence.units[last - 1].end), parts)


@lru_cache(maxsize=4096)
def _readings(text: str) -> tuple[tuple[str, Mapping[str, tuple[int, int]], tuple[int, int]], ...]:
    """What is read in a sentence of this shape, whoever and whatever it tells of: kind, slots and all its units."""
    shape = Sentence.shaped(text)
    codes = text.split()
    numbers: set[int] = set()
    read: set[tuple[str, int]] = set()
    silenced: set[int] = set()
    readings = []
    for rule in _rules_for(codes):
        for match in find(rule.pattern, shape):
            slotted = [place for start, end in match.slots.values() for place in range(start, end)]
            used = {place for place in slotted if codes[place] == CODES["number"]}
            others = {place for place in slotted if codes[place] != CODES["team"]}
            anchors = {(rule.kind, place) for place in used or others}
            if used & numbers or anchors & read or others & silenced:
                continue
            if rule.kind == EARLIER:
                silenced |= others
            numbers |= used
            read |= anchors
            readings.append((rule.kind, match.slots, (match.start, match.end)))
    return tuple(readings)
