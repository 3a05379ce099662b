"""How lists name their texts.

An id is an id: lists are written with it as it stands. But the accuracy shared task names a text by its file, as
`S001.txt`, and people leave that ending away or add it, so a list may also name a text without or with `.txt` where no
text has exactly that id.
"""

from __future__ import annotations

from collections.abc import Collection, Container

ENDING = ".txt"


def find_id(name: str, known: Container[str]) -> str | None:
    """The id that a cell of a list means; None if no text is called so."""
    plain = name.strip()
    return next((one for one in (name, plain, plain.removesuffix(ENDING), plain + ENDING) if one in known), None)


def id_of_file(name: str, names: Collection[str]) -> str:
    """The id of one file of a folder: `S001` for `S001.txt`, unless another file of the folder is called `S001`."""
    stem = name.removesuffix(ENDING)
    return name if stem in names else stem
