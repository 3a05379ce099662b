"""F1 of two people's tokens, by hand."""

from __future__ import annotations

import pytest

from goldmark.stats.token_overlap import token_f1, token_overlap


def test_counts_of_texts_add_up_to_the_f1_of_all() -> None:
    # Text 1: 2 of 3 and 2 tokens are shared; text 2: none of 1 and 2.
    counts = [token_overlap({1, 2, 3}, {2, 3}), token_overlap({1}, {4, 5})]
    assert counts == [(4, 5), (0, 3)]
    assert token_f1({1, 2, 3}, {2, 3}) == pytest.approx(4 / 5)


def test_two_people_who_marked_nothing_agree() -> None:
    assert token_f1(set(), set()) == 1.0
    assert token_f1({1}, set()) == 0.0
