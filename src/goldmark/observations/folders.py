"""Folders that are filled wholly or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def all_or_nothing(folder: Path) -> Iterator[Path]:
    """A new or empty folder to fill. What breaks off or is refused leaves nothing there, so it can be tried again."""
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    except BaseException:
        for one in folder.iterdir():
            if one.is_dir():
                shutil.rmtree(one)
            else:
                one.unlink()
        for one in made:
            one.rmdir()
        raise
