"""Where a campaign's people come from: their ids on crowd platforms, to pay them and to erase them."""

from __future__ import annotations

from pydantic import Field

from goldmark.campaigns.definition.settings import PersonName
from goldmark.people.participants import PlatformId, erase, some_platform_ids
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, In, Out, PageOut, Words, page_of
from goldmark.web.api.listing import Listed
from goldmark.web.sign_in import CallsAsManager, CallsAsProvenManager

router = Calls("/api/v1/campaigns/{name}/participants", "annotators of a campaign")


class ParticipantList(PageOut):
    participants: list[PlatformId]


class EraseIn(In):
    """Whose platform ids go. What they answered stays."""

    annotators: list[PersonName] | None = Field(default=None, max_length=100_000, description="Nobody named: all.")
    forget: bool = Field(
        default=False, description="Also the keyed hash by which they would be known again if they came back."
    )
    reason: Words = ""


class Erased(Out):
    erased: int
    gone_from_files: bool = Field(
        description="No: somebody read or wrote at length, and the database's files still hold them. Erase once more."
    )


@router.get("")
def list_all(visit: CallsAsManager, name: CampaignName, listed: Listed) -> ParticipantList:
    """Who came from which platform. This is the only place that says so."""
    found, _ = visit.look_into(name, some_platform_ids, search=listed.search, page=listed.number)
    visit.note_ids_seen(name)
    return ParticipantList(**page_of(found), participants=list(found.items))


@router.post("/erase")
def erase_ids(visit: CallsAsProvenManager, name: CampaignName, body: EraseIn) -> Erased:
    """Erase platform ids of some or all. Their answers stay, under their pseudonyms."""
    reason = body.reason.strip()
    done = erase(visit.store, name, body.annotators, forget=body.forget, author=visit.name, reason=reason)
    return Erased(erased=done.people, gone_from_files=done.gone_from_files)
