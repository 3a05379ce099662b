"""`goldmark annotators evidence|warn|exclude|restore`: how a campaign's annotators do, and what is decided."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.quality.evidence import CrowdEvidence
    from goldmark.records.tables import Cell

Reason = Annotated[str, Parameter(help="Why; kept with the decision.")]
Campaign = Annotated[str, Parameter(help="The campaign.")]
Person = Annotated[str, Parameter(help="The annotator's name in it.")]
COUNTS = (("positive", "right"), ("positive", "asked"), ("negative", "right"), ("negative", "asked"))


def evidence(
    campaign: Campaign,
    /,
    *,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """Everybody's test questions, signs of careless work and the cost of excluding them; the most doubtful first."""
    from sqlalchemy import Connection

    from goldmark.campaigns.exclusions import excluded_people
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.quality.evidence import crowd
    from goldmark.quality.watch import Watch
    from goldmark.records.campaigns import exclusion_notes
    from goldmark.records.tables import Table

    store = open_database(database)
    library = Library(store)

    def look(connection: Connection) -> tuple[CampaignRow, CrowdEvidence, tuple[str, ...]]:
        row = find_campaign(connection, campaign)
        found = crowd(connection, row, library, Watch())
        return row, found, exclusion_notes(excluded_people(connection, row))

    row, found, notes = store.snapshot(look)
    store.close()
    signature = str(found.model.signature) if found.model else ""
    rows = sorted((_row(one, row) for one in found.people), key=lambda one: -_doubt(one))
    show(Table.of(f"Annotators of {campaign}", rows, notes=notes, signature=signature), form=format, json=json)


def _doubt(row: dict[str, Cell]) -> float:
    value = row["probability_noisy"]
    return float(value) if isinstance(value, float) else -1.0


def _row(one: Any, row: CampaignRow) -> dict[str, Cell]:
    by_sign = {sign.sign: sign for sign in (one.standing.by_sign if one.standing else ())}
    right = {f"{sign}_{what}": getattr(by_sign[sign], what) if sign in by_sign else 0 for sign, what in COUNTS}
    found, said = one.signals, one.signals.explanations
    price = row.settings.pay.per_unit
    return {
        "annotator": one.person.name,
        "state": one.person.state,
        "answers": one.answers,
        **right,
        "probability_noisy": one.standing.judgement.noisy if one.standing else None,
        "flagged": bool(one.standing and one.standing.judgement.flagged),
        "seconds": found.pace.median,
        "too_fast": found.pace.fast.value,
        "same_answer": found.sameness.commonest.value,
        "longest_run": found.sameness.longest_run,
        "copied": said.copied.value,
        "too_short": said.short.value,
        "agreement": found.agreement.value,
        "labels_lost": one.cost.labels,
        "units_reopened": one.cost.reopened,
        "money": None if price is None else round(price * one.cost.labels, 2),
    }


def warn(
    campaign: Campaign,
    annotator: Person,
    /,
    *,
    message: Annotated[str, Parameter(help="What they are told; our own words if left out.")] = "",
    reason: Reason = "",
    database: Database = None,
    json: Json = False,
) -> None:
    """Tell someone about their work; they see it until they have read it."""
    from goldmark.quality.rules import warn as tell

    store = open_database(database)
    tell(store, campaign, annotator, message=message, author=author(), reason=reason)
    store.close()
    if json:
        print_json({"annotator": annotator, "warned": True})
    else:
        talk(f"{annotator!r} was told")


def exclude(
    campaign: Campaign,
    annotator: Person,
    /,
    *,
    reason: Reason = "",
    rule: Annotated[str, Parameter(help="The rule that was followed, if any; figures name it.")] = "",
    database: Database = None,
    json: Json = False,
) -> None:
    """Keep someone's work, count it nowhere, and free its places for others. `restore` undoes it."""
    from goldmark.campaigns.exclusions import exclude as set_aside

    store = open_database(database)
    done = set_aside(store, campaign, annotator, author=author(), reason=reason, rule=rule)
    store.close()
    if json:
        print_json(asdict(done))
    elif done.changed:
        talk(f"{annotator!r} is excluded: {done.labels} labels no longer count, {done.reopened} units want more again")
    else:
        talk(f"{annotator!r} was excluded already")


def restore(
    campaign: Campaign,
    annotator: Person,
    /,
    *,
    reason: Reason = "",
    database: Database = None,
    json: Json = False,
) -> None:
    """Undo an exclusion: work counts again where its place is still free, and the rest is kept as extra."""
    from goldmark.campaigns.exclusions import undo

    store = open_database(database)
    done = undo(store, campaign, annotator, author=author(), reason=reason)
    store.close()
    if json:
        print_json(asdict(done))
    elif done.changed:
        talk(f"{annotator!r} is back: {done.labels} labels count again, {done.extra} are kept as extra")
    else:
        talk(f"{annotator!r} was not excluded")
