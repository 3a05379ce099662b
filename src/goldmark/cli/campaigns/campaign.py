"""`goldmark campaign`: from a file of texts to exported annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Call,
    CampaignFile,
    CampaignName,
    Count,
    Output,
    Public,
    Reason,
    Seed,
    Start,
)
from goldmark.cli.output import emit, emit_check, parts, plain
from goldmark.cli.progress import bar
from goldmark.cli.store import author, links_of, opened, public_address
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.campaigns.progress import CampaignProgress

app = App(name="campaign")
# Verbs of the modules beside this one, which are loaded when they are called.
ELSEWHERE = {
    "files": ("add_texts", "suggest", "export", "import_campaign", "import_answers", "gold", "gold_import"),
    "results": ("results", "stages", "reviews", "verified", "coded", "suggestions"),
    "quality": ("training", "known_questions", "status", "candidates", "spot_check"),
    "pay": ("pay", "rehearse"),
}
NAMES = {"import_campaign": "import", "known_questions": "test-questions"}


@app.command
def check(file: CampaignFile, *, output: Output = Output()) -> int:
    """Report every problem of a campaign file, its protocol and its texts; create nothing."""
    from goldmark.campaigns.definition.file import read_campaign
    from goldmark.records.tidy.kept import listed
    from goldmark.recruiting.offering.offers import mistakes_of

    def look() -> tuple[dict[str, Any], str]:
        plan = read_campaign(file, mistakes_of)
        chosen = plan.chosen()
        labels = chosen.units * plan.settings.labels_per_unit
        context, hidden = sorted(chosen.shown), sorted(chosen.hidden)
        missing = plan.missing_context
        facts = {
            "campaign": plan.name,
            "title": plan.title,
            "protocol": plan.protocol.id,
            "units": chosen.units,
            "test_questions": chosen.tests,
            "labels": labels,
            "context": context,
            "hidden": hidden,
            "missing_context": missing,
        }
        wanted = f"{counted(chosen.units, 'unit')} for {plan.protocol.id}, {counted(labels, 'label')} wanted"
        seen = f"people see beside the text: {listed(context, 4) or 'nothing'}"
        told = f"{file} is right: {wanted}\n{seen}; hidden from them: {listed(hidden) or 'nothing'}"
        return facts, "\n".join((told, *(f"warning: {one}" for one in missing)))

    return emit_check(output, look)


@app.command
def create(file: CampaignFile, *, start: Start = False, public: Public = None, call: Call = Call()) -> None:
    """Create the campaign in a file, with all its units or not at all, and print the links into it."""
    from goldmark.campaigns.definition.file import read_campaign
    from goldmark.people.invitations import open_campaign
    from goldmark.recruiting.offering.offers import mistakes_of

    with bar() as say:
        plan = read_campaign(file, mistakes_of, say)
    with opened(call) as store, bar() as say:
        made = open_campaign(store, links_of(call), plan, author=author(), tell=say)
        if start:
            made = made.started(store, author=author())
    links = made.links(public_address(public, call))
    missing = plan.missing_context
    emit(
        call,
        {**campaign_facts(made.campaign), "links": links, "missing_context": missing},
        f"campaign {plan.name!r} was created with {counted(len(plan.units), 'unit')} and is {made.campaign.state}",
        *(f"warning: {one}" for one in missing),
        lines=(f"{who}\t{link}" for who, link in links.items()),
    )


@app.command
def follow_up(
    source: Annotated[str, Parameter(help="The campaign whose answers become units.")],
    /,
    *,
    as_: Annotated[str, Parameter(name="--as", help="verification, explanation-coding or responses.")],
    name: Annotated[str, Parameter(help="The new campaign's name.")],
    title: Annotated[str, Parameter(help="What people see; by default the protocol's title.")] = "",
    labels: Annotated[Count | None, Parameter(help="Labels per unit; by default what the follow-up wants.")] = None,
    question: Annotated[str | None, Parameter(help="Only the answers to this free-text question.")] = None,
    protocol: Annotated[str | None, Parameter(help="Another protocol than the follow-up's own.")] = None,
    seed: Annotated[Seed, Parameter(help="Seed of the order of units.")] = 0,
    start: Start = False,
    public: Public = None,
    call: Call = Call(),
) -> None:
    """Make a campaign of another one's reported errors, explanations or responses, as they stand now."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.campaigns.progress import progress_of
    from goldmark.curation.verification.followup import find_follow_up
    from goldmark.followups.create import create_follow_up

    with opened(call) as store:
        made = create_follow_up(
            store,
            links_of(call),
            find_follow_up(as_),
            source,
            name=name,
            title=title,
            labels=labels,
            question=question,
            protocol=protocol,
            seed=seed,
            author=author(),
        )
        row = made.started(store, author=author()).campaign if start else made.campaign
        units = look_into(store, name, progress_of).units
    links, wanted = made.links(public_address(public, call)), row.settings.labels_per_unit
    emit(
        call,
        {"campaign": name, "source": source, "as": as_, "protocol": row.protocol, "state": row.state}
        | {"units": units, "labels_per_unit": wanted, "labels_wanted": units * wanted, "link": links.get("anyone")},
        f"campaign {name!r} was made of {source!r} with {counted(units, 'unit')} for {row.protocol} and is {row.state}",
        lines=(f"{who}\t{link}" for who, link in links.items()),
    )


@app.command(name="list")
def list_all(*, call: Call = Call()) -> None:
    """List the campaigns and how far they are."""
    from goldmark.campaigns.lifecycle import list_campaigns
    from goldmark.campaigns.progress import progress_of

    with opened(call) as store:
        rows = store.read(lambda open_: [(row, progress_of(open_, row)) for row in list_campaigns(open_)])
    emit(
        call,
        [{**campaign_facts(row), "progress": _progress(progress)} for row, progress in rows],
        lines=(
            f"{row.name}\t{row.state}\t{now.labels_done}/{counted(now.labels_wanted, 'label')}\t{row.title}"
            for row, now in rows
        ),
    )


@app.command
def start(name: CampaignName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Start a campaign, or start it again after a pause or after closing."""
    _move(name, "started", reason, call)


@app.command
def pause(name: CampaignName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Hand out nothing for a while. Work that people hold is still accepted."""
    _move(name, "paused", reason, call)


@app.command
def close(name: CampaignName, *, reason: Reason = "", call: Call = Call()) -> None:
    """End a campaign. Nothing is thrown away, and it can be started again."""
    _move(name, "closed", reason, call)


def _move(name: str, verb: str, reason: str, call: Call) -> None:
    from goldmark.recruiting.offering.begin import move

    with opened(call) as store:
        row = move(store, name, verb, author=author(), reason=reason)
    emit(call, campaign_facts(row), f"campaign {name!r} is {row.state}")


@app.command
def progress(name: CampaignName, *, call: Call = Call()) -> None:
    """Show how far a campaign is and what each annotator has done."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.campaigns.progress import progress_of
    from goldmark.people.annotators import list_annotators

    with opened(call) as store:
        row, figures, people = look_into(
            store, name, lambda open_, row: (row, progress_of(open_, row), list_annotators(open_, row))
        )
    lines = [
        f"{row.title} ({row.state}, {row.protocol})",
        f"labels   {figures.labels_done} of {figures.labels_wanted} done, {figures.labels_in_progress} in progress",
        f"units    {figures.units_finished} of {figures.units} finished, {figures.units_started} started",
    ]
    if figures.labels_waiting or figures.labels_returned or figures.labels_approved:
        lines.append(
            f"review   {figures.labels_waiting} wait for approval, {figures.labels_returned} returned to be amended, "
            f"{figures.labels_approved} approved"
        )
    if figures.labels_extra:
        lines.append(
            f"extra    {counted(figures.labels_extra, 'label')} came after their unit was full; kept, not counted"
        )
    if figures.labels_excluded:
        lines.append(f"excluded {counted(figures.labels_excluded, 'label')} of excluded annotators; kept, not counted")
    if figures.median_seconds is not None:
        hours = (figures.seconds_left or 0) / 3600
        lines.append(f"time     {figures.median_seconds:.0f} s a label (median), about {hours:.1f} hours of work left")
    lines += [f"  {one.name}\t{one.state}\t{one.done} done\t{one.seconds_active / 60:.0f} min" for one in people]
    someone = [parts(one, "name", "state", "done", "seconds_active") for one in people]
    emit(call, {**campaign_facts(row), "progress": _progress(figures), "annotators": someone}, lines=lines)


@app.command
def invite(
    name: CampaignName,
    *people: Annotated[str, Parameter(help="Who gets a link; any names by which you know them.")],
    public: Public = None,
    call: Call = Call(),
) -> None:
    """Print a personal link for each person named; the same name gives the same link again."""
    from goldmark.people.annotators import addresses, invite_all

    with opened(call) as store:
        tokens = invite_all(store, links_of(call), name, people, author=author())
    made = addresses(tokens, public_address(public, call))
    emit(call, made, lines=(f"{person}\t{link}" for person, link in made.items()))


for module, verbs in ELSEWHERE.items():
    for verb in verbs:
        app.command(f"goldmark.cli.campaigns.{module}:{verb}", name=NAMES.get(verb, verb.replace("_", "-")))


def campaign_facts(row: CampaignRow) -> dict[str, Any]:
    return {"campaign": row.name, **parts(row, "title", "state", "protocol", "created_at", "settings")}


def _progress(figures: CampaignProgress) -> dict[str, Any]:
    return {**plain(figures), "share_done": figures.share_done, "seconds_left": figures.seconds_left}
