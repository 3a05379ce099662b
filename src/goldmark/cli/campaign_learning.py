"""`goldmark campaign learning`: who learnt and qualified how, and a decision on somebody's qualification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database

if TYPE_CHECKING:
    from goldmark.quality.results import Learner


def learning(
    name: str,
    *,
    decide: Annotated[str | None, Parameter(help="The annotator on whose qualification to decide.")] = None,
    verdict: Annotated[Literal["passed", "failed"] | None, Parameter(help="With --decide: how it ends.")] = None,
    reason: Annotated[str, Parameter(help="With --decide: why; kept with the decision.")] = "",
    database: Database = None,
    json: Json = False,
) -> int:
    """Show everybody's training and qualification, or decide on somebody's last attempt."""
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.people import find_annotator
    from goldmark.quality import results

    if (decide is None) != (verdict is None):
        talk("say both, for example: --decide Ada --verdict passed --reason 'looked at all of it'")
        return 2
    store = open_database(database)
    if decide is not None:
        wanted = decide
        person = store.read(lambda open_: find_annotator(open_, find_campaign(open_, name), wanted))
        decided = results.decide_on(
            store, Library(store), name, person.id, passed=verdict == "passed", author=author(), reason=reason
        )
        talk(f"{decided.name!r} is now at the stage {decided.stage!r}")
    found = store.read(lambda open_: results.learners(open_, find_campaign(open_, name)))
    if json:
        print_json({"learners": [_facts(one) for one in found]})
    else:
        for one in found:
            talk(_line(one))
        if not found:
            talk(f"nobody takes part in {name!r} yet")
    store.close()
    return 0


def _facts(one: Learner) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "stage": one.stage,
        "condition": one.condition,
        "attempts": [
            {
                "kind": tried.kind,
                "number": tried.number,
                "state": tried.state,
                "started_at": tried.started_at.isoformat(),
                "finished_at": tried.finished_at.isoformat() if tried.finished_at else None,
                "decided_by": tried.decided_by,
                **tried.facts,
            }
            for tried in one.attempts
        ],
    }


def _line(one: Learner) -> str:
    last = one.last
    if last is None:
        return f"{one.name}: {one.stage}"
    shares = [
        f"{row['what']} {'none' if row['share'] is None else format(row['share'], '.0%')} of {row['needed']:.0%}"
        for row in last.facts.get("rows", ())
        if row["needed"] is not None
    ]
    return f"{one.name}: {one.stage}; try {last.number} {last.state}: {'; '.join(shares)}"
