"""Exports under other names: nobody's name is in them, they are one person's throughout, and they can be imported."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.export_files import write_download
from goldmark.campaigns.transfer.restore import restore
from goldmark.curation.verification.followup import find_follow_up
from goldmark.curation.workspace.service import take_step
from goldmark.exchange.campaign.pseudonyms import KIND, NOBODY, NOTE_FILE, Pseudonyms, with_pseudonyms
from goldmark.exchange.formats import exports, import_campaign
from goldmark.followups.create import create_follow_up
from goldmark.notebook.campaigns import read_campaign
from goldmark.observations.filter import COUNTING
from goldmark.people.exclusions import exclude
from goldmark.quality import rules
from goldmark.quality.training import qualifications
from goldmark.store import Store, open_store
from goldmark.store.tables import annotator
from tests.campaigns.house import NAME, House
from tests.databases import fresh

PEOPLE = ("Ada Lovelace", "Edsger", "Zoë")
BOSSES = ("Rita", "Cleo", "Bossy")
MARK = {"id": "e1", "start": 4, "end": 5, "label": "NAME", "correction": "Monday"}


@pytest.fixture
def lived_in(tmp_path: Path) -> Iterator[Store]:
    """People, a program, reviews, an exclusion, invitations by name, a curated text."""
    with closing(open_store(fresh(tmp_path))) as store:
        yield _live_in(store)


def _live_in(store: Store) -> Store:
    house = House.build(store, 1, labels_per_unit=4, review={"required": False}, join={"invite": ["Ada Lovelace"]})
    for name in ("Program", *PEOPLE):
        token = house.person(name)
        held = house.task(token)
        house.submit(token, held, {"mistakes": [] if name == "Zoë" else [MARK]})
    store.write(
        lambda open_: open_.execute(update(annotator).where(annotator.c.name == "Program").values(kind="model"))
    )
    house.judge(held.id, "approved", "Rita")
    exclude(store, NAME, "Edsger", author="Bossy", reason="careless")
    content = ContentCache(store)
    take_step(store, content, NAME, held.unit_id, after=1, kind="accept", facts={"mark": "1.1"}, author="Cleo")
    take_step(store, content, NAME, held.unit_id, after=2, kind="finish", facts={}, author="Cleo")
    return store


def names_in(path: Path) -> set[str]:
    """Everybody whose name stands anywhere in a file or in what an archive holds; the free words hold none."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            content = "\n".join(
                one.filename + archive.read(one).decode("utf-8", "replace") for one in archive.infolist()
            )
    else:
        content = path.read_bytes().decode("utf-8", "replace")
    content = content.replace("\\u00eb", "ë")
    return {name for name in (*PEOPLE, *BOSSES) if name in content}


@pytest.mark.parametrize("format_name", sorted(exports()))
def test_no_name_is_in_any_format(format_name: str, lived_in: Store, tmp_path: Path) -> None:
    plain, other = tmp_path / "plain", tmp_path / "other"
    write_download(lived_in, NAME, format_name, plain, "mistakes")
    write_download(lived_in, NAME, format_name, other, "mistakes", pseudonyms=True)
    if format_name not in ("label-studio-config", "parquet", "tidy-parquet"):  # no people in it; packed columns
        assert names_in(plain), "a format without names would pass this test for nothing"
    assert names_in(other) == set()


def test_an_export_under_other_names_is_the_same_campaign(lived_in: Store, tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    write_download(lived_in, NAME, "jsonl", path, pseudonyms=True)
    read, known = import_campaign(path, "jsonl"), record_of(lived_in, NAME)
    # The same answers on the same units, by as many people, one of whom is a program under its own name.
    answers = [
        sorted((one.unit, json.dumps(one.answers, sort_keys=True)) for one in some.responses) for some in (read, known)
    ]
    assert answers[0] == answers[1]
    assert len({one.annotator for one in read.responses}) == 4
    assert "Program" in {one.id for one in read.annotators}
    assert all(re.fullmatch(r"Program|person-[a-z2-7]{16}", one.id) for one in read.annotators)
    assert [one.state for one in read.annotators].count("excluded") == 1
    # What is said of somebody is still said of them: the exclusion, the invitation, the curator's sources.
    (gone,) = read.exclusions()
    assert gone.reason == "careless"
    assert gone.responses == 1
    assert set(read.settings["join"]["invite"]) <= {one.id for one in read.annotators}
    assert set(read.gold_versions[0].gold["annotators"]) <= {one.id for one in read.annotators}
    assert [one.kind for one in read.events].count(KIND) == 1
    row = restore(lived_in, read, name="again", author="test")
    assert record_of(lived_in, row.name).final_responses() != ()


def test_two_exports_have_different_names_and_nothing_tells_their_order(lived_in: Store) -> None:
    known = record_of(lived_in, NAME)
    names = [tuple(one.id for one in with_pseudonyms(known).annotators) for _ in range(2)]
    assert not set(names[0]) & set(names[1]) - {"Program"}
    assert list(names[0]) == sorted(names[0])  # and not as their owners' names stand
    names_by_key = {Pseudonyms(key=bytes([key])).of("Ada Lovelace") for key in range(1, 20)}
    assert len(names_by_key) == 19


def test_rows_do_not_stand_in_the_order_of_names(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 1, labels_per_unit=3)
    for name in ("Zoe", "Ann", "Mo"):
        token = house.person(name)
        house.submit(token, house.task(token))
    path = tmp_path / "out"
    write_download(store, NAME, "jsonl", path, pseudonyms=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    joined = [one["joined"] for one in lines if one["record"] == "annotator"]
    assert joined == sorted(joined)
    names = [one["id"] for one in lines if one["record"] == "annotator"]
    assert [one["annotator"] for one in lines if one["record"] == "response"] == names


def test_tidy_tables_say_so_and_filters_go_by_the_real_names(lived_in: Store, tmp_path: Path) -> None:
    path = tmp_path / "tidy"
    wanted = COUNTING._replace(annotators=frozenset({"Ada Lovelace"}))
    write_download(lived_in, NAME, "tidy", path, None, wanted, pseudonyms=True)
    with zipfile.ZipFile(path) as archive:
        assert "pseudonyms" in archive.read(NOTE_FILE).decode()
        spans = list(csv.DictReader(archive.read("spans.csv").decode().splitlines()))
    assert len({one["annotator"] for one in spans}) == 1
    assert spans[0]["annotator"].startswith("person-")
    path.rename(tmp_path / "tidy.zip")
    assert "spans" in read_campaign(tmp_path / "tidy.zip").frames  # the note is in nobody's way


def test_units_of_a_follow_up_do_not_name_who_wrote_them(lived_in: Store, tmp_path: Path) -> None:
    links = SignedLinks(b"key")
    made = create_follow_up(lived_in, links, find_follow_up("verification"), NAME, name="checked", author="Bossy")
    path = tmp_path / "out"
    write_download(lived_in, made.campaign.name, "jsonl", path, pseudonyms=True)
    assert names_in(path) == set()
    name, facts = Pseudonyms(key=b"k").unit("g1:Zoë:why", {"source": {"unit": "g1", "annotator": "Zoë"}})
    assert name == f"g1:{facts['source']['annotator']}:why" == f"g1:{Pseudonyms(key=b'k').of('Zoë')}:why"


def test_decisions_of_rules_are_nobodys() -> None:
    assert {rules.AUTHOR, qualifications.BY_RULE} <= NOBODY
