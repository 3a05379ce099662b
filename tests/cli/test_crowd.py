"""A campaign on a crowd platform from the command line: from the cost to the books."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.signing_keys import signing_key
from goldmark.cli import run
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.store import open_store
from tests.recruiting.ground import BASE, NAME, Ground, platform_of
from tests.studies.small import EXAMPLES


@pytest.fixture
def ground(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground[MTurkStandIn]]:
    monkeypatch.setenv("GOLDMARK_DATABASE", sqlite_database)
    store = open_store(sqlite_database)
    links = SignedLinks(signing_key(sqlite_database))
    terms = {"approve": {"rule": "by hand"}, "address": BASE}
    with platform_of("mturk", monkeypatch) as there:
        pay = {"target_hourly": 15.0}
        yield Ground.build(store, there, publish_now=False, links=links, pay=pay, recruit=terms)
    store.close()


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert run(["crowd", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_from_the_cost_to_the_books(ground: Ground[MTurkStandIn], capsys: pytest.CaptureFixture[str]) -> None:
    cost = said(capsys, "estimate", NAME)
    assert (cost["places"], cost["reward"], cost["fee"], cost["total"], cost["live"]) == (4, 1.5, 0.3, 7.2, True)
    for wrong in ([], ["--confirm", "7.19"]):
        assert run(["crowd", "publish", NAME, *wrong]) == 1
        assert "confirm exactly this amount" in capsys.readouterr().err
    assert ground.there.hits == {}
    assert run(["crowd", "publish", NAME, "--confirm", "7.20", "--at", "tomorrow"]) == 2
    said(capsys, "publish", NAME, "--confirm", "7.20")
    assert [one.places for one in ground.there.hits.values()] == [4]
    for number in (1, 2):
        ground.person(number).whole(seconds=240.0)
    said(capsys, "sync", NAME)
    people = said(capsys, "show", NAME)["waiting"]
    assert len(people) == 2
    assert run(["crowd", "approve", NAME]) == 2
    said(capsys, "approve", NAME, "--all")
    assert ground.states() == ["approved"] * 2
    owed = said(capsys, "bonus", NAME)
    assert (owed["amount"], owed["fee"], owed["total"], owed["paid"]) == (3.0, 0.6, 3.6, False)
    assert ground.there.bonuses == []
    said(capsys, "bonus", NAME, "--confirm", "3.60")
    assert len(ground.there.bonuses) == 2
    books = said(capsys, "reconcile", NAME)
    assert books["agrees"]
    assert books["spent"] == {"rewards": 3.0, "bonuses": 3.0, "fees": 1.2}
    kinds = [one["kind"] for one in said(capsys, "ledger", NAME)["entries"]]
    assert (kinds.count("reward"), kinds.count("bonus"), kinds.count("offered")) == (2, 2, 1)
    for verb in ("pause", "resume", "close"):
        said(capsys, verb, NAME)
    assert said(capsys, "show", NAME)["state"] == "closed"


def test_what_cannot_be_done_is_said_in_words(
    ground: Ground[MTurkStandIn], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["crowd", "show", NAME]) == 1
    assert "is on no crowd platform" in capsys.readouterr().err
    ground.publish()
    assert run(["crowd", "reject", NAME, "Nobody", "--words", "No."]) == 1
    assert "nobody called 'Nobody'" in capsys.readouterr().err
    paid = next(iter(ground.there.hits))
    del ground.there.hits[paid]  # taken away on the platform's own site
    assert run(["crowd", "reconcile", NAME]) == 1
    assert "Mechanical Turk refused" in capsys.readouterr().err
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("GOLDMARK_KEYS", raising=False)
    assert run(["crowd", "estimate", NAME]) == 1
    assert "AWS_ACCESS_KEY_ID is not known" in capsys.readouterr().err
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREHEARSAL0000000")


def test_terms_are_checked_with_the_file_each_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts.jsonl").write_text('{"id": "u1", "text": "So it is."}\n', encoding="utf-8")
    head = "campaign: c\nprotocol: accuracy\ntexts: texts.jsonl\nbatch: {size: 5}\n"
    terms = "recruit:\n  platform: mturk\n  reward: 0.005\n  start: with the campaign\n  options: {locale: [US]}\n"
    file = tmp_path / "campaign.yaml"
    file.write_text(head + terms, encoding="utf-8")
    assert run(["campaign", "check", str(file)]) == 1
    told = capsys.readouterr().err
    for line in (
        "yaml:4  a place",
        "yaml:5  what is published",
        "yaml:7  a reward",
        'yaml:9  there is no key "locale"',
    ):
        assert line in told
    file.write_text(head.replace("5}", "5, per_person: 1}") + "recruit: {platform: mturkk}\n", encoding="utf-8")
    assert run(["campaign", "check", str(file)]) == 1
    assert "did you mean 'mturk'?" in capsys.readouterr().err
    study = EXAMPLES / "study-humanlike"
    for name in ("study.yaml", "texts.jsonl"):
        (tmp_path / name).write_text((study / name).read_text(encoding="utf-8"), encoding="utf-8")
    with (tmp_path / "study.yaml").open("a", encoding="utf-8") as more:
        more.write("recruit: {platform: prolific, options: {device: [desktop]}}\n")
    assert run(["study", "check", str(tmp_path / "study.yaml")]) == 1
    assert 'there is no key "device"' in capsys.readouterr().err
