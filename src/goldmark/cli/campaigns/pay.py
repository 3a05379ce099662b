"""`goldmark campaign pay` and `rehearse`: what people should be paid, and what a campaign costs before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.options import (
    CampaignName,
    Seed,
    TableCall,
    TableOutput,
)
from goldmark.cli.output import emit, plain, talk
from goldmark.cli.store import opened
from goldmark.records.figures import counted


def pay(
    name: CampaignName,
    /,
    *,
    bonus: Annotated[Path | None, Parameter(help="Write who is to be paid more to this new CSV.")] = None,
    call: TableCall = TableCall(),
) -> None:
    """Active time per unit, the price for the wage aimed at, what is left to pay, and who was paid too little."""
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.people.pay import bonus_table
    from goldmark.recruiting.paying.wages import pay_of
    from goldmark.results.output.tables import to_csv

    with opened(call) as store:
        _, report = pay_of(store, name)
    due = bonus_table(report)
    if bonus is not None:
        write_file(bonus, to_csv(due).encode())
    if not call.json:
        money = report.currency
        lines = (
            ("a unit takes", report.seconds, "s"),
            ("an hour earns", report.hourly, money),
            ("a fair price", report.suggested, money),
            ("paid so far", report.spent, money),
            (
                f"left, {counted(report.labels_left, 'label')} and {counted(report.tests_left, 'test question')}",
                report.left_at_price,
                money,
            ),
            ("left, at the fair price", report.left_at_suggested, money),
        )
        for what, figure, unit in lines:
            value = "–" if figure.value is None else f"{figure.value:.2f} {unit}"
            reason = f" ({figure.reason})" if figure.reason else ""
            interval = figure.interval
            print(f"{what}: {value}{f' [{interval.low:.2f}, {interval.high:.2f}]' if interval else reason}")
    facts = {key: value for key, value in plain(report).items() if key != "earners"}
    emit(call, {**facts, "people": report.earners}, tables=[due])


def rehearse(
    file: Annotated[Path | None, Parameter(help="The campaign's file; without it, a usual plan.")] = None,
    /,
    *,
    careful: Annotated[int, Parameter(help="Careful annotators.")] = 18,
    sloppy: Annotated[int, Parameter(help="Sloppy ones.")] = 3,
    spammers: Annotated[int, Parameter(help="Of each kind: always-agree, random, copy-paste.")] = 2,
    drop_outs: Annotated[int, Parameter(help="People who leave in the middle.")] = 3,
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """Let a simulated crowd go through a real server: cost, time, precision, and whether spammers are caught.

    Texts and questions are stand-ins with a known truth; the plan is the file's own: units, labels, test questions,
    rules, pay. Nothing of it touches your database.
    """
    import numpy as np

    from goldmark.campaigns.definition.file import read_campaign
    from goldmark.recruiting.offering.offers import mistakes_of
    from goldmark.simulate import rehearsal
    from goldmark.simulate.platform_rehearsal import rehearse_on_platform, standing_in
    from goldmark.web.runtime.rehearsal_server import stage

    crowd = rehearsal.crowd_of(careful=careful, sloppy=sloppy, spammers=spammers, drop_outs=drop_outs)
    plan = None if file is None else read_campaign(file, mistakes_of)
    setup = rehearsal.RehearsalPlan(crowd=crowd) if plan is None else rehearsal.RehearsalPlan.of(plan, crowd)
    with stage() as place:

        def run(name: str, tried: rehearsal.RehearsalPlan) -> rehearsal.RehearsalResult:
            services, rng = place.services, np.random.default_rng(seed)
            return rehearsal.rehearse(services.store, services.links, place.ask, tried, name=name, rng=rng)

        talk("with test questions and rules as planned …")
        if setup.settings.recruit is None:
            watched, on_platform = run("a", setup), None
        else:
            talk(f"on a stand-in for {setup.settings.recruit.platform} …")
            with standing_in(setup.settings.recruit.platform) as there:
                on_platform = rehearse_on_platform(
                    place.services.store,
                    place.services.links,
                    place.ask,
                    place.address,
                    setup,
                    there,
                    name="a",
                    rng=np.random.default_rng(seed),
                )
            watched = on_platform.result
        talk("the same crowd without them …")
        unwatched = run("b", setup.unwatched())
    pay = setup.settings.pay
    planned, without = watched.to_json(pay.per_unit), unwatched.to_json(pay.per_unit)
    said = []
    for name, outcome, facts in (("as planned", watched, planned), ("without", unwatched, without)):
        cost = "" if facts["cost"] is None else f", {facts['cost']:.2f} {pay.currency}"
        said.append(f"{name}: {counted(outcome.answers, 'answer')}, {outcome.seconds / 3600:.1f} hours of work{cost}")
    tables = (
        rehearsal.people_table(watched),
        rehearsal.score_table(watched, "Scores as planned"),
        rehearsal.score_table(unwatched, "Scores without test questions and rules"),
    )
    facts = {"planned": planned, "without": without}
    if on_platform is not None:
        facts["platform"] = on_platform.to_json()
        said.append(str(on_platform))
    emit(output, facts, *said, tables=tables)
