"""Rules that act by themselves: warn, pause or exclude someone whose work shows what a rule looks for.

Each act is an event with the rule and its evidence, and each rule acts on a person once: what a manager undoes is not
done again by the same rule. Rules look at someone's work every few answers, not after each test question, so that what
they do tells nobody which unit was one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, select, tuple_, update

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.notices import NoticeKind, tell
from goldmark.campaigns.definition.settings import QualityRule
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.progress import median_seconds
from goldmark.people.annotators import find_annotator
from goldmark.people.crowds import elsewhere
from goldmark.people.exclusions import NOTHING_COUNTED, Counted, Owing, exclude_now
from goldmark.quality import evidence, signals
from goldmark.quality.answers_given import TimedResponse, answers_given
from goldmark.quality.estimates import AnnotatorStatus
from goldmark.records.annotators import EXCLUDED
from goldmark.store import events, in_transaction
from goldmark.store.tables import annotator, campaign, event

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor

AUTHOR = "rule"
WARNED = "annotator warned"
PAUSED = "annotator paused"
KINDS = (WARNED, PAUSED, EXCLUDED)
# The hardest first: whom one rule excludes need not be warned by another.
SEVERITY = ("exclude", "pause", "warn")


class RuleFinding(NamedTuple):
    """What a rule saw in someone's work."""

    fires: bool
    evidence: Mapping[str, Any]


class RuleKeeper:
    """Lets a campaign's rules look at one person's work, whose answers to test questions have been graded."""

    def __init__(self, content: ContentCache, watching: Callable[[], NoisyMonitor]) -> None:
        self._content = content
        self._watching = watching

    def look(
        self, connection: Connection, campaign_id: int, annotator_id: int
    ) -> list[tuple[QualityRule, RuleFinding]]:
        """Every rule that has something to say and has not acted on this person before; the hardest first.

        It reads all that somebody answered, so nobody should have to wait for it; `act` is another matter.
        """
        row, person = _of(connection, campaign_id, annotator_id)
        if person.state != "active":
            return []
        seen = _Seen(connection, row, annotator_id, self._content, self._watching)
        rules = sorted(row.settings.quality.rules, key=lambda one: SEVERITY.index(one.do))
        found = ((rule, judge(rule, seen)) for rule in rules)
        return [(rule, one) for rule, one in found if one.fires and not _acted_before(connection, row, person, rule)]


def act(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    found: Sequence[tuple[QualityRule, RuleFinding]],
    *,
    since: int = 0,
    counted: Counted = NOTHING_COUNTED,
) -> Owing | None:
    """Do what rules say that had something to say, each once. The caller holds the person, and settles what is owed.

    `since` when (`events.mark`) nobody has asked whether they acted before, and what the person holds may be `counted`.
    """
    row, person = _of(connection, campaign_id, annotator_id)
    for rule, one in found if person.state == "active" else ():
        if rule in row.settings.quality.rules and not _acted_before(connection, row, person, rule, since):
            owing = _act(connection, row, person, rule, one, counted)
            if rule.do != "warn":
                return owing
    return None


def _of(connection: Connection, campaign_id: int, annotator_id: int) -> tuple[CampaignRow, Any]:
    name = connection.execute(select(campaign.c.name).where(campaign.c.id == campaign_id)).scalar_one()
    known = select(annotator.c.id, annotator.c.name, annotator.c.state).where(annotator.c.id == annotator_id)
    return find_campaign(connection, name), connection.execute(known).one()


class _Seen:
    """One person's work, looked at only as far as some rule asks."""

    def __init__(
        self,
        connection: Connection,
        row: CampaignRow,
        annotator_id: int,
        content: ContentCache,
        watching: Callable[[], NoisyMonitor],
    ) -> None:
        self._connection, self._row, self._who = connection, row, annotator_id
        self._content, self._watching = content, watching

    def status(self) -> AnnotatorStatus | None:
        return self._watching().status(self._connection, self._row.id, self._who, self._row.settings.quality)

    @cached_property
    def _given(self) -> list[TimedResponse]:
        return answers_given(self._connection, self._row, self._content, self._who)

    @cached_property
    def answers(self) -> list[signals.TimedAnswer]:
        return evidence.timed_answers(self._given)

    def share(self, when: str) -> signals.ShareSignal:
        """The part of someone's answers in which a signal shows."""
        if when == "too_fast":
            return signals.pace(self.answers, median_seconds(self._connection, self._row)).fast
        if when == "same_answer":
            return signals.sameness(self.answers, kinds=0).commonest
        if when == "misses_errors":
            errors = evidence.KnownErrors(self._connection, self._row)
            for one in self._given:
                errors.add(one)
            known = errors.found().get(self._who, evidence.NOTHING_KNOWN)
            return signals.ShareSignal(known.of - known.found, known.of)
        said = signals.explanations(self.answers, frozenset())
        return said.copied if when == "copied" else said.short


def judge(rule: QualityRule, seen: _Seen) -> RuleFinding:
    """Whether a rule has something to say, and why."""
    told: dict[str, Any] = {"at": rule.level}
    if rule.when == "noisy":
        status = seen.status()
        if status is None:
            return RuleFinding(False, told)
        found = status.judgement
        told |= {"noisy": found.noisy, "test_questions": found.n, "right": found.correct}
        told |= {one.sign: [one.right, one.asked] for one in status.by_sign}
        return RuleFinding(found.n >= rule.after and found.noisy >= rule.level - 1e-9, told)
    share = seen.share(rule.when)
    told[rule.when] = [share.found, share.of]
    return RuleFinding(share.of >= rule.after and share.found >= rule.level * share.of, told)


def _acted_before(connection: Connection, row: CampaignRow, person: Any, rule: QualityRule, since: int = 0) -> bool:
    """Here, or in another campaign of the crowd: what was undone there is not done again here."""
    known = [(row.id, person.name), *((one.campaign_id, one.name) for one in elsewhere(connection, person.id))]
    said = connection.execute(
        select(event.c.facts).where(
            tuple_(event.c.campaign_id, event.c.subject).in_(known),
            event.c.author == AUTHOR,
            event.c.kind.in_(KINDS),
            event.c.id > since,
        )
    ).scalars()
    return any(facts.get("rule") == rule.name and facts.get("do") == rule.do for facts in said)


def _act(
    connection: Connection, row: CampaignRow, person: Any, rule: QualityRule, found: RuleFinding, counted: Counted
) -> Owing | None:
    reason, owing = f"rule: {rule.name}", None
    facts = {"rule": rule.name, "do": rule.do, "evidence": dict(found.evidence)}
    if rule.do == "exclude":
        owing = exclude_now(
            connection,
            row.id,
            person.id,
            author=AUTHOR,
            reason=reason,
            rule=rule.name,
            evidence=found.evidence,
            counted=counted,
            do=rule.do,
        )
        _tell_own_words(connection, person.id, "exclusion", rule)
    elif rule.do == "pause":
        connection.execute(update(annotator).where(annotator.c.id == person.id).values(state="paused"))
        events.record(connection, row.id, author=AUTHOR, kind=PAUSED, subject=person.name, reason=reason, facts=facts)
        _tell_own_words(connection, person.id, "pause", rule)
    else:
        tell(connection, person.id, "warning", rule.message)
        events.record(connection, row.id, author=AUTHOR, kind=WARNED, subject=person.name, reason=reason, facts=facts)
    return owing


def _tell_own_words(connection: Connection, annotator_id: int, kind: NoticeKind, rule: QualityRule) -> None:
    """A pause and an end show on the page by themselves; only words of the campaign's own are added."""
    if rule.message.strip():
        tell(connection, annotator_id, kind, rule.message)


@in_transaction
def warn(
    connection: Connection, campaign_name: str, name: str, *, message: str = "", author: str, reason: str = ""
) -> None:
    """A manager warns someone in their own words or in ours."""
    row = find_campaign(connection, campaign_name)
    person = find_annotator(connection, row, name)
    tell(connection, person.id, "warning", message)
    events.record(
        connection, row.id, author=author, kind=WARNED, subject=name, reason=reason, facts={"message": message}
    )
