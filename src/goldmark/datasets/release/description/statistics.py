"""Statistics of a dataset (TGEA table 4 and figure 2), counted while the rows go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldmark.datasets.release.description.different_tokens import DifferentTokens
from goldmark.datasets.release.rows import words_with
from goldmark.datasets.release.splits import SPLITS
from goldmark.records.figures import Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.results.options import in_percent
from goldmark.results.published.tgea.dataset import distance
from goldmark.stats.ranks.clustered_shares import TextSums

LEVEL = 0.95
COLUMNS = 5  # texts with more errors than this share one column


@dataclass
class Sum:
    """A running mean of whole numbers, exact because only whole numbers are added."""

    total: int = 0
    count: int = 0

    def add(self, value: int) -> None:
        self.total += value
        self.count += 1

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass
class SplitCounts:
    """What is counted of one split."""

    texts: int = 0
    tokens: int = 0
    errors: Counter[int] = field(default_factory=Counter)  # texts by number of errors
    per_error: Sum = field(default_factory=Sum)
    per_associated: Sum = field(default_factory=Sum)
    distance: Sum = field(default_factory=Sum)
    per_rationale: Sum = field(default_factory=Sum)

    def row(self, name: str, most: int, vocabulary: int) -> dict[str, Cell]:
        fine = self.errors[0]
        return {
            "split": name,
            "texts": self.texts,
            **{f"errors_{number}": self.errors[number] for number in range(min(most, COLUMNS) + 1)},
            **({"errors_more": self._more()} if most > COLUMNS else {}),
            "erroneous_percent": 100 * (self.texts - fine) / self.texts if self.texts else None,
            "tokens": self.tokens,
            "vocabulary": vocabulary,
            "tokens_per_text": self.tokens / self.texts if self.texts else None,
            "tokens_per_error": self.per_error.mean,
            "tokens_per_associated": self.per_associated.mean,
            "distance": self.distance.mean,
            "tokens_per_rationale": self.per_rationale.mean,
        }

    def _more(self) -> int:
        return sum(texts for number, texts in self.errors.items() if number > COLUMNS)


class Statistics:
    """Counts rows as they are written; memory does not grow with them."""

    def __init__(self, splits: Sequence[str] = SPLITS) -> None:
        self._splits = {name: SplitCounts() for name in splits}
        self._all = SplitCounts()
        self._vocabulary = DifferentTokens()
        self._shares = TypeShares()
        self.languages: Counter[str] = Counter()
        self.systems: Counter[str] = Counter()
        self.bases: Counter[str] = Counter()
        self.has: Counter[str] = Counter()  # errors with a correction, a rationale, a type, an associated passage
        self.corrected = 0  # erroneous texts of which the corrected form is known

    @property
    def texts(self) -> int:
        return self._all.texts

    @property
    def erroneous(self) -> int:
        return self._all.texts - self._all.errors[0]

    @property
    def tokens(self) -> int:
        return self._all.tokens

    @property
    def errors(self) -> int:
        return self._all.per_error.count

    def add(self, row: Mapping[str, Any], split: str = "") -> None:
        words = words_with(row["tokeniser"])
        self._vocabulary.add(split, row["tokens"])
        rationales = [len(words(error["rationale"])) for error in row["errors"] if error["rationale"]]
        for tally in (*([self._splits[split]] if split else []), self._all):
            tally.texts += 1
            tally.tokens += len(row["tokens"])
            tally.errors[len(row["errors"])] += 1
            for error in row["errors"]:
                tally.per_error.add(error["end"] - error["start"])
                for other in error["associated"]:
                    tally.per_associated.add(other["end"] - other["start"])
                    tally.distance.add(distance((error["start"], error["end"]), (other["start"], other["end"])))
            for length in rationales:
                tally.per_rationale.add(length)
        self.languages[row["language"]] += 1
        self.systems[row["system"]] += 1
        self.bases[row["basis"]] += 1
        self.corrected += row["erroneous"] and row["corrected"] is not None
        self._shares.add([(error["type"], error["subtype"]) for error in row["errors"] if error["type"]])
        for error in row["errors"]:
            self.has.update(
                name
                for name, there in (
                    ("type", error["type"]),
                    ("correction", error["correction"] is not None),
                    ("rationale", error["rationale"]),
                    ("associated", error["associated"]),
                )
                if there
            )

    def tables(self) -> list[Table]:
        """Sizes of each split and of the whole; and the distribution of types, if errors have any."""
        most = max(self._all.errors, default=0)
        words = self._vocabulary.sizes()
        rows = [tally.row(name, most, words.get(name, 0)) for name, tally in self._splits.items()]
        rows.append(self._all.row("all", most, words[""]))
        signature = str(Signature.of(figure="dataset", distance="first-to-last-gap"))
        notes = ("counts and means of the whole dataset, not estimates from a sample: they have no interval",)
        labels = {f"errors_{number}": f"with {counted(number, 'error')}" for number in range(COLUMNS + 1)}
        sizes = Table.of(
            "Dataset",
            rows,
            notes=notes,
            signature=signature,
            labels=labels | {"errors_more": "with more", "erroneous_percent": "% erroneous"},
        )
        return [sizes, self.types()] if self.has["type"] else [sizes]

    def types(self) -> Table:
        """Types and subtypes, the most common first, each with its share of all errors that have a type."""
        shares = self._shares
        rows: list[dict[str, Cell]] = []
        for kind, _ in _ordered({kind: count for (kind, finer), count in shares.hits.items() if not finer}):
            rows.append(shares.row(kind, ""))
            finer = {subtype: times for (own, subtype), times in shares.hits.items() if own == kind and subtype}
            rows.extend(shares.row(kind, subtype) for subtype, _ in _ordered(finer))
        missing = self.errors - shares.cases
        notes = (f"left out: {counted(missing, 'error')} without a type",) if missing else ()
        signature = str(Signature.of(figure="types", interval="wilson-clustered-texts", level=LEVEL))
        labels = {"percent": "% of errors"}
        return Table.of("Types of errors", rows, notes=notes, signature=signature, labels=labels, name="types")


def _ordered(counts: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class TypeShares:
    """How many errors are of each type (with no subtype) and subtype, and what their intervals need of the texts."""

    def __init__(self) -> None:
        self.hits: Counter[tuple[str, str]] = Counter()
        self._squares: Counter[tuple[str, str]] = Counter()
        self._cross: Counter[tuple[str, str]] = Counter()
        self.cases = self._own = 0

    def add(self, types: Sequence[tuple[str, str]]) -> None:
        """Those of one text."""
        here = Counter(types)
        for kind, subtype in types:
            if subtype:
                here[kind, ""] += 1
        self.cases += len(types)
        self._own += len(types) ** 2
        for key, count in here.items():
            self.hits[key] += count
            self._squares[key] += count**2
            self._cross[key] += count * len(types)

    def row(self, kind: str, subtype: str) -> dict[str, Cell]:
        key = kind, subtype
        sums = TextSums(self.hits[key], self.cases, self._squares[key], self._cross[key], self._own)
        return {"type": kind, "subtype": subtype, "errors": self.hits[key], **in_percent("percent", sums.figure(LEVEL))}
