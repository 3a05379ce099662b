"""Names that only look different are the same, and names that are made to be mistaken are refused."""

from __future__ import annotations

import pytest

from goldmark.leaderboards.definition.names import NameLooksLike, NameMixesAlphabets, alike, plain, refuse_look_alikes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alder", "ALDER"),
        ("Alder", "Ａlder"),  # full width
        ("cope", "соре"),  # all Cyrillic
        ("COPE", "СОРЕ"),
        ("TATA", "ΤΑΤΑ"),  # all Greek
        ("Alder 1", "Alder l"),  # a digit and a letter
        ("Alder I", "Alder 1"),
        ("GPT-4o", "GPT-40"),
        ("model", "rnodel"),
        ("SAGE", "ЅАԌЕ"),
        ("Go", "Gօ".replace("G", "Ԍ")),  # Cyrillic and Armenian
    ],
)
def test_names_that_readers_take_for_each_other(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Alder 1", "Alder 2"), ("run 10", "run 11"), ("Größe", "Grosse"), ("café", "cafe"), ("vi", "vl")],
)
def test_names_that_are_told_apart(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_look_alike_is_refused_and_the_same_name_is_not() -> None:
    refuse_look_alikes("ALDER I", ["Alder i"], "system")
    with pytest.raises(NameLooksLike, match="looks like that of another system"):
        refuse_look_alikes("Alder I", ["Birch", "Alder 1"], "system")


@pytest.mark.parametrize("name", ["Alder", "Αθήνα 7", "Берёза v2", "東京 LLM", "Größe-2", "模型A"])
def test_names_of_one_alphabet_a_word_are_plain(name: str) -> None:
    assert plain(name, "system") == name


@pytest.mark.parametrize("name", ["Аlder", "GPΤ", "Systеm 2"])  # a Cyrillic A, a Greek T, a Cyrillic e
def test_a_word_of_several_alphabets_is_refused(name: str) -> None:
    with pytest.raises(NameMixesAlphabets, match="write it in one alphabet"):
        plain(name, "system")
