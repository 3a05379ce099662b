"""The statistics of a campaign as a dataset, among its results: a table that this room offers to the catalogue."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection

from goldmark.datasets.release.description.statistics import Statistics
from goldmark.datasets.release.rows import row_of
from goldmark.datasets.release.selection import OmittedText, choose
from goldmark.datasets.sources.store import CampaignSource
from goldmark.errors import Conflict
from goldmark.protocols.answers import marking
from goldmark.records.figures import counted
from goldmark.records.tables import Table
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.result_table import MARKED, Needs, published
from goldmark.results.tables.campaigns import NO_DATABASE

TEXTS_AT_ONCE = 10_000  # that are read once more in a few seconds


def why_no_dataset(given: TableInputs) -> str:
    if given.stored is None:
        return NO_DATABASE
    return "" if marking(given.stored.protocol) else f"{given.stored.protocol.id} asks nobody to mark passages"


class TakesLonger(Conflict):
    code = "DATASET-18"
    message = (
        "every answer to {texts:,} texts is read once more for it; `goldmark table dataset --campaign {name}` does so"
    )


def dataset(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Sizes, spans and types of errors of the dataset that would be made of the campaign as it is now."""
    if given.stored is None:
        return []
    texts = len(given.frames["texts"])
    if texts > TEXTS_AT_ONCE and not settings.patient:
        raise TakesLonger(texts=texts, name=given.stored.row.name)
    sizes = Statistics(splits=())
    left: Counter[str] = Counter()

    def look(connection: Connection) -> None:
        for text in CampaignSource(connection, given.stored.row).texts():  # type: ignore[union-attr]
            found = choose(text, "auto")
            if isinstance(found, OmittedText):
                left[found.why] += 1
                continue
            for one in found:
                sizes.add(row_of(text, one, text.id))

    given.stored.store.snapshot(look)
    if not sizes.texts:
        return []
    notes = ["of several answers to a text, the one that goldmark dataset build chooses: curated, approved, or by vote"]
    if left:
        told = ", ".join(f"{why} {count:,}" for why, count in left.most_common())
        notes.append(f"left out: {counted(sum(left.values()), 'text')} ({told})")
    return [table.noting(*notes) for table in sizes.tables()]


DATASET_TABLE = published("dataset", dataset, Needs(why_no_dataset, MARKED.words))
