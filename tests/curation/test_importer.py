"""Gold lists from elsewhere at the workspace: versions with author and reason, all or nothing, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run
from goldmark.curation.gold_lists import importer
from goldmark.curation.gold_lists.files import write_gold
from goldmark.curation.gold_lists.importer import Imported, import_gold, summary
from goldmark.curation.gold_lists.layers import write_layer
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign.archive import write_folder
from goldmark.records.gold import GoldMistake
from goldmark.records.spans import Span
from goldmark.store import Store, open_store, pieces
from goldmark.store.pieces import InPieces
from tests.campaigns.house import NAME, unit
from tests.curation.test_service import WORDS, Office
from tests.databases import on_sqlite


def bring(office: Office, path: Path, **more: Any) -> list[Imported]:
    return import_gold(office.store, office.content, NAME, path, author="Eli", reason="from the paper", **more)


def listed(office: Office, path: Path, *mistakes: GoldMistake) -> Path:
    texts = {workspace.text.id: workspace.text for workspace in map(office.workspace, office.units())}
    path.write_text(write_gold(mistakes, texts), encoding="utf-8")
    return path


# Proposed are Friday (6, all three), Kim (8, Ann and Bo; Cy's figures in other words). Foxes (1) is left out.
FRIDAY = GoldMistake("g1", Span(6, 7), "NAME", "x")
FOXES = GoldMistake("g1", Span(0, 2), "WORD", "The Bears")


@on_sqlite
def test_a_list_becomes_a_version_that_can_be_compared_with_the_proposal(store: Store, tmp_path: Path) -> None:
    office = Office(store)
    office.everybody()
    (one,) = bring(office, listed(office, tmp_path / "gold.csv", FRIDAY, FOXES))
    assert (one.unit, one.version, one.mistakes) == ("g1", 1, 2)
    assert [(change.kind, (change.old or change.new).label) for change in one.changes] == [  # type: ignore[union-attr]
        ("added", "WORD"), ("removed", "NAME")
    ]  # fmt: skip
    assert summary([one]) == {"texts": 1, "mistakes": 2, "added": 1, "removed": 1, "changed": 0, "already_there": 0}
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


@on_sqlite
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


@on_sqlite
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


def many(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Office, Path]:
    """A list for five texts, too many for one transaction."""
    monkeypatch.setattr(importer, "FEW", 1)
    for name, value in (("FEWEST", 2), ("MOST", 2), ("HELD", 0)):  # two texts in every piece
        monkeypatch.setattr(pieces, name, value)
    names = [f"g{number}" for number in range(1, 6)]
    office = Office(store, [unit(name, WORDS) for name in names])
    return office, listed(office, tmp_path / "gold.csv", *(replace(FRIDAY, text_id=name) for name in names))


def by_name(office: Office) -> list[int]:
    """The units in the order in which a list comes in."""
    return sorted(office.units(), key=lambda one: office.workspace(one).unit.line.name)


def before_piece(monkeypatch: pytest.MonkeyPatch, number: int, happens: Callable[[], object]) -> None:
    piece, turns = InPieces._piece, iter(range(100))

    def watched(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == number:
            happens()
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", watched)


def killed() -> None:
    raise KeyboardInterrupt


def test_the_same_file_again_brings_what_a_killed_import_did_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office, path = many(store, tmp_path, monkeypatch)
    with monkeypatch.context() as broken:
        before_piece(broken, 1, killed)
        with pytest.raises(KeyboardInterrupt):
            bring(office, path)
    assert {name for name, state in office.states().items() if state == "finished"} == {"g1", "g2"}
    steps = [[step.kind for step in office.workspace(one).steps] for one in by_name(office)]
    assert steps == [["begin", "import", "finish"]] * 2 + [["begin"]] * 3  # the whole of a text, or nothing of it
    found = bring(office, path)
    assert [(one.unit, one.version, one.already_there) for one in found] == [
        (f"g{number}", 1, number < 3) for number in range(1, 6)
    ]
    assert summary(found)["already_there"] == 2
    assert set(office.states().values()) == {"finished"}
    assert all(len(office.versions(one)) == 1 for one in office.units())
    # Another reason, or another list, is another version.
    again = import_gold(office.store, office.content, NAME, path, author="Eli", reason="checked once more")
    assert {(one.version, one.already_there) for one in again} == {(2, False)}


@on_sqlite
def test_what_goes_wrong_in_between_says_how_far_it_came(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office, path = many(store, tmp_path, monkeypatch)
    with monkeypatch.context() as broken:
        before_piece(broken, 1, lambda: 1 / 0)
        with pytest.raises(importer.GoldBrokenOff, match=r"2 of 5 texts.*the same file again"):
            bring(office, path)
    strange = listed(office, tmp_path / "two.csv", FOXES, GoldMistake("g5", Span(1, 2), "PLACE"))
    with pytest.raises(ProblemsFound):  # found before the first piece
        bring(office, strange)
    assert [len(office.versions(one)) for one in by_name(office)] == [1, 1, 0, 0, 0]


def test_what_a_curator_does_while_a_list_comes_in_is_not_passed_over(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office, path = many(store, tmp_path, monkeypatch)
    for name in ("Ann", "Bo", "Cy"):
        office.answer(name, *[[{"id": "e1", "start": 6, "end": 7, "label": "NAME", "correction": "x"}]] * 5)
    first = by_name(office)[0]
    before_piece(monkeypatch, 0, lambda: office.step(first, 1, "finish"))
    assert [one.version for one in bring(office, path)] == [2, 1, 1, 1, 1]
    kinds = [step.kind for step in office.workspace(first).steps]
    assert kinds == ["begin", "finish", "reopen", "import", "finish"]
