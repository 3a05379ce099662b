"""Names that only look different are the same, and names that are made to be mistaken are refused."""

from __future__ import annotations

import pytest

from goldmark.leaderboards.definition.names import NameMixesAlphabets, look_alike, plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alder", "ALDER"),
        ("Alder", "Ａlder"),  # full width
        ("cope", "соре"),  # all Cyrillic
        ("COPE", "СОРЕ"),
        ("TATA", "ΤΑΤΑ"),  # all Greek
    ],
)
def test_names_that_look_alike_are_the_same(one: str, other: str) -> None:
    assert look_alike(one) == look_alike(other)


@pytest.mark.parametrize("name", ["Alder", "Αθήνα 7", "Берёза v2", "東京 LLM", "Größe-2", "模型A"])
def test_names_of_one_alphabet_a_word_are_plain(name: str) -> None:
    assert plain(name, "system") == name


@pytest.mark.parametrize("name", ["Аlder", "GPΤ", "Systеm 2"])  # a Cyrillic A, a Greek T, a Cyrillic e
def test_a_word_of_several_alphabets_is_refused(name: str) -> None:
    with pytest.raises(NameMixesAlphabets, match="write it in one alphabet"):
        plain(name, "system")
