"""What tables of results are made from: observations, what was asked, and the campaign itself where it is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldmark.observations.frames import Observations
from goldmark.observations.given_tables import GivenTables
from goldmark.protocols import Protocol
from goldmark.records.campaigns import ExclusionRecord
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.stats.agreement_measures.spans import SpanAgreement

if TYPE_CHECKING:
    from goldmark.results.inputs.stored import Stored

Frames = Mapping[str, Frame]


@dataclass(frozen=True)
class TableInputs:
    """Observations, whatever they came from, and what else is known of them."""

    frames: Frames
    protocol: Protocol | None = None  # None where files do not tell it
    by: str = "system"  # what is compared
    stored: Stored | None = None  # the campaign in its database; None for files and for several campaigns
    gold: Frame | None = None  # curated errors, to be counted instead of everybody's marks
    excluded: Sequence[ExclusionRecord] = ()
    made: dict[str, Table] = field(default_factory=dict, compare=False, repr=False)  # that other tables build on
    compared: dict[str, SpanAgreement] = field(default_factory=dict, compare=False, repr=False)  # marks, by question

    @classmethod
    def of(
        cls,
        found: Observations,
        by: str = "system",
        stored: Stored | None = None,
        excluded: Sequence[ExclusionRecord] = (),
    ) -> TableInputs:
        return cls(found.frames, found.protocol, by, stored, found.gold, excluded)

    @classmethod
    def of_tables(cls, tables: GivenTables, by: str = "system") -> TableInputs:
        return cls(tables.frames, tables.protocol, by)

    @property
    def order(self) -> list[str]:
        """The questions as they are asked."""
        return [question.id for question in self.protocol.questions()] if self.protocol else []

    @property
    def errors(self) -> Frame:
        """The marks whose errors are counted: everybody's, or those of the gold list."""
        return self.frames["spans"] if self.gold is None else self.gold
