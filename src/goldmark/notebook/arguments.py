"""What somebody types in a notebook, as the functions behind the commands take it; what cannot be is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from goldmark.errors import GoldmarkError
from goldmark.notebook.result import Result
from goldmark.records.tidy.columns import Column, Columns, Frame
from goldmark.records.tidy.kept import Keep, named_values
from goldmark.texts.readers.tidy import table_of

Keeping = Mapping[str, str | Sequence[str]] | str | Sequence[str] | None
TEXTS = Columns("id", Column("text", free=True))


class ArgumentNotPossible(GoldmarkError):
    code = "NOTEBOOK-06"
    message = "{name} is {value!r}; it can be {known}"


def check(seed: object, *counts: object, **chosen: tuple[object, Any]) -> None:
    """Refuse a seed or a number of resamples that is none, and a choice that is not among those of its type."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ArgumentNotPossible(name="seed", value=seed, known="a whole number from 0")
    for count in counts:
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            raise ArgumentNotPossible(name="the number of resamples", value=count, known="a whole number from 1")
    for name, (value, kind) in chosen.items():
        known = list(_choices(kind))
        if value not in known:
            raise ArgumentNotPossible(name=name, value=value, known=" or ".join(str(one) for one in known))


def _choices(kind: Any) -> Iterator[object]:
    """The values of a `Literal`, also of one that may be None."""
    for one in get_args(kind):
        if get_origin(one) is Literal:
            yield from get_args(one)
        else:
            yield None if one is type(None) else one


def said(**names: str) -> dict[str, str]:
    """What a table calls our columns, where somebody has said so."""
    return {name: column for name, column in names.items() if column}


def listed(names: str | Sequence[str]) -> list[str]:
    """One name or several."""
    return [names] if isinstance(names, str) else [str(name) for name in names]


def kept(keep: Keeping) -> Keep:
    """As a mapping, or as the command has it: `question=overall`."""
    if isinstance(keep, Mapping):
        return {column: listed(wanted) for column, wanted in keep.items()}
    return named_values([keep] if isinstance(keep, str) else keep or ())


def frame_of(data: object, source: str = "table") -> Frame:
    """A table of cells from whatever there is, also from a result of ours."""
    if isinstance(data, Result):
        return data.frame or table_of(data.table.records(), source)
    return table_of(data, source)


def file_or_frame(data: object, source: str = "table") -> Path | Frame:
    """A path as it is: a reader of files knows more of them than their cells."""
    return Path(data) if isinstance(data, str | Path) else frame_of(data, source)


def texts_of(texts: object) -> Path | Mapping[str, str]:
    """A folder of texts, texts by their id, or a table of them."""
    if isinstance(texts, str | Path):
        return Path(texts)
    if isinstance(texts, Mapping) and all(isinstance(text, str) for text in texts.values()):
        return {str(name): text for name, text in texts.items()}
    checked = TEXTS.check(frame_of(texts, "texts"))
    return dict(zip(checked.texts("id"), checked.texts("text"), strict=True))
