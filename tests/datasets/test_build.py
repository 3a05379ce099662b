"""A released dataset: the same from the database and from an export, the same bytes twice, and nobody's name in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars
import pytest
import yaml

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.datasets.release import parquet
from goldmark.datasets.release.build import (
    NothingToBuild,
    Options,
    TextTwice,
    build,
    files_of,
    line_of,
)
from goldmark.datasets.release.description.licences import UnknownLicence, find_licence
from goldmark.datasets.release.integrity import check
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.release.manifest import Manifest
from goldmark.datasets.release.splits import SPLITS
from goldmark.datasets.sources.bundle import BundleSource
from goldmark.datasets.sources.readings import Reading
from goldmark.datasets.sources.store import CampaignSource
from goldmark.exchange.campaign.archive import TargetInUse
from goldmark.exchange.formats import export_bytes
from goldmark.records.campaigns import CampaignRecord
from goldmark.store import Store
from tests.databases import on_sqlite
from tests.datasets.house import DRANK, Texts, campaign, mark, text


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "small.jsonl"
    path.write_bytes(export_bytes(campaign(), "jsonl")[1])
    return path


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    found = Dataset(folder)
    return {row["id"]: row for split in SPLITS for row in found.rows(split)}


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_of(folder)}


def built(store: Store, target: Path, **options: Any) -> Manifest:
    return store.snapshot(
        lambda connection: build(
            CampaignSource(connection, find_campaign(connection, "small")), target, Options(**options)
        )
    )


def test_what_goes_in_and_what_does_not(bundle: Path, tmp_path: Path) -> None:
    manifest = build(BundleSource(bundle), tmp_path / "out", Options(licence=find_licence("cc-by-4.0")))
    found = rows(tmp_path / "out")
    # T4 was set aside, T5 has one against one, T6 is a test question; Zed, who said that T2 is fine, is excluded.
    assert sorted(found) == ["T1", "T2", "T3"]
    assert manifest.left_out == {"discarded: ambiguous": 1, "no majority": 1}
    assert manifest.bases == {"only": 1, "vote": 2}
    assert manifest.tasks == ("detect", "spans", "type", "correct", "rationale")
    assert manifest.facts["test_questions"] == 1
    assert manifest.facts["annotators_excluded"] == 1
    drank = DRANK["errors"][0]
    (mine,) = found["T2"]["errors"]
    assert {name: mine[name] for name in ("start", "end", "label", "correction", "rationale")} == {
        name: drank[name] for name in ("start", "end", "label", "correction", "rationale")
    }
    assert mine["associated"] == [{"role": "associated", "start": 5, "end": 6, "text": "proposal"}]
    assert (mine["type"], mine["subtype"], mine["text"]) == ("combination", "predicate_object", "drank")
    assert found["T2"]["corrected"] == "The committee approved the new proposal after lunch."
    assert found["T3"]["corrected"] == "The small village lies in a valley."
    assert found["T3"]["errors"][0]["correction"] == ""
    assert found["T1"]["corrected"] == found["T1"]["text"]
    assert (found["T1"]["language"], found["T1"]["system"], found["T1"]["readings"]) == ("en", "template", 2)
    assert check(tmp_path / "out") == []
    assert "CC-BY-4.0" in (tmp_path / "out" / "LICENSE").read_text()


@on_sqlite
def test_a_column_of_ones_own_called_test_leaves_nothing_out(store: Store, tmp_path: Path) -> None:
    given = campaign()
    units = tuple(replace(one, hidden={"test": "split", **one.hidden}) for one in given.units)
    restore(store, replace(given, units=units), author="test")
    (tmp_path / "small.jsonl").write_bytes(export_bytes(record_of(store, "small"), "jsonl")[1])
    built(store, tmp_path / "database")
    build(BundleSource(tmp_path / "small.jsonl"), tmp_path / "export")
    assert sorted(rows(tmp_path / "database")) == sorted(rows(tmp_path / "export")) == ["T1", "T2", "T3"]


def test_nobody_is_named_anywhere(bundle: Path, tmp_path: Path) -> None:
    build(BundleSource(bundle), tmp_path / "out")
    everything = b"".join(contents(tmp_path / "out").values())
    for name in (b"Ada", b"Lovelace", b"Grace", b"Mary", b"Zed"):
        assert name not in everything
    assert rows(tmp_path / "out")["T2"]["annotators"] == ["A01", "A02", "A03"]
    readings = Dataset(tmp_path / "out").readings()
    assert {name: len(said) for name, said in readings.items()} == {"T1": 2, "T2": 3}


def test_whatever_people_are_called_the_bytes_are_the_same(bundle: Path, tmp_path: Path) -> None:
    """So that no number can be worked out from a name that somebody guesses."""
    others = {b"Ada Lovelace": b"Zora", b"Grace": b"Alan", b"Mary": b"Noether"}
    written = bundle.read_bytes()
    for name, other in others.items():
        assert name in written
        written = written.replace(name, other)
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "small.jsonl").write_bytes(written)
    build(BundleSource(bundle), tmp_path / "one")
    build(BundleSource(tmp_path / "others" / "small.jsonl"), tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_second_build_gives_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(BundleSource(bundle), tmp_path / name, Options(seed=5))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "small.jsonl", "two"]


@on_sqlite
def test_the_database_and_an_export_give_the_same_bytes(store: Store, tmp_path: Path) -> None:
    restore(store, campaign(), author="test")
    (tmp_path / "again.jsonl").write_bytes(export_bytes(record_of(store, "small"), "jsonl")[1])
    built(store, tmp_path / "database")
    build(BundleSource(tmp_path / "again.jsonl"), tmp_path / "export")
    assert contents(tmp_path / "database") == contents(tmp_path / "export")
    assert sorted(rows(tmp_path / "database")) == ["T1", "T2", "T3"]


@on_sqlite
def test_curated_lists_come_first_and_keep_what_their_marks_had(store: Store, tmp_path: Path) -> None:
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.curation.workspace.service import open_workspace, take_step

    restore(store, campaign(), author="test")
    with store.engine().connect() as connection:
        unit_id = connection.exec_driver_sql("SELECT id FROM unit WHERE name = 'T2'").scalar_one()
    content = ContentCache(store)
    responses = store.read(lambda open_: open_workspace(open_, content, find_campaign(open_, "small"), unit_id))
    last = len(responses.steps)
    for one in responses.state().undecided():
        (step,) = take_step(
            store, content, "small", unit_id, after=last, kind="accept", facts={"mark": one.id}, author="curator"
        )
        last = step.number
    take_step(store, content, "small", unit_id, after=last, kind="finish", facts={}, author="curator")
    manifest = built(store, tmp_path / "out")
    row = rows(tmp_path / "out")["T2"]
    assert row["basis"] == "gold"
    assert [(one["start"], one["end"], one["correction"], one["rationale"]) for one in row["errors"]] == [
        (2, 3, "approved", "A proposal cannot be drunk.")
    ]
    assert row["errors"][0]["associated"][0]["text"] == "proposal"
    assert manifest.bases == {"gold": 1, "only": 1, "vote": 1}
    assert built(store, tmp_path / "gold", choose="gold").texts == {"train": 1, "dev": 0, "test": 0}


def test_every_reading_as_a_row_of_its_own_stays_in_the_split_of_its_text(bundle: Path, tmp_path: Path) -> None:
    build(BundleSource(bundle), tmp_path / "out", Options(choose="all", shares=(1, 1, 1)))
    place = {row["id"]: split for split in SPLITS for row in Dataset(tmp_path / "out").rows(split)}
    assert len(place) == 2 + 3 + 1 + 2
    for name in ("T1", "T2", "T5"):
        assert len({split for one, split in place.items() if one.startswith(f"{name}#")}) == 1
    assert check(tmp_path / "out") == []


def test_it_loads_with_datasets_and_pandas(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    out = tmp_path / "out"
    build(BundleSource(bundle), out, Options(shares=(1, 1, 1)))
    files = {split: str(out / "jsonl" / f"{split}.jsonl") for split in SPLITS}
    loaded = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert {split: len(part) for split, part in loaded.items()} == dict.fromkeys(SPLITS, 1)
    mine = rows(out)
    for part in loaded.values():
        for row in part:
            assert row["tokens"] == mine[row["id"]]["tokens"]
            assert row["errors"] == mine[row["id"]]["errors"]
    for split in SPLITS:
        lines = pandas.read_json(out / "jsonl" / f"{split}.jsonl", lines=True)
        table = pandas.read_parquet(out / "parquet" / f"{split}.parquet")
        assert list(lines["id"]) == list(table["id"])
        assert polars.read_parquet(out / "parquet" / f"{split}.parquet").to_dicts() == list(Dataset(out).rows(split))


def test_very_many_rows_are_a_folder_of_parquet_files_that_is_read_alike(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas

    out, lines = tmp_path / "train.parquet", tmp_path / "train.jsonl"
    build(BundleSource(bundle), tmp_path / "out", Options(shares=(1, 0, 0)))
    row = orjson.loads((tmp_path / "out" / "jsonl" / "train.jsonl").read_bytes().splitlines()[0])
    lines.write_bytes(b"".join(line_of({**row, "id": f"{number}"}) for number in range(25)))
    monkeypatch.setattr(parquet, "GROUP_ROWS", 2)
    monkeypatch.setattr(parquet, "GROUPS", 5)
    parquet.write_parquet(lines, out)
    assert [polars.read_parquet(one)["id"].len() for one in sorted(out.iterdir())] == [10, 10, 5]
    assert polars.read_parquet(out).to_dicts() == [orjson.loads(line) for line in lines.read_bytes().splitlines()]
    assert list(pandas.read_parquet(out)["id"]) == [f"{number}" for number in range(25)]


def test_parquet_of_many_rows_is_written_by_other_processes_with_the_same_bytes(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(BundleSource(bundle), tmp_path / "here")
    monkeypatch.setattr(parquet, "APART", 0)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(parquet, "write_parquet", None)  # nobody asks for it in this process
        build(BundleSource(bundle), tmp_path / "there")
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    (tmp_path / "there" / "parquet" / "test.parquet").unlink()
    (tmp_path / "there" / "parquet" / "test.parquet").mkdir()  # where nothing can be written
    with pytest.raises(IsADirectoryError):
        parquet.write_splits(tmp_path / "there")


def test_an_empty_split_is_still_a_table(tmp_path: Path) -> None:
    build(Texts([text("T1", "one two", Reading("A"))]), tmp_path / "out")
    assert polars.read_parquet(tmp_path / "out" / "parquet" / "dev.parquet").height == 0
    assert check(tmp_path / "out") == []
    assert "statistics.csv" in contents(tmp_path / "out")
    assert "types.svg" not in contents(tmp_path / "out")


def test_the_split_is_stratified_by_type(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    texts = [
        text(f"T{number}", f"number {number} alone", Reading("A", () if kind == "fine" else (mark(0, 1, f"{kind}.x"),)))
        for number, kind in enumerate(rng.permutation(["fine"] * 100 + ["a"] * 50 + ["b"] * 30 + ["c"] * 20))
    ]
    build(Texts(texts), tmp_path / "out")
    counts = {
        split: [
            sum(kind in (error["type"] for error in row["errors"]) for row in Dataset(tmp_path / "out").rows(split))
            for kind in "abc"
        ]
        for split in SPLITS
    }
    assert counts == {"train": [40, 24, 16], "dev": [5, 3, 2], "test": [5, 3, 2]}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda out: (out / "LICENSE").write_text("free"), "LICENSE  the file was changed"),
        (lambda out: (out / "types.svg").unlink(), "types.svg  the file is missing"),
        (lambda out: (out / "more.txt").write_text("x"), "more.txt  the file is not listed"),
        (lambda out: _edit(out, lambda row: row.pop("prompt")), "jsonl/train.jsonl:1  its keys are"),
        (lambda out: _edit(out, lambda row: row.update(prompt="no")), "prompt is 'no'"),
        (lambda out: _edit(out, lambda row: row["starts"].reverse()), "its tokens do not stand"),
        (lambda out: _edit(out, lambda row: row.update(erroneous=not row["erroneous"])), "erroneous with"),
    ],
)
def test_whatever_is_spoilt_is_found(spoil: Any, said: str, bundle: Path, tmp_path: Path) -> None:
    build(BundleSource(bundle), tmp_path / "out")
    spoil(tmp_path / "out")
    assert any(said in str(problem) for problem in check(tmp_path / "out"))


def _edit(out: Path, change: Any) -> None:
    path = out / "jsonl" / "train.jsonl"
    lines = path.read_text().splitlines()
    row = json.loads(lines[0])
    change(row)
    path.write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")


def test_nothing_is_overwritten_and_nothing_half_made_is_left(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep me")
    with pytest.raises(TargetInUse):
        build(BundleSource(bundle), tmp_path / "out")
    with pytest.raises(NothingToBuild, match="1 nobody has answered"):
        build(Texts([text("T1", "one")]), tmp_path / "other")
    with pytest.raises(TextTwice):
        build(Texts([text("T1", "one", Reading("A"))] * 2), tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "small.jsonl"]


def test_an_unknown_licence_is_refused() -> None:
    with pytest.raises(UnknownLicence, match="CC-BY"):
        find_licence("GPL-17")


def test_any_span_campaign_becomes_a_dataset(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from goldmark.campaigns.definition.file import read_campaign
    from goldmark.samples import sample
    from goldmark.samples.campaigns import record_of_sample

    chosen = sample("accuracy")
    record: CampaignRecord = record_of_sample(chosen, read_campaign(chosen.campaign), datetime(2026, 3, 1, tzinfo=UTC))
    path = tmp_path / "accuracy.jsonl"
    path.write_bytes(export_bytes(record, "jsonl")[1])
    manifest = build(BundleSource(path), tmp_path / "out")
    assert check(tmp_path / "out") == []
    assert {"NAME", "NUMBER"} <= set(manifest.types)
    # The accuracy protocol lets a correction be missing, which does not mean that the words should go.
    corrections = {one["correction"] for row in rows(tmp_path / "out").values() for one in row["errors"]}
    assert "" not in corrections


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a library that the library uses
def test_croissant_describes_it_so_that_its_own_library_reads_it(bundle: Path, tmp_path: Path) -> None:
    import mlcroissant

    out = tmp_path / "out"
    build(BundleSource(bundle), out, Options(shares=(1, 1, 1), licence=find_licence("cc-by-4.0")))
    found = mlcroissant.Dataset(jsonld=out / "croissant.json")
    assert not found.metadata.ctx.issues.errors
    mine = rows(out)
    read = {}
    for split in SPLITS:
        for row in found.records(split):
            read[row[f"{split}/id"].decode()] = row
            errors = [
                (one[f"{split}/errors/start"], one[f"{split}/errors/end"], one[f"{split}/errors/label"].decode())
                for one in row[f"{split}/errors"]
            ]
            own = mine[row[f"{split}/id"].decode()]
            assert errors == [(one["start"], one["end"], one["label"]) for one in own["errors"]]
            assert [token.decode() for token in row[f"{split}/tokens"]] == own["tokens"]
    assert set(read) == set(mine)


def test_near_copies_are_in_one_split(tmp_path: Path) -> None:
    start = "the mayor of the small town opened a new library on the first day of spring with a short speech"
    fine = Reading("Ada")
    copies = [text(f"c{number}", f"{start} number{number % 4}", fine) for number in range(150)]
    own = "Text {0} says {1} things that nobody else has said about it {0}"
    others = [text(f"o{number}", own.format(number, number * 7), fine) for number in range(300)]
    manifest = build(Texts([*copies, *others]), tmp_path / "out", Options(shares=(1, 1, 1)))
    place = {row["id"]: split for split in SPLITS for row in Dataset(tmp_path / "out").rows(split)}
    assert len({place[one.id] for one in copies}) == 1
    assert len({place[one.id] for one in others}) == 3
    assert manifest.near_copies == 150
    assert "150 texts share more than 80 %" in (tmp_path / "out" / "README.md").read_text()


def test_words_of_people_are_no_markup_of_the_card(tmp_path: Path) -> None:
    """A language, a label and a title can come from a file that somebody else made."""
    label = "a\\|<img src=x>[b](http://elsewhere.example)\n# no heading.c"
    language = "en]\nlicense: mit\nother: [x"
    hostile = replace(text("T1", "a b c", Reading("Ada", (mark(0, 1, label),))), language=language)
    norwegian = replace(text("T2", "d e f", Reading("Ada", (mark(0, 1, "x.y"),))), language="no")
    source = Texts([hostile, norwegian])
    source.about = replace(source.about, title="Zoo\n---\n# [b](http://elsewhere.example)<script>")
    build(source, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    header = yaml.safe_load(card.split("---\n")[1])
    assert header["language"] == [language, "no"]
    assert "license" not in header
    shown = card.split("---\n", 2)[2]
    assert "<script>" not in shown
    assert "<img" not in shown
    assert "](http" not in shown.replace("\\](", "")
    assert [line for line in shown.split("\n") if line.startswith(("# ", "---"))] == [
        "# Zoo --- # \\[b\\](http://elsewhere.example)&lt;script>"
    ]
