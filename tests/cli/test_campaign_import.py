"""`goldmark campaign import-answers` and `import`: what they say, to people and to programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.exchange.formats import export_campaign, import_campaign
from goldmark.store import open_store
from tests.campaigns.house import NAME, House


@pytest.fixture
def database(sqlite_database: str) -> str:
    store = open_store(sqlite_database)
    House.build(store, 2)
    store.close()
    return sqlite_database


def answers(path: Path, *marks: dict[str, object]) -> Path:
    path.write_text(json.dumps({"unit": "u0", "annotator": "Ada", "mistakes": list(marks)}) + "\n")
    return path


def test_it_says_what_came_in(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = answers(tmp_path / "a.jsonl")
    command = ["campaign", "import-answers", NAME, str(path), "--database", database]
    assert run(command) == 0
    said = capsys.readouterr().err
    assert "brought 1 answer of 1 annotator to 1 unit into 'small'; 0 were there already" in said
    assert "new annotators: Ada" in said
    assert run([*command, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["answers"], facts["already_there"], facts["new_annotators"]) == (0, 1, [])


def test_characters_and_what_is_left_out(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The Foxes won on Friday night . -> "rid" of Friday is at 18-21
    path = answers(tmp_path / "a.jsonl", {"start": 18, "end": 21, "label": "NAME", "correction": "x", "hue": "red"})
    command = ["campaign", "import-answers", NAME, str(path), "--database", database, "--positions", "characters"]
    assert run(command) == 1
    assert 'a.jsonl:1  mistakes: A span has no "hue".' in capsys.readouterr().err
    assert run([*command, "--leave-out", "hue"]) == 0
    assert "widened to whole tokens: 1 mark" in capsys.readouterr().err


def test_a_mistake_has_a_line_and_a_code_and_changes_nothing(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = answers(tmp_path / "a.jsonl", {"start": 4, "end": 5, "label": "DATE", "correction": "x"})
    assert run(["campaign", "import-answers", NAME, str(path), "--database", database]) == 1
    said = capsys.readouterr().err
    assert said.startswith('a.jsonl:1  mistakes: "DATE" is not a label of this task.')
    assert "nothing was imported [PROBLEMS-01]" in said
    assert run(["campaign", "import-answers", "none", str(path), "--database", database]) == 1
    assert "CAMPAIGN-01" in capsys.readouterr().err


def test_a_campaign_without_a_protocol_says_which_option_it_needs(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list/texts").mkdir(parents=True)
    (tmp_path / "list/texts/a.txt").write_text("The Foxes won .")
    (tmp_path / "list/gsml.csv").write_text(
        "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END,TYPE,"
        "CORRECTION,COMMENT\n"
    )
    path = tmp_path / "list"
    command = ["campaign", "import", str(path), "--format", "gsml", "--name", "old", "--database", database]
    assert run(command) == 1
    assert "say with --protocol what was asked" in capsys.readouterr().err
    assert run([*command, "--protocol", "accuracy"]) == 0


def test_names_that_differ_are_suggested_and_mapped(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = {"start": 4, "end": 5, "label": "1_NAME", "B_Correction": "x"}
    path = answers(tmp_path / "a.jsonl", mark)
    command = ["campaign", "import-answers", NAME, str(path), "--database", database]
    assert run(command) == 1
    said = capsys.readouterr().err
    options = ["--question", "B_Correction=correction", "--label", "1_NAME=NAME"]
    assert f"if they mean the same, add {' '.join(options)}" in said
    assert run([*command, *options]) == 0
    assert "1 answer of 1 annotator" in capsys.readouterr().err
    assert run([*command, "--label", "nothing"]) == 1
    assert "write THEIRS=OURS" in capsys.readouterr().err
    assert run([*command, "--text", "article"]) == 1
    assert "EXCHANGE-06" in capsys.readouterr().err


def test_a_project_of_label_studio_with_its_own_protocol_or_one_of_ours(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = {"start": 4, "end": 9, "text": "Foxes", "labels": ["1 Name"]}
    region = {"id": "r1", "from_name": "Errors", "to_name": "t", "type": "labels", "value": place}
    note = {"id": "r1", "from_name": "right", "to_name": "t", "type": "textarea", "value": {"text": ["Owls"]}}
    data = {"article": "The Foxes won.", "source": "A text that is longer, but in which they do not stand."}
    task = {"id": 1, "data": data, "annotations": [{"completed_by": 3, "result": [region, note]}]}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task]))
    command = ["campaign", "import", str(path), "--format", "label-studio", "--database", database]
    assert run([*command, "--name", "theirs"]) == 0
    ours = [*command, "--name", "ours", "--protocol", "accuracy"]
    assert run(ours) == 1
    assert "--label n_1_name=NAME" in capsys.readouterr().err
    assert run([*ours, "--label", "1 Name=NAME", "--question", "right=correction"]) == 0


@pytest.mark.parametrize("form", ["webanno-tsv", pytest.param("cas", marks=pytest.mark.slow)])
def test_a_curators_files_are_the_gold_list(
    database: str, shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    folder = shared_data / "accuracy-shared-task/train/curation"
    if form == "cas":  # which INCEpTION writes of the same project
        pytest.importorskip("cassis")
        export_campaign(import_campaign(folder, "webanno-tsv"), "cas", tmp_path / "cas")
        folder = tmp_path / "cas"
    command = ["campaign", "import", str(folder), "--format", form, "--protocol", "accuracy"]
    assert run([*command, "--name", "curated", "--database", database]) == 0
    assert "imported with 0 responses and 1214 gold mistakes of its curator" in capsys.readouterr().err
    assert run(["campaign", "gold", "curated", str(tmp_path / "gold.csv"), "--database", database]) == 0
    assert "1214 gold mistakes of 60 finished texts" in capsys.readouterr().err
