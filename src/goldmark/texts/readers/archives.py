"""Zip archives of others: opened only if the list of what they hold is no longer than it may be.

Python makes an object of every entry as soon as an archive is opened. A list of millions of empty files, which is only
some megabytes, would fill the memory before anybody could count it; and the number that an archive tells may be wrong.
"""

from __future__ import annotations

import zipfile
from typing import Any, BinaryIO

ENTRY = 400  # bytes in the list for each file: its name and some fifty more
ENDING = 70_000  # bytes that say where the list is, with the longest comment on the archive


class TooManyFiles(zipfile.BadZipFile):
    """Of the kind that readers of archives tell in words."""


def open_zip(file: BinaryIO, *, most: int) -> zipfile.ZipFile:
    """An archive that holds at most so many files."""
    source = _Source(file, ENDING + most * ENTRY)
    archive = zipfile.ZipFile(source)
    if len(archive.infolist()) > most:
        raise TooManyFiles(f"it holds {len(archive.infolist()):,} files; {most:,} are allowed")
    source.limit = None
    return archive


class _Source:
    """An archive's bytes. While there is a `limit`, as there is until its list was read, no more are read at once."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self.limit: int | None = limit

    def read(self, size: int = -1) -> bytes:
        if self.limit is None:
            return self._file.read(size)
        some = self._file.read(self.limit + 1 if size < 0 else min(size, self.limit + 1))
        if len(some) > self.limit:
            raise TooManyFiles(f"its list of files is longer than {self.limit:,} bytes")
        return some

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
