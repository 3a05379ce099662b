"""The mechanism of plug-ins: what is built in and what is installed are found, loaded and refused alike."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from goldmark import plugins
from goldmark.cli import run
from goldmark.plugins import BrokenPlugin, Group, Plugin, UnknownPlugin

MODULE = f"{__name__}:"


@dataclass(frozen=True)
class Thing:
    """A thing."""

    name: str
    purpose: str = ""


OURS, THEIRS, SPOILT = Thing("ours", "comes with Goldmark"), Thing("theirs"), Thing("spoilt")


def things() -> Group[Thing]:
    return Group(
        "things",
        "thing",
        Thing,
        {"ours": f"{MODULE}OURS"},
        lambda found, name: "it is spoilt" if found is SPOILT else "",
    )


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins.installed.cache_clear()
    yield tmp_path
    plugins.installed.cache_clear()


def install(folder: Path, points: str, package: str = "others") -> None:
    info = folder / f"{package}-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[goldmark.things]\n{points}\n", encoding="utf-8")


def test_what_is_installed_comes_after_what_is_built_in(offer: Path) -> None:
    install(offer, f"theirs = {MODULE}THEIRS")
    group = things()
    assert list(group) == ["ours", "theirs"]
    assert group.find("theirs") is group["theirs"] is THEIRS
    assert group.offered()[1] == Plugin("things", "theirs", f"{MODULE}THEIRS", "others", "2.1")
    assert [group.purpose(name) for name in group] == ["comes with Goldmark", "A thing."]


def test_a_name_that_nobody_has_is_told_with_those_there_are(offer: Path) -> None:
    with pytest.raises(UnknownPlugin, match="there is no thing 'our' \\(did you mean 'ours'\\?\\); there are ours"):
        things().find("our")
    with pytest.raises(KeyError):
        things()["our"]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("no_such_module:THING", "ModuleNotFoundError: No module named 'no_such_module'"),
        (f"{MODULE}NOTHING", "has no attribute 'NOTHING'"),
        (f"{MODULE}MODULE", "it is not a Thing"),
        (f"{MODULE}THEIRS", "it calls itself 'theirs'"),
        ("explodes:THING", "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_loaded_is_in_nobodys_way(offer: Path, place: str, reason: str) -> None:
    (offer / "explodes.py").write_text("1 / 0\n", encoding="utf-8")
    install(offer, f"theirs = {MODULE}THEIRS\nwrong = {place}")
    group = things()
    assert list(group.usable()) == ["ours", "theirs"]
    with pytest.raises(BrokenPlugin, match=f"the thing 'wrong' cannot be loaded from {place}: .*{reason}"):
        group.find("wrong")
    assert reason in group.why_not(group.plugins()["wrong"])


def test_a_group_may_have_wishes_of_its_own(offer: Path) -> None:
    install(offer, f"spoilt = {MODULE}SPOILT")
    with pytest.raises(BrokenPlugin, match="it is spoilt"):
        things().find("spoilt")


def test_nobody_replaces_what_is_there(offer: Path) -> None:
    install(offer, f"ours = {MODULE}THEIRS\ntheirs = {MODULE}THEIRS")
    install(offer, f"theirs = {MODULE}SPOILT", "zeroes")
    group = things()
    assert (group["ours"], group["theirs"]) == (OURS, THEIRS)
    assert [group.why_not(one) for one in group.offered()] == [
        "",
        "goldmark has a thing of this name, which comes first",
        "",
        "others has a thing of this name, which comes first",
    ]


def test_nothing_is_imported_before_it_is_asked_for(offer: Path) -> None:
    (offer / "idle.py").write_text("THING = 1\n", encoding="utf-8")
    install(offer, "idle = idle:THING")
    group = things()
    assert "idle" in group
    assert len(group) == 2
    assert "idle" not in sys.modules


def test_every_group_is_declared_under_its_name_and_all_that_is_built_in_can_be_loaded() -> None:
    for name, place in plugins.GROUPS.items():
        group = plugins.attribute_at(place)
        assert group.name == name, place
        for plugin in group.offered():
            if plugin.distribution == "goldmark":
                assert group.why_not(plugin) == "", plugin
                assert group.purpose(plugin.name), plugin


def test_the_command_lists_them_with_what_cannot_be_used(offer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(offer, "")
    (offer / "others-2.1.dist-info" / "entry_points.txt").write_text(
        "[goldmark.connectors]\nbrowser = no_such_module:X\n", encoding="utf-8"
    )
    assert run(["plugin", "list", "connectors", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["plugins"]}
    assert rows["prolific"]["usable"]
    assert (rows["browser"]["distribution"], rows["browser"]["version"]) == ("others", "2.1")
    assert rows["browser"]["why_not"].startswith("ModuleNotFoundError")
    assert run(["plugin", "list", "connectors", "formats"]) == 0
    printed = capsys.readouterr()
    assert "Amazon Mechanical Turk" in printed.out
    assert "everything, one row a line (export and import)" in printed.out
    assert "connectors browser (no_such_module:X) cannot be used: ModuleNotFoundError" in printed.err
    assert run(["plugin", "list", "connector"]) == 1
    assert "did you mean 'connectors'" in capsys.readouterr().err
