"""How far the people who saw one text agree on it, cheaply enough to be shown with every text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from goldmark.records.figures import Figure
from goldmark.records.mistakes import Mistake
from goldmark.stats.token_overlap import token_f1


class PairF1(NamedTuple):
    first: str
    second: str
    f1: Figure


class TextAgreement(NamedTuple):
    """Without intervals: the tokens of one text are not independent, and there is no other text to resample."""

    token_alpha: Figure  # of the category of each token, "not marked" being one
    token_f1: Figure  # mean of the pairs for whom it is defined
    pairs: tuple[PairF1, ...]


def text_agreement(length: int, marks: Mapping[str, Sequence[Mistake]]) -> TextAgreement:
    """Krippendorff's alpha over tokens, and the F1 of marked tokens for every pair of annotators."""
    if len(marks) < 2:
        nobody = Figure(None, reason="fewer than two people have finished this text", used=len(marks))
        return TextAgreement(nobody, nobody, ())
    pairs = _pairs(marks)
    known = [pair.f1.value for pair in pairs if pair.f1.value is not None]
    mean = (
        Figure(sum(known) / len(known), used=len(known), skipped=len(pairs) - len(known))
        if known
        else Figure(None, reason="nobody marked anything", used=0, skipped=len(pairs))
    )
    return TextAgreement(_alpha(length, marks), mean, pairs)


def mean_f1(marks: Mapping[str, Sequence[Mistake]]) -> float | None:
    """The mean F1 of marked tokens alone, for lists of many texts; None where no pair marked anything."""
    known = [pair.f1.value for pair in _pairs(marks) if pair.f1.value is not None]
    return sum(known) / len(known) if known else None


def _pairs(marks: Mapping[str, Sequence[Mistake]]) -> tuple[PairF1, ...]:
    return tuple(_pair(first, second, marks) for first, second in combinations(sorted(marks), 2))


def _pair(first: str, second: str, marks: Mapping[str, Sequence[Mistake]]) -> PairF1:
    one, other = ({place for mark in marks[name] for place in mark.span.positions()} for name in (first, second))
    if not one and not other:
        return PairF1(first, second, Figure(None, reason="neither marked anything"))
    return PairF1(first, second, Figure(token_f1(one, other)))


def _alpha(length: int, marks: Mapping[str, Sequence[Mistake]]) -> Figure:
    # Imported here: a server should not have to load them before its first page.
    import numpy as np

    from goldmark.stats.agreement_measures.alpha import krippendorff
    from goldmark.stats.agreement_measures.unit_labels import UnitLabels

    labels = sorted({mark.label for some in marks.values() for mark in some})
    codes = {label: code for code, label in enumerate(labels, start=1)}
    values = []
    for name in sorted(marks):
        tokens = np.zeros(length, dtype=np.int64)
        for mark in marks[name]:
            tokens[mark.span.start : mark.span.end] = codes[mark.label]
        values.append(tokens)
    people = len(values)
    columns = (np.tile(np.arange(length), people), np.repeat(np.arange(people), length), np.concatenate(values))
    figure = krippendorff(UnitLabels.of(*columns))
    if figure.value is None:
        return Figure(None, reason="nobody marked anything, or every token is marked alike", used=length)
    return figure
