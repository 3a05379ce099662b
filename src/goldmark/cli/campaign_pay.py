"""`goldmark campaign pay` and `rehearse`: what people should be paid, and what a campaign costs before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, open_database
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.quality.pay import PayReport
    from goldmark.records.figures import Figure
    from goldmark.simulate.rehearsal import Outcome, Setup

Seed = Annotated[int, Parameter(validator=validators.Number(gte=0), help="Seed of what is random.")]


def pay(
    name: str,
    /,
    *,
    bonus: Annotated[Path | None, Parameter(help="Write who is to be paid more to this new CSV.")] = None,
    seed: Seed = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """Active time per unit, the price for the wage aimed at, what is left to pay, and who was paid too little."""
    import numpy as np

    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.exchange.packing import write_file
    from goldmark.quality.pay import bonus_table, pay_report
    from goldmark.reports.tables import to_csv

    store = open_database(database)
    report = store.snapshot(
        lambda connection: pay_report(
            connection, find_campaign(connection, name), rng=np.random.default_rng(seed), seed=seed
        )
    )
    store.close()
    due = bonus_table(report)
    if bonus is not None:
        write_file(bonus, to_csv(due).encode())
    if json:
        facts = {key: _figure(value) for key, value in report._asdict().items() if key != "earners"}
        print_json({**facts, "people": [one._asdict() for one in report.earners]})
        return
    _say(report)
    show(due, form=format)


def _say(report: PayReport) -> None:
    money = report.currency
    lines = (
        ("a unit takes", report.seconds, "s"),
        ("an hour earns", report.hourly, money),
        ("a fair price", report.suggested, money),
        ("paid so far", report.spent, money),
        (f"left, {report.labels_left} labels and {report.tests_left} test questions", report.left_at_price, money),
        ("left, at the fair price", report.left_at_suggested, money),
    )
    for what, figure, unit in lines:
        value = "–" if figure.value is None else f"{figure.value:.2f} {unit}"
        interval = figure.interval
        sure = (
            f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else f" ({figure.reason})" * bool(figure.reason)
        )
        print(f"{what}: {value}{sure}")


def _figure(value: Any) -> Any:
    from goldmark.records.figures import Figure

    if not isinstance(value, Figure):
        return value
    return _figure_json(value)


def _figure_json(figure: Figure) -> dict[str, Any]:
    interval = None if figure.interval is None else [figure.interval.low, figure.interval.high]
    return {"value": figure.value, "interval": interval, "reason": figure.reason, "used": figure.used}


def rehearse(
    file: Annotated[Path | None, Parameter(help="The campaign's file; without it, a usual plan.")] = None,
    /,
    *,
    careful: Annotated[int, Parameter(help="Careful annotators.")] = 18,
    sloppy: Annotated[int, Parameter(help="Sloppy ones.")] = 3,
    spammers: Annotated[int, Parameter(help="Of each kind: always-agree, random, copy-paste.")] = 2,
    drop_outs: Annotated[int, Parameter(help="People who leave in the middle.")] = 3,
    seed: Seed = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    json: Json = False,
) -> None:
    """Let a simulated crowd go through a real server: cost, time, precision, and whether spammers are caught.

    Texts and questions are stand-ins with a known truth; the plan is the file's own: units, labels, test questions,
    rules, pay. Nothing of it touches your database.
    """
    import numpy as np

    from goldmark.simulate.rehearsal import people_table, score_table
    from goldmark.simulate.rehearsal import rehearse as run
    from goldmark.web.rehearsing import stage

    crowd = {
        "careful": careful,
        "sloppy": sloppy,
        "always-agree": spammers,
        "random": spammers,
        "copy-paste": spammers,
        "drop-out": drop_outs,
    }
    setup = _setup(file, {name: count for name, count in crowd.items() if count > 0})
    with stage() as place:
        talk("with test questions and rules as planned …")
        watched = run(
            place.services.store, place.services.links, place.ask, setup, name="a", rng=np.random.default_rng(seed)
        )
        talk("the same crowd without them …")
        plain = setup.unwatched()
        unwatched = run(
            place.services.store, place.services.links, place.ask, plain, name="b", rng=np.random.default_rng(seed)
        )
    if json:
        print_json({"planned": _outcome(watched, setup), "without": _outcome(unwatched, setup)})
        return
    show(
        people_table(watched),
        score_table(watched, "Scores as planned"),
        score_table(unwatched, "Scores without test questions and rules"),
        form=format,
    )
    for name, outcome in (("as planned", watched), ("without", unwatched)):
        facts = _outcome(outcome, setup)
        cost = "" if facts["cost"] is None else f", {facts['cost']:.2f} {setup.settings.pay.currency}"
        talk(f"{name}: {outcome.answers} answers, {outcome.seconds / 3600:.1f} hours of work{cost}")


def _setup(file: Path | None, crowd: dict[Any, int]) -> Setup:
    from goldmark.campaigns.file import read_campaign
    from goldmark.campaigns.plan import choose
    from goldmark.records.units import sign_of
    from goldmark.simulate.rehearsal import Setup

    if file is None:
        return Setup(crowd=crowd)
    plan = read_campaign(file)
    chosen = choose(plan.units, plan.settings.subset)
    units = [unit for unit in chosen if sign_of(unit.hidden) is None]
    systems = len({str(unit.hidden.get("system", "")) for unit in units})
    # People, consent and groups are the real campaign's; here programs work.
    settings = plan.settings.model_copy(
        update={"consent": "", "subset": None, "conditions": (), "qualification": False}
    )
    tests = len(chosen) - len(units)
    return Setup(len(units), systems, settings, crowd, test_questions=max(20, tests // 2))


def _outcome(outcome: Outcome, setup: Setup) -> dict[str, Any]:
    price = setup.settings.pay.per_unit
    return {
        "spammers": len(outcome.spammers),
        "caught": len(outcome.caught),
        "caught_after_test_questions": [one.tests for one in outcome.caught],
        "careful_excluded": len(outcome.wronged),
        "labels_wanted": outcome.labels_wanted,
        "labels_done": outcome.labels_done,
        "spam_labels": outcome.spam_labels,
        "answers": outcome.answers,
        "cost": None if price is None else round(price * outcome.answers, 2),
        "hours": outcome.seconds / 3600,
        "mean_error": outcome.error,
        "mean_interval_width": outcome.width,
        "scores": [
            {"system": one.system, "truth": one.truth, **_figure_json(one.figure), "holds": one.holds}
            for one in outcome.scores
        ],
    }
