"""Whether a changed sentence could be true: an error that shows without the data says nothing about who found it.

A change is refused if it

- breaks a longer name: "Moda Center" into "Moda Forward", "Portland Trail Blazers" into "Boston Trail Blazers";
- says of one thing what stands there of another: a team that plays itself, points counted twice;
- turns a pair of numbers round: more shots made than tried, a winner with fewer points than the loser, six of the last
  five games;
- passes what is possible: 100 %, or what the domain says of a thing ("limits"), such as 18 assists;
- goes below what another phrase of the sentence promises ("promises"): a double-double is ten of something;
- makes a phrase that cannot be ("never"): a fourth half.
"""

from __future__ import annotations

import re
from functools import lru_cache

from goldmark.texts.introduced_errors.domain import Domain
from goldmark.texts.introduced_errors.spelled import SPELLED_VALUES

_PAIR = re.compile(r"(?<![\w.-])(\d+)\s?(-\s?of\s?-\s?|-\s?|of\s)(\d+)(?!\w)")
_PERCENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?(?:%|percent\b|per cent\b)")
_RUN = re.compile(r"(\w+) of (?:\w+ ){0,2}(?:last|past|first|next) (\w+)")
_SEASON = re.compile(r"(?:19|20)\d\d\s?-\s?\d\d")
_WORD_BEFORE = re.compile(r"([\w.'’]+)\s$")
_WORD_AFTER = re.compile(r"\s([\w.]+)")
# Words that are capitals only because a sentence begins with them.
_OPENING = re.compile(
    r"(?i:a|after|although|an|and|as|at|because|before|both|but|by|despite|during|even|every|for|from|if|in|it|its|"
    r"later|meanwhile|no|on|only|other|so|that|the|their|then|there|these|they|this|those|though|to|until|when|where|"
    r"while|with|without)"
)


def stands_alone(sentence: str, start: int, end: int) -> bool:
    """Whether these characters are a name of their own, not a part of a longer one."""
    before, after = _WORD_BEFORE.search(sentence[:start]), _WORD_AFTER.match(sentence[end:])
    if after and after.group(1)[0].isupper():
        return False
    if before is None or not before.group(1)[0].isupper() or before.group(1).endswith("."):
        return True
    return before.start() == 0 and _OPENING.fullmatch(before.group(1)) is not None


def is_possible(sentence: str, start: int, end: int, instead: str, domain: Domain) -> bool:
    """Whether the sentence could still be true with `instead` in place of these characters."""
    changed = sentence[:start] + instead + sentence[end:]
    stop = start + len(instead)
    return (
        not _stands_there_already(sentence, start, end, instead, domain)
        and _runs_fit(sentence, changed, start, end, stop)
        and _pairs_keep_their_order(sentence, changed, start, end, stop)
        and _within_limits(sentence, changed, start, end, stop, domain)
        and _keeps_promises(sentence, start, end, instead, domain)
        and not _impossible(changed, start, stop, domain)
    )


def _stands_there_already(sentence: str, start: int, end: int, instead: str, domain: Domain) -> bool:
    """Of names and of what is counted: whether the sentence speaks of it anyway; "assist" counts as "assists"."""
    if instead not in domain.other_names and instead.lower() not in domain.limits:
        return False
    last = instead.split()[-1].lower().removesuffix("s")
    rest = f"{sentence[:start]} {sentence[end:]}".lower()
    return re.search(rf"(?<!\w){re.escape(last)}s?(?!\w)", rest) is not None


def _runs_fit(sentence: str, changed: str, start: int, end: int, stop: int) -> bool:
    """No more games won than there were: "six of their last five"."""
    if _around(_RUN, sentence, start, end) is None:
        return True
    now = _around(_RUN, changed, start, stop)
    some, of = (now and _value(now.group(place)) for place in (1, 2))
    return some is None or of is None or some <= of


def _value(written: str) -> int | None:
    return int(written) if written.isdigit() else SPELLED_VALUES.get(written.lower())


def _pairs_keep_their_order(sentence: str, changed: str, start: int, end: int, stop: int) -> bool:
    pair = _around(_PAIR, sentence, start, end)
    if pair is None:
        return True
    now = _around(_PAIR, changed, start, stop)
    if now is None or _SEASON.fullmatch(pair.group()):
        return False
    (first, second), (one, other) = (map(int, found.group(1, 3)) for found in (pair, now))
    if first == second:  # all that were tried, or as many wins as losses
        return one <= other
    # Made of tried may become all of them; a score never a draw.
    return (one > other) == (first > second) and (one != other or "of" in pair.group(2))


def _within_limits(sentence: str, changed: str, start: int, end: int, stop: int, domain: Domain) -> bool:
    percent, now = _around(_PERCENT, sentence, start, end), _around(_PERCENT, changed, start, stop)
    if percent and now and float(percent.group(1)) <= 100 < float(now.group(1)):
        return False
    counted = _counted(tuple(domain.limits))
    before, after = _around(counted, sentence, start, end), _around(counted, changed, start, stop)
    if after is None or int(after.group(1)) <= domain.limits[_plain(after.group(2))]:
        return True
    # What is beyond a limit from the start, such as a whole team's rebounds, is none of the limit's business.
    same = before is not None and before.group(2) == after.group(2)
    return before is not None and same and int(before.group(1)) > domain.limits[_plain(before.group(2))]


def _keeps_promises(sentence: str, start: int, end: int, instead: str, domain: Domain) -> bool:
    if not (sentence[start:end].isdigit() and instead.isdigit()):
        return True
    lowered = _plain(sentence)
    return not any(
        int(instead) < least <= int(sentence[start:end])
        for phrase, least in domain.promises.items()
        if phrase in lowered
    )


def _impossible(changed: str, start: int, stop: int, domain: Domain) -> bool:
    return any(
        found.start() < stop and start < found.end() for found in _phrases(tuple(domain.never)).finditer(changed)
    )


def _around(pattern: re.Pattern[str], sentence: str, start: int, end: int) -> re.Match[str] | None:
    """What the pattern finds at these characters."""
    return next((found for found in pattern.finditer(sentence) if found.start() < end and start < found.end()), None)


@lru_cache(maxsize=64)
def _counted(nouns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,-])(\d+)\s({_any(nouns)})(?![\w-])", re.IGNORECASE)


@lru_cache(maxsize=64)
def _phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(phrases)})(?!\w)", re.IGNORECASE)


def _any(phrases: tuple[str, ...]) -> str:
    spaced = (r"\s+".join(r"\w+" if word == "#" else re.escape(word) for word in one.split()) for one in phrases)
    return "|".join(spaced) or "(?!)"


def _plain(phrase: str) -> str:
    return " ".join(phrase.lower().split())
