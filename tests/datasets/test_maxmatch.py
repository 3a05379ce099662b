"""MaxMatch against the worked examples of its authors, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.datasets.benchmark.maxmatch import Edit, EditCounts, EditLattice, GoldEdit, count, f_score, gold_edits


def best_edits(source: list[str], output: list[str], right: list[GoldEdit]) -> list[Edit]:
    return EditLattice(source, output).edits(right)


def gold(*edits: tuple[int, int, str]) -> list[GoldEdit]:
    """Alternatives of a correction are parted by `||`, as in the authors' files."""
    return [
        GoldEdit(start, end, frozenset(tuple(one.split()) for one in words.split("||"))) for start, end, words in edits
    ]


# The example in the README of the authors' scorer (release 3.2): three sentences, two of them with two annotators.
SOURCE = ["The cat sat at mat .", "The dog .", "Giant otters is an apex predator ."]
REFERENCES = [
    [gold((3, 4, "on"), (4, 4, "the||a"))],
    [gold((1, 2, "dogs")), []],
    [gold((2, 3, "are"), (3, 4, ""), (5, 6, "predators")), gold((1, 2, "otter"))],
]
OUTPUT = ["A cat sat on the mat .", "The dog .", "Giant otters are apex predator ."]


def test_the_example_of_the_authors_scorer() -> None:
    # They say: four valid edits, one unnecessary, one missing, so precision, recall and F0.5 are all 0.8.
    total = EditCounts(0, 0, 0)
    each = []
    for source, references, output in zip(SOURCE, REFERENCES, OUTPUT, strict=True):
        mine = count(source.split(), output.split(), references, so_far=total)
        each.append(mine)
        total = EditCounts(*(one + two for one, two in zip(total, mine, strict=True)))
    assert each == [EditCounts(2, 3, 2), EditCounts(0, 0, 0), EditCounts(2, 2, 3)]
    assert total == EditCounts(4, 5, 5)
    assert f_score(total) == pytest.approx(0.8)


def test_the_example_of_the_paper() -> None:
    # Dahlmeier and Ng 2012, section 2: the gold edit is word -> {a word, words}; an extractor that sees only the
    # insertion of "a" would call a valid correction wrong.
    source = ["Our", "baseline", "system", "feeds", "word", "into", "PB-SMT", "pipeline", "."]
    output = ["Our", "baseline", "system", "feeds", "a", "word", "into", "PB-SMT", "pipeline", "."]
    right = gold((4, 5, "a word||words"))
    assert best_edits(source, output, right) == [Edit(4, 5, ("a", "word"))]
    assert count(source, output, [right]) == EditCounts(1, 1, 1)
    assert best_edits(source, output, []) == [Edit(4, 4, ("a",))]


def test_neighbouring_changes_are_one_edit_if_no_gold_edit_speaks_against_it() -> None:
    source, output = ["a", "b", "c", "d", "e"], ["a", "X", "c", "Y", "e"]
    assert best_edits(source, output, []) == [Edit(1, 4, ("X", "c", "Y"))]
    assert best_edits(source, output, gold((1, 2, "X"))) == [Edit(1, 2, ("X",)), Edit(3, 4, ("Y",))]
    assert (
        len(best_edits(["a", "b", "c", "d", "e", "f"], ["X", "b", "c", "d", "e", "Y"], [])) == 2
    )  # four unchanged words between


def test_a_gold_edit_is_worth_more_than_few_edits() -> None:
    # All three changes are one edit, or three of which one is right.
    source, output = list("abcdefg"), ["X", "b", "Y", "d", "Z", "f", "g"]
    assert best_edits(source, output, []) == [Edit(0, 5, ("X", "b", "Y", "d", "Z"))]
    assert Edit(2, 3, ("Y",)) in best_edits(source, output, gold((2, 3, "Y")))
    assert count(source, output, [gold((2, 3, "Y"))]) == EditCounts(1, 3, 1)


def test_nothing_to_do_and_nothing_done() -> None:
    assert count(["a"], ["a"], [[]]) == EditCounts(0, 0, 0)
    assert count(["a"], ["b"], [[]]) == EditCounts(0, 1, 0)
    assert count(["a"], ["a"], [gold((0, 1, "b"))]) == EditCounts(0, 0, 1)
    assert count([], ["a"], [gold((0, 0, "a"))]) == EditCounts(1, 1, 1)
    assert f_score(EditCounts(0, 0, 0)) == 1.0
    assert f_score(EditCounts(0, 3, 2)) == 0.0


@pytest.mark.parametrize("order", [1, -1])
def test_of_equally_good_references_the_one_with_more_right_edits_counts(order: int) -> None:
    # Before this text one edit was made and right. Nobody to please: one wrong edit, P = 1/2, R = 1, F0.5 = 5/9. One
    # right and one wrong edit and four missing ones: P = 2/3, R = 2/6, F0.5 = 5/9 as well.
    source, output = list("abcdefgh"), ["X", "b", "Y", *"defgh"]
    demanding = gold((0, 1, "X"), *((place, place + 1, "Z") for place in range(4, 8)))
    found = count(source, output, [[], demanding][::order], so_far=EditCounts(1, 1, 1))
    assert f_score(EditCounts(2, 3, 6)) == f_score(EditCounts(1, 2, 1))
    assert found == EditCounts(1, 2, 5)


@pytest.mark.parametrize("order", [1, -1])
def test_the_reference_with_the_better_f_counts_though_fewer_edits_are_right(order: int) -> None:
    # After ten right edits of ten, one wrong edit costs less (10 of 11 and of 10) than four missing ones (11 of 12 and
    # of 15). Before anything was made, one right edit of two and of five is better than nothing right at all.
    source, output = list("abcdefgh"), ["X", "b", "Y", *"defgh"]
    demanding = gold((0, 1, "X"), *((place, place + 1, "Z") for place in range(4, 8)))
    references = [[], demanding][::order]
    assert count(source, output, references, so_far=EditCounts(10, 10, 10)) == EditCounts(0, 1, 0)
    assert count(source, output, references) == EditCounts(1, 2, 5)


@pytest.mark.parametrize("order", [1, -1])
def test_of_references_that_miss_everything_the_shorter_counts(order: int) -> None:
    short, long = gold((0, 1, "Y")), gold((0, 1, "Y"), (1, 2, "Y"))
    assert count(["a", "b"], ["X", "b"], [short, long][::order]) == EditCounts(0, 1, 1)


def test_of_references_that_are_equal_in_everything_the_first_counts() -> None:
    # Both changes as one edit, which the second reference has among two, or as two, of which the first has one:
    # F1 = 2 * 1 / (2 + 1) = 2 * 1 / (1 + 2).
    one, other = gold((0, 1, "x")), gold((0, 2, "x y"), (5, 6, "z"))
    assert count(list("abcdef"), list("xycdef"), [one, other], beta=1.0) == EditCounts(1, 2, 1)
    assert count(list("abcdef"), list("xycdef"), [other, one], beta=1.0) == EditCounts(1, 1, 2)


def test_of_equally_good_ways_the_one_with_the_smallest_edits_is_told() -> None:
    # "b c" went: with the words around it, or alone; of two equal words the first or the second went.
    assert best_edits(list("abcd"), list("ad"), []) == [Edit(1, 3, ())]
    assert best_edits(list("xaay"), list("xay"), []) == [Edit(1, 2, ())]
    assert best_edits(list("xaay"), list("xay"), gold((2, 3, ""))) == [Edit(2, 3, ())]
    assert best_edits(list("xaay"), list("xay"), gold((1, 2, ""))) == [Edit(1, 2, ())]


def test_f_half_by_hand() -> None:
    # P = 1/4, R = 1/2: 1.25 * 0.125 / (0.25 * 0.25 + 0.5) = 0.15625 / 0.5625
    assert f_score(EditCounts(1, 4, 2)) == pytest.approx(0.15625 / 0.5625)


def test_the_same_insertion_twice_is_right_once() -> None:
    assert count(["a", "b"], ["a", "x", "x", "b"], [gold((1, 1, "x"))]).correct <= 1


def test_words_that_stay_are_no_part_of_a_gold_edit() -> None:
    source = ["The", "mayor", "a", "new", "library", "."]
    assert gold_edits(source, [Edit(2, 5, ("opened", "a", "new", "library"))]) == gold((2, 2, "opened"))
    assert gold_edits(source, [Edit(2, 5, ("a", "new", "library"))]) == []
    assert gold_edits(source, [Edit(0, 2, ("The", "queen"))]) == gold((1, 2, "queen"))
    assert gold_edits(source, [Edit(3, 5, ("old", "library"))]) == gold((3, 4, "old"))
    assert gold_edits(source, [Edit(2, 3, ())]) == gold((2, 3, ""))


WORDS = st.lists(st.sampled_from("abc"), max_size=7)


@given(WORDS, WORDS, WORDS)
def test_edits_always_make_the_output(source: list[str], output: list[str], other: list[str]) -> None:
    right = gold_edits(source, [Edit(0, len(source), tuple(other))])
    made, place = [], 0
    for edit in best_edits(source, output, right):
        assert edit.start >= place
        made += [*source[place : edit.start], *edit.words]
        place = edit.end
    assert made + source[place:] == output


@given(
    WORDS,
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["", "x", "y"])), max_size=3, unique_by=lambda one: one[0]),
)
def test_whoever_makes_the_gold_edits_is_right(source: list[str], changes: list[tuple[int, str]]) -> None:
    edits = [Edit(place, place + 1, tuple(word)) for place, word in sorted(changes) if place < len(source)]
    output = list(source)
    for edit in reversed(edits):
        output[edit.start : edit.end] = edit.words
    # A deletion beside equal words has several shortest explanations; with new words alone the edits are certain.
    if all(edit.words for edit in edits):
        right = gold_edits(source, edits)
        assert count(source, output, [right]) == EditCounts(len(right), len(right), len(right))


def test_an_output_of_many_other_words_takes_time_in_proportion_to_the_lattice() -> None:
    """Every step is looked at from each unfinished edit that it may be a part of, and not from each possible edit."""
    source = [f"a{number}" for number in range(20)]
    asked: list[int] = []

    class Steps(dict):  # type: ignore[type-arg]
        def __getitem__(self, node: object) -> object:
            asked.append(1)
            return super().__getitem__(node)

    for words in (50, 100):
        lattice = EditLattice(source, [f"b{number}" for number in range(words)])
        lattice._steps = Steps(lattice._steps)
        asked.clear()
        assert len(lattice.edits([])) == 1
        assert len(asked) == len(lattice._steps)
