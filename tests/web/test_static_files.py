"""Scripts and styles: a browser that has them asks for none again, and never gets a mixture of two versions."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from goldmark.web.pages import static_files
from goldmark.web.pages.static_files import FOLDER, asset
from tests.web.house import HTML, House

IMPORTED = re.compile(r'^\s*(?:import|export)\b[^"\n]*?"(\.[^"]+)"|^\} from "(\.[^"]+)"', re.MULTILINE)
NAMED = re.compile(r"""url\(['"]?([^'")]+)|@import ['"]([^'"]+)""")


def test_what_a_page_names_is_kept_for_ever_and_what_has_no_version_is_asked_for_anew(shared_house: House) -> None:
    client = shared_house.client(headers=HTML)
    page = client.get(f"/a/{shared_house.person}").text
    named = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(named) > 4
    assert len({one.split("/")[2] for one in named}) == 1, "all of one version"
    for one in named:
        reply = client.get(one)
        assert (reply.status_code, "immutable" in reply.headers["cache-control"]) == (200, True)
        assert reply.headers.get_list("cache-control") == [static_files.FOR_EVER]
    assert client.get(asset("js/work.js")).headers["content-type"] == "text/javascript; charset=utf-8"
    plain = client.get("/static/js/work.js")
    assert plain.headers["cache-control"] == "no-cache"
    assert client.get("/static/js/work.js", headers={"if-none-match": plain.headers["etag"]}).status_code == 304
    assert client.post(asset("js/work.js")).status_code == 405
    for wrong in ("/static/0123456789abcdef/js/work.js", "/static/js/nothing.js", "/static/../app.py", "/static/"):
        refused = client.get(wrong)
        assert (refused.status_code, refused.headers["cache-control"]) == (404, "no-store")


def test_modules_and_styles_name_others_by_relative_addresses_only() -> None:
    """So that what they load is of their own version."""
    for path in FOLDER.rglob("*"):
        name = path.relative_to(FOLDER).as_posix()
        if name.startswith("vendor/") or path.suffix not in (".js", ".css"):
            continue
        source = path.read_text(encoding="utf-8")
        assert "/static" not in source, name
        found = (IMPORTED if path.suffix == ".js" else NAMED).findall(source)
        for one in (first or second for first, second in found):
            if not one.startswith("data:"):
                asset(posixpath.normpath(posixpath.join(posixpath.dirname(name), one)))


def test_a_changed_file_is_another_version_and_a_running_program_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "js").mkdir()
    file = tmp_path / "js" / "a.js"
    file.write_text("one")
    monkeypatch.setattr(static_files, "FOLDER", tmp_path)
    static_files._read.cache_clear()
    before = static_files._current()
    file.write_text("two")
    assert static_files._current().files["js/a.js"].content() == b"one", "an upgrade does not change what runs"
    static_files._read.cache_clear()  # as a new process begins
    after = static_files._current()
    assert after.files["js/a.js"].content() == b"two"
    assert after.version != before.version
    with pytest.raises(KeyError):
        asset("js/nothing.js")
    static_files._read.cache_clear()


def test_a_large_file_is_read_when_it_is_asked_for_and_gone_once_it_has_changed(
    shared_house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = asset("vendor/swagger-ui/swagger-ui-bundle.js")
    client = shared_house.client()
    assert client.get(large).content == (FOLDER / large.split("/", 3)[3]).read_bytes()
    (tmp_path / "a.js").write_text("1;" * static_files.LARGE)
    monkeypatch.setattr(static_files, "FOLDER", tmp_path)
    static_files._read.cache_clear()
    try:
        large = asset("a.js")
        assert client.get(large).text == "1;" * static_files.LARGE
        for change in (lambda: (tmp_path / "a.js").write_text("2;" * static_files.LARGE), (tmp_path / "a.js").unlink):
            change()
            refused = client.get(large)
            assert (refused.status_code, refused.headers["cache-control"]) == (404, "no-store")
    finally:
        static_files._read.cache_clear()
