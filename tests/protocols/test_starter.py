"""The file to start a protocol from: it loads as it is, and is never written over another."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.protocols import load
from goldmark.protocols.loading.starter import (
    CannotWriteProtocol,
    NotAProtocolName,
    WouldOverwrite,
    write_starting_file,
)


def test_the_starting_file_is_a_protocol_of_that_name(tmp_path: Path) -> None:
    protocol = load(str(write_starting_file("my-ratings", tmp_path)))
    assert protocol.id == "my-ratings/1"
    assert list(protocol.questions())


def test_nothing_is_written_over_a_file(tmp_path: Path) -> None:
    write_starting_file("mine", tmp_path).write_text("changed", encoding="utf-8")
    with pytest.raises(WouldOverwrite, match="already there"):
        write_starting_file("mine", tmp_path)
    assert (tmp_path / "mine.yaml").read_text(encoding="utf-8") == "changed"


@pytest.mark.parametrize("name", ["", "Mine", "../mine", "9mine", "m" * 65])
def test_a_name_is_small_letters_digits_and_hyphens(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotAProtocolName):
        write_starting_file(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteProtocol, match="No such file"):
        write_starting_file("mine", tmp_path / "nowhere")
