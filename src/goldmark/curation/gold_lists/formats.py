"""How a gold list is written to files and read from them; more formats come as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldmark.exchange.campaign.archive import list_files, write_file, write_folder, zipped
from goldmark.plugins import Group
from goldmark.records.gold import GoldMistake
from goldmark.records.texts import Text

Texts = Mapping[str, Text]


@dataclass(frozen=True)
class GoldFormat:
    """A list is one file whose name has this `ending`, or, without one, a folder or a zip archive of files.

    By the endings that such files have, `holds`, a format is known where none is named.
    """

    name: str
    purpose: str
    write: Callable[[Sequence[GoldMistake], Texts], Iterator[tuple[str, bytes]]]
    read: Callable[[Path, Texts], Sequence[GoldMistake]]
    ending: str = ""
    holds: tuple[str, ...] = ()


GOLD_FORMATS: Group[GoldFormat] = Group(
    "gold_formats",
    "format of gold lists",
    GoldFormat,
    {
        "gsml": "goldmark.curation.gold_lists.files:GSML_LIST",
        "webanno-tsv": "goldmark.curation.gold_lists.layers:WEBANNO_LIST",
        "cas": "goldmark.curation.gold_lists.layers:CAS_LIST",
    },
)


def write_gold_list(form: GoldFormat, target: Path, mistakes: Sequence[GoldMistake], texts: Texts) -> None:
    """Into a new file or folder, or a zip archive if its name ends so."""
    if form.ending or target.suffix.lower() == ".zip":
        write_file(target, downloaded(form, mistakes, texts)[1])
    else:
        write_folder(target, form.write(mistakes, texts))


def downloaded(form: GoldFormat, mistakes: Sequence[GoldMistake], texts: Texts) -> tuple[str, bytes]:
    """The ending of a file's name, and the file."""
    files = form.write(mistakes, texts)
    return (form.ending, next(files)[1]) if form.ending else (".zip", zipped(files))


def read_gold_list(path: Path, texts: Texts, format_name: str | None = None) -> Sequence[GoldMistake]:
    """A list in this format; if none is named, in the one that the endings of its files tell."""
    return _form(path, format_name).read(path, texts)


def _form(path: Path, format_name: str | None) -> GoldFormat:
    if format_name is not None:
        return GOLD_FORMATS.find(format_name)
    known = GOLD_FORMATS.usable().values()
    ending = path.suffix.lower()
    one_file = next((one for one in known if one.ending and one.ending == ending), None)
    if one_file is not None:
        return one_file
    inside = {Path(name).suffix.lower() for name in list_files(path)}
    return next((one for one in known if inside.intersection(one.holds)), GOLD_FORMATS["webanno-tsv"])
