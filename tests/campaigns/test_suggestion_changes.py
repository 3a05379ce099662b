"""Suggestions for texts of a campaign that exists: given as a list, taken away, and never under somebody's eyes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import select, update

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import look_into
from goldmark.campaigns.suggestion_changes import (
    NothingTakesSuggestions,
    SuggestionsChanged,
    SuggestionsTellTests,
    any_suggestion,
    changes_of,
    example_list,
    give_suggestions,
    suggestion_list,
    take_suggestions,
)
from goldmark.errors import ProblemsFound
from goldmark.protocols import load
from goldmark.records.units import Suggested
from goldmark.store import Store, pieces
from goldmark.store.tables import unit
from goldmark.texts.readers.gsml import COLUMNS
from tests.campaigns.house import NAME, House, pair
from tests.campaigns.house import unit as unit_of
from tests.databases import on_sqlite

FRIDAY = ",1,1,Friday,5,5,5,5,NAME,Sunday,\n"
WON = ",1,2,won,3,3,3,3,WORD,,\n"


def a_list(folder: Path, *rows: str) -> Path:
    path = folder / "found.csv"
    path.write_text(f"{','.join(COLUMNS)}\n{''.join(rows)}", encoding="utf-8")
    return path


def give(store: Store, folder: Path, *rows: str) -> SuggestionsChanged:
    return give_suggestions(store, ContentCache(store), NAME, a_list(folder, *rows), author="Ada", reason="helps")


def stored(store: Store, name: str) -> dict[str, Any]:
    query = select(unit.c.shown).where(unit.c.name == name)
    text: dict[str, Any] = orjson.loads(store.read(lambda connection: connection.execute(query).scalar_one()))
    return dict(text["texts"]["text"])


def seen_by(house: House, task: Any) -> Any:
    return orjson.loads(house.work.content.shown_json(task.unit_id, task.order))["texts"]["text"]


@on_sqlite
def test_texts_that_nobody_has_got_come_with_them_from_then_on(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 1)
    changed = give(store, tmp_path, f"u0{FRIDAY}", f"u0.txt{WON}")
    assert changed == SuggestionsChanged(1, 2, ())
    assert str(changed) == "1 text has 2 suggestions now"
    ada = house.person("Ada")
    task = house.task(ada)
    assert [(one["id"], one["label"]) for one in seen_by(house, task)["suggested"]] == [("s1", "NAME"), ("s2", "WORD")]
    mark = {"id": "e1", "start": 4, "end": 5, "label": "NAME", "correction": "Sunday", "suggested": "s1"}
    house.submit(ada, task, {"mistakes": [mark], "mistakes.dismissed": ["s2"]})
    [noted] = look_into(store, NAME, changes_of)
    assert (noted.author, noted.kind, noted.reason) == ("Ada", "suggestions given", "helps")
    assert noted.facts == {"texts": 1, "suggestions": 2}


def test_test_questions_are_not_the_only_texts_without(store: Store, tmp_path: Path) -> None:
    House.build(store, 4)
    tests = update(unit).where(unit.c.name.in_(("u1", "u2"))).values(counts=False)
    store.write(lambda connection: connection.execute(tests))
    with pytest.raises(SuggestionsTellTests, match="2 test questions"):
        give(store, tmp_path, f"u0{FRIDAY}", f"u3{WON}")
    assert not look_into(store, NAME, any_suggestion)
    assert give(store, tmp_path, f"u0{FRIDAY}").texts == 1  # u3 has none either
    assert give(store, tmp_path, f"u0{FRIDAY}", f"u3{WON}", f"u2{WON}").texts == 3


def test_what_somebody_was_shown_stays_as_it_was(store: Store, tmp_path: Path) -> None:
    """Also by a server that has the text in memory, and after the lease ran out."""
    house, other = House.build(store, 2, lease_minutes=0.0001), House.over(store)
    ada = house.person("Ada")
    task = house.task(ada)
    assert "suggested" not in seen_by(house, task)
    names = store.read(lambda open_: open_.execute(select(unit.c.id, unit.c.name)).all())
    got = {one.id: one.name for one in names}[task.unit_id]
    free = ({"u0", "u1"} - {got}).pop()
    changed = give(store, tmp_path, f"u0{FRIDAY}", f"u1{FRIDAY}")
    assert changed == SuggestionsChanged(1, 1, (got,))
    assert str(changed) == (
        f"1 text has 1 suggestion now; 1 text stays as it was, because somebody was shown it: {got}"
    )
    assert "suggested" not in stored(store, got)
    assert [one["label"] for one in stored(store, free)["suggested"]] == ["NAME"]
    other.submit(ada, task)  # nothing is to be decided
    [noted, *_] = look_into(store, NAME, changes_of)
    assert noted.facts["already shown to somebody, so as they were"] == got
    # The same list again changes nothing, and a text that has it already is not one that stays behind.
    assert give(store, tmp_path, f"{free}{FRIDAY}") == SuggestionsChanged(1, 1, ())
    assert str(give(store, tmp_path, f"{got}{FRIDAY}")).startswith("1 text stays as it was")


def test_taken_away_a_text_is_as_it_was_before(store: Store, tmp_path: Path) -> None:
    House.build(store, 2)
    before = stored(store, "u0")
    give(store, tmp_path, f"u0{FRIDAY}", f"u1{WON}")
    assert look_into(store, NAME, any_suggestion)
    changed = take_suggestions(store, NAME, author="Ada")
    assert (changed, str(changed)) == (SuggestionsChanged(2, 0, ()), "2 texts have no suggestions any more")
    assert stored(store, "u0") == before
    assert not look_into(store, NAME, any_suggestion)
    assert str(take_suggestions(store, NAME, author="Ada")) == "nothing was changed"


@on_sqlite
def test_a_long_list_comes_in_pieces(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldmark.campaigns.suggestion_changes.SMALL", 3)
    monkeypatch.setattr(pieces, "FEWEST", 2)
    house = House.build(store, 7)
    house.task(house.person("Ada"))
    changed = give(store, tmp_path, *(f"u{number}{FRIDAY}" for number in range(7)))
    assert (changed.texts, changed.marks, len(changed.left)) == (6, 6, 1)
    [noted] = look_into(store, NAME, changes_of)
    assert noted.facts["texts"] == 6


def test_a_wrong_list_changes_nothing(store: Store, tmp_path: Path) -> None:
    House.build(store, 2)
    with pytest.raises(ProblemsFound) as refused:
        give(store, tmp_path, f"u0{FRIDAY}", f"u9{FRIDAY}")
    assert "'u9' is not known" in refused.value.problems[0].what
    with pytest.raises(ProblemsFound) as refused:
        give(store, tmp_path, f"u0{FRIDAY}", f"u1{FRIDAY}".replace("NAME", "NOMEN"))
    assert [one.what for one in refused.value.problems] == ["the suggestion s1 on unit 'u1' has the label \"NOMEN\""]
    assert not look_into(store, NAME, any_suggestion)
    assert look_into(store, NAME, changes_of) == []


@pytest.mark.parametrize("protocol", ["rating-qa", "pairwise"])
def test_where_no_single_text_is_marked_a_list_has_no_place(sqlite_store: Store, tmp_path: Path, protocol: str) -> None:
    House.build(sqlite_store, [pair("u0")] if protocol == "pairwise" else 1, protocol)
    with pytest.raises(NothingTakesSuggestions, match=protocol):
        give(sqlite_store, tmp_path, f"u0{FRIDAY}")
    asked = load(protocol)
    assert look_into(sqlite_store, NAME, lambda open_, row: example_list(open_, row, asked)) == ""


def test_the_list_for_the_next_time_is_one_that_can_be_given(sqlite_store: Store, tmp_path: Path) -> None:
    House.build(sqlite_store, 2)
    asked = load("accuracy")
    example = look_into(sqlite_store, NAME, lambda open_, row: example_list(open_, row, asked))
    rows = example.splitlines()
    assert give(sqlite_store, tmp_path, f"{rows[1]}\n").texts == 1
    give(sqlite_store, tmp_path, f"u1{FRIDAY}", f"u1{WON}", f"u0{WON}")
    before = [stored(sqlite_store, name)["suggested"] for name in ("u0", "u1")]
    made = look_into(sqlite_store, NAME, lambda open_, row: "".join(suggestion_list(open_, row, asked)))
    take_suggestions(sqlite_store, NAME, author="Ada")
    path = tmp_path / "again.csv"
    path.write_text(made, encoding="utf-8")
    give_suggestions(sqlite_store, ContentCache(sqlite_store), NAME, path, author="Ada")
    assert [stored(sqlite_store, name)["suggested"] for name in ("u0", "u1")] == before
    assert Suggested.from_json(before[1][0]).attributes == {"correction": "Sunday"}


@pytest.mark.slow
def test_nobody_is_shown_anything_else_than_what_is_kept(store: Store, tmp_path: Path) -> None:
    """People take texts, and test questions among them, while somebody gives suggestions and takes them away."""
    names = [f"u{number}" for number in range(24)]
    tests = [unit_of(f"t{number}", test="positive", expected={"mistakes": []}) for number in range(6)]
    house = House.build(
        store, [*map(unit_of, names), *tests], labels_per_unit=2, test_questions={"positive": 0.3, "negative": 0.0}
    )
    tokens = [house.person(name) for name in ("Ada", "Bo", "Cy")]
    every = [f"{one}{FRIDAY}" for one in (*names, *(one.id for one in tests))]
    path = a_list(tmp_path, *every)

    def work(token: str) -> list[tuple[int, bytes]]:
        own, got = House.over(store), list[tuple[int, bytes]]()
        for _ in range(8):
            task = own.task(token)
            shown = own.work.content.shown_json(task.unit_id, task.order)
            got.append((task.unit_id, shown))
            offered = orjson.loads(shown)["texts"]["text"].get("suggested", [])
            own.submit(token, task, {"mistakes": [], "mistakes.dismissed": [one["id"] for one in offered]})
        return got

    with ThreadPoolExecutor(3) as pool:
        working = [pool.submit(work, token) for token in tokens]
        for _ in range(6):
            give_suggestions(store, ContentCache(store), NAME, path, author="Ada")
            take_suggestions(store, NAME, author="Ada")
    rows = store.read(lambda open_: open_.execute(select(unit.c.id, unit.c.shown)).all())
    kept = {one.id: one.shown.encode() for one in rows}
    seen = [pair for one in working for pair in one.result()]
    assert len(seen) == 24
    assert [unit_id for unit_id, shown in seen if shown != kept[unit_id]] == []
