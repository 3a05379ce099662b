"""People with accounts as annotators of a campaign, and one annotator by number, whatever their name."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.service import Account
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.people.annotators import AnnotatorRow, UnknownAnnotator, add, as_in_crowd, find_annotator
from goldmark.people.connector import ACCOUNT
from goldmark.people.participants import AccountTookPartBefore, Arrival, TookPartBefore, know, refuse_if_in_family
from goldmark.store import in_transaction
from goldmark.store.tables import annotator


def annotator_numbered(connection: Connection, row: CampaignRow, annotator_id: int) -> AnnotatorRow:
    """An annotator of this campaign; names may hold anything, so addresses use numbers."""
    name = connection.execute(
        select(annotator.c.name).where(annotator.c.id == annotator_id, annotator.c.campaign_id == row.id)
    ).scalar()
    if name is None:
        raise UnknownAnnotator(name=annotator_id, campaign=row.name)
    return find_annotator(connection, row, name)


@in_transaction
def invite_account(
    connection: Connection, links: SignedLinks, campaign_name: str, account: Account, *, author: str
) -> AnnotatorRow:
    """Let someone with an account take part; they find the campaign on their first page after signing in.

    Who is excluded from another campaign of the crowd is excluded here as well, and a manager sees them so.
    """
    row = find_campaign(connection, campaign_name, hold=True)
    mine = connection.execute(
        select(annotator.c.name).where(annotator.c.campaign_id == row.id, annotator.c.account_id == account.id)
    ).scalar()
    if mine is not None:
        return find_annotator(connection, row, mine)
    person_id = know(connection, links, Arrival(ACCOUNT, str(account.id)))
    try:
        refuse_if_in_family(connection, row, person_id)
    except TookPartBefore as error:
        raise AccountTookPartBefore(name=account.name) from error
    taken = connection.execute(
        select(annotator.c.id).where(annotator.c.campaign_id == row.id, annotator.c.name == account.name)
    ).first()
    # Somebody who joined by a link may have chosen the same name; their work stays theirs.
    name = f"{account.name[:180]} (account {account.id})" if taken else account.name
    person = add(connection, row, name, kind="annotator invited", author=author, participant_id=person_id)
    connection.execute(update(annotator).where(annotator.c.id == person.id).values(account_id=account.id))
    return as_in_crowd(connection, row, person, person_id, author=author)
