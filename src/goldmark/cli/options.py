"""Options that commands share: each has one name, one meaning and one help text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

Count = Annotated[int, Parameter(validator=Number(gte=1))]
Seed = Annotated[
    int,
    Parameter(validator=Number(gte=0), help="Where what is random starts; the same seed gives the same figures."),
]
Probability = Annotated[float, Parameter(validator=Number(gt=0, lt=1))]
Flag = Annotated[bool, Parameter(negative="")]
Format = Literal["table", "csv", "latex"]

# --- what is read and where it is kept -------------------------------------------------------------------------------

Database = Annotated[
    str | None,
    Parameter(
        name="--database",
        help="SQLite file or postgresql:// address. Default: GOLDMARK_DATABASE, else goldmark.db in this folder.",
    ),
]
Files = Annotated[list[Path], Parameter(help="Files (.jsonl, .csv, .tsv, .parquet) or folders of .txt files.")]
Texts = Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")]
TextsBeside = Annotated[
    Path | None,
    Parameter(
        help="Folder with one .txt file per text, tokens separated by spaces; the folder `texts` beside the gold list "
        "if not given."
    ),
]
Tokeniser = Annotated[
    str,
    Parameter(help="For texts that come without tokens: rules, whitespace, german, jieba, icu, characters or given."),
]
Sentences = Annotated[str, Parameter(help="For texts without sentences: rules, full_stop, lines or given.")]
SeenTable = Annotated[
    Path | None, Parameter(help="Table of TEXT_ID and ANNOTATOR: who saw a text, also if they marked nothing.")
]
WithModels = Annotated[bool, Parameter(negative="", help="Let models and checkers that annotate count too.")]
WithExcluded = Annotated[
    bool, Parameter(negative="", help="Let excluded annotators count, to see what excluding them changed.")
]

# --- what a command is about ------------------------------------------------------------------------------------------

CampaignName = Annotated[str, Parameter(help="The campaign's name.")]
CampaignFile = Annotated[Path, Parameter(help="The campaign file (YAML).")]
BoardName = Annotated[str, Parameter(help="The leaderboard's name.")]
SubmissionNumber = Annotated[int, Parameter(help="The submission's number, as `leaderboard submissions` lists it.")]
DatasetFolder = Annotated[Path, Parameter(help="The dataset's folder, as `dataset build` wrote it.")]
AccountName = Annotated[str, Parameter(help="The name the account signs in with.")]
Host = Annotated[str, Parameter(help="The address to listen at; 0.0.0.0 lets other machines in.")]

# --- what is decided -------------------------------------------------------------------------------------------------

Reason = Annotated[str, Parameter(help="Why; kept with the decision.")]
Start = Annotated[bool, Parameter(negative="", help="Start it at once.")]
Public = Annotated[
    str | None,
    Parameter(
        name="--public",
        help="The address people use, for printed links. Default: GOLDMARK_PUBLIC, else where the server of this "
        "database was last started.",
    ),
]

# --- how often, and what comes out -----------------------------------------------------------------------------------

Resamples = Annotated[Count, Parameter(help="How often to resample for the intervals.")]
ManyResamples = Annotated[
    int, Parameter(help="How often to resample for the intervals.", validator=Number(gte=100, lte=1_000_000))
]
Corrected = Annotated[
    Literal["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"],
    Parameter(
        help="For asking often: `bonferroni` and `holm` bound the chance of any false finding, `benjamini-hochberg` "
        "and `benjamini-yekutieli` (however the tests depend) the share of false ones among those found."
    ),
]
Alpha = Annotated[Probability, Parameter(help="The level below which a corrected p-value counts as significant.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Output:
    """How a command gives what it found."""

    json: Annotated[bool, Parameter(negative="", help="Data for machines on standard output.")] = False


@Parameter(name="*")
@dataclass(frozen=True)
class TableOutput(Output):
    """How a command gives tables."""

    format: Annotated[
        Format, Parameter(help="How to print: for people, as CSV at full precision, or as LaTeX (booktabs).")
    ] = "table"


@Parameter(name="*")
@dataclass(frozen=True)
class PlotOutput(TableOutput):
    """How a command gives tables that can be drawn."""

    plot: Annotated[
        Path | None, Parameter(help="Write a picture of the figures and their intervals (PNG, PDF or SVG).")
    ] = None


@Parameter(name="*")
@dataclass(frozen=True)
class OnDatabase:
    """Which database a command works on."""

    database: Database = None


@Parameter(name="*")
@dataclass(frozen=True)
class Call(Output, OnDatabase):
    """How a command was called: on which database, and how it gives what it found."""


@Parameter(name="*")
@dataclass(frozen=True)
class TableCall(TableOutput, OnDatabase):
    """The same of tables."""


@Parameter(name="*")
@dataclass(frozen=True)
class PlotCall(PlotOutput, OnDatabase):
    """The same of tables that can be drawn."""


# --- a board elsewhere -----------------------------------------------------------------------------------------------


@Parameter(name="*")
@dataclass(frozen=True)
class Remote:
    """Where a board is, if not in a database of this machine."""

    server: Annotated[str, Parameter(help="The address of a server; then no database is needed.")] = ""
    token: Annotated[
        str, Parameter(help="Your API token there; better put it into GOLDMARK_TOKEN, where nobody looks on.")
    ] = ""


# --- lists and NAME=VALUE --------------------------------------------------------------------------------------------


def split(names: str | None) -> tuple[str, ...] | None:
    """Names with commas between, each once."""
    return None if names is None else tuple(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))


def name_and_value(_: object, values: Sequence[str]) -> None:
    """Refuse, as wrong usage, what has no `=` in it."""
    for value in values:
        name, equals, rest = value.partition("=")
        if not (equals and name.strip() and rest.strip()):
            raise ValueError(f"{value!r} should read NAME=VALUE, for instance type=SYSTEM")


NamesAndValues = Annotated[tuple[str, ...], Parameter(negative="", validator=name_and_value)]
Keep = Annotated[
    NamesAndValues,
    Parameter(
        help="Only rows whose column has one of these values: `--keep type=SYSTEM,REPEAT`; `*` is every value. Rows "
        "with `test` or `excluded` true are left out unless their column is named here."
    ),
]


def columns(**names: str) -> dict[str, str]:
    """Our words for columns with the file's own, of those that somebody named."""
    return {name: column for name, column in names.items() if column}


def named(options: Sequence[str]) -> dict[str, str]:
    """`annotator=worker` as our word and the file's own."""
    return {name.strip(): value.strip() for name, _, value in (option.partition("=") for option in options)}
