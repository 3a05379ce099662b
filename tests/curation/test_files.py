"""Gold lists as files: what goes out comes back, and what changed between two versions is named."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.curation.gold_lists.files import diff, freeze, read_gold, write_gold
from goldmark.curation.gold_lists.formats import GOLD_FORMATS, read_gold_list, write_gold_list
from goldmark.curation.gold_lists.layers import NotOneCurator, read_layer, write_layer
from goldmark.curation.proposals.propose import propose_text
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign.archive import write_folder
from goldmark.records.gold import GoldMistake, GoldText
from goldmark.records.spans import Span
from goldmark.texts.readers.gsml import read_mistakes, read_spaced_texts
from tests.curation.marks import PRIORITY, marks_of, text_of

TEXT = text_of("Durant had 30 points and 10 rebounds . Curry left .")
TEXTS = {"t": TEXT}


def proposed() -> GoldText:
    marks = [
        *marks_of(TEXT, "A", "Durant^N", "10^U=9"),
        *marks_of(TEXT, "B", "Durant^N", "10^U=9, not 10"),
        *marks_of(TEXT, "C d|e", "30^U"),
    ]
    return propose_text(TEXT, marks, ["A", "B", "C d|e"], priority=PRIORITY)


def mistake(start: int, end: int, label: str = "NAME", correction: str = "") -> GoldMistake:
    return GoldMistake("t", Span(start, end), label, correction)


def test_a_list_comes_back_with_counts_and_sources(tmp_path: Path) -> None:
    gold = proposed().mistakes
    (tmp_path / "gold.csv").write_text(write_gold(gold, TEXTS), encoding="utf-8")
    back = read_gold(tmp_path / "gold.csv", TEXTS)
    assert [one.sources for one in back] == [one.sources for one in gold]
    assert [(one.mistake(), one.found_by, one.label_agreed_by, one.span_agreed_by, one.annotators) for one in back] == [
        (one.mistake(), one.found_by, one.label_agreed_by, one.span_agreed_by, one.annotators) for one in gold
    ]
    assert write_gold(back, TEXTS) == write_gold(gold, TEXTS)


def test_readers_of_the_shared_tasks_columns_read_it_too(tmp_path: Path) -> None:
    gold = proposed().mistakes
    (tmp_path / "gold.csv").write_text(write_gold(gold, TEXTS), encoding="utf-8")
    assert read_mistakes(tmp_path / "gold.csv", TEXTS) == tuple(one.mistake() for one in gold)


def test_every_wrong_cell_is_named_with_its_line(tmp_path: Path) -> None:
    lines = write_gold([mistake(0, 1), mistake(2, 3, "NUMBER")], TEXTS).splitlines()
    wrong = [lines[0], lines[1].replace("NAME,,,,", "NAME,,,many,"), lines[2] + "[1"]
    (tmp_path / "gold.csv").write_text("\n".join(wrong) + "\n", encoding="utf-8")
    with pytest.raises(ProblemsFound) as found:
        read_gold(tmp_path / "gold.csv", TEXTS)
    assert [(one.where, one.part) for one in found.value.problems] == [
        ("gold.csv:2", "FOUND_BY"),
        ("gold.csv:3", "SOURCES"),
    ]


def test_sloppy_quotes_are_read_as_everywhere(tmp_path: Path) -> None:
    lines = write_gold([mistake(0, 1)], TEXTS).splitlines()
    (tmp_path / "gold.csv").write_text(
        "\r\n".join([lines[0], "", lines[1].replace("NAME,,", 'NAME,"Kev"in,')]) + "\r\n"
    )
    assert [one.correction for one in read_gold(tmp_path / "gold.csv", TEXTS)] == ["Kevin"]


def test_an_empty_list_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(write_gold([], TEXTS), encoding="utf-8")
    assert read_gold(tmp_path / "gold.csv", TEXTS) == ()


def test_what_changed_between_versions() -> None:
    old = [mistake(0, 1), mistake(2, 3, "NUMBER", "14"), mistake(5, 6, "NUMBER")]
    new = [mistake(0, 2), mistake(2, 3, "WORD", "14"), mistake(8, 9)]
    assert [(one.kind, one.what) for one in diff(old, new)] == [
        ("changed", ("span",)),
        ("changed", ("label",)),
        ("removed", ()),
        ("added", ()),
    ]


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_a_difference_turned_round_is_the_opposite(first: set[int], second: set[int]) -> None:
    old, new = ([mistake(start, start + 1) for start in one] for one in (first, second))
    opposite = {"added": "removed", "removed": "added", "changed": "changed"}
    assert diff(old, old) == []
    assert [opposite[one.kind] for one in diff(old, new)] == [one.kind for one in diff(new, old)]
    assert len(diff(old, new)) == len(first ^ second)


def test_freezing_makes_the_next_version_and_keeps_the_last() -> None:
    at = datetime(2026, 11, 16, tzinfo=UTC)
    first = freeze(proposed(), author="kim", at=at)
    second = freeze(first, previous=first, author="lee", reason="verified", at=at)
    assert (first.version, first.author, second.version, second.author) == (1, "kim", 2, "lee")
    assert first.mistakes == second.mistakes == proposed().mistakes


@pytest.mark.parametrize("form", ["webanno-tsv", "cas"])
def test_layers_carry_the_list_there_and_back(tmp_path: Path, form: str) -> None:
    if form == "cas":
        pytest.importorskip("cassis")
    gold = proposed().mistakes
    write_gold_list(GOLD_FORMATS[form], tmp_path / "out", gold, TEXTS)
    write_gold_list(GOLD_FORMATS[form], tmp_path / "out.zip", gold, TEXTS)
    for name in ("out", "out.zip"):  # and which of the two it is, the files themselves tell
        back = read_gold_list(tmp_path / name, TEXTS)
        assert [(one.mistake(), one.found_by, one.span_agreed_by, one.group) for one in back] == [
            (one.mistake(), one.found_by, one.span_agreed_by, one.group) for one in gold
        ]
    with pytest.raises(GoldmarkError, match="nowhere"):
        read_gold_list(tmp_path / "nowhere.zip", TEXTS)


def test_texts_that_are_not_known_and_several_curators_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", write_layer(proposed().mistakes, TEXTS))
    with pytest.raises(ProblemsFound) as found:
        read_layer(tmp_path / "out", {"other": text_of("Nothing to see .", "other")})
    assert "tokens are those of none of the 1 texts" in found.value.problems[0].what
    one = tmp_path / "out" / "annotation" / "t" / "CURATION_USER.tsv"
    one.with_name("FIRST.tsv").write_bytes(one.read_bytes())
    assert len(read_layer(tmp_path / "out", TEXTS)) == len(proposed().mistakes)  # a curator's file is known by name
    one.rename(one.with_name("SECOND.tsv"))
    with pytest.raises(NotOneCurator):
        read_layer(tmp_path / "out", TEXTS)


def test_the_curators_exports_are_the_published_list(shared_data: Path) -> None:
    train = shared_data / "accuracy-shared-task" / "train"
    texts = read_spaced_texts(train / "texts")
    gold = read_layer(train / "curation", texts)
    published = read_mistakes(train / "gsml.csv", texts)
    assert {(one.text_id, one.span, one.label, one.correction) for one in gold} == {
        (one.text_id, one.span, one.label, one.correction) for one in published
    }
    assert len(gold) == 1214
    # Counted in the files: every error was found by two or three people.
    assert Counter(one.found_by for one in gold) == {3: 989, 2: 225}
    assert Counter(one.label_agreed_by for one in gold) == {3: 787, 2: 379, 1: 48}
    assert Counter(one.span_agreed_by for one in gold) == {3: 707, 2: 391, 1: 113, 0: 3}


ODD_IDS = ("a", "a.txt", "b.TXT", "x/y z", "ü.txt", "v1.2")


def test_ids_come_back_exactly_from_either_kind_of_file_though_texts_are_alike(tmp_path: Path) -> None:
    texts = {name: text_of("Durant had 30 points .", name) for name in ODD_IDS}
    gold = [GoldMistake(name, Span(2, 3), "NUMBER", str(number), id="1") for number, name in enumerate(ODD_IDS)]
    (tmp_path / "gold.csv").write_text(write_gold(gold, texts), encoding="utf-8")
    write_folder(tmp_path / "out", write_layer(gold, texts))
    for back in (read_gold(tmp_path / "gold.csv", texts), read_layer(tmp_path / "out", texts)):
        assert {(one.text_id, one.correction) for one in back} == {(one.text_id, one.correction) for one in gold}
    # A list of some of them, read where all are known, is about these.
    some = {name: texts[name] for name in ("a", "b.TXT")}
    (tmp_path / "some.csv").write_text(write_gold([gold[0], gold[2]], some), encoding="utf-8")
    assert [one.text_id for one in read_gold(tmp_path / "some.csv", texts)] == ["a", "b.TXT"]


def test_alike_texts_of_other_names_are_not_guessed(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", write_layer([], {"t": text_of("No .")}))
    alike = {name: text_of("No .", name) for name in ("p", "q")}
    with pytest.raises(ProblemsFound) as found:
        read_layer(tmp_path / "out", alike)
    assert "p, q have the same words" in found.value.problems[0].what
