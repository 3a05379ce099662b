"""A board that arrives as uploaded files: read as from a disk, so that every check and every message is the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from goldmark.campaigns.definition.uploads import Uploaded, put_in_folder, read_upload
from goldmark.errors import GoldmarkError
from goldmark.leaderboards.definition.file import BoardPlan, read_board

ENDINGS = (".yaml", ".yml")


class NoBoardFile(GoldmarkError):
    code = "BOARD-05"
    message = "among the files ({names}) there is no leaderboard file; it is called leaderboard.yaml, or the only .yaml"


def board_from_files(files: Sequence[Uploaded]) -> BoardPlan:
    """The board in uploaded files: its file, its items, and a protocol if it has its own."""
    with put_in_folder(files) as (folder, names):
        return read_upload(read_board, folder / _board_file(names))


def _board_file(names: Sequence[str]) -> str:
    candidates = [name for name in names if name.lower().endswith(ENDINGS)]
    named = [name for name in candidates if PurePosixPath(name).stem in ("leaderboard", "board")]
    if len(named) == 1:
        return named[0]
    if len(candidates) == 1:
        return candidates[0]
    raise NoBoardFile(names=", ".join(names) or "none were given")
