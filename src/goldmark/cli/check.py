"""`goldmark check`: find mistakes in texts automatically."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from goldmark.cli.output import print_json, talk
from goldmark.errors import GoldmarkError, Kind

if TYPE_CHECKING:
    from goldmark.checkers.running import Outcome
    from goldmark.records.texts import Text

app = App(name="check", help="Find mistakes in texts automatically.")

Texts = Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")]
Out = Annotated[Path, Parameter(help="Write the mistakes to this CSV, in the columns of a gold list.")]
Explain = Annotated[Path | None, Parameter(help="Write every claim with its verdict to this JSONL.")]
Json = Annotated[bool, Parameter(negative="", help="Print JSON for machines.")]
Games = Annotated[Path, Parameter(help="Games as JSON lines; shared_task_text_id names the text.")]
SeasonFolder = Annotated[
    Path | None, Parameter(help="Folder with the season's tables: schedule, team and player box scores.")
]
LeagueFile = Annotated[
    Path | None, Parameter(help="The league's teams (YAML or JSON); the NBA of 2013-18 if not given.")
]


class CannotWriteCheck(GoldmarkError):
    code = "CHECK-14"
    kind = Kind.FAILED
    message = "{path} cannot be written: {reason}"


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
    explain: Explain = None,
    json: Json = False,
) -> None:
    """Check basketball summaries against their games; what contradicts the data is reported with the reason."""
    _check("boxscore", {"games": games, "season": season, "league": league}, texts, out, explain, json=json)


@app.command
def table(
    *,
    tables: Annotated[Path, Parameter(help="JSON lines, each with text (an id) and data (any JSON).")],
    texts: Texts,
    out: Out,
    explain: Explain = None,
    json: Json = False,
) -> None:
    """Check numbers and names of texts against the data they were written from, whatever the subject."""
    _check("table", {"tables": tables}, texts, out, explain, json=json)


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
    explain: Explain = None,
    json: Json = False,
) -> None:
    """Run any installed checker."""
    sources: dict[str, Path | None] = {}
    for given in source or []:
        key, separator, path = given.partition("=")
        if not separator or not key or not path:
            raise WrongSource(given=given)
        sources[key] = Path(path)
    _check(name, sources, texts, out, explain, json=json)


@app.command(name="list")
def list_(*, json: Json = False) -> None:
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
        }
        for kind in kinds
    ]
    if json:
        print_json({"checkers": rows})
        return
    for kind in kinds:
        print(f"{kind.name}: {kind.purpose}")
        for name, holds in kind.sources.items():
            print(f"  {name}{'' if name not in kind.optional else ' (optional)'}: {holds}")


@app.command
def relations(
    *,
    games: Games,
    texts: Texts,
    reference: Annotated[Path | None, Parameter(help="Folder with reference texts of the same names.")] = None,
    season: SeasonFolder = None,
    league: LeagueFile = None,
    json: Json = False,
) -> None:
    """Relations of texts (RG) and, against reference texts, their selection (CS) and ordering (CO)."""
    from goldmark.checkers.plugins import CHECKERS, opened
    from goldmark.checkers.relations import relation_scores
    from goldmark.checkers.running import check_texts
    from goldmark.texts.gsml import read_spaced_texts

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
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        print(f"{name:22} {'-' if value is None else f'{value:.3f}' if isinstance(value, float) else value}")


def _check(
    name: str, sources: Mapping[str, Path | None], texts: Path, out: Path, explain: Path | None, *, json: bool
) -> None:
    from goldmark.checkers.plugins import CHECKERS, opened
    from goldmark.checkers.running import check_texts, explained
    from goldmark.texts.gsml import read_spaced_texts, write_mistakes
    from goldmark.texts.text_ids import ENDING

    checker, problems = opened(CHECKERS.find(name), {key: path for key, path in sources.items() if path is not None})
    known = read_spaced_texts(texts)
    outcome = check_texts(checker, known.values(), problems)
    _write(out, write_mistakes(outcome.mistakes, known, suffix=ENDING))
    if explain is not None:
        import json as lines

        rows = (lines.dumps(row, ensure_ascii=False) + "\n" for row in explained(outcome, known))
        _write(explain, "".join(rows))
    for problem in outcome.problems:
        talk(str(problem))
    if json:
        print_json(_summary(outcome, known))
    else:
        talk(f"{len(outcome.mistakes)} mistakes in {len(outcome.checked)} of {len(known)} texts, written to {out}")


def _summary(outcome: Outcome, known: Mapping[str, Text]) -> dict[str, object]:
    from collections import Counter

    labels = Counter(mistake.label for mistake in outcome.mistakes)
    verdicts = Counter(claim.verdict for checked in outcome.checked.values() for claim in checked.claims)
    return {
        "texts": len(known),
        "checked": len(outcome.checked),
        "mistakes": len(outcome.mistakes),
        "by_category": dict(sorted(labels.items())),
        "claims": dict(sorted(verdicts.items())),
        "problems": [{"where": problem.where, "what": problem.what} for problem in outcome.problems],
    }


def _write(path: Path, content: str) -> None:
    try:
        path.write_text(content, encoding="utf-8", newline="")
    except OSError as error:
        raise CannotWriteCheck(path=path, reason=error.strerror or str(error)) from None
