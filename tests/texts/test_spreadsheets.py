"""Tables as people keep them: Excel's workbooks, semicolons, columns with names of their own."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import polars
import pytest

from goldmark.errors import ProblemsFound
from goldmark.records.tables import Table
from goldmark.results.output.tables import to_frame
from goldmark.texts.readers.sheets.columns import ColumnNotInSheet, NoTextColumn, guessed, mapped, read_sheet
from goldmark.texts.readers.sheets.parquet import PolarsMissing
from goldmark.texts.readers.tidy import read_tidy
from goldmark.texts.readers.units import read_units

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINK = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
SHEET = f"""<worksheet {MAIN}><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Day</t></is></c></row>
<row r="3"><c r="A3"><v>7</v></c><c r="B3" t="s"><v>2</v></c><c r="D3" s="1"><v>46145</v></c></row>
<row r="4"><c r="A4" t="str"><f>1+1</f><v>eight</v></c><c r="B4" t="e"><v>#REF!</v></c>
<c r="C4" t="b"><v>1</v></c></row>
</sheetData></worksheet>"""
STRINGS = f"""<sst {MAIN}><si><t>id</t></si><si><t>text</t></si>
<si><r><t>Zebras </t></r><r><t>run &lt;fast&gt;.</t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si></sst>"""
STYLES = f'<styleSheet {MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'


def workbook(path: Path, sheet: str = SHEET, **more: str) -> Path:
    parts = {
        "xl/workbook.xml": f'<workbook {MAIN} {LINK}><sheets><sheet name="h" sheetId="1" state="hidden" r:id="r9"/>'
        '<sheet name="Texts" sheetId="2" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/>'
        "</Relationships>",
        "xl/worksheets/one.xml": sheet,
        "xl/sharedStrings.xml": STRINGS,
        "xl/styles.xml": STYLES,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in {**parts, **more}.items():
            book.writestr(name, content)
    return path


def test_the_first_visible_sheet_is_read_as_text(tmp_path: Path) -> None:
    sheet = read_sheet(workbook(tmp_path / "t.xlsx"))
    assert sheet.columns == ("id", "text", "column 3", "Day")
    assert sheet.rows == [
        {"id": "7", "text": "Zebras run <fast>.", "column 3": "", "Day": "2026-05-03"},
        {"id": "eight", "text": "", "column 3": "true", "Day": ""},
    ]


def test_a_workbook_is_imported_like_any_file(tmp_path: Path) -> None:
    rows = SHEET.partition('<row r="4">')[0].replace('<c r="D1"', '<c r="C1"').replace('<c r="D3"', '<c r="C3"')
    (unit,) = read_units([workbook(tmp_path / "t.xlsx", f"{rows}</sheetData></worksheet>")])
    assert unit.id == "7"
    assert unit.shown.texts["text"].text.characters == "Zebras run <fast>."
    assert unit.hidden == {"Day": "2026-05-03"}


@pytest.mark.parametrize(
    "content",
    [b"no archive", b"PK\x03\x04", "empty", "bomb", "entities", "columns"],
)
def test_what_is_no_workbook_or_a_trap_is_refused_in_words(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "t.xlsx"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "empty":
        with zipfile.ZipFile(path, "w") as book:
            book.writestr("readme.txt", "nothing")
    elif content == "bomb":
        workbook(path, **{"xl/media/zeros": "0" * 60_000_000})
    elif content == "entities":
        lol = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        workbook(path, lol + SHEET)
    else:
        workbook(path, SHEET.replace('r="B3"', 'r="ZZZZZZ3"'))
    with pytest.raises(ProblemsFound, match="not an Excel workbook"):
        read_units([path])


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_csv_may_be_parted_by_comma_semicolon_or_tab(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(mark.join(["id", "text", '"a; b, c"']) + "\n" + mark.join(["1", '"One, two; three."', "x"]) + "\n")
    (unit,) = read_units([path])
    assert unit.shown.texts["text"].text.characters == "One, two; three."
    assert unit.hidden == {"a; b, c": "x"}


def test_a_text_file_is_one_text(tmp_path: Path) -> None:
    (tmp_path / "S001.txt").write_text("Zebras run.")
    assert [one.id for one in read_units([tmp_path / "S001.txt"])] == ["S001.txt"]


def test_columns_are_guessed_by_their_names() -> None:
    assert guessed(["Nr", "Summary", "Model", "Article"]) == {"text": "Summary", "id": "Nr", "system": "Model"}
    assert guessed(["output A", "output B", "answer"]) == {"a": "output A", "b": "output B"}
    assert guessed(["x"]) == {}


def test_what_nobody_chose_stays_hidden_and_rows_get_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Summary,Model,Article,language,id\nOne.,oak,Long story,en,same\nTwo.,elm,,de,same\n")
    sheet = read_sheet(path)
    rows = mapped(sheet, {"text": "Summary", "system": "Model", "id": ""}, ["Article"])
    assert rows[0]["context"] == {"Article": "Long story"}
    assert [(one["id"], one["text"], one["system"]) for one in rows] == [("1", "One.", "oak"), ("2", "Two.", "elm")]
    assert rows[1] == {"id": "2", "text": "Two.", "system": "elm", "column language": "de", "column id": "same"}
    with pytest.raises(NoTextColumn):
        mapped(sheet, {"id": "Model"})
    with pytest.raises(ColumnNotInSheet):
        mapped(sheet, {"text": "Sumary"})


def test_parquet_and_json_lines_are_tables_too(tmp_path: Path) -> None:

    buffer = io.BytesIO()
    polars.DataFrame({"output": ["One."], "n": [1]}).write_parquet(buffer)
    (tmp_path / "t.parquet").write_bytes(buffer.getvalue())
    assert read_sheet(tmp_path / "t.parquet").rows == [{"output": "One.", "n": 1}]
    (tmp_path / "t.jsonl").write_text('{"output": "One."}\n{"n": 2}\n')
    assert read_sheet(tmp_path / "t.jsonl").columns == ("output", "n")


def test_without_polars_whoever_asks_for_parquet_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    (tmp_path / "texts.parquet").write_bytes(b"PAR1")
    (tmp_path / "texts.csv").write_text("id,text\na,Zebras run.\n")
    for read in (read_sheet, read_tidy, lambda path: read_units([path])):
        with pytest.raises(PolarsMissing, match=r"pip install 'goldmark\[parquet\]'"):
            read(tmp_path / "texts.parquet")
        assert read(tmp_path / "texts.csv")
    with pytest.raises(PolarsMissing, match="polars data frames need"):
        to_frame(Table("Numbers", ("n",), ((1,),)))


SETS = """nr,prompt,first answer,output_b,c,d,notes
1,Name a bookshop.,Salt and Spine.,The Tidemark.,Books.,Inkwell Quay.,x
2,Name a boat.,Gull.,Boat.,Marguerite.,Sea.,y
"""


def test_a_table_may_hold_several_texts_a_row(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text(SETS)
    sheet = read_sheet(path)
    roles = {"id": "nr", "a": "first answer", "b": "output_b", "c": "c", "d": "d"}
    rows = mapped(sheet, roles, ["prompt"])
    texts = {"a": "Salt and Spine.", "b": "The Tidemark.", "c": "Books.", "d": "Inkwell Quay."}
    assert rows[0] == {"id": "1", "texts": texts, "notes": "x", "context": {"prompt": "Name a bookshop."}}
    # A column that nobody chose stays hidden, also under the name of one of the texts.
    rows = mapped(sheet, {**roles, "c": "d", "d": "notes"})
    assert rows[0]["texts"]["c"] == "Inkwell Quay."
    assert rows[0]["column c"] == "Books."
    with pytest.raises(NoTextColumn):  # no second text
        mapped(sheet, {"a": "first answer", "c": "c"})
    assert "texts" not in mapped(sheet, {"text": "c", **roles})[0]  # one text or several; the row is then refused


def test_several_texts_are_guessed_by_name_up_to_the_first_gap() -> None:
    letters = ["text_a", "text_b", "text_c", "text_d"]
    assert guessed(["id", *letters]) == {"id": "id", **dict(zip("abcd", letters, strict=True))}
    assert guessed(["id", "a", "b", "d"]) == {"id": "id", "a": "a", "b": "b"}
    assert guessed(["id", "text", "c"]) == {"id": "id", "text": "text"}


def test_files_name_the_columns_of_several_texts(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text("id,texts.a,texts.b,texts.c,system_a\nq1,One.,Two.,Three.,birch\n")
    (unit,) = read_units([path])
    assert {role: shown.text.characters for role, shown in unit.shown.texts.items()} == {
        "a": "One.",
        "b": "Two.",
        "c": "Three.",
    }
    assert unit.hidden["system_a"] == "birch"
    path.write_text("id,texts.a,texts.b,texts.c\nq1,One.,,Three.\n")
    with pytest.raises(ProblemsFound, match="three to five texts"):
        read_units([path])
    table = tmp_path / "sets.parquet"
    polars.DataFrame({"id": ["q1"], "texts": [["One.", "Two.", "Three."]]}).write_parquet(table)
    assert list(read_units([table])[0].shown.texts) == ["a", "b", "c"]
