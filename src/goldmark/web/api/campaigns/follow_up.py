"""Campaigns made of other campaigns' answers, and what a verification campaign found."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, Field

from goldmark.campaigns.definition.settings import Name, Whole
from goldmark.curation.verification.followup import find_follow_up
from goldmark.protocols import ProtocolUnknown, builtin_names
from goldmark.web.api.calls import Calls
from goldmark.web.api.campaigns.campaigns import CampaignOut, campaign_out
from goldmark.web.api.figures import AsOf, TableOut, Tables, tables_of
from goldmark.web.api.inputs import CampaignName, In, Out, WithExcluded
from goldmark.web.computing import computed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager

router = Calls("/api/v1/campaigns/{name}", "follow-ups")

Short = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class FollowUpIn(In):
    """What to make, and under which name. `question` and `protocol` are only needed where there is a choice."""

    kind: Short = Field(
        validation_alias=AliasChoices("kind", "derivation"),  # its older name, which scripts may still send
        description="verification, explanation-coding or responses.",
        examples=["verification"],
    )
    campaign: Name = Field(description="The new campaign's name.", examples=["summaries-verified"])
    title: Short = ""
    labels_per_unit: Whole | None = Field(default=None, ge=1, le=1000)
    question: Short | None = None
    protocol: Short | None = Field(default=None, description="A built-in protocol instead of the follow-up's own.")
    seed: Whole = Field(default=0, ge=0, le=2**53)


class VerifiedOut(Out):
    """How a gold list stands after verification."""

    source: str
    gold: int
    kept: int
    removed: int
    assumed: int = Field(description="Kept without being shown, because everybody had marked them alike.")
    waiting: int = Field(description="Kept because nobody has answered yet.")
    tables: list[TableOut]
    as_of: AsOf


@router.post("/follow-up", status_code=201, response_model=CampaignOut)
def make(visit: CallsAsManager, name: CampaignName, body: FollowUpIn) -> dict[str, Any]:
    """A new campaign of this one's reported errors, explanations or responses. It still has to be started."""
    how = {
        "name": body.campaign,
        "title": body.title.strip(),
        "labels": body.labels_per_unit,
        "question": body.question or None,
        "protocol": built_in(body.protocol),
        "seed": body.seed,
        "author": visit.name,
    }
    made = visit.services.computing.apart(name, computed.follow_up, find_follow_up(body.kind).name, visit.links, how)
    return campaign_out(visit, made)


@router.get("/verified", response_model=VerifiedOut)
def verified(visit: CallsAsCurator, name: CampaignName, with_excluded: WithExcluded = False) -> dict[str, Any]:
    """What the verifiers of this campaign found, with the tables."""
    made = visit.services.computing.of(name, computed.verified, with_excluded)
    return {**made.found._asdict(), "as_of": made.as_of}


@router.get("/coded", response_model=Tables)
def coded(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """What the coders of this campaign found: codes by group and condition, and how far they agree."""
    return tables_of(visit.services.computing.of(name, computed.coded))


def built_in(protocol: str | None) -> str | None:
    """Only names: a request never makes the server look at a file."""
    if not protocol:
        return None
    names = builtin_names()
    if protocol not in names and protocol not in {one.partition("/")[0] for one in names}:
        raise ProtocolUnknown(name=protocol, remedy=f"there are {', '.join(names)}")
    return protocol
