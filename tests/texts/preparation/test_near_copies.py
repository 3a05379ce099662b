"""Near copies among very many texts are those that comparing every two of them finds."""

from __future__ import annotations

import random

import pytest

from goldmark.texts.preparation import near_copies as module
from goldmark.texts.preparation.copies import COPY, runs_of
from goldmark.texts.preparation.near_copies import near_copies


def some_texts(rng: random.Random) -> list[tuple[str, str]]:
    """Texts of which some are others with a few words changed, or with more words after them."""
    words = [f"w{number}" for number in range(rng.choice([8, 40, 400]))]
    texts: list[list[str]] = []
    for _ in range(40):
        one = rng.choices(words, k=rng.randint(0, 40))
        for _ in range(rng.choice([1, 1, 3])):
            texts.append([word if rng.random() > 0.04 else rng.choice(words) for word in one])
            texts[-1] += rng.choices(words, k=rng.choice([0, 0, 20]))
    rng.shuffle(texts)
    return [(f"t{number}", " ".join(one)) for number, one in enumerate(texts)]


def every_two(texts: list[tuple[str, str]], common: int) -> dict[str, str]:
    """The same by comparing every two texts."""
    runs = {name: frozenset(runs_of(text)) for name, text in texts}
    kinds = set(runs.values())
    too_many = {run for kind in kinds for run in kind if sum(run in other for other in kinds) > common}
    groups = {name: name for name in runs}
    names = list(runs)
    for place, one in enumerate(names):
        for other in names[:place]:
            shared = len((runs[one] & runs[other]) - too_many)
            same = bool(runs[one]) and runs[one] == runs[other]
            if same or shared > COPY * min(len(runs[one]), len(runs[other])):
                first, second = sorted((groups[one], groups[other]), key=names.index)
                groups = {name: first if group == second else group for name, group in groups.items()}
    sizes = list(groups.values())
    return {name: group for name, group in groups.items() if sizes.count(group) > 1}


@pytest.mark.parametrize(("at_once", "shares"), [(5, 3), (300, 1), (1_000_000, 64)])
def test_groups_are_those_of_comparing_every_two(monkeypatch: pytest.MonkeyPatch, at_once: int, shares: int) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    monkeypatch.setattr(module, "SHARES", shares)
    met = 0
    for seed in range(6):
        rng = random.Random(seed)
        texts = some_texts(rng)
        monkeypatch.setattr(module, "COMMON", common := rng.choice([3, 10, 100]))
        copies = near_copies(text for _, text in texts)
        found = {texts[one][0]: texts[first][0] for one, first in copies.items()}
        assert found == every_two(texts, common)
        met += len(found)
    assert met > 100


def test_texts_without_words_are_nobodys_copies() -> None:
    assert near_copies(["", "…", ""]) == {}
    assert near_copies([]) == {}
