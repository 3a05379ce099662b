"""Build a dataset: rows in three splits as JSONL and Parquet, statistics, a data card, a licence and checksums.

The source is read once and its rows laid aside on disk; then the split is known, and the rows are written where they
belong. Ids and different tokens lie on disk too, so that memory hardly grows with the number of texts. Nothing in the
folder depends on the clock, the machine or the order of dictionaries: a second build gives the same bytes.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from goldmark import __version__
from goldmark.datasets.release.agreement import Agreeing
from goldmark.datasets.release.description.card import card
from goldmark.datasets.release.description.croissant import NAME as CROISSANT
from goldmark.datasets.release.description.croissant import croissant
from goldmark.datasets.release.description.figure import type_bars, type_figure
from goldmark.datasets.release.description.licences import NONE, Licence
from goldmark.datasets.release.description.statistics import Statistics
from goldmark.datasets.release.manifest import NAME, Manifest, tasks_of
from goldmark.datasets.release.parquet import write_splits
from goldmark.datasets.release.rows import reading_row, row_of
from goldmark.datasets.release.selection import OmittedText, choose
from goldmark.datasets.release.splits import SHARES, SPLITS, SplitTexts, pseudonyms
from goldmark.datasets.sources.readings import DatasetSource, ReadText, Rule
from goldmark.errors import Conflict, GoldmarkError
from goldmark.exchange.campaign.archive import TargetInUse
from goldmark.records.tables import Table
from goldmark.texts.preparation.near_copies import near_copies
from goldmark.texts.readers.sheets.parquet import need_polars
from goldmark.texts.readers.spreadsheet import csv_line

SUMS = "SHA256SUMS"
READINGS = "readings.jsonl"
FINE = "fine"


class NothingToBuild(Conflict):
    code = "DATASET-14"
    message = "{name} has no text for a dataset: {why}"


class TextTwice(GoldmarkError):
    code = "DATASET-15"
    message = "the text {text!r} comes twice; give every text an id of its own"


@dataclass(frozen=True)
class Options:
    """How to build. `note` is Markdown that stands in the data card as it is."""

    choose: Rule = "auto"
    seed: int = 17
    shares: tuple[int, int, int] = SHARES
    licence: Licence = NONE
    note: str = ""
    context: bool = True


def build(
    source: DatasetSource,
    target: Path,
    options: Options | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> Manifest:
    """Write the dataset into a new or empty folder. Nothing stands there until all of it does."""
    chosen = options or Options()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise TargetInUse(path=target)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        manifest = _Build(source, work / "out", work / "rows", chosen, progress).run()
        if target.exists():
            target.rmdir()
        (work / "out").rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


class _Build:
    def __init__(
        self, source: DatasetSource, out: Path, spool: Path, options: Options, progress: Callable[[int], None] | None
    ) -> None:
        self.source, self.out, self.spool, self.options, self.progress = source, out, spool, options, progress
        self.texts = SplitTexts()
        self.people: Counter[str] = Counter()  # everybody, with a sum of what is released of theirs
        self.left_out: Counter[str] = Counter()
        self.counted = Statistics()
        self.agreeing = Agreeing()
        self.near_copies = 0

    def run(self) -> Manifest:
        need_polars("a dataset is also written as Parquet, which needs")  # now, not after an hour
        (self.out / "jsonl").mkdir(parents=True)
        (self.out / "parquet").mkdir()
        with self.spool.open("wb") as spool:
            for number, text in enumerate(self.source.texts(), start=1):
                self._lay_aside(text, spool)
                if self.progress and number % 1000 == 0:
                    self.progress(number)
        if not self.texts:
            why = ", ".join(f"{count} {reason}" for reason, count in sorted(self.left_out.items()))
            raise NothingToBuild(name=self.source.about.name, why=why or "it has no texts")
        self._part()
        write_splits(self.out)
        manifest = self._manifest()
        describe(
            self.out,
            manifest,
            self.counted,
            self.agreeing.table(),
            licence=self.options.licence.text,
            method=self.source.about.method,
            note=self.options.note,
        )
        write_sums(self.out)
        return manifest

    def _lay_aside(self, text: ReadText, spool: BinaryIO) -> None:
        if not self.options.context:
            text = replace(text, context=())
        found = choose(text, self.options.choose)
        if isinstance(found, OmittedText):
            self.left_out[found.why] += 1
            return
        first = min(found[0].reading.errors, key=lambda one: (one.start, one.end), default=None)
        if not self.texts.add(text.id, FINE if first is None else f"error {first.type}", text.item):
            raise TextTwice(text=text.id)
        several = len(text.readings) > 1
        if several:
            self.agreeing.add(text.readings)
        rows = [row_of(text, one, text.id) for one in found]
        readings = [reading_row(text, one) for one in text.readings] if several else []
        for row in rows:
            self._said(row, row["annotators"])
        for row in readings:
            self._said(row, [row["annotator"]])
        laid = {"rows": rows, "readings": readings}
        spool.write(orjson.dumps(laid, option=orjson.OPT_APPEND_NEWLINE))

    def _said(self, row: Mapping[str, Any], people: Iterable[str]) -> None:
        """Add to what is known of these people a number that is made of the row without their names."""
        nameless = {key: value for key, value in row.items() if key not in ("annotator", "annotators")}
        digest = hashlib.sha256(orjson.dumps(nameless, option=orjson.OPT_SORT_KEYS)).digest()
        for who in people:
            self.people[who] += int.from_bytes(digest)

    def _part(self) -> None:
        """Give every row its split, and every person another name."""
        self._join_copies()
        self.texts.deal(seed=self.options.seed, shares=self.options.shares)
        names = pseudonyms(self.people, seed=self.options.seed)
        with ExitStack() as stack, self.spool.open("rb") as spool:
            files = {name: stack.enter_context((self.out / "jsonl" / f"{name}.jsonl").open("wb")) for name in SPLITS}
            readings = stack.enter_context((self.out / READINGS).open("wb"))
            for line, part in zip(spool, self.texts.parts(), strict=True):
                found = orjson.loads(line)
                for row in found["rows"]:
                    row["annotators"] = sorted(names[who] for who in row["annotators"])
                    if row["basis"] == "all":
                        row["id"] = f"{row['id']}#{row['annotators'][0]}"
                    self.counted.add(row, part)
                    files[part].write(line_of(row))
                for row in sorted(
                    ({**one, "annotator": names[one["annotator"]]} for one in found["readings"]), key=_who
                ):
                    readings.write(line_of(row))

    def _join_copies(self) -> None:
        """Texts that are nearly the same must be in one split, as texts about one item are."""
        with self.spool.open("rb") as spool:
            copies = near_copies(orjson.loads(line)["rows"][0]["text"] for line in spool)
        self.near_copies = len(copies)
        self.texts.join(copies.items())

    def _manifest(self) -> Manifest:
        about, counted = self.source.about, self.counted
        sizes = counted.tables()[0].records()
        types = sorted({str(row["type"]) for row in counted.types().records()})
        return Manifest(
            name=about.name,
            title=about.title,
            texts={str(row["split"]): int(row["texts"] or 0) for row in sizes if row["split"] in SPLITS},
            erroneous=counted.erroneous,
            tokens=counted.tokens,
            errors=counted.errors,
            annotators=len(self.people),
            tasks=tasks_of(counted, len(types)),
            types=tuple(types),
            associated=counted.has["associated"] > 0,
            languages=_counts(counted.languages),
            systems=_counts(counted.systems),
            bases=_counts(counted.bases),
            read_twice=self.agreeing.texts,
            left_out=_counts(self.left_out),
            near_copies=self.near_copies,
            choose=self.options.choose,
            seed=self.options.seed,
            shares=self.options.shares,
            licence=self.options.licence.name,
            protocol=about.protocol,
            origin=about.origin,
            labels=dict(about.labels),
            facts=dict(about.facts),
            goldmark=__version__,
        )


def describe(
    folder: Path,
    manifest: Manifest,
    counted: Statistics,
    agreement: Table | None,
    *,
    licence: str,
    method: str,
    note: str,
) -> None:
    """Everything beside the rows: tables, pictures, the manifest, the licence, the data card, Croissant."""
    tables = counted.tables()
    for table, name in zip(tables, ("statistics", "types"), strict=False):
        lines = [csv_line(table.columns), *(csv_line(row) for row in table.rows)]
        (folder / f"{name}.csv").write_text("".join(lines), encoding="utf-8", newline="")
    if len(tables) > 1:
        (folder / "types.svg").write_text(type_figure(tables[1], f"Types of errors in {manifest.title}"), "utf-8")
        (folder / "types.txt").write_text(type_bars(tables[1]), encoding="utf-8")
    (folder / NAME).write_bytes(manifest.to_bytes())
    (folder / "LICENSE").write_text(licence, encoding="utf-8")
    (folder / "README.md").write_text(card(manifest, tables, agreement, method=method, note=note), encoding="utf-8")
    sums = {name: digest(folder / "jsonl" / f"{name}.jsonl") for name in SPLITS}
    (folder / CROISSANT).write_bytes(croissant(manifest, sums))


def line_of(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def _who(row: dict[str, Any]) -> str:
    return str(row["annotator"])


def _counts(counter: Counter[str]) -> dict[str, int]:
    return {name: counter[name] for name in sorted(counter)}


def write_sums(folder: Path) -> None:
    lines = [f"{digest(folder / name)}  {name}\n" for name in files_of(folder) if name != SUMS]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def files_of(folder: Path) -> Iterator[str]:
    """Every file of a dataset by its path in it, in one order."""
    yield from sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
