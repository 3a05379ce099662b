"""What pytest makes of the asserts of the test files, made once for all processes of a run.

In a fresh checkout every process would make it of every file, all at the same time: ten seconds of each. The names
are pytest's own and not promised; where one is gone, every process does it for itself, as it would without this.
"""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def rewrite_once(config: pytest.Config, *folders: Path) -> None:
    files = [path for folder in folders for name in ("test_*.py", "conftest.py") for path in folder.rglob(name)]
    try:
        left = [path for path in files if rewrite._read_pyc(path, _kept(path)) is None]
    except (AttributeError, TypeError):
        return
    at_once = (os.cpu_count() or 1) if left else 0
    forks = multiprocessing.get_context("fork")
    working = [forks.Process(target=_rewrite, args=(config, left[number::at_once])) for number in range(at_once)]
    for one in working:
        one.start()
    for one in working:
        one.join()


def _rewrite(config: pytest.Config, paths: list[Path]) -> None:
    with suppress(AttributeError, TypeError):
        for path in paths:
            source, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, _kept(path))


def _kept(path: Path) -> Path:
    folder = rewrite.get_cache_dir(path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (path.stem + rewrite.PYC_TAIL)
