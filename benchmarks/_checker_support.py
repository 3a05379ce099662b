"""What one text alone taught: each training text checked without the rules of the grammar that only it uses.

The rules were written by somebody who has read every text, and a rule that a single text uses may have been written for
it. Taking those away tells how much of the recall rests on them; word lists and judges stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unittest.mock import patch

from benchmarks._checker_crossval import Read
from goldmark.stats.mistake_matching import MatchCounts, count
from goldmark_boxscore import grammar
from goldmark_boxscore.grammar import Rule, rules
from goldmark_boxscore.patterns import Sentence, find
from goldmark_boxscore.units import Lexicon, merge_records
from goldmark_boxscore.verdicts import COSTS

every_rule_for = grammar._rules_for


def used_by(one: Read) -> set[Rule]:
    """The rules that find something in a text."""
    lexicon = Lexicon(one.court.game, one.court.league, one.court.words)
    tokens = [one.text.token(place) for place in range(len(one.text.tokens))]
    units = [merge_records(list(lexicon.units(tokens, span.start, span.end))) for span in one.text.sentences]
    shapes = [Sentence.of(each) for each in units]
    return {rule for rule in rules() if any(next(find(rule.pattern, shape), None) for shape in shapes)}


def without_own_rules(texts: Sequence[Read]) -> tuple[list[MatchCounts], int, int]:
    """Each text's counts without the rules that only it uses; how many rules are used, and how many by one text."""
    uses = {one.id: used_by(one) for one in texts}
    users = {rule: [text for text, used in uses.items() if rule in used] for rule in rules()}
    alone = {rule: names[0] for rule, names in users.items() if len(names) == 1}

    def counts() -> Iterator[MatchCounts]:
        for one in texts:
            kept = {rule for rule in rules() if alone.get(rule) != one.id}
            with patch.object(
                grammar, "_rules_for", lambda codes, kept=kept: filter(kept.__contains__, every_rule_for(codes))
            ):
                grammar._readings.cache_clear()
                yield count(one.gold, one.mistakes(COSTS))

    found = list(counts())
    grammar._readings.cache_clear()
    return found, sum(map(bool, users.values())), len(alone)
