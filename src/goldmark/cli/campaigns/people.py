"""`goldmark annotators evidence|warn|exclude|keep|restore|platform-ids|erase`: people and decisions."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.options import Call, Flag, Reason, TableCall
from goldmark.cli.output import emit, talk
from goldmark.cli.store import author, opened
from goldmark.records.figures import counted

Campaign = Annotated[str, Parameter(help="The campaign.")]
Person = Annotated[str, Parameter(help="The annotator's name in it.")]


def evidence(campaign: Campaign, /, *, call: TableCall = TableCall()) -> None:
    """Everybody's test questions, signs of careless work and the cost of excluding them; the most doubtful first."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.quality.evidence import evidence_table

    with opened(call) as store:
        table = evidence_table(store, ContentCache(store), campaign)
    emit(call, tables=[table])


def warn(
    campaign: Campaign,
    annotator: Person,
    /,
    *,
    message: Annotated[str, Parameter(help="What they are told; our own words if left out.")] = "",
    reason: Reason = "",
    call: Call = Call(),
) -> None:
    """Tell someone about their work; they see it until they have read it."""
    from goldmark.quality.rules import warn as tell

    with opened(call) as store:
        tell(store, campaign, annotator, message=message, author=author(), reason=reason)
    emit(call, {"annotator": annotator, "warned": True}, f"{annotator!r} was told")


def exclude(
    campaign: Campaign,
    annotator: Person,
    /,
    *,
    reason: Reason = "",
    rule: Annotated[str, Parameter(help="The rule that was followed, if any; figures name it.")] = "",
    call: Call = Call(),
) -> None:
    """Keep someone's work, count it nowhere, and free its places for others. `restore` undoes it."""
    from goldmark.people.exclusions import exclude as set_aside

    with opened(call) as store:
        done = set_aside(store, campaign, annotator, author=author(), reason=reason, rule=rule)
    changed = f"is excluded: without {counted(done.labels, 'label')}, {counted(done.reopened, 'unit')} to be done again"
    emit(call, done, f"{annotator!r} {changed if done.changed else 'was excluded already'}")


def keep(campaign: Campaign, annotator: Person, /, *, reason: Reason = "", call: Call = Call()) -> None:
    """Decide that someone who is flagged is not excluded: a round of a leaderboard need not wait for them."""
    from goldmark.people.exclusions import keep as let_count

    with opened(call) as store:
        let_count(store, campaign, annotator, author=author(), reason=reason)
    emit(call, {"annotator": annotator, "kept": True}, f"{annotator!r} is kept: their work counts")


def restore(campaign: Campaign, annotator: Person, /, *, reason: Reason = "", call: Call = Call()) -> None:
    """Undo an exclusion: work counts again where its place is still free, and the rest is kept as extra."""
    from goldmark.people.undo_exclusion import undo

    with opened(call) as store:
        done = undo(store, campaign, annotator, author=author(), reason=reason)
    changed = f"is back with {counted(done.labels, 'label')}, and {done.extra} kept as extra"
    emit(call, done, f"{annotator!r} {changed if done.changed else 'was not excluded'}")


def platform_ids(campaign: Campaign, /, *, call: Call = Call()) -> None:
    """Who came from which crowd platform, for paying them. No export holds this."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.people.participants import platform_ids as look

    with opened(call) as store:
        people = look_into(store, campaign, look)
    emit(
        call,
        {"participants": people},
        f"{counted(len(people), 'person', 'people')} of {campaign!r} came from a platform",
        lines=(f"{one.annotator}\t{one.platform}\t{one.platform_id or ''}" for one in people),
    )


def erase(
    campaign: Campaign,
    /,
    *names: Annotated[str, Parameter(help="The people, by their names in the campaign.")],
    everybody: Annotated[Flag, Parameter(name="--all", help="All people of the campaign.")] = False,
    forget: Annotated[
        Flag, Parameter(help="Also the keyed hash: whoever comes again is then taken for somebody new.")
    ] = False,
    reason: Reason = "",
    call: Call = Call(),
) -> int:
    """Erase people's ids on crowd platforms. What they answered stays, under their pseudonyms."""
    from goldmark.people.participants import erase as do

    if bool(names) == everybody:
        talk("name the people whose ids are to be erased, or say --all")
        return 2
    with opened(call) as store:
        done = do(store, campaign, names or None, forget=forget, author=author(), reason=reason)
    if not done.gone_from_files:
        talk("the database's files still hold the ids, as somebody read or wrote at length: erase once more in a while")
    emit(
        call,
        {
            "campaign": campaign,
            "erased": done.people,
            "forgotten": forget,
            "gone_from_files": done.gone_from_files,
        },
        f"erased the platform ids of {counted(done.people, 'person', 'people')} of {campaign!r}; their answers stay",
    )
    return 0
