"""Every table by name: what it says, what it is made from, who published it, how it is drawn.

Most tables are functions of observations, so that they are the same to the last digit whether the observations came
from the database, from exported files or from a notebook. Some need more of a campaign, such as its reviews; and those
of the papers can also be made of files with columns of their own (`analysis.catalogue`). The results of a campaign, the
command `goldmark table` and the documentation all read this list: adding a table means writing its function, one entry
here and its page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldmark.analysis.catalogue import ANALYSES, Analysis
from goldmark.analysis.settings import Settings
from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols.answers import giving
from goldmark.records.answers import Choice, Comparison, Marks, Rating, Said
from goldmark.records.columns import Frame
from goldmark.records.tables import Table
from goldmark.results import agreement, comparisons, errors, methods, of_campaigns, people, ratings
from goldmark.results.error_files import ERROR_LIST
from goldmark.results.given import Given

Make = Callable[[Given, Settings], list[Table]]
WhyNot = Callable[[Given], str]  # why there is no such table of what is given; nothing: there is
Drawn = Literal["dots", "stacked", "heat", "matrix", "line", ""]
ANSWERS = ("ratings", "choices", "comparisons", "spans", "words")
ONLY_FROM_FILES = ("design",)  # of the tables of papers


def _always(given: Given) -> str:
    return ""


@dataclass(frozen=True)
class ResultTable:
    """One table, or a few that belong together: what they are made from, and how people would rather look at them."""

    name: str
    about: str
    page: str  # of the documentation, under docs/statistics
    reads: tuple[str, ...] = ()  # tables of observations; without a row in any of them there is nothing to say
    make: Make | None = None  # None: only from files with columns of their own
    drawn: Drawn = ""
    source: str = ""  # which tables of which paper
    why_not: WhyNot = _always
    stored: bool = False  # whether it needs the campaign in its database
    analysis: Analysis | None = None  # the same from files with columns of their own
    same_as: str = ""  # another name of this table

    @property
    def campaigns(self) -> str:
        """Which campaigns have it, in words."""
        return f"campaign {CAMPAIGNS.get(self.why_not, '')}".rstrip()

    def missing(self, given: Given) -> str:
        """Why this table cannot be made of what is given; nothing if it can."""
        if self.make is None:
            return "it is made of files with columns of their own; see `goldmark table list`"
        why = self.why_not(given)
        if not why and self.reads and not any(len(given.frames[name]) for name in self.reads):
            why = f"there are no rows of {' or '.join(self.reads)} to make it of"
        return why


class UnknownResult(GoldmarkError):
    code = "RESULTS-02"
    kind = Kind.MISSING
    message = "there is no table {name!r}; there are {known}"


class NoSuchTable(GoldmarkError):
    code = "RESULTS-03"
    kind = Kind.CONFLICT
    message = "{what} has no table {name!r}: {why}; it has {known}"


def _asks(what: type[Said], words: str) -> WhyNot:
    """A protocol allows a table if one of its questions is answered so. Files speak for themselves."""

    def why_not(given: Given) -> str:
        if given.protocol is None or giving(given.protocol, what):
            return ""
        return f"{given.protocol.id} asks for no {words}"

    return why_not


def _asks_weights(given: Given) -> str:
    return MARKED(given) or (
        "" if any(given.errors.cells.get("error_weight", ())) else "no mark has a weight: the protocol gives none"
    )


def _asks_severities(given: Given) -> str:
    return MARKED(given) or (
        "" if any(given.errors.cells.get("severity", ())) else "no mark has a severity: the protocol asks for none"
    )


def _nobody_excluded(given: Given) -> str:
    return "" if given.excluded else "nobody is known to be excluded"


RATED = _asks(Rating, "number and no scale")
CHOSEN = _asks(Choice, "choice of options")
MARKED = _asks(Marks, "marked passages")
COMPARED = _asks(Comparison, "comparison of two texts")

# Which campaigns have a table, in words, by what decides it; the others are tables of every campaign.
CAMPAIGNS: Mapping[WhyNot, str] = {
    RATED: "that asks for numbers or scales",
    CHOSEN: "that asks for choices",
    MARKED: "that asks for marked passages",
    _asks_severities: "whose marks have a severity",
    _asks_weights: "whose protocol gives weights to errors",
    COMPARED: "that compares two texts",
    methods.why_no_study: "with a question that declares a `truth`",
    methods.why_no_coding: "with codes that lie in groups",
    methods.why_no_stages: "that asks for marked passages",
    methods.why_none_set_aside: "with answers that set a text aside",
    of_campaigns.why_no_dataset: "that asks for marked passages",
    of_campaigns.why_no_verification: "made by `goldmark campaign derive --as verification`",
    of_campaigns.why_no_combinations: "with finished gold lists, or that verifies another's errors",
    of_campaigns.why_none_introduced: "with errors that were introduced on purpose",
    of_campaigns.why_no_reviews: "with reviews",
    of_campaigns.why_no_suggestions: "with suggestions",
    _nobody_excluded: "with excluded annotators",
}

OfFrame = Callable[[Frame, Settings, str, Sequence[str]], Table]


def _of(reads: str, make: OfFrame) -> Make:
    """From one table of observations."""
    return lambda given, settings: [make(given.frames[reads], settings, given.by, given.order)]


def _of_errors(make: OfFrame) -> Make:
    """From marks, or from the gold list in their place."""
    return lambda given, settings: [make(given.errors, settings, given.by, given.order)]


def _coverage(given: Given, settings: Settings) -> list[Table]:
    return [people.coverage(given.frames, settings, given.by)]


def _agreement(given: Given, settings: Settings) -> list[Table]:
    return [agreement.agreement(given.frames, settings, given.order)]


def _agreement_pairs(given: Given, settings: Settings) -> list[Table]:
    if "pairs" not in given.made:
        given.made["pairs"] = agreement.agreement_pairs(given.frames, settings, given.order)
    return [given.made["pairs"]]


def _people(given: Given, settings: Settings) -> list[Table]:
    found = {one.annotator: one.share for one in given.stored.introduced} if given.stored else {}
    return [people.people(given.frames, settings, found, *_agreement_pairs(given, settings))]


def _exclusions(given: Given, settings: Settings) -> list[Table]:
    return [people.exclusions(given.excluded)]


def _progress(given: Given, settings: Settings) -> list[Table]:
    return [people.progress(given.frames, settings)]


def _ratings(name: str, about: str, make: OfFrame, drawn: Drawn = "", page: str = "ratings") -> ResultTable:
    return ResultTable(name, about, page, ("ratings",), _of("ratings", make), drawn, why_not=RATED)


def _errors(
    name: str,
    about: str,
    make: OfFrame,
    drawn: Drawn = "",
    why_not: WhyNot = MARKED,
    source: str = "",
    page: str = "errors-per-text",
) -> ResultTable:
    return ResultTable(name, about, page, ("spans",), _of_errors(make), drawn, source, why_not)


def _comparisons(name: str, about: str, make: OfFrame, drawn: Drawn = "") -> ResultTable:
    return ResultTable(name, about, "win-rates", ("comparisons",), _of("comparisons", make), drawn, why_not=COMPARED)


def _everything(name: str, about: str, page: str, make: Make, drawn: Drawn = "") -> ResultTable:
    """A table that is made from everything that people answered."""
    return ResultTable(name, about, page, ANSWERS, make, drawn)


def _published(name: str, make: Make, why_not: WhyNot, reads: tuple[str, ...] = ()) -> ResultTable:
    """A table of a paper, from a campaign that allows it or from files with columns of its own."""
    own = next(one for one in ANALYSES if one.name == name)
    return ResultTable(name, own.about, name, reads, make, "", own.source, why_not, stored=not reads, analysis=own)


def _stored(name: str, about: str, page: str, make: Make, why_not: WhyNot, source: str = "") -> ResultTable:
    return ResultTable(name, about, page, (), make, "", source, why_not, stored=True)


RESULTS: tuple[ResultTable, ...] = (
    ResultTable("coverage", "Texts, and how many answers they have.", "people", ("texts",), _coverage),
    _ratings("ratings", "The mean of every rating, with interval and rank.", ratings.ratings, "dots"),
    _ratings("distribution", "How often each answer of a scale was given.", ratings.distribution, "stacked", "shares"),
    _ratings("differences", "Every two systems compared by their ratings.", ratings.differences, "dots"),
    ResultTable(
        "choices",
        "The share of each option.",
        "shares",
        ("choices",),
        _of("choices", ratings.choices),
        "stacked",
        why_not=CHOSEN,
    ),
    _errors("errors", "Errors per text, in all and by category.", errors.errors, "heat", source=ERROR_LIST.source),
    ResultTable(
        ERROR_LIST.name,
        ERROR_LIST.about,
        ERROR_LIST.name,
        ("spans",),
        _of_errors(errors.errors),
        "heat",
        ERROR_LIST.source,
        MARKED,
        analysis=ERROR_LIST,
        same_as="errors",
    ),
    _errors("severities", "Errors per text by severity.", errors.severities, "heat", _asks_severities),
    _errors(
        "weighted-errors",
        "The weights of a text's errors, added up.",
        errors.weighted_errors,
        "dots",
        _asks_weights,
        page="weighted-errors",
    ),
    _errors("texts-with-errors", "The share of texts with an error.", errors.texts_with_errors, "dots", page="shares"),
    _errors("error-differences", "Every two systems compared by errors per text.", errors.error_differences, "dots"),
    _comparisons("win-rates", "How often each system was preferred.", comparisons.win_rates, "dots"),
    _comparisons("comparison-pairs", "Every two systems that were compared.", comparisons.comparison_pairs),
    _comparisons("order-effect", "Whether the text shown first is preferred.", comparisons.order_effect, "dots"),
    _published("study", methods.study, methods.why_no_study, ("ratings", "choices")),
    _published("coding", methods.coded, methods.why_no_coding, ("choices",)),
    _published("stages", methods.stages, methods.why_no_stages, ("spans", "choices", "ratings")),
    ResultTable(
        "set-aside",
        "Texts that were set aside instead of marked.",
        "shares",
        ("choices", "ratings"),
        methods.set_aside,
        why_not=methods.why_none_set_aside,
    ),
    _published("dataset", of_campaigns.dataset, of_campaigns.why_no_dataset),
    _published("verification", of_campaigns.verification, of_campaigns.why_no_verification),
    _published("combinations", of_campaigns.found_by_sets, of_campaigns.why_no_combinations),
    _everything("agreement", "How far annotators agree, for every question.", "agreement", _agreement, "dots"),
    _everything("agreement-pairs", "How far every two annotators agree.", "agreement", _agreement_pairs, "matrix"),
    _stored(
        "introduced",
        "How many of the errors that were introduced on purpose people found.",
        "people",
        of_campaigns.introduced,
        of_campaigns.why_none_introduced,
    ),
    _stored(
        "reviews",
        "What reviewers found: by question, stage, annotator and reviewer.",
        "reviews",
        of_campaigns.reviews,
        of_campaigns.why_no_reviews,
        "TGEA section 3.4",
    ),
    _stored(
        "suggestions",
        "What became of suggestions, and answers with and without.",
        "suggestions",
        of_campaigns.suggestions,
        of_campaigns.why_no_suggestions,
    ),
    ResultTable("people", "Who took part: how much, how fast, how far they agree.", "people", ("people",), _people),
    _everything("progress", "Answers by day.", "people", _progress, "line"),
    ResultTable("exclusions", "Who is excluded, and why.", "people", make=_exclusions, why_not=_nobody_excluded),
    *(
        ResultTable(one.name, one.about, one.name, source=one.source, analysis=one)
        for one in ANALYSES
        if one.name in ONLY_FROM_FILES
    ),
)
BY_NAME: Mapping[str, ResultTable] = {one.name: one for one in RESULTS}


def find(name: str) -> ResultTable:
    if name not in BY_NAME:
        raise UnknownResult(name=name, known=", ".join(BY_NAME))
    return BY_NAME[name]


def allowed(given: Given) -> list[str]:
    """The tables that can be made of what is given."""
    return [one.name for one in RESULTS if not one.same_as and not one.missing(given)]


def tables_of(one: ResultTable, given: Given, settings: Settings, what: str = "it") -> list[Table]:
    """A table of what is given, or why there is none and which there are."""
    why = one.missing(given)
    if why or one.make is None:
        known = ", ".join(allowed(given)) or "none yet"
        raise NoSuchTable(what=what, name=one.name, why=why, known=known)
    return one.make(given, settings)
