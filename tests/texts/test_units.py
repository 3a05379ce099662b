"""Files in, units out: every format, and every way in which a file can be wrong, all reported at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldmark.errors import ProblemsFound
from goldmark.records.spans import Span
from goldmark.records.units import ContextLink, ContextTable, ContextText, GivenMark, Unit
from goldmark.texts.readers.formats import OutsideFolder, inside
from goldmark.texts.readers.gsml import read_mistakes
from goldmark.texts.readers.spreadsheet import neutralise
from goldmark.texts.readers.units import NoSuchUnit, find_unit, read_units
from goldmark.texts.segmentation.text import check_text

STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def jsonl(folder: Path, *rows: Mapping[str, Any] | str, name: str = "texts.jsonl") -> Path:
    path = folder / name
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return path


def one(folder: Path, **row: Any) -> Unit:
    (unit,) = read_units([jsonl(folder, {"id": "u", **row})])
    return unit


def problems(*paths: Path, **options: Any) -> list[str]:
    with pytest.raises(ProblemsFound) as caught:
        read_units(paths, **options)
    return [str(problem).replace(f"{paths[0].parent}/", "") for problem in caught.value.problems]


def test_a_full_row(tmp_path: Path) -> None:
    unit = one(
        tmp_path,
        text="Once upon a time. He won.",
        prompt="Once upon a time.",
        focus=[5, 8],
        given=[{"start": 5, "end": 6, "label": "NAME"}],
        language="en-GB",
        context={"Source": "A tale", "Page": "https://example.org/x", "Box": {"columns": ["P"], "rows": [["A"], [3]]}},
        system="secret",
        expected={"fine": True},
    )
    shown = unit.shown.texts["text"]
    assert shown.text.words() == ("Once", "upon", "a", "time", ".", "He", "won", ".")
    assert shown.text.sentences == (Span(0, 5), Span(5, 8))
    assert (shown.prompt, shown.focus, shown.given) == (Span(0, 5), Span(5, 8), (GivenMark(5, 6, "NAME"),))
    assert (shown.language, shown.text.tokeniser, shown.text.id) == ("en-GB", "rules", "u")
    assert unit.shown.context == (
        ContextText("Source", "A tale"),
        ContextLink("Page", "https://example.org/x"),
        ContextTable("Box", ("P",), (("A",), (3,))),
    )
    assert unit.hidden == {"system": "secret", "expected": {"fine": True}}
    assert "secret" not in json.dumps(unit.shown.to_json())


def test_given_tokens_and_sentences(tmp_path: Path) -> None:
    shown = one(tmp_path, tokens=["C.J.", "won", "!"], sentences=[[0, 2], [2, 3]]).shown.texts["text"].text
    assert (shown.characters, shown.tokeniser) == ("C.J. won !", "given")
    assert shown.sentences == (Span(0, 2), Span(2, 3))
    assert one(tmp_path, tokens=["wo", "n"], text=" wo\tn ").shown.texts["text"].text.tokens == (Span(1, 3), Span(4, 5))


def test_a_comparison(tmp_path: Path) -> None:
    unit = one(tmp_path, a="It won.", b="It lost.", prompt="It", language={"a": "en"}, tokens={"b": ["It", "lost."]})
    assert {role: shown.text.words() for role, shown in unit.shown.texts.items()} == {
        "a": ("It", "won", "."),
        "b": ("It", "lost."),
    }
    assert [shown.prompt for shown in unit.shown.texts.values()] == [Span(0, 1)] * 2
    assert [shown.language for shown in unit.shown.texts.values()] == ["en", ""]
    assert [shown.text.id for shown in unit.shown.texts.values()] == ["u/a", "u/b"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": "x"}, 'no "id"'),
        ({"id": "", "text": "x"}, 'no "id"'),
        ({"id": True, "text": "x"}, '"id" is true or false'),
        ({"id": " x", "text": "x"}, "spaces around"),
        ({"id": "u"}, "the row has no text"),
        ({"id": "u", "text": "x", "a": "y"}, '"text" and "a"'),
        ({"id": "u", "a": "y"}, 'both "a" and "b"'),
        ({"id": "u", "text": " \n"}, "the text is empty"),
        ({"id": "u", "text": 3}, '"text" is a number'),
        ({"id": "u", "text": "a\0b"}, "character 1 of the text is U+0000"),
        ({"id": "u", "text": "x", "system": ["\0"]}, 'character 0 of "system" is U+0000'),
        ('{"id": "u", "text": "a\\ud800"}', "character 1 of the text is U+D800"),
        ({"id": "u", "text": "a b", "tokens": ["a"]}, "the 1 tokens end before the text"),
        ({"id": "u", "text": "a b", "tokens": ["a", "c"]}, 'token 1 ("c") does not fit'),
        ({"id": "u", "tokens": ["a", 3]}, '"tokens" holds a number'),
        ({"id": "u", "text": "a b", "sentences": [[0, 1]]}, "the sentences end at token 1"),
        ({"id": "u", "text": "a b", "sentences": [[1, 0]]}, "span 1-0 is empty or reversed"),
        ({"id": "u", "text": "a b", "sentences": "x"}, '"sentences" is text'),
        ({"id": "u", "text": "a b", "prompt": "b"}, "does not begin with its prompt"),
        ({"id": "u", "text": "abc d", "prompt": "ab"}, 'ends inside the token "abc"'),
        ({"id": "u", "text": "a b", "prompt": 3}, "the prompt is 3 tokens long, and the text 2"),
        ({"id": "u", "text": "a b", "focus": [0, 3]}, "the focus 0-3 runs past the text"),
        ({"id": "u", "text": "a b", "focus": [0]}, '"focus" must be given as [first token'),
        ({"id": "u", "text": "a b", "given": [[0, 1]]}, '"given" must be a list of'),
        ({"id": "u", "text": "a b", "given": [{"start": 1, "end": 4}]}, "the given mark 1-4"),
        ({"id": "u", "text": "a b", "language": 'en" onload'}, "it must be a tag"),
        ({"id": "u", "text": "a", "context": [{"kind": "video", "title": "t"}]}, 'kind "video"'),
        ({"id": "u", "text": "a", "context": [{"kind": "link", "title": "t", "url": "javascript:x"}]}, "javascript:x"),
        ({"id": "u", "text": "a", "context": {"t": 3}}, 'the context "t" is a number'),
        ({"id": "u", "text": "a", "context": {"t": {"columns": ["x"], "rows": [[1, 2]]}}}, "has 2 cells"),
        ({"id": "u", "text": "a", "context": "x"}, '"context" is text'),
        ({"id": "u", "a": "x", "b": "y", "focus": [0, 1]}, "must say which text"),
        ({"id": "u", "a": "x", "b": "y", "prompt": {"c": "x"}}, "is given for c"),
        ("{", "the line is not JSON"),
        ("[1]", "no object"),
        ('{"id": "u", "id": "v", "text": "x"}', 'the key "id" occurs twice'),
        ('{"id": "u", "text": "x", "score": NaN}', "NaN is no number"),
        ('{"id": "u", "text": "x", "score": -1e999}', "-1e999 is too large for a number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_row_is_named_with_its_line(tmp_path: Path, row: Mapping[str, Any] | str, said: str) -> None:
    found = problems(jsonl(tmp_path, {"id": "good", "text": "x"}, "", row))
    assert len(found) == 1
    assert found[0].startswith("texts.jsonl:3  ")
    assert said in found[0]


def test_everything_wrong_is_reported_at_once_and_nothing_is_imported(tmp_path: Path) -> None:
    first = jsonl(tmp_path, {"id": "a", "text": "x"}, {"id": "b", "text": "", "prompt": 3}, {"id": "a", "text": "y"})
    second = jsonl(tmp_path, {"id": "c"}, {"id": "a", "text": "x"}, name="more.jsonl")
    missing, other = tmp_path / "none.jsonl", tmp_path / "x.doc"
    other.touch()
    assert problems(first, second, missing, other) == [
        "texts.jsonl:2  the text is empty, or white space only; leave the row out, or give its text",
        'texts.jsonl:3  the id "a" was already used at texts.jsonl:1; give every unit an id of its own',
        'more.jsonl:1  the row has no text; give "text", both "a" and "b" for a comparison, or three and '
        'more as "texts"',
        'more.jsonl:2  the id "a" was already used at texts.jsonl:1; give every unit an id of its own',
        "none.jsonl  the file cannot be read: No such file or directory",
        'x.doc  x.doc is of no known format; name one with "format" (csv, folder, jsonl, parquet, txt, xlsx)',
    ]


def test_wrong_encodings_are_named_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "u", "text": "x"}\n{"id": "v", "text": "\xe9"}\n')
    place = path.read_bytes().index(b"\xe9")
    assert problems(path) == [f"texts.jsonl:2  byte {place} (0xe9) is not UTF-8; save the file as UTF-8"]
    path.write_text('{"id": "u"}', encoding="utf-16")
    assert problems(path) == ["texts.jsonl  the file is encoded as UTF-16; save it as UTF-8"]
    path.write_bytes(b'\xef\xbb\xbf{"id": "u", "text": "x"}\r\n')
    assert read_units([path])[0].id == "u"


def test_large_files_and_empty_files_are_refused(tmp_path: Path) -> None:
    path = jsonl(tmp_path, {"id": "u", "text": "x"})
    assert "the file has 25 bytes; 10 are allowed" in problems(path, limit_bytes=10)[0]
    assert problems(jsonl(tmp_path, "")) == ["texts.jsonl  the file holds no row"]


def test_what_is_longer_than_a_text_may_be_is_told_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDMARK_LONGEST_TEXT", "20")
    long = "word " * 5
    said = "has 25 characters, and 20 are allowed; cut it into parts, or set GOLDMARK_LONGEST_TEXT"
    row = {"id": "u", "text": long}
    written = {
        "texts.jsonl": json.dumps(row).encode(),
        "texts.csv": f"id,text\nu,{long}\n".encode(),
        "texts.txt": long.encode(),
        "texts.parquet": _parquet(row),
    }
    for name, content in written.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert f"the text {said}" in problems(path)[0], name
    for more in (
        {"context": {"Source": "x" * 14 + "y"}},  # with its title
        {"note": [["x" * 10], {"y": "z" * 10}]},
        {"text": None, "tokens": ["word"] * 5},
        {"id": "i" * 21},
    ):
        (told,) = problems(jsonl(tmp_path, {"id": "u", "text": "short", **more}))
        assert "characters, and 20 are allowed" in told, more
    assert one(tmp_path, text="x" * 20).shown.texts["text"].text.characters == "x" * 20
    for wrong in ("0", "-1", "many", "１"):
        monkeypatch.setenv("GOLDMARK_LONGEST_TEXT", wrong)
        assert "must be a whole number of characters" in problems(jsonl(tmp_path, row))[0]


def _parquet(row: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    polars.DataFrame([row]).write_parquet(out)
    return out.getvalue()


def test_a_file_of_nothing_but_mistakes_is_not_read_to_its_end(tmp_path: Path) -> None:
    # 900 KB of such lines took 43 seconds, 650 MB and a reply of 72 MB.
    for line in ("x\n", "{}\n"):
        path = tmp_path / "texts.jsonl"
        path.write_text(line * 100_000)
        with pytest.raises(
            ProblemsFound, match="1000 problems or more, the first 1,000 are told; reading ended"
        ) as told:
            read_units([path])
        assert len(told.value.problems) == 1_000
        assert told.value.problems[-1].where.endswith(":1000") or line == "{}\n"


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(
        "\ufeffid,text,prompt,language,system,context.Source,context.Page\r\n"
        'u,"Two\r\nlines",Two,,\'=secret,"A, b",https://example.org/x\r\n'
        "v,'-3 points,,ar,,,\r\n",
        encoding="utf-8",
        newline="",
    )
    first, second = read_units([path])
    shown = first.shown.texts["text"]
    assert shown.text.characters == "Two\r\nlines"
    assert (shown.prompt, shown.language) == (Span(0, 1), "")
    assert first.shown.context == (ContextText("Source", "A, b"), ContextLink("Page", "https://example.org/x"))
    assert first.hidden == {"system": "=secret"}
    assert second.shown.texts["text"].text.characters == "-3 points"
    assert (second.shown.texts["text"].language, second.shown.context, second.hidden) == ("ar", (), {"system": ""})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "texts.csv:1  the file has no header"),
        ("id,id,text\n", "texts.csv:1  column id occurs more than once"),
        ("TEXT_ID,SUMMARY\nu,x\n", "texts.csv:1  the file has the columns TEXT_ID, SUMMARY; rename columns"),
        ("id,text,tokens\n", "texts.csv:1  a cell cannot hold tokens; use JSONL"),
        ('id,text\nu,"a\nb"\nv,a,b\n', "texts.csv:4  the row has 3 cells, the header 2"),
        ('id,text\nu,"a"b\n', "texts.csv:2  the file is not CSV from here on"),
        ('id,text\nu,"a\nb"\nu,x\n', 'texts.csv:4  the id "u" was already used at texts.csv:2'),
    ],
)
def test_bad_csv(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(content, encoding="utf-8", newline="")
    assert problems(path)[0].startswith(said)


def test_parquet_has_the_keys_of_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "texts.parquet"
    rows = [
        {"id": 7, "tokens": ["He", "won"], "system": "s", "score": float("nan"), "context.Source": "x", "prompt": 1},
        {"id": 8, "tokens": ["She"], "system": None, "score": 0.5, "context.Source": None, "prompt": None},
    ]
    polars.DataFrame(rows).write_parquet(path)
    first, second = read_units([path])
    assert (first.id, first.shown.texts["text"].text.characters) == ("7", "He won")
    assert first.hidden == {"system": "s", "score": None}
    assert first.shown.context == (ContextText("Source", "x"),)
    assert first.shown.texts["text"].prompt == Span(0, 1)
    assert (second.shown.context, second.hidden) == ((), {"system": None, "score": 0.5})
    path.write_bytes(b"no")
    assert "is not Parquet" in problems(path)[0]


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "S002.txt").write_bytes("Zwei é.\r\n".encode())
    (folder / "S001.txt").write_text("One .", encoding="utf-8")
    (folder / "notes.md").write_text("not a text", encoding="utf-8")
    units = read_units([folder], tokeniser="whitespace")
    assert [unit.id for unit in units] == ["S001.txt", "S002.txt"]
    assert units[1].shown.texts["text"].text.characters == "Zwei é.\r\n"
    outside = tmp_path / "secret.txt"
    outside.write_text("secret", encoding="utf-8")
    (folder / "link.txt").symlink_to(outside)
    assert "leads outside the folder" in problems(folder)[0]


def test_paths_stay_inside_their_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    assert inside(tmp_path / "in", "a/../b.csv") == tmp_path / "in" / "b.csv"
    (tmp_path / "in" / "out").symlink_to(tmp_path)
    for relative in ("../b.csv", "/etc/passwd", "out/b.csv", "a/../../in2/b"):
        with pytest.raises(OutsideFolder):
            inside(tmp_path / "in", relative)


@given(characters=STORABLE.filter(str.strip), hidden=STORABLE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_survives_every_format(tmp_path: Path, characters: str, hidden: str) -> None:
    row = {"id": "u", "text": characters, "system": hidden}
    table = io.StringIO(newline="")
    csv.writer(table).writerows([list(row), [neutralise(cell) for cell in row.values()]])
    (tmp_path / "t.csv").write_text(table.getvalue(), encoding="utf-8", newline="")
    polars.DataFrame([row]).write_parquet(tmp_path / "t.parquet")
    for path in (jsonl(tmp_path, row), tmp_path / "t.csv", tmp_path / "t.parquet"):
        (unit,) = read_units([path])
        assert unit.shown.texts["text"].text.characters == characters
        assert unit.hidden == {"system": hidden}
        check_text(unit.shown.texts["text"].text)


def test_find_unit(tmp_path: Path) -> None:
    units = read_units([jsonl(tmp_path, {"id": "S001", "text": "x"}, {"id": "S002", "text": "y"})])
    assert find_unit(units, None).id == "S001"
    assert find_unit(units, "S002").id == "S002"
    with pytest.raises(NoSuchUnit, match='did you mean "S00'):
        find_unit(units, "S003")


def test_the_shared_tasks_gold_list(shared_data: Path) -> None:
    train = shared_data / "accuracy-shared-task/train"
    units = read_units([train / "texts"], format="folder", tokeniser="whitespace", sentences="full_stop")
    known = {unit.id: unit.shown.texts["text"].text for unit in units}
    mistakes = read_mistakes(train / "gsml.csv", known, overlap=True)
    assert len(units) == len({one.text_id for one in mistakes}) == 60
    assert len(mistakes) == 1214  # the number its README gives
    assert next(one for one in mistakes if one.text_id == "S001.txt").span == Span(
        17, 18
    )  # "Wednesday", token 18 in the file, which counts from 1
