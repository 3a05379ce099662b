from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.results.catalogue import RESULTS

OWN_FILES = [one.name for one in RESULTS.values() if one.analysis]

# The smallest files that each table can be made of; columns as `goldmark table list` names them.
FILES = {
    "combinations": ["error,annotator,gold\n1,a,y\n1,b,y\n2,a,y\n3,,y\n"],
    "verification": ["error,verifier,is_error\n1,v,y\n1,w,n\n2,,\n"],
    "errors-per-text": ["text,system,category\nt1,A,NAME\nt2,A,\n", "text,system\nt1,A\nt2,A\n"],
    "design": ["item,score\n1,0\n1,1\n2,1\n2,1\n"],
    "study": ["evaluator,text,truth,answer\ne,1,human,1\ne,2,machine,3\nf,1,human,4\nf,2,machine,4\n"],
    "coding": ["comment,group\n1,form\n2,content\n"],
    "best-worst": ["unit,annotator,item,chosen\ns,p,a,best\ns,p,b,\ns,p,c,worst\n"],
    "soft-labels": ["unit,annotator,label\n1,a,x\n1,b,y\n", "unit,label,probability\n1,x,0.4\n1,y,0.6\n"],
    "stages": ["task,unit,annotator,label\nt,1,a,x\nt,1,b,x\nt,2,a,y\nt,2,b,x\n"],
    "dataset": ["text,tokens\nt,one two\n", "text,start,end,type\nt,0,1,word\n"],
}


@pytest.fixture(params=OWN_FILES)
def command(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    paths = []
    for number, content in enumerate(FILES[request.param]):
        path = tmp_path / f"{number}.csv"
        path.write_text(content, encoding="utf-8")
        paths.append(str(path))
    return ["table", request.param, *paths]


def test_json(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--json", "--resamples", "50"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert tables
    assert all("|v:" in table["signature"] for table in tables)


@pytest.mark.parametrize("form", ["table", "csv", "latex"])
def test_every_format(command: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--format", form, "--resamples", "50"]) == 0
    out, err = capsys.readouterr()
    assert {"table": "|v:", "csv": ",", "latex": r"\toprule"}[form] in out
    assert form != "csv" or "|v:" in err  # what a reader must know does not get lost


def test_every_table_can_be_drawn(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    assert run([*command, "--plot", str(path), "--resamples", "50"]) == 0
    assert path.stat().st_size > 1000


def test_list_names_tables_columns_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "list"]) == 0
    out = capsys.readouterr().out
    assert "combinations  (ACCURACY tables 5 and 6)" in out
    assert "made of a campaign that asks for numbers or scales (--campaign NAME); or the folder of an exported" in out
    assert run(["table", "list", "--json"]) == 0
    names = [table["name"] for table in json.loads(capsys.readouterr().out)["tables"]]
    assert names == list(RESULTS)


def test_columns_by_other_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("error,worker,gold\n1,a,y\n", encoding="utf-8")
    assert run(["table", "combinations", str(path)]) == 1
    assert "needs 'annotator'; a.csv has error, worker, gold" in capsys.readouterr().err
    assert run(["table", "combinations", str(path), "--column", "annotator=worker"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        ["table", "nothing"],
        ["table", "study"],
        ["table", "study", "a.csv", "--column", "x=y"],
        ["table", "study", "a.csv", "--resamples", "0"],
        ["study", "power"],
        ["study", "power", "--effect", "much"],
        ["metrics", "correlate", "a.csv", "--level", "world"],
    ],
)
def test_wrong_usage(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(wrong) == 2
    assert capsys.readouterr().err


def test_a_place_beyond_all_texts_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "spans.csv"
    path.write_text("unit,annotator,question,label,start,end,tokens\nu1,a,q,X,3000000000,3000000001,10\n")
    assert run(["table", "agreement", str(path)]) == 1
    assert "spans.csv:2  column 'start' holds '3000000000'; at most 2000000000" in capsys.readouterr().err


def test_absent_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "study", str(tmp_path / "no.csv")]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_tables_of_an_exported_campaign_are_read_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = tmp_path / "choices.csv"
    rows = ["u1,x,source,false,definitely_human,true,human", "u2,x,source,false,possibly_machine,true,machine"]
    rows += ["u1,y,source,false,possibly_human,true,human", "u2,y,source,true,possibly_human,true,machine"]
    rows += ["u2,y,why,false,form,true,machine"]
    choices.write_text("unit,annotator,question,test,label,chosen,system\n" + "\n".join(rows) + "\n")
    arguments = [str(choices), "--column", "truth=system", "--resamples", "50"]
    for command in (["table", "study"], ["study", "results"]):
        assert run([*command, *arguments]) == 1
        assert "--keep question=source" in capsys.readouterr().err
        assert run([*command, *arguments, "--keep", "question=source"]) == 0
        assert "left out: 1 row, answers to test questions" in capsys.readouterr().out
    assert run(["table", "coding", str(choices), "--keep", "question=why"]) == 0
    assert "form" in capsys.readouterr().out
    assert run(["table", "stages", str(choices)]) == 0  # by question, so all of them
    assert "source" in capsys.readouterr().out
