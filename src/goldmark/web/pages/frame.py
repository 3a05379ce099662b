"""What all managers' pages share: who looks at them, how times and numbers are written, how a failed form is shown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment
from markupsafe import Markup

from goldmark.accounts.passwords import TRIED_FIRST
from goldmark.campaigns.transfer.completeness import ProblemsToMap
from goldmark.errors import GoldmarkError, Problem, ProblemsFound, condensed
from goldmark.exchange.responses.renamed import SAME_NAMES, Renamed
from goldmark.records.figures import counted
from goldmark.web.failures import STATUS
from goldmark.web.pages.answers.drawn_text import visible
from goldmark.web.pages.render import environment, render
from goldmark.web.pages.sections import help_for, sections
from goldmark.web.visits import FRAGMENT, Guest

if TYPE_CHECKING:
    from goldmark.records.tables import Table
    from goldmark.results.output.tables import RoundedTable

# What a page says after something was done; the address carries the key, never the sentence.
DIGEST = re.compile("[0-9a-f]{64}")
NOTICES = {
    "created": "The campaign was created. Look at it, invite people, and start it.",
    "started": "The campaign is running.",
    "protocol-saved": "The protocol was saved. Campaigns that run keep the version that they have.",
    "paused": "The campaign is paused. Work that people hold is still accepted.",
    "closed": "The campaign is closed. Nothing was thrown away, and it can be started again.",
    "settings": "The settings were changed.",
    "texts": "The texts were added.",
    "export-begun": "Asked for. A worker makes the file; this page shows how far it is, and then offers it.",
    "suggestions": "Done. Which texts were changed, and which not, stands under Given and taken away.",
    "tests-added": "The test questions were added, and are mixed in from now on.",
    "test-rates": "The rates were changed; they hold from the next unit on.",
    "invited": "Invited. Send each person their own link.",
    "warned": "Told. They see it with their next units, until they have read it.",
    "excluded": "Excluded. Their work is kept and counts nowhere; its places are free for others. You can undo it.",
    "kept": "Kept. Their work counts, and a round that waited for this decision goes on.",
    "restored": "Undone. Their work counts again wherever its place was still free; the rest is kept as extra.",
    "rules": "The rules were changed. They look at people's work from now on.",
    "pay": "The pay was changed.",
    "recruit": "The terms were changed. They hold for what is published from now on.",
    "crowd-published": "Confirmed. A worker puts it on offer now, or at its hour.",
    "crowd-asked": "Asked of the platform. A worker sends it within a minute; this page shows how it goes.",
    "crowd-bonus": "Confirmed. A worker pays the bonuses now.",
    "crowd-adopted": "Taken over into the ledger.",
    "crowd-settled": "Settled.",
    "person-paused": "This person gets no more units. What they did stays.",
    "person-resumed": "This person gets units again.",
    "case-decided": "Decided. Here is the next case.",
    "erased": "Erased. What people answered stays.",
    "erased-not-in-files": "Erased. What people answered stays. The database's files still hold the ids, as somebody "
    "read or wrote at length: erase once more in a while.",
    "link-renewed": "There is a new link; the old one no longer works.",
    "account-changed": "The account was changed.",
    "password": "Your password was changed. Other browsers have to sign in again.",
    "session-ended": "That browser has to sign in again.",
    "signed-out": "All other browsers have to sign in again.",
    "factor-off": "The second factor is off. You sign in with your password alone.",
    "factor-reset": "Reset. They sign in with their password alone until they set up another app.",
    "factor-rule": "Decided. Whoever it concerns is asked for it with their next click.",
    "revoked": "The token no longer works.",
    "job-cancelled": "The job was cancelled.",
    "job-rerun": "The job waits to be done again.",
    "decided": "Decided. It holds at once.",
    "approved": "Approved.",
    "disputed": "Kept. Its annotator and you disagree: somebody else decides.",
    "returned": "Returned. Its annotator gets it first, with what you wrote.",
    "unanimous-finished": "Finished. A version of the gold list of each of these texts is kept.",
    "unanimous-undone": "Taken back. These texts are to be curated again; the versions stay in their history.",
    "study-changed": "The study was changed, and its new plan is written down.",
    "board-created": "The leaderboard was created. Tell teams where to submit.",
    "board-closed": "The leaderboard takes no more submissions.",
    "board-reopened": "The leaderboard takes submissions again.",
    "submitted": "Received. Automatic metrics are computed now; it is private until it is published.",
    "member-added": "The account is in the team.",
    "member-removed": "The account is no longer in the team. What it submitted stays.",
    "team-link": "Send the link to those who should join; make a new one if it reached others.",
    "registered": "You have an account now, and are signed in. Name your team with your first submission.",
    "team-joined": "You are in the team, and submit for it from now on.",
    "approve": "Approved: people judge it in the next round.",
    "decline": "Declined: people are not asked about it.",
    "published": "Published: everybody who may see the board sees it.",
    "withdraw": "Withdrawn: it left the standings and stays in the history.",
    "measured": "A worker computes the metric again.",
    "round-opened": "The round is open. Invite annotators to its campaign.",
    "round-scored": "The round is scored, and the standings are renewed.",
    "released": "Released. Others get the text; what was said stays.",
    "drawn": "Drawn. Judge them one by one; the figures grow as you go.",
    "judged": "Kept. It is decided when another reviewer has judged it too.",
}


MOST_ROWS = 50  # of a table of figures on a page


@dataclass(frozen=True)
class FailedForm:
    """A form that was refused, and why; the page shows it beside that form, filled in as it was."""

    form: str = ""
    message: str = ""
    problems: Sequence[Problem] = ()
    status: int = 200
    given: Mapping[str, str] = field(default_factory=dict)
    names: Renamed = SAME_NAMES  # of a file, with what they probably mean here

    def of(self, part: str) -> str:
        """What is wrong with one field."""
        return "; ".join(str(one.what) for one in self.problems if one.part == part)

    @property
    def told(self) -> list[Problem]:
        return condensed(self.problems)

    def fields(self, form: str, blank: Mapping[str, Any]) -> dict[str, Any]:
        """What stands in the fields of a form: what was sent, or if it was not, what is there at first."""
        # A box that was not ticked is not sent at all.
        return {**dict.fromkeys(blank, ""), **self.given} if self.form == form else dict(blank)


def failed(form: str, error: GoldmarkError, given: Mapping[str, str] | None = None) -> FailedForm:
    problems = error.problems if isinstance(error, ProblemsFound) else ()
    names = error.names if isinstance(error, ProblemsToMap) else SAME_NAMES
    return FailedForm(form, str(error), problems, STATUS[error.kind], given or {}, names)


NOT_FAILED = FailedForm()


async def _nothing_wrong() -> FailedForm:
    return NOT_FAILED


# Of a page: nothing when it is asked for; called again after a form on it was refused, what was wrong.
Wrong = Annotated[FailedForm, Depends(_nothing_wrong)]


def page(visit: Guest, template: str, *, wrong: FailedForm = NOT_FAILED, **facts: Any) -> HTMLResponse:
    """A page for this visitor; with `wrong`, the page again with what was refused."""
    _prepare()
    notice = NOTICES.get(visit.request.query_params.get("done", ""), "") if not wrong.form else ""
    campaign = facts.get("campaign")
    if campaign is not None:
        protocol = visit.content.protocol(campaign.protocol_id)
        facts["tasks"] = sections(campaign, protocol, manager=visit.may("manager"))
    answer = render(
        visit.request,
        f"manage/{template}",
        visitor=visit if visit.account else None,
        csrf=visit.csrf,
        wrong=wrong,
        notice=notice,
        help_page=help_for(template),
        fragment=FRAGMENT in visit.request.headers,
        **facts,
    )
    answer.status_code = wrong.status
    return _unless_known(visit, answer) if FRAGMENT in visit.request.headers else answer


def _unless_known(visit: Guest, answer: HTMLResponse) -> HTMLResponse:
    """What a live page asks for again and again: only its inside, and nothing at all while that is the same."""
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
    if visit.request.headers.get("if-none-match") == tag:
        answer = HTMLResponse(status_code=304)
    answer.headers["ETag"] = tag
    return answer


def shown(tables: Iterable[Table]) -> list[tuple[Table, RoundedTable]]:
    """Tables with what a template reads them by, which is their first rows."""
    from goldmark.results.output.tables import reading

    return [(table, reading(table, most=MOST_ROWS)) for table in tables]


def go(path: str, done: str = "", **more: object) -> RedirectResponse:
    """After a form was accepted: on to a page that can be loaded again harmlessly."""
    query = urlencode({**more, **({"done": done} if done else {})})
    return RedirectResponse(f"{path}?{query}" if query else path, status_code=303)


def prepared() -> Environment:
    """The templates with all that they may use, for those who draw a page without a request."""
    _prepare()
    return environment()


def compile_templates() -> None:
    """All of them ahead, as modules are when a package is installed: for where a server may write nothing."""
    for name in prepared().list_templates(extensions=["html"]):
        prepared().get_template(name)


@cache
def _prepare() -> None:
    environment().globals.update(tried_first=" ".join(sorted(TRIED_FIRST)))
    environment().filters.update(
        when=when,
        duration=duration,
        about=about,
        percent=percent,
        visible=visible,
        facts=in_words,
        brief=brief,
        many=counted,
    )


def when(moment: datetime | None) -> Markup:
    """A moment in UTC; the page's script writes it in the reader's own time."""
    if moment is None:
        return Markup('<span class="soft">–</span>')
    return Markup('<time datetime="{}">{} UTC</time>').format(
        moment.isoformat(timespec="seconds"), moment.strftime("%Y-%m-%d %H:%M")
    )


def duration(seconds: float | None) -> str:
    """Seconds as people say them."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min" if seconds >= 600 else f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def about(seconds: float) -> str:
    """The same of what is only estimated: no more exact than that."""
    return duration(seconds if seconds < 60 else 60 * round(seconds / 60)).removesuffix(" 0 s").removesuffix(" 0 min")


def percent(share: float) -> str:
    return f"{100 * share:.4g}%"


def in_words(value: object, most: int = 300) -> str:
    """A hidden fact or the detail of a decision on one line."""
    if isinstance(value, dict):
        words = ", ".join(f"{key}: {in_words(one)}" for key, one in value.items())
    elif isinstance(value, list | tuple):
        words = ", ".join(in_words(one) for one in value)
    else:
        words = "none" if value is None else str(value)
        first, _, more = words.partition("\n")
        words = f"{first}…" if more else f"{words[:12]}…" if DIGEST.fullmatch(words) else words  # both are for machines
    return words if len(words) <= most else f"{words[:most]}…"


def brief(facts: Mapping[str, Any]) -> str:
    """Hidden facts in a list of units: short ones in full, long lists by their length."""
    return ", ".join(
        f"{key}: {len(value)} items"
        if isinstance(value, list | dict) and len(value) > 3
        else f"{key}: {in_words(value, 60)}"
        for key, value in facts.items()
    )
