"""`goldmark annotators platform-ids` and `erase`: where people come from, and forgetting it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database


def platform_ids(campaign: str, /, *, database: Database = None, json: Json = False) -> None:
    """Who came from which crowd platform, for paying them. No export holds this.

    Parameters
    ----------
    campaign
        The campaign's name.
    """
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.participants import platform_ids as look

    store = open_database(database)
    people = store.read(lambda connection: look(connection, find_campaign(connection, campaign)))
    store.close()
    if json:
        print_json(
            {
                "participants": [
                    {**asdict(one), "erased_at": one.erased_at and one.erased_at.isoformat()} for one in people
                ]
            }
        )
        return
    for one in people:
        print(one.annotator, one.platform, one.platform_id or "", sep="\t")
    talk(f"{len(people)} people of {campaign!r} came from a platform")


def erase(
    campaign: str,
    /,
    *names: str,
    everybody: Annotated[bool, Parameter(name="--all", negative="")] = False,
    forget: Annotated[bool, Parameter(negative="")] = False,
    reason: str = "",
    database: Database = None,
    json: Json = False,
) -> int:
    """Erase people's ids on crowd platforms. What they answered stays, under their pseudonyms.

    Parameters
    ----------
    campaign
        The campaign's name.
    names
        The people, by their names in the campaign.
    everybody
        All people of the campaign.
    forget
        Also the keyed hash: whoever comes again is then taken for somebody new.
    reason
        Why; kept in the campaign's history.
    """
    from goldmark.campaigns.participants import erase as do

    if bool(names) == everybody:
        talk("name the people whose ids are to be erased, or say --all")
        return 2
    store = open_database(database)
    erased = do(store, campaign, names or None, forget=forget, author=author(), reason=reason)
    store.close()
    if json:
        print_json({"campaign": campaign, "erased": erased, "forgotten": forget})
    else:
        talk(f"erased the platform ids of {erased} people of {campaign!r}; their answers stay")
    return 0
