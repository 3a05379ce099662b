"""Mistake lists in and out: the shared task's own files, and every way a row can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.texts.readers.gsml import (
    COLUMNS,
    NoTextsForList,
    parse_mistakes,
    read_mistakes,
    read_spaced_texts,
    sentences_at_full_stops,
    spaced_text,
    write_mistakes,
)

TEXTS = {"a": spaced_text("a", "Ann scored 9 points . She won the game .  Next : Rome"), "b": spaced_text("b", "No .")}
NINE = "a.txt,1,7,9,3,3,3,3,NUMBER,8,"


def write(folder: Path, *rows: str, header: str = ",".join(COLUMNS)) -> Path:
    path = folder / "list.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def problems(path: Path, **options: object) -> list[str]:
    with pytest.raises(ProblemsFound) as caught:
        read_mistakes(path, TEXTS, **options)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


def test_sentences_end_at_lone_full_stops_and_at_the_end() -> None:
    assert sentences_at_full_stops(["C.J.", "Miles", "won", ".", "Good", "."]) == (Span(0, 4), Span(4, 6))
    assert sentences_at_full_stops(["No", "stop"]) == (Span(0, 2),)
    assert sentences_at_full_stops([]) == ()
    assert TEXTS["a"].sentences == (Span(0, 5), Span(5, 10), Span(10, 13))


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("train/gsml.csv", "both"),
        ("example_submissions/gsml_doc_based.csv", "document"),
        ("example_submissions/gsml_sent_based.csv", "sentence"),
    ],
)
def test_the_shared_tasks_gold_list_survives_a_round_trip_byte_for_byte(shared_data: Path, name: str, ids: str) -> None:
    folder = shared_data / "accuracy-shared-task"
    texts = read_spaced_texts(folder / "train" / "texts")
    mistakes = read_mistakes(folder / name, texts)
    assert len(mistakes) == 1214
    written = write_mistakes(mistakes, texts, ids=ids, suffix=".txt")  # type: ignore[arg-type]
    assert written.encode() == (folder / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "count", "first"),
    [
        # 571 rows without any id; 285 rows with sentence ids beside 286 with document ids; one doubled row, whose
        # tokens moreover have a dash where the text has a hyphen.
        ("submission_blank.csv", 571, "submission_blank.csv:2  the row has no token ids"),
        ("submission_malformed.csv", 285, "submission_malformed.csv:2  the row has sentence ids, but most"),
        ("submission_overlapping.csv", 2, "submission_overlapping.csv:80  TOKENS says"),
    ],
)
def test_the_shared_tasks_faulty_submissions_are_refused(shared_data: Path, name: str, count: int, first: str) -> None:
    folder = shared_data / "accuracy-shared-task"
    texts = read_spaced_texts(folder / "train" / "texts")
    with pytest.raises(ProblemsFound) as caught:
        read_mistakes(folder / "example_submissions" / name, texts)
    assert len(caught.value.problems) == count
    assert str(caught.value.problems[0]).startswith(first)


def test_ids_become_positions_from_zero_with_exclusive_end(tmp_path: Path) -> None:
    row = 'a.txt,2,x1,the game,3,4,8,9,WORD,,"no, not that"'
    assert read_mistakes(write(tmp_path, row), TEXTS) == (
        Mistake("a", Span(7, 9), "WORD", "", "no, not that", "x1", None),
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("c.txt,1,7,9,3,3,3,3,NUMBER,8,", "list.csv:2  text 'c.txt' is not known; known are a, b"),
        ("a.txt,1,7,8,3,3,3,3,NUMBER,8,", "list.csv:2  TOKENS says '8', but these ids are '9'"),
        ("a.txt,1,7,,3,3,3,3,NUMBER,8,", "list.csv:2  TOKENS says '', but these ids are '9'"),
        ("a.txt,1,7,9,3,3,4,4,NUMBER,8,", "list.csv:2  the document's ids are 'points', the sentence's '9'"),
        ("a.txt,2,7,9,,,3,3,NUMBER,8,", "list.csv:2  token 3 is in sentence 1, not in sentence 2"),
        ("a.txt,1,7,9,3,3,3,3,NUMBR,8,", "list.csv:2  category 'NUMBR' is not known; did you mean 'NUMBER'?"),
        ("a.txt,1,7,9,3,3,3,3,,8,", "list.csv:2  TYPE is empty; known are NAME"),
        ("a.txt,,7,9,,,3,,NUMBER,8,", "list.csv:2  DOC_TOKEN_END is empty; fill it"),
        ("a.txt,,7,9,3,3,,,NUMBER,8,", "list.csv:2  SENTENCE_ID is empty; fill it"),
        ("a.txt,,7,9,,,3.0,3,NUMBER,8,", "list.csv:2  DOC_TOKEN_START is '3.0', not a token id"),
        ("a.txt,,7,9,,,³,3,NUMBER,8,", "list.csv:2  DOC_TOKEN_START is '³', not a token id"),
        (f"a.txt,,7,9,,,{'9' * 5000},3,NUMBER,8,", "list.csv:2  DOC_TOKEN_START is '999"),
        ("a.txt,,7,9,,,0,3,NUMBER,8,", "list.csv:2  tokens 0 to 3 do not exist in text a, which has 13"),
        ("a.txt,,7,Rome,,,13,14,NAME,,", "list.csv:2  tokens 13 to 14 do not exist in text a, which has 13"),
        ("a.txt,,7,9,,,4,3,NUMBER,8,", "list.csv:2  the mistake ends (token 3) before it starts (token 4)"),
        ("a.txt,4,7,9,3,3,,,NUMBER,8,", "list.csv:2  text a has 3 sentences, not a sentence 4"),
        ("a.txt,1,7,. She,5,6,,,NUMBER,8,", "list.csv:2  tokens 5 to 6 do not exist in sentence 1"),
        ("a.txt,1,7,9,3,3,3,3,NUMBER", "list.csv:2  9 cells for 11 columns"),
        ("", "list.csv:4"),
    ],
)
def test_every_wrong_row_is_refused_with_its_line(tmp_path: Path, row: str, expected: str) -> None:
    if not row:  # a second row after a cell with a line break stands on line 4 of the file
        rows = ['a.txt,1,7,9,3,3,3,3,NUMBER,8,"two\nlines"', "b.txt,9,8,No,1,1,1,1,WORD,,"]
        assert problems(write(tmp_path, *rows))[0].startswith(expected)
        return
    assert problems(write(tmp_path, row))[0].startswith(expected)


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    found = problems(write(tmp_path, "c,1,7,9,3,3,3,3,NUMBER,8,", "a,1,7,8,3,3,3,3,NUMBERS,8,", NINE))
    assert [line.split("  ")[0] for line in found] == ["list.csv:2", "list.csv:3", "list.csv:3", "list.csv:4"]
    assert "overlaps another: token 3 of text a is already part of the one on line 3" in found[3]


def test_missing_columns_are_named_beside_those_that_are_there(tmp_path: Path) -> None:
    header = ",".join(COLUMNS).replace(",TYPE", "")
    assert problems(write(tmp_path, header=header))[0].startswith(
        "list.csv:1  column TYPE missing; the file has TEXT_ID, SENTENCE_ID,"
    )
    assert "the file is empty" in problems(write(tmp_path, header=""))[0]


def test_columns_may_come_in_any_order_and_with_others(tmp_path: Path) -> None:
    header = ",".join(reversed(COLUMNS)) + ",EXTRA"
    row = ",".join(reversed(NINE.split(","))) + ",more"
    assert read_mistakes(write(tmp_path, row, header=header), TEXTS)[0].span == Span(2, 3)


def test_annotators_may_mark_the_same_words_but_each_only_once(tmp_path: Path) -> None:
    header = ",".join((*COLUMNS, "ANNOTATOR"))
    path = write(tmp_path, f"{NINE},ann", f"{NINE},bob", header=header)
    assert [mistake.annotator for mistake in read_mistakes(path, TEXTS, annotators=True)] == ["ann", "bob"]
    path = write(tmp_path, f"{NINE},ann", f"{NINE},ann", f"{NINE},", header=header)
    assert len(problems(path, annotators=True)) == 2
    assert len(read_mistakes(write(tmp_path, NINE, NINE), TEXTS, overlap=True)) == 2


def test_a_folder_or_list_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoTextsForList, match=r"holds no \.txt file"):
        read_spaced_texts(tmp_path)
    with pytest.raises(NoTextsForList, match="is not a folder"):
        read_spaced_texts(tmp_path / "none")
    with pytest.raises(GoldmarkError, match="there is no such file"):
        read_mistakes(tmp_path / "none.csv", TEXTS)
    (tmp_path / "latin.csv").write_bytes(b"caf\xe9")
    with pytest.raises(GoldmarkError, match="not UTF-8"):
        read_mistakes(tmp_path / "latin.csv", TEXTS)


WORDS = st.lists(st.sampled_from(["Ann", "won", ".", '"', ",", "né", "9"]), min_size=1, max_size=20)
CELL = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\x00"), max_size=10)


@given(st.data(), WORDS, st.sampled_from(["document", "both"]))
def test_whatever_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, words: list[str], ids: str
) -> None:
    text = spaced_text("t", " ".join(words))
    starts = st.integers(0, len(words) - 1)
    mistakes = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(starts)
        end = data.draw(st.integers(start + 1, len(words)))
        mistakes.append(Mistake("t", Span(start, end), "NAME", data.draw(CELL), data.draw(CELL), data.draw(CELL)))
    path = tmp_path_factory.mktemp("gsml") / "list.csv"
    path.write_bytes(write_mistakes(mistakes, {"t": text}, ids=ids).encode())  # type: ignore[arg-type]
    assert read_mistakes(path, {"t": text}, overlap=True) == tuple(mistakes)


ODD_IDS = ["a", "a.txt", "a.txt.txt", "b.TXT", "b", "x/y z", " .hidden", "ü.txt", "=1+1", "v1.2", "con"]


def test_a_list_gives_back_exactly_the_ids_it_was_written_with() -> None:
    texts = {name: spaced_text(name, "Ann won .") for name in ODD_IDS}
    mistakes = tuple(Mistake(name, Span(0, 1), "NAME", id="1") for name in ODD_IDS)
    written = write_mistakes(mistakes, texts)
    assert ".txt.txt.txt" not in written
    assert parse_mistakes(written, texts) == mistakes
    for one in mistakes:  # a list of one text, read where all are known, means that one
        assert parse_mistakes(write_mistakes([one], {one.text_id: texts[one.text_id]}), texts) == (one,)


@pytest.mark.parametrize("known", ["S1", "S1.txt"])
@pytest.mark.parametrize("written", ["S1", "S1.txt", " S1.txt "])
def test_a_text_may_be_named_with_or_without_the_ending_of_its_file(known: str, written: str) -> None:
    text = spaced_text(known, "Ann won .")
    (found,) = parse_mistakes(",".join(COLUMNS) + f"\n{written},,1,Ann,,,1,1,NAME,,\n", {known: text})
    assert found.text_id == known


def test_files_whose_names_differ_by_the_ending_only_are_told_apart(tmp_path: Path) -> None:
    for name in ("a.txt", "a.txt.txt", "b.txt.txt"):
        (tmp_path / name).write_text(f"{name} won .")
    texts = read_spaced_texts(tmp_path)
    assert list(texts) == ["a", "a.txt.txt", "b.txt"]
    for name in ("a.txt", "a.txt.txt", "b.txt.txt"):
        (found,) = parse_mistakes(",".join(COLUMNS) + f"\n{name},,1,{name},,,1,1,NAME,,\n", texts)
        written = write_mistakes([found], texts, suffix=".txt")
        assert parse_mistakes(written, texts) == (found,)
