"""A campaign of the database as a dataset: built in a folder for a while, packed as one archive, or only counted.

What builds it is loaded when it is first asked for: a server should not wait for it before its first page.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.protocols import Protocol
from goldmark.records.tables import Table
from goldmark.store import Store

if TYPE_CHECKING:
    from goldmark.datasets.release.build import Options
    from goldmark.datasets.release.manifest import Manifest

Choose = Literal["auto", "gold", "approved", "vote", "first", "all"]
LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODC-BY-1.0", "Apache-2.0", "MIT")
MOMENT = (1980, 1, 1, 0, 0, 0)  # of every file in the archive, so that it depends on the files alone


@dataclass(frozen=True)
class DatasetRequest:
    """What somebody asked for."""

    choose: Choose = "auto"
    seed: int = 17
    split: str = "8:1:1"
    licence: str = ""
    question: str = ""

    def options(self) -> Options:
        from goldmark.datasets.release.build import Options
        from goldmark.datasets.release.description.licences import find_licence
        from goldmark.datasets.release.splits import parse_shares

        # Never a file: the name comes from a form, and the server's files are nobody's business.
        return Options(self.choose, self.seed, parse_shares(self.split), find_licence(self.licence, files=False))


def pack_dataset(store: Store, name: str, wanted: DatasetRequest, path: Path) -> None:
    """Build the dataset and pack it into one archive."""
    with _built(store, name, wanted) as (_, folder):
        _pack(folder, path, f"{name}-dataset")


def why_not(protocol: Protocol) -> str:
    """Why no dataset can be made of what this protocol asks, or nothing."""
    from goldmark.datasets.sources.forms import Form, NoSpans

    try:
        Form.of(protocol)
    except NoSpans as error:
        return str(error)
    return ""


def dataset_facts(store: Store, name: str, wanted: DatasetRequest) -> tuple[dict[str, Any], list[Table]]:
    """What the dataset would be: its facts, its statistics and its types."""
    from goldmark.datasets.release.loader import Dataset

    with _built(store, name, wanted) as (manifest, folder):
        return asdict(manifest), Dataset(folder).statistics().tables()


@contextmanager
def _built(store: Store, name: str, wanted: DatasetRequest) -> Iterator[tuple[Manifest, Path]]:
    from goldmark.datasets.release.build import build
    from goldmark.datasets.sources.store import CampaignSource

    options = wanted.options()
    place = Path(tempfile.mkdtemp(prefix="goldmark-dataset-"))
    try:

        def make(connection: Connection, row: CampaignRow) -> Manifest:
            return build(CampaignSource(connection, row, question=wanted.question or None), place / "data", options)

        yield look_into(store, name, make), place / "data"
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _pack(folder: Path, path: Path, inside: str) -> None:
    from goldmark.datasets.release.build import files_of

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in files_of(folder):
            entry = zipfile.ZipInfo(f"{inside}/{name}", date_time=MOMENT)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            with archive.open(entry, "w") as target, (folder / name).open("rb") as source:
                shutil.copyfileobj(source, target)
