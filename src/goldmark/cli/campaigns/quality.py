"""`goldmark campaign training`, `test-questions`, `status`, `candidates` and `spot-check`: a campaign's quality."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from goldmark.cli.options import (
    Call,
    CampaignName,
    Count,
    Flag,
    Public,
    Seed,
    Sentences,
    TableCall,
    Tokeniser,
)
from goldmark.cli.output import emit, parts, plain, tables_json, talk
from goldmark.cli.store import author, links_of, opened, public_address
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.quality.training.learners import Learner
    from goldmark.store import Store


def training(
    name: CampaignName,
    *,
    decide: Annotated[str | None, Parameter(help="The annotator on whose qualification to decide.")] = None,
    verdict: Annotated[Literal["passed", "failed"] | None, Parameter(help="With --decide: how it ends.")] = None,
    reason: Annotated[str, Parameter(help="With --decide: why; kept with the decision.")] = "",
    call: Call = Call(),
) -> int:
    """Show everybody's training and qualification, or decide on somebody's last attempt."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.people.annotators import find_annotator
    from goldmark.quality.training import learners

    if (decide is None) != (verdict is None):
        talk("say both, for example: --decide Ada --verdict passed --reason 'looked at all of it'")
        return 2
    with opened(call) as store:
        if decide is not None:
            person = look_into(store, name, lambda open_, row: find_annotator(open_, row, decide))
            decided = learners.decide_on(
                store, ContentCache(store), name, person.id, passed=verdict == "passed", author=author(), reason=reason
            )
            talk(f"{decided.name!r} is now at the stage {decided.stage!r}")
        found = look_into(store, name, learners.learners)
    said = [_told(one) for one in found] or [f"nobody takes part in {name!r} yet"]
    emit(call, {"learners": [_facts(one) for one in found]}, *said)
    return 0


def _facts(one: Learner) -> dict[str, Any]:
    told = ("kind", "number", "state", "started_at", "finished_at", "decided_by")
    tried = [{**parts(each, *told), **each.facts} for each in one.attempts]
    return {**parts(one, "id", "name", "stage", "condition"), "attempts": tried}


def _told(one: Learner) -> str:
    last = one.last
    if last is None:
        return f"{one.name}: {one.stage}"
    shares = [
        f"{row['what']} {'none' if row['share'] is None else format(row['share'], '.0%')} of {row['needed']:.0%}"
        for row in last.facts.get("rows", ())
        if row["needed"] is not None
    ]
    return f"{one.name}: {one.stage}; try {last.number} {last.state}: {'; '.join(shares)}"


def known_questions(
    name: CampaignName,
    *files: Annotated[Path, Parameter(help="Gold outputs by item, or rows with `test` and `expected`.")],
    gold: Annotated[str | None, Parameter(help="The column of the texts that holds a gold output.")] = None,
    curated: Annotated[str | None, Parameter(help="A campaign with gold lists, whose texts are taken.")] = None,
    positive: Annotated[float | None, Parameter(help="The part of what a person gets that is a good output.")] = None,
    negative: Annotated[float | None, Parameter(help="The part of what a person gets that is a bad output.")] = None,
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    call: Call = Call(),
) -> None:
    """Add test questions to a campaign and set how often they come; alone, show how people answer them."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.curation.test_questions import QuestionRequest, add_test_questions, set_rates
    from goldmark.quality.introduced_errors import SIGNATURE
    from goldmark.quality.test_questions import tests_of
    from goldmark.texts.readers.units import read_units

    with opened(call) as store:
        rates = _rates(store, name, positive, negative)
        if files or gold or curated:
            rows = read_units(files, tokeniser=tokeniser, sentences=sentences) if files else []
            added = add_test_questions(store, name, QuestionRequest(gold, rows, curated), rates, author=author())
            talk(f"added {counted(added, 'test question')} to {name!r}")
        elif positive is not None or negative is not None:
            set_rates(store, name, rates, author=author(), reason="")
        found = tests_of(store, ContentCache(store), name)
    signs: list[str] = [one.sign for one in found.questions]
    lines = [
        f"{sign}\t{counted(signs.count(sign), 'test question')}\t{rate:.2%} of what a person gets"
        for sign, rate in (("positive", found.rates.positive), ("negative", found.rates.negative))
    ]
    for one in found.people:
        counts = (("positive", one.positive), ("negative", one.negative))
        tallies = (f"{sign} {tally.right} of {tally.asked} right" for sign, tally in counts)
        lines.append(f"  {one.annotator}\t" + "\t".join(tallies))
    introduced = []
    for recall in found.introduced:
        share = recall.share
        sure = share.interval and f"{share.value:.0%} [{share.interval.low:.0%}, {share.interval.high:.0%}]"
        recalled = f"{recall.found} of {recall.introduced}\t{sure or share.reason}"
        lines.append(f"introduced errors found by {recall.annotator or 'everybody'}\t{recalled}")
        facts = {key: value for key, value in plain(recall).items() if key != "share"}
        figure = {"recall": share.value, "interval": share.interval, "reason": share.reason}
        introduced.append({**facts, **figure, "signature": str(SIGNATURE)})
    people = [parts(one, "annotator", "positive", "negative") for one in found.people]
    emit(call, {"campaign": name, **found._asdict(), "people": people, "introduced": introduced}, lines=lines)


def _rates(store: Store, name: str, positive: float | None, negative: float | None) -> Any:
    from pydantic import ValidationError

    from goldmark.campaigns.definition.settings import TestQuestions
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.errors import Problem, ProblemsFound
    from goldmark.protocols.loading.messages import in_words

    rates = look_into(store, name, lambda _, row: row.settings.test_questions)
    given = {"positive": positive, "negative": negative}
    wanted = {**rates.model_dump(), **{sign: rate for sign, rate in given.items() if rate is not None}}
    try:
        return TestQuestions.model_validate(wanted)
    except ValidationError as error:
        raise ProblemsFound(
            Problem("--" + ".".join(map(str, one.key)) if one.key else "rates", one.what, one.remedy)
            for one in in_words(error, TestQuestions)
        ) from error


def status(name: CampaignName, /, *, call: Call = Call()) -> None:
    """The status of every text: not begun, in progress, waiting for review, returned, disputed, approved, set aside."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.results.campaign_tables import quality_protocol
    from goldmark.reviews.unit_status import MEANING

    with opened(call) as store:
        row, found, *_ = quality_protocol(store, ContentCache(store), name)
    why = ", ".join(f"{answer} {times}" for answer, times in found.set_aside.items())
    lines = [f"{row.title} ({row.state}, {counted(found.texts, 'text')})"]
    for status, count in found.statuses.items():
        lines.append(f"{MEANING[status]}\t{count}{f' ({why})' if status == 'discarded' and why else ''}")
    emit(call, {"campaign": name, **parts(found, "texts", "statuses", "set_aside")}, lines=lines)


def candidates(
    name: CampaignName,
    /,
    *,
    invite: Annotated[str | None, Parameter(help="Invite everybody who passes into this campaign.")] = None,
    public: Public = None,
    call: TableCall = TableCall(),
) -> int:
    """Who passes by what reviewers said of their first versions, by the campaign's rule for candidates."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.people.annotators import addresses, invite_all
    from goldmark.results.campaign_tables import quality_protocol

    with opened(call) as store:
        protocol = quality_protocol(store, ContentCache(store), name)
        found, table = protocol.candidates, protocol.candidates_table
        if found is None or table is None:
            talk(f"{name!r} has no rule for candidates; add to its file, say: candidates: {{above: 0.9, after: 20}}")
            return 1
        passed = [one.annotator for one in found if one.outcome == "passes"]
        tokens = invite_all(store, links_of(call), invite, passed, author=author()) if invite else {}
    made = addresses(tokens, public_address(public, call))
    people = [{"annotator": one.annotator, "outcome": one.outcome, "reviewed": one.reviewed} for one in found]
    emit(
        call,
        {"candidates": people, "passed": passed, "links": made},
        f"{len(passed)} of {len(found)} pass{': ' + ', '.join(passed) if passed else ''}",
        tables=[table],
        lines=(f"{who}\t{link}" for who, link in made.items()),
    )
    return 0


def spot_check(
    name: CampaignName,
    /,
    *,
    draw: Annotated[
        Count | None, Parameter(help="Draw so many finished answers at random: a new check begins.")
    ] = None,
    seed: Annotated[Seed, Parameter(help="With --draw: the seed of the draw.")] = 0,
    replace: Annotated[Flag, Parameter(help="With --draw: set a check aside that was begun.")] = False,
    call: TableCall = TableCall(),
) -> int:
    """The final spot check: draw answers, or show how accurate those that were judged are, stage by stage."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.results.campaign_tables import quality_protocol
    from goldmark.reviews import final_spot_check

    with opened(call) as store:
        if draw is not None:
            made = final_spot_check.draw(store, name, size=draw, seed=seed, author=author(), replace=replace)
            talk(f"{made.size} of {made.of} finished answers were drawn; judge them on the page Status of {name!r}")
        protocol = quality_protocol(store, ContentCache(store), name)
    check, table = protocol.check, protocol.check_table
    if check is None or table is None:
        talk(f"{name!r} has no spot check yet; draw one, say: goldmark campaign spot-check {name} --draw 100")
        return 1
    facts = parts(check, "size", "of", "seed", "judged")
    emit(call, {**facts, "table": tables_json([table])[0]}, tables=[table])
    return 0
