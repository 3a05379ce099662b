"""Large campaigns: a larger one needs no more memory, and nothing else about it differs from a small one."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from goldmark.campaigns import arrival, more_units
from goldmark.campaigns.definition.file import create_planned, read_campaign
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign
from goldmark.campaigns.more_units import add_units
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.export_files import write_rows
from goldmark.campaigns.transfer.restore import read_record, restore
from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import FORMATS, import_campaign
from goldmark.protocols import load
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import SpooledUnits
from goldmark.store import Store, pieces
from goldmark.store.bulk import insert_rows
from goldmark.store.pieces import SMALL, InPieces
from goldmark.store.tables import event, unit
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as made_unit

ROWS = [name for name, one in FORMATS.usable().items() if one.read_rows is not None]
# Written down from the version before units waited in files: (name, stratum) by position, for two seeds.
POSITIONS = {
    0: "u12h u11w u3h u2w u13w u7w u6h u9h u5t u10w u8w u0h u1w n0w n2w n1w n4w n3w",
    7: "u0h u2w u1w u3h u7w u5t u9h u10w u12h u6h u13w u8w u11w n2w n4w n1w n0w n3w",
}
STRATA = {"human": "h", "work": "w", "test-negative": "t"}


@pytest.mark.parametrize("seed", POSITIONS)
def test_units_lie_where_they_always_lay(store: Store, seed: int) -> None:
    settings = Settings.model_validate({"order": {"seed": seed}, "subset": {"size": 6, "seed": 3}})

    def facts(number: int) -> dict[str, Any]:
        return {"test": "negative"} if number == 5 else {"stratum": "human"} if number % 3 == 0 else {}

    units = [made_unit(f"u{number}", item=f"i{number // 2}", **facts(number)) for number in range(16)]
    about: dict[str, Any] = {"title": "", "protocol": load("accuracy"), "author": "test"}
    row = create(store, name="lies", settings=settings, units=units, **about)
    add_units(store, "lies", [made_unit(f"new {number}") for number in range(5)], author="test")
    query = select(unit.c.name, unit.c.stratum).where(unit.c.campaign_id == row.id).order_by(unit.c.position)
    found = store.read(lambda connection: connection.execute(query).all())
    short = (f"{name.replace('new ', 'n')}{STRATA[stratum]}" for name, stratum in found)
    assert " ".join(short) == POSITIONS[seed]


def campaign_file(folder: Path, many: int) -> Path:
    words = " ".join(f"word{number}" for number in range(120))
    rows = ({"id": f"u{number}", "text": f"{words} {number}.", "system": "s"} for number in range(many))
    (folder / "texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    path = folder / f"{many}.yaml"
    path.write_text(f"campaign: of-{many}\nprotocol: rating-summary\ntexts: texts.jsonl\n")
    return path


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_larger_campaign_needs_no_more_memory(
    tmp_path: Path, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = sqlite_store
    monkeypatch.setattr(pieces, "MOST", 5)  # so that both have pieces of that size, however quick the machine is
    read_campaign(campaign_file(tmp_path, 10))  # what is made once
    made, brought = [], []
    for many in (700, 2_100):
        path, out = campaign_file(tmp_path, many), tmp_path / f"{many}.jsonl"
        made.append(peak(lambda path=path: create_planned(store, read_campaign(path), author="test")))  # type: ignore[misc]
        write_rows(store, f"of-{many}", "jsonl", out)

        def bring(many: int = many, out: Path = out) -> None:
            restore(store, read_record(out, "jsonl", spooled=True), name=f"again-{many}", author="test")

        brought.append(peak(bring))
        assert record_of(store, f"again-{many}").units == record_of(store, f"of-{many}").units
    assert made[1] < 1.3 * made[0]
    assert brought[1] < 1.3 * brought[0]


@pytest.mark.parametrize("name", ROWS)
def test_what_waits_in_files_is_what_is_read_at_once(name: str, store: Store, tmp_path: Path) -> None:
    house = House.build(store, 4, labels_per_unit=3, review={"required": True})
    for person in ("ada", "Ed"):
        token = house.person(person)
        held = house.task(token)
        house.submit(token, held)
        house.next(token)
    house.judge(held.id, "returned", "Rita")
    mark = {"id": "e1", "start": 4, "end": 5, "label": "NAME", "correction": "Monday"}
    house.submit(token, held, {"mistakes": [mark]}, reply="I see one more")
    write_rows(store, NAME, name, tmp_path / "out")
    whole, spooled = import_campaign(tmp_path / "out", name), read_record(tmp_path / "out", name, spooled=True)
    assert isinstance(spooled.responses, Spooled)
    assert spooled == whole
    restore(store, spooled, name="again", author="test")
    before, after = record_of(store, NAME), record_of(store, "again")
    for part in ("units", "assignments", "responses", "curation", "gold_versions"):
        mine, theirs = getattr(after, part), getattr(before, part)
        assert len(mine) == len(theirs)
        assert all(one in theirs for one in mine), part
    assert {one.id: one.facts for one in after.annotators} == {one.id: one.facts for one in before.annotators}
    counts = select(unit.c.name, unit.c.wanted, unit.c.taken, unit.c.done).order_by(unit.c.position)

    def counted(campaign: str) -> Sequence[Any]:
        return store.read(
            lambda connection: connection.execute(
                counts.where(unit.c.campaign_id == find_campaign(connection, campaign).id)
            ).all()
        )

    assert counted("again") == counted(NAME)


def test_rows_may_stand_before_those_that_they_name(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 2)
    token = house.person("Ada")
    house.submit(token, house.task(token))
    write_rows(store, NAME, "jsonl", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "turned.jsonl").write_text("".join(reversed(lines)))
    turned = read_record(tmp_path / "turned.jsonl", "jsonl", spooled=True)
    assert len(turned.responses) == 1
    assert [one.id for one in turned.units] == [one.id for one in reversed(record_of(store, NAME).units)]
    kept = [line for line in lines if '"record":"annotator"' not in line]
    (tmp_path / "turned.jsonl").write_text("".join(kept))
    with pytest.raises(ProblemsFound) as refused:
        read_record(tmp_path / "turned.jsonl", "jsonl", spooled=True)
    unknown = '"annotator" names "Ada", who is not there'
    told = [one.what for one in refused.value.problems]
    assert told == [*[unknown] * (len(told) - 1), told[-1]]
    assert told[-1].endswith('was not assigned to "Ada"')


def test_long_whole_numbers_stay_exact(store: Store, tmp_path: Path) -> None:
    House.build(store, [made_unit("u1", number=18_446_744_073_709_551_615, share=0.1)])
    write_rows(store, NAME, "jsonl", tmp_path / "out.jsonl")
    (one,) = read_record(tmp_path / "out.jsonl", "jsonl", spooled=True).units
    assert one.hidden == {"number": 18_446_744_073_709_551_615, "share": 0.1}


def test_a_creation_that_was_killed_stands_in_nobodys_way(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = campaign_file(tmp_path, SMALL + 50)
    monkeypatch.setattr(pieces, "HELD", 0)
    piece, turns = InPieces._piece, iter(range(1_000))

    def dies(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == 3:
            raise KeyboardInterrupt
        return piece(self, some, work)

    with monkeypatch.context() as killed:
        killed.setattr(InPieces, "_piece", dies)
        killed.setattr(arrival, "_remove", lambda *_: None)  # killed: nobody tidies up
        with pytest.raises(KeyboardInterrupt):
            create_planned(store, read_campaign(path), author="test")
    create_planned(store, read_campaign(path), author="test")
    assert len(record_of(store, f"of-{SMALL + 50}").units) == SMALL + 50


@pytest.mark.parametrize("same", [True, False])
def test_texts_that_came_while_others_came(store: Store, monkeypatch: pytest.MonkeyPatch, same: bool) -> None:
    """They were not there when it was looked; it is looked again before any joins."""
    House.build(store, 1)
    piece, come = InPieces._piece, list[str]()

    def meanwhile(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if not come:
            come.append("new7" if same else "other")
            others = SpooledUnits([made_unit(come[0])])
            store.write(lambda connection: more_units._add(connection, NAME, others, "test"))
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", meanwhile)
    new = [made_unit(f"new{number}", "A text .") for number in range(SMALL + 1)]
    if same:
        with pytest.raises(ProblemsFound, match="new7"):
            add_units(store, NAME, new, author="test")
        assert len(record_of(store, NAME).units) == 2
    else:
        assert add_units(store, NAME, new, author="test") == SMALL + 1
        assert len(record_of(store, NAME).units) == SMALL + 3


@pytest.mark.parametrize(("held", "many"), [(0, 1), (1_000, None)])
def test_a_piece_ends_when_its_time_is_up(
    store: Store, monkeypatch: pytest.MonkeyPatch, held: float, many: int | None
) -> None:
    monkeypatch.setattr(pieces, "HELD", held)
    written: list[int] = []
    steps: list[int] = []
    writes = store.write

    def counting(work: Any) -> Any:
        steps.append(0)
        return writes(work)

    def put(connection: Any, some: Sequence[int]) -> None:
        written.extend(some)
        steps[-1] += 1

    monkeypatch.setattr(store, "write", counting)
    InPieces(store).each(range(100), put)
    assert written == list(range(100))
    assert set(steps) == {many} if many else max(steps) > 1


def test_rows_by_the_thousand_are_the_rows_that_one_by_one_would_be(store: Store) -> None:
    House.build(store, 1)
    row = store.read(lambda connection: find_campaign(connection, NAME))
    values = {
        "campaign_id": row.id,
        "at": row.created_at,
        "author": "x",
        "kind": "tried",
        "subject": "\\N\t\"'",
        "reason": "a\nb",
        "facts": {"a": [1, None, "ä"]},
    }
    alone = insert(event).values(values).returning(event.c.id)
    one = store.write(lambda connection: connection.execute(alone).scalar_one())
    many = store.write(lambda connection: list(insert_rows(connection, event, [values, values])))
    then = store.write(lambda connection: connection.execute(alone).scalar_one())
    assert len({one, *many, then}) == 4
    rows = store.read(lambda connection: connection.execute(select(event).where(event.c.kind == "tried")).all())
    assert len({repr(row[1:]) for row in rows}) == 1
