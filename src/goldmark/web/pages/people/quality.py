"""How annotators do: evidence on everybody, one person in full, what is decided, and rules that act by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.responses import Response

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.records.campaigns import exclusion_notes
from goldmark.store.events import about
from goldmark.web.api.inputs import ReasonIn
from goldmark.web.api.listing import FROM_THE_START, Listed, Listing
from goldmark.web.api.people import annotators as people
from goldmark.web.api.people import quality as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.forms import checked, filled, number, posts, refusable, share
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsManager
from goldmark.web.visits import Visit

if TYPE_CHECKING:
    from goldmark.quality.evidence import Evidence

router = Pages("/campaigns/{name}/quality")

NO_RULE = ""
PERSON = "/campaigns/{name}/quality/{annotator_id}"


def _everybody(
    visit: Visit, name: str, listed: Listing = FROM_THE_START, *, wrong: FailedForm = NOT_FAILED
) -> Response:
    made = calls.gathered(visit, name)
    row, found = made.campaign, made.found
    some = listed.of(found.doubtful, lambda place: found.people[place][1])
    return page(
        visit,
        "quality.html",
        wrong=wrong,
        campaign=row,
        found=some,
        search=listed.search,
        people=[_drawn(found.at(place), row) for place in some.items],
        signature=found.signature,
        notes=exclusion_notes(found.excluded),
        quality=row.settings.quality,
        as_of=made.as_of,
    )


@router.get("")
def everybody(visit: ReadsAsCurator, name: str, listed: Listed) -> Response:
    return _everybody(visit, name, listed)


@router.post("/rules")
@refusable("rules", _everybody)
def change_rules(visit: SendsAsManager, name: str) -> Response:
    """What happens by itself from now on. A row without a deed is no rule."""
    from goldmark.web.pages.campaigns.settings import keep

    row = visit.campaign(name)
    rows = zip(*(visit.lines(key) for key in ("when", "do", "at", "after")), strict=False)
    keep(visit, name, _merged(row.settings, visit.given, list(rows)), title=row.title)
    return go(f"/campaigns/{name}/quality", "rules")


def _merged(before: Settings, given: dict[str, str], rows: list[tuple[str, ...]]) -> Settings:
    data = before.model_dump(mode="json")
    words: dict[tuple[str, str], str] = {(rule.when, rule.do): rule.message for rule in before.quality.rules}
    data["quality"] |= {
        "criterion": given.get("criterion", "class"),
        "flag_at": share(given.get("flag_at", "")),
        "rules": [
            {
                "when": when,
                "do": do,
                "at": share(at) if at.strip() else None,
                "after": number(after) if after.strip() else 5,
                "message": words.get((when, do), ""),
            }
            for when, do, at, after in rows
            if do != NO_RULE
        ],
    }
    return checked(Settings, data)


@router.get("/{annotator_id}")
def person(visit: ReadsAsCurator, name: str, annotator_id: RowId) -> Response:
    from goldmark.quality.flags import explanations_of

    made, found = calls.person_file(visit, name, annotator_id)
    row = made.campaign
    decisions, said = visit.read(
        lambda connection: (
            about(connection, row.id, found.evidence.person.name),
            explanations_of(connection, row, visit.content, annotator_id),
        )
    )
    facts: dict[str, Any] = {"tests": found.tests, "told": found.told, "decisions": decisions, "said": said}
    facts["as_of"] = made.as_of
    return page(visit, "quality_person.html", campaign=row, one=_drawn(found.evidence, row), **facts)


@router.post("/{annotator_id}/pause")
def pause(visit: SendsAsManager, name: str, annotator_id: RowId) -> Response:
    resumes = "resume" in visit.given
    act = people.resume if resumes else people.pause
    act(visit, name, annotator_id, filled(ReasonIn, visit.given))
    return go(PERSON.format(name=name, annotator_id=annotator_id), "person-resumed" if resumes else "person-paused")


posts(router, "/{annotator_id}/warn", calls.warn, to=PERSON, done="warned")
posts(router, "/{annotator_id}/exclude", calls.exclude, to=PERSON, done="excluded")
posts(router, "/{annotator_id}/keep", calls.keep, to=PERSON, done="kept")
posts(router, "/{annotator_id}/restore", calls.restore, to=PERSON, done="restored")


def _drawn(one: Evidence, row: CampaignRow) -> dict[str, Any]:
    """Evidence with what a template needs to draw it."""
    from goldmark.quality.flags import flags_of

    return {
        "evidence": one,
        "person": one.person,
        "flags": flags_of(one),
        "by_sign": {sign.sign: sign for sign in one.by_sign},
        "noisy": one.noisy,
        "flagged": one.flagged,
        "line": " ".join(
            f"{100 * (place + 1) / len(one.course):.2f},{30 - 28 * moment.noisy:.2f}"
            for place, moment in enumerate(one.course)
        ),
        "flag_line": f"{30 - 28 * row.settings.quality.flag_at:.2f}",
        "money": None if one.money is None else f"{one.money:.2f} {row.settings.pay.currency}",
    }
