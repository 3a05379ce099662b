"""Exports, datasets and hand-written files of every earlier version are read as they were."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.compatibility import reading
from tests.compatibility.conftest import Command, Kept

COMPLETE = ("jsonl", "csv", "parquet")
MARKS = ("gsml", "webanno-tsv", "label-studio")  # of a campaign about marks: final ones only
TIDY = {"tidy": "csv", "tidy-parquet": "parquet"}


def exports(kept: Kept) -> list[tuple[str, str, Path]]:
    """Campaign, format, file."""
    files = [
        path for path in sorted((kept.folder / "exports").iterdir()) if path.suffix != ".xml"
    ]  # a configuration beside one
    return [(*path.name.split(".")[:2], path) for path in files]  # type: ignore[misc]


def finals(answers: list[list[Any]], marks: bool) -> list[Any]:
    """Final answers, or where they are and what they are called if a format holds marks only."""
    places = ("start", "end", "label")
    return sorted(
        [unit, person, [[one[key] for key in places] for one in said["mistakes"]] if marks else said]
        for unit, person, _, final, said in answers
        if final
    )


def test_complete_exports_come_back_whole(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    read = 0
    for campaign, form, path in exports(kept):
        if form in COMPLETE:
            fresh("campaign", "import", str(path), "--format", form, "--name", f"{campaign}-{form}")
            found = fresh.export(f"{campaign}-{form}", tmp_path)
            assert reading.answers(found) == kept.expected["campaigns"][campaign]["answers"], path
            assert reading.states(found) == kept.expected["campaigns"][campaign]["states"], path
            read += 1
    assert read >= 9
    # People of a study are in their conditions still, and its units in their strata.
    report = fresh.data("study", "analyse", "who-wrote", "--bundle", str(kept.folder / "exports" / "who-wrote.jsonl"))
    assert reading.study(report)["accuracy"] == kept.expected["study"]["accuracy"]


def test_exports_for_other_tools_come_back_with_what_they_hold(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    read = 0
    for campaign, form, path in exports(kept):
        if form in MARKS:
            name, protocol = f"{campaign}-{form}", ("--protocol", "accuracy") if form != "label-studio" else ()
            fresh("campaign", "import", str(path), "--format", form, "--name", name, "--keep-incomplete", *protocol)
            found = reading.answers(fresh.export(name, tmp_path))
            said = kept.expected["campaigns"][campaign]["answers"]
            marks = campaign == "animals"
            assert finals(found, marks) == finals(said, marks), path
            read += 1
    assert read >= 4


def test_tidy_tables_give_the_same_figures(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    for campaign, form, path in exports(kept):
        if form in TIDY:
            folder = tmp_path / path.stem
            zipfile.ZipFile(path).extractall(folder)
            table = "errors" if campaign == "animals" else "ratings"
            rows = reading.table(fresh.data("table", table, str(folder), "--resamples", "100"))
            wanted = kept.expected["campaigns"][campaign]["figures"][table]
            assert rows == [[*key, pytest.approx(value)] for *key, value in wanted], path


def test_the_gold_list_is_read_as_it_was(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    exported = kept.folder / "exports"
    fresh("campaign", "import", str(exported / "animals.csv.zip"), "--format", "csv")
    fresh("campaign", "gold", "animals", str(tmp_path / "gold.csv"))
    assert (tmp_path / "gold.csv").read_text(encoding="utf-8") == (exported / "animals.gold.csv").read_text(
        encoding="utf-8"
    )


def test_a_dataset_is_read_as_it_was(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    zipfile.ZipFile(kept.folder / "dataset.zip").extractall(tmp_path / "dataset")
    fresh.plain("dataset", "check", str(tmp_path / "dataset"))
    fresh.plain("dataset", "show", str(tmp_path / "dataset"))
    assert "detection" in fresh.plain("benchmark", "tasks", str(tmp_path / "dataset"))


def test_files_written_by_hand_are_accepted(kept: Kept, fresh: Command, tmp_path: Path) -> None:
    """Protocols, campaigns, studies and leaderboards, each in its own language."""
    zipfile.ZipFile(kept.folder / "files.zip").extractall(tmp_path)
    count = 0
    for noun, found in (
        ("protocol", tmp_path.glob("protocols/builtin/*.yaml")),
        ("campaign", tmp_path.glob("examples/*/campaign.yaml")),
        ("study", tmp_path.glob("examples/*/study.yaml")),
        ("leaderboard", tmp_path.glob("leaderboards/*/leaderboard.yaml")),
        ("campaign", (kept.folder.parent / "input").glob("*/campaign.yaml")),
        ("study", (kept.folder.parent / "input").glob("*/study.yaml")),
        ("leaderboard", (kept.folder.parent / "input").glob("*/board.yaml")),
    ):
        for path in sorted(found):
            fresh.plain(noun, "check", str(path))
            count += 1
    assert count > 50, count
