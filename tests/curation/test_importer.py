"""Gold lists from elsewhere at the workspace: versions with author and reason, all or nothing, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run
from goldmark.curation.gold_lists.files import write_gold
from goldmark.curation.gold_lists.importer import Imported, import_gold, summary
from goldmark.curation.gold_lists.layers import write_layer
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign.archive import write_folder
from goldmark.records.gold import GoldMistake
from goldmark.records.spans import Span
from goldmark.store import Store, open_store
from tests.campaigns.house import NAME, unit
from tests.curation.test_service import WORDS, Office


def bring(office: Office, path: Path, **more: Any) -> list[Imported]:
    return import_gold(office.store, office.content, NAME, path, author="Eli", reason="from the paper", **more)


def listed(office: Office, path: Path, *mistakes: GoldMistake) -> Path:
    texts = {workspace.text.id: workspace.text for workspace in map(office.workspace, office.units())}
    path.write_text(write_gold(mistakes, texts), encoding="utf-8")
    return path


# Proposed are Friday (6, all three), Kim (8, Ann and Bo; Cy's figures in other words). Foxes (1) is left out.
FRIDAY = GoldMistake("g1", Span(6, 7), "NAME", "x")
FOXES = GoldMistake("g1", Span(0, 2), "WORD", "The Bears")


def test_a_list_becomes_a_version_that_can_be_compared_with_the_proposal(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    office.everybody()
    (one,) = bring(office, listed(office, tmp_path / "gold.csv", FRIDAY, FOXES))
    assert (one.unit, one.version, one.mistakes) == ("g1", 1, 2)
    assert [(change.kind, (change.old or change.new).label) for change in one.changes] == [  # type: ignore[union-attr]
        ("added", "WORD"), ("removed", "NAME")
    ]  # fmt: skip
    assert summary([one]) == {"texts": 1, "mistakes": 2, "added": 1, "removed": 1, "changed": 0}
    (version,) = office.versions(one.unit_id)
    assert (version.author, version.reason) == ("Eli", "from the paper")
    foxes, friday = version.mistakes
    # Ann's "Foxes" lies in "The Foxes": she found it and called it so, but nobody marked both words.
    assert (foxes.found_by, foxes.label_agreed_by, foxes.span_agreed_by, foxes.annotators) == (1, 1, 0, 3)
    assert (friday.found_by, friday.span_agreed_by) == (3, 3)
    workspace = office.workspace(one.unit_id)
    assert [step.kind for step in workspace.steps] == ["begin", "import", "finish"]
    assert workspace.steps[1].facts["source"] == "gold.csv"
    left = {workspace.text.slice(entry.span) for entry in workspace.state().entries if entry.status == "left out"}
    assert left == {"Kim", "30", "10"}
    assert office.states() == {"g1": "finished", "g2": "ready"}


def test_importing_again_reopens_and_curators_go_on_from_there(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    office.everybody()
    bring(office, listed(office, tmp_path / "one.csv", FRIDAY))
    found = bring(office, listed(office, tmp_path / "two.csv", FOXES), whole=True)
    assert [(one.unit, one.version, one.mistakes) for one in found] == [("g1", 2, 1), ("g2", 1, 0)]
    first = found[0].unit_id
    kinds = [step.kind for step in office.workspace(first).steps]
    assert kinds == ["begin", "import", "finish", "reopen", "import", "finish"]
    office.step(first, 6, "reopen")
    kim = next(one.id for one in office.workspace(first).state().entries if one.span == Span(8, 9))
    office.step(first, 7, "accept", mark=kim)
    office.step(first, 8, "finish")
    assert [len(version.mistakes) for version in office.versions(first)] == [1, 1, 2]


def test_what_we_wrote_comes_back_as_it_was_from_csv_and_from_webanno(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    first = office.everybody()
    office.step(first, office.decide(first), "finish")
    (frozen,) = office.versions(first)
    workspace = office.workspace(first)
    csv = listed(office, tmp_path / "gold.csv", *frozen.mistakes)
    write_folder(tmp_path / "webanno", write_layer(frozen.mistakes, {workspace.text.id: workspace.text}))
    for path in (csv, tmp_path / "webanno"):
        bring(office, path)
    again = office.versions(first)
    assert [version.version for version in again] == [1, 2, 3]
    assert again[1].mistakes == frozen.mistakes
    for one, other in zip(again[2].mistakes, frozen.mistakes, strict=True):
        for name in ("span", "label", "correction", "found_by", "label_agreed_by", "span_agreed_by", "annotators"):
            assert getattr(one, name) == getattr(other, name)


def test_a_text_that_nobody_has_answered_can_have_a_list(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    (one,) = bring(office, listed(office, tmp_path / "gold.csv", FRIDAY))
    (version,) = office.versions(one.unit_id)
    assert [(mistake.found_by, mistake.annotators) for mistake in version.mistakes] == [(0, 0)]


@pytest.mark.parametrize(
    ("mistakes", "what"),
    [
        ((GoldMistake("g1", Span(1, 2), "PLACE"),), "is not one of this campaign"),
        ((FRIDAY, GoldMistake("g2", Span(1, 2), "NAME", attributes=(("severity", "bad"),))), "no 'severity'"),
        ((GoldMistake("g2", Span(1, 2), "NAME", links=(("shows", Span(2, 3)),)),), "no linked passages 'shows'"),
    ],
)
def test_what_the_campaign_does_not_know_is_refused_whole(
    store: Store, tmp_path: Path, mistakes: tuple[GoldMistake, ...], what: str
) -> None:
    office = Office(store)
    office.everybody()
    with pytest.raises(ProblemsFound) as found:
        bring(office, listed(office, tmp_path / "gold.csv", *mistakes))
    assert what in found.value.problems[0].what
    assert set(office.states().values()) == {"ready"}


def test_a_list_that_is_empty_or_none_is_refused(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    office.everybody()
    with pytest.raises(GoldmarkError, match="no mistake"):
        bring(office, listed(office, tmp_path / "gold.csv"))
    (tmp_path / "text.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ProblemsFound):
        bring(office, tmp_path / "text.csv")
    with pytest.raises(GoldmarkError):
        bring(office, tmp_path / "nothing-here")


@pytest.mark.parametrize("form", ["gsml", "webanno-tsv"])
def test_units_named_after_files_go_out_and_come_in_under_their_own_names(
    sqlite_database: str, tmp_path: Path, form: str
) -> None:
    store = open_store(sqlite_database)
    office = Office(store, [unit("g1.txt", WORDS), unit("g1", WORDS), unit("g 2/b.TXT", WORDS)])
    for name in ("g1.txt", "g1", "g 2/b.TXT"):
        bring(office, listed(office, tmp_path / f"{len(name)}.csv", replace(FRIDAY, text_id=name)))
    store.close()
    out = tmp_path / ("gold.csv" if form == "gsml" else "folder")
    assert run(["campaign", "gold", NAME, str(out), "--format", form, "--database", sqlite_database]) == 0
    if form == "gsml":
        assert sorted(line.split(",")[0] for line in out.read_text().splitlines()[1:]) == ["g 2/b.TXT", "g1", "g1.txt"]
    assert run(["campaign", "gold-import", NAME, str(out), "--database", sqlite_database]) == 0
    store = open_store(sqlite_database)
    office.store = store
    assert [[len(one.mistakes) for one in office.versions(number)] for number in office.units()] == [[1, 1]] * 3
    store.close()
