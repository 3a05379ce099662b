"""`goldmark campaign test-questions`: see them, add some, and set how often they come."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database


def known_questions(
    name: str,
    *files: Annotated[Path, Parameter(help="Gold outputs by item, or rows with `test` and `expected`.")],
    gold: Annotated[str | None, Parameter(help="The column of the texts that holds a gold output.")] = None,
    curated: Annotated[str | None, Parameter(help="A campaign with gold lists, whose texts are taken.")] = None,
    positive: Annotated[float | None, Parameter(help="The part of what a person gets that is a good output.")] = None,
    negative: Annotated[float | None, Parameter(help="The part of what a person gets that is a bad output.")] = None,
    tokeniser: str = "rules",
    sentences: str = "rules",
    database: Database = None,
    json: Json = False,
) -> None:
    """Add test questions to a campaign and set how often they come; alone, show how people answer them."""
    from goldmark.curation.testing import Wanted, add_test_questions, set_rates
    from goldmark.texts.reading import read_units

    store = open_database(database)
    rates = _rates(store, name, positive, negative)
    if files or gold or curated:
        rows = read_units(files, tokeniser=tokeniser, sentences=sentences) if files else []
        added = add_test_questions(store, name, Wanted(gold, rows, curated), rates, author=author())
        talk(f"{added} test questions were added to {name!r}")
    elif positive is not None or negative is not None:
        set_rates(store, name, rates, author=author(), reason="")
    _show(store, name, json)
    store.close()


def _rates(store: Any, name: str, positive: float | None, negative: float | None) -> Any:
    from pydantic import ValidationError

    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.settings import TestQuestions
    from goldmark.errors import Problem, ProblemsFound
    from goldmark.protocols.wording import in_words

    rates = store.read(lambda connection: find_campaign(connection, name)).settings.test_questions
    given = {"positive": positive, "negative": negative}
    wanted = {**rates.model_dump(), **{sign: rate for sign, rate in given.items() if rate is not None}}
    try:
        return TestQuestions.model_validate(wanted)
    except ValidationError as error:
        raise ProblemsFound(
            Problem("--" + ".".join(map(str, one.key)) if one.key else "rates", one.what, one.remedy)
            for one in in_words(error, TestQuestions)
        ) from error


def _show(store: Any, name: str, json: bool) -> None:
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.quality.introduced import recalls_in
    from goldmark.quality.test_questions import people_tested, questions_of

    library = Library(store)

    def look(connection: Any) -> tuple[Any, Any, Any, Any]:
        row = find_campaign(connection, name)
        found = recalls_in(connection, row, library.protocol(row.protocol_id))
        return row, questions_of(connection, row), people_tested(connection, row), found

    row, questions, people, introduced = store.read(look)
    rates = row.settings.test_questions
    if json:
        print_json(
            {
                "campaign": name,
                "rates": rates.model_dump(),
                "questions": [asdict(one) for one in questions],
                "people": [
                    {"annotator": one.annotator, "positive": asdict(one.positive), "negative": asdict(one.negative)}
                    for one in people
                ],
                "introduced": [_recall(one) for one in introduced],
            }
        )
        return
    for sign, rate in (("positive", rates.positive), ("negative", rates.negative)):
        print(f"{sign}\t{sum(one.sign == sign for one in questions)} test questions\t{rate:.2%} of what a person gets")
    for one in people:
        tallies = (f"{sign} {tally.right} of {tally.asked} right" for sign, tally in _tallies(one))
        print(f"  {one.annotator}\t" + "\t".join(tallies))
    for one in introduced:
        share = one.share
        said = (
            f"{share.value:.0%} [{share.interval.low:.0%}, {share.interval.high:.0%}]"
            if share.interval
            else share.reason
        )
        print(f"introduced errors found by {one.annotator or 'everybody'}\t{one.found} of {one.introduced}\t{said}")


def _recall(one: Any) -> dict[str, Any]:
    from goldmark.quality.introduced import SIGNATURE

    facts = {key: value for key, value in one._asdict().items() if key != "share"}
    interval = one.share.interval
    return {
        **facts,
        "recall": one.share.value,
        "interval": None if interval is None else [interval.low, interval.high],
        "reason": one.share.reason,
        "signature": str(SIGNATURE),
    }


def _tallies(one: Any) -> tuple[tuple[str, Any], ...]:
    return ("positive", one.positive), ("negative", one.negative)
