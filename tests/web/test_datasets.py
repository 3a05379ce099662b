"""A manager builds a campaign's dataset: on the page and through the API."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.datasets.release.integrity import check
from tests.datasets.house import campaign
from tests.web.house import House


@pytest.fixture
def small(house: House) -> House:
    restore(house.services.store, campaign(), author="test")
    return house


def test_the_archive_is_a_whole_dataset_and_the_same_twice(small: House, tmp_path: Path) -> None:
    browser = small.browser("manager")
    address = "/campaigns/small/dataset?save=yes&choose=auto&split=8:1:1&seed=5&licence=CC-BY-4.0"
    first = browser.get(address)
    assert first.headers["content-disposition"] == 'attachment; filename="small-dataset.zip"'
    assert first.content == browser.get(address).content
    zipfile.ZipFile(io.BytesIO(first.content)).extractall(tmp_path)
    assert check(tmp_path / "small-dataset") == []
    assert "CC-BY-4.0" in (tmp_path / "small-dataset" / "README.md").read_text()


def test_the_page_shows_what_would_be_built(small: House) -> None:
    browser = small.browser("manager")
    plain = browser.get("/campaigns/small/dataset").text
    assert "Build and download" in plain
    assert "Benchmark tasks" not in plain
    shown = browser.get("/campaigns/small/dataset?show=yes").text
    assert "3 texts, 2 of them erroneous" in shown
    assert "no majority" in shown
    assert "combination" in shown
    assert "/campaigns/small/dataset" in browser.get("/campaigns/small/export").text


def test_what_cannot_be_built_says_why(small: House) -> None:
    browser = small.browser("manager")
    refused = browser.get("/campaigns/small/dataset?show=yes&split=9:x:1")
    assert refused.status_code == 422
    assert "8:1:1" in refused.text
    assert browser.get("/campaigns/small/dataset?save=yes&licence=/etc/passwd").status_code == 422
    assert browser.get("/campaigns/small/dataset?save=yes&choose=gold").status_code == 409


def test_the_api_does_the_same(small: House) -> None:
    program = small.program("manager")
    found = program.get("/api/v1/campaigns/small/dataset/facts", params={"choose": "first"}).json()
    assert found["dataset"]["texts"] == {"train": 3, "dev": 1, "test": 0}
    assert found["tables"][0]["title"] == "Dataset"
    archive = program.get("/api/v1/campaigns/small/dataset")
    assert archive.headers["content-type"] == "application/zip"
    assert "small-dataset/SHA256SUMS" in zipfile.ZipFile(io.BytesIO(archive.content)).namelist()
    assert program.get("/api/v1/campaigns/small/dataset", params={"licence": "mine"}).json()["code"] == "DATASET-12"
