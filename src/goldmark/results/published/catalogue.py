"""Tables of the published methods from files that have columns of their own: what each needs and how it is made.

`results.catalogue` lists these beside the tables that are made of a campaign's observations, and is what the command
`goldmark table` and the documentation read; adding an analysis means adding one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from goldmark.errors import GoldmarkError, Missing
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import CheckedColumns, Columns, Frame
from goldmark.records.tidy.kept import Keep, check_kept
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.accuracy import combinations, verification
from goldmark.results.published.genie import design
from goldmark.results.published.humanlike import coding, study
from goldmark.results.published.tgea import dataset, stages


class FileNeeded(NamedTuple):
    """One file that an analysis reads."""

    name: str
    columns: Columns
    optional: bool = False


class AnalysisPicture(NamedTuple):
    """What of an analysis people would rather look at."""

    table: int  # which of its tables
    value: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Analysis:
    name: str
    about: str
    source: str  # which tables of which paper
    files: tuple[FileNeeded, ...]
    run: Callable[[Sequence[CheckedColumns | None], AnalysisOptions], list[Table]]
    picture: AnalysisPicture
    resamples: int = 2000

    @property
    def page(self) -> str:
        """Its documentation, under docs/."""
        return f"statistics/{self.name}.md"


class UnknownTable(Missing):
    code = "TABLE-01"
    message = "there is no table {name!r}; there are {known}"


class UnknownColumn(GoldmarkError):
    code = "TABLE-03"
    message = "table {name!r} has no column {column!r}; its columns are {known}"


class WrongFiles(GoldmarkError):
    code = "TABLE-02"
    message = "table {name!r} reads {needed}, but {given} files were given"


def _only(files: Sequence[CheckedColumns | None]) -> CheckedColumns:
    return needed(files[0])


def needed(file: CheckedColumns | None) -> CheckedColumns:
    """A file that an analysis cannot do without; how many there are was checked before."""
    if file is None:
        raise ValueError("an analysis was run without a file that it needs")
    return file


ANALYSES: tuple[Analysis, ...] = (
    Analysis(
        "combinations",
        "Recall and precision of every set of annotators under any, majority and all.",
        "ACCURACY tables 5 and 6",
        (FileNeeded("reports", combinations.REPORTS),),
        lambda files, settings: combinations.combinations(_only(files), settings),
        AnalysisPicture(0, "any", ("combination",)),
    ),
    Analysis(
        "verification",
        "Reported errors by agreement of their verifiers, subjectivity, confused categories.",
        "ACCURACY tables 4, 7 and 8",
        (FileNeeded("verdicts", verification.VERDICTS),),
        lambda files, settings: verification.verification(_only(files), settings),
        AnalysisPicture(0, "percent", ("agreement",)),
    ),
    Analysis(
        "design",
        "Scale, aggregation and labels per item: which design is steadiest.",
        "GENIE section 4, figures 2 and 3",
        (FileNeeded("labels", design.LABELS),),
        lambda files, settings: design.design(_only(files), settings),
        AnalysisPicture(1, "estimate", ("scale", "aggregation", "labelling", "day")),
        resamples=500,
    ),
    Analysis(
        "study",
        "Telling machine from human text by condition and domain, with tests against chance and a baseline.",
        "HUMANLIKE tables 1 and 2",
        (FileNeeded("judgements", study.JUDGEMENTS),),
        lambda files, settings: study.study(_only(files), settings),
        AnalysisPicture(0, "accuracy", ("condition", "domain")),
    ),
    Analysis(
        "coding",
        "What explanations are about: share of labels by condition.",
        "HUMANLIKE table 3",
        (FileNeeded("labels", coding.CODES),),
        lambda files, settings: coding.coding(_only(files), settings),
        AnalysisPicture(0, "percent", ("condition", "group")),
    ),
    Analysis(
        "stages",
        "Agreement of annotators, task by task.",
        "TGEA table 3",
        (FileNeeded("answers", stages.STAGES),),
        lambda files, settings: stages.stages(_only(files), settings),
        AnalysisPicture(0, "agreement", ("task",)),
    ),
    Analysis(
        "dataset",
        "Sizes, spans and distances of an annotated dataset, and its error types.",
        "TGEA table 4 and figure 2",
        (FileNeeded("texts", dataset.TEXTS), FileNeeded("errors", dataset.ERRORS)),
        lambda files, settings: dataset.dataset(needed(files[0]), needed(files[1]), settings),
        AnalysisPicture(1, "percent", ("type", "subtype")),
    ),
)
BY_NAME: Mapping[str, Analysis] = {analysis.name: analysis for analysis in ANALYSES}


def find(name: str) -> Analysis:
    if name not in BY_NAME:
        raise UnknownTable(name=name, known=", ".join(BY_NAME))
    return BY_NAME[name]


def run(
    name: str | Analysis,
    frames: Sequence[Frame],
    settings: AnalysisOptions | None = None,
    names: Mapping[str, str] | None = None,
    keep: Keep | None = None,
) -> list[Table]:
    """Check the files and make the tables; `names` maps our column names to the files' own.

    Tables of an exported campaign are read as they are: one question and one role, without test questions and what is
    excluded, or the rows that `keep` wants.
    """
    analysis = find(name) if isinstance(name, str) else name
    if settings is None:
        settings = replace(AnalysisOptions(), resamples=analysis.resamples)
    check_files(analysis, len(frames))
    names = check_names(analysis, names or {})
    read = [
        check_kept(file.columns, frame, kept, _own(file.columns, frame, names), one=("question", "role"))
        for file, frame, kept in zip(analysis.files, frames, _shared(keep or {}, frames), strict=False)
    ]
    checked: list[CheckedColumns | None] = [one.checked for one in read]
    checked += [None] * (len(analysis.files) - len(frames))
    notes = tuple(f"{one.checked.frame.source}: {left.note()}" for one in read for left in one.left_out)
    return [table.noting(*notes) for table in analysis.run(checked, settings)]


def _shared(keep: Keep, frames: Sequence[Frame]) -> list[Keep]:
    """Of two files, what is wanted of a column counts where there is such a column; the first tells if none has it."""
    return [
        {
            column: wanted
            for column, wanted in keep.items()
            if column in frame.cells or (frame is frames[0] and not any(column in one.cells for one in frames))
        }
        for frame in frames
    ]


def check_files(analysis: Analysis, given: int) -> None:
    """As many files as the analysis reads, no more and no fewer."""
    least = sum(not file.optional for file in analysis.files)
    if not least <= given <= len(analysis.files):
        needed = ", then ".join(file.name + (" (if there is one)" if file.optional else "") for file in analysis.files)
        raise WrongFiles(name=analysis.name, needed=needed, given=given)


def check_names(analysis: Analysis, names: Mapping[str, str]) -> Mapping[str, str]:
    """Only columns that the analysis knows can have another name."""
    known = list(dict.fromkeys(column.name for file in analysis.files for column in file.columns))
    for column in names:
        if column not in known:
            raise UnknownColumn(name=analysis.name, column=column, known=", ".join(known))
    return names


def _own(columns: Columns, frame: Frame, names: Mapping[str, str]) -> dict[str, str]:
    """With two files, a renamed column may be that of either: it counts where the file has it, or lacks ours."""
    return {
        column.name: names[column.name]
        for column in columns
        if column.name in names and (names[column.name] in frame.cells or column.name not in frame.cells)
    }
