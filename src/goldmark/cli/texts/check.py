"""`goldmark check`: find mistakes in texts automatically."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from goldmark.cli.options import Output, Texts
from goldmark.cli.output import emit, talk
from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.checkers.run import CheckRun
    from goldmark.records.texts import Text

app = App(name="check", help="Find mistakes in texts automatically.")

Out = Annotated[Path, Parameter(help="Write the mistakes to this CSV, in the columns of a gold list.")]
Explain = Annotated[Path | None, Parameter(help="Write every claim with its verdict to this JSONL.")]
Games = Annotated[Path, Parameter(help="Games as JSON lines; shared_task_text_id names the text.")]
SeasonFolder = Annotated[
    Path | None, Parameter(help="Folder with the season's tables: schedule, team and player box scores.")
]
Mode = Annotated[
    str | None,
    Parameter(help="How sure the checker must be: one of its modes, such as strict, balanced or generous."),
]
LeagueFile = Annotated[
    Path | None, Parameter(help="The league's teams (YAML or JSON); the NBA of 2013-18 if not given.")
]


class WrongSource(GoldmarkError):
    code = "CHECK-15"
    message = "--source {given!r} is not NAME=PATH"


@app.command
def boxscore(
    *,
    games: Games,
    texts: Texts,
    out: Out,
    season: SeasonFolder = None,
    league: LeagueFile = None,
    mode: Mode = "balanced",
    explain: Explain = None,
    output: Output = Output(),
) -> None:
    """Check basketball summaries against their games; what contradicts the data is reported with the reason."""
    _check("boxscore", {"games": games, "season": season, "league": league}, texts, out, explain, mode, output)


@app.command
def table(
    *,
    tables: Annotated[Path, Parameter(help="JSON lines, each with text (an id) and data (any JSON).")],
    texts: Texts,
    out: Out,
    explain: Explain = None,
    output: Output = Output(),
) -> None:
    """Check numbers and names of texts against the data they were written from, whatever the subject."""
    _check("table", {"tables": tables}, texts, out, explain, None, output)


@app.command
def run(
    name: Annotated[str, Parameter(help="Which checker; `goldmark check list` names them.")],
    /,
    *,
    texts: Texts,
    out: Out,
    source: Annotated[
        list[str] | None, Parameter(help="A file the checker needs, as NAME=PATH; may be repeated.")
    ] = None,
    mode: Mode = None,
    explain: Explain = None,
    output: Output = Output(),
) -> None:
    """Run any installed checker."""
    sources: dict[str, Path | None] = {}
    for given in source or []:
        key, separator, path = given.partition("=")
        if not separator or not key or not path:
            raise WrongSource(given=given)
        sources[key] = Path(path)
    _check(name, sources, texts, out, explain, mode, output)


@app.command(name="list")
def list_(*, output: Output = Output()) -> None:
    """Name the installed checkers, what they are for and which files they need."""
    from goldmark.checkers.plugins import CHECKERS

    kinds = [kind for _, kind in sorted(CHECKERS.usable().items())]
    rows = [
        {
            "name": kind.name,
            "purpose": kind.purpose,
            "sources": [
                {"name": name, "holds": holds, "required": name not in kind.optional}
                for name, holds in kind.sources.items()
            ],
            "modes": dict(kind.modes),
        }
        for kind in kinds
    ]
    lines = []
    for kind in kinds:
        lines.append(f"{kind.name}: {kind.purpose}")
        for name, holds in kind.sources.items():
            lines.append(f"  {name}{'' if name not in kind.optional else ' (optional)'}: {holds}")
        if kind.modes:
            lines.append(f"  --mode: {', '.join(kind.modes)}")
    emit(output, {"checkers": rows}, lines=lines)


@app.command
def relations(
    *,
    games: Games,
    texts: Texts,
    reference: Annotated[Path | None, Parameter(help="Folder with reference texts of the same names.")] = None,
    season: SeasonFolder = None,
    league: LeagueFile = None,
    output: Output = Output(),
) -> None:
    """Relations of texts (RG) and, against reference texts, their selection (CS) and ordering (CO)."""
    from goldmark.checkers.plugins import CHECKERS, opened
    from goldmark.checkers.relations import relation_scores
    from goldmark.checkers.run import check_texts
    from goldmark.texts.readers.gsml import read_spaced_texts

    sources = {"games": games, "season": season, "league": league}
    checker, problems = opened(CHECKERS.find("boxscore"), {key: path for key, path in sources.items() if path})
    outcome = check_texts(checker, read_spaced_texts(texts).values(), problems)
    others = check_texts(checker, read_spaced_texts(reference).values()) if reference else None
    for problem in (*outcome.problems, *(others.problems if others else ())):
        talk(str(problem))
    scores = relation_scores(outcome.checked, others.checked if others else None)
    figures: dict[str, float | int | None] = {
        "texts": scores.texts,
        "rg_supported_per_text": scores.per_text,
        "rg_precision": scores.precision,
        "cs_precision": scores.selection_precision,
        "cs_recall": scores.selection_recall,
        "co": scores.ordering,
    }
    lines = (
        f"{name:22} {'-' if value is None else f'{value:.3f}' if isinstance(value, float) else value}"
        for name, value in figures.items()
    )
    emit(output, figures, lines=lines)


def _check(
    name: str,
    sources: Mapping[str, Path | None],
    texts: Path,
    out: Path,
    explain: Path | None,
    mode: str | None,
    output: Output,
) -> None:
    import json as lines

    from goldmark.checkers.plugins import CHECKERS, opened
    from goldmark.checkers.run import CheckRun, check_texts, explained, in_mode
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.texts.readers.gsml import read_spaced_texts, write_mistakes
    from goldmark.texts.readers.text_ids import ENDING

    kind = CHECKERS.find(name)
    in_mode(CheckRun({}, ()), kind, mode)  # a mode that does not exist is told before the work
    checker, problems = opened(kind, {key: path for key, path in sources.items() if path is not None})
    known = read_spaced_texts(texts)
    outcome = in_mode(check_texts(checker, known.values(), problems), kind, mode)
    write_file(out, write_mistakes(outcome.mistakes, known, suffix=ENDING).encode(), over=True)
    if explain is not None:
        rows = (lines.dumps(row, ensure_ascii=False) + "\n" for row in explained(outcome, known))
        write_file(explain, "".join(rows).encode(), over=True)
    for problem in outcome.problems:
        talk(str(problem))
    said = (
        f"{counted(len(outcome.mistakes), 'mistake')} in {len(outcome.checked)} of {len(known)} texts, written to {out}"
    )
    emit(output, {**_summary(outcome, known), "mode": mode}, said)


def _summary(outcome: CheckRun, known: Mapping[str, Text]) -> dict[str, object]:
    from collections import Counter

    labels = Counter(mistake.label for mistake in outcome.mistakes)
    verdicts = Counter(claim.verdict for checked in outcome.checked.values() for claim in checked.claims)
    chances = [mistake.probability for mistake in outcome.mistakes if mistake.probability is not None]
    return {
        "texts": len(known),
        "checked": len(outcome.checked),
        "mistakes": len(outcome.mistakes),
        "expected_precision": round(sum(chances) / len(chances), 3) if chances else None,
        "by_category": dict(sorted(labels.items())),
        "claims": dict(sorted(verdicts.items())),
        "problems": [{"where": problem.where, "what": problem.what} for problem in outcome.problems],
    }
