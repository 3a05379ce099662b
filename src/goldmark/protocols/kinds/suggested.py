"""Marks that were suggested: each must be decided, and what was decided is part of the answer.

A span that came from a suggestion names it under `suggested`; whether it was accepted as it was or changed shows by
comparing the two. The ids of those that were dismissed stand beside the answer, under "QUESTION.dismissed".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from goldmark.errors import Problem
from goldmark.languages import gettext, ngettext
from goldmark.protocols.kinds.base import AnswerContext


def misused(answer: list[object], offered: Collection[str], asked: AnswerContext) -> Iterator[Problem]:
    """A span may come from a suggestion that was made; each is used once."""
    used: set[str] = set()
    for span in answer:
        if not isinstance(span, dict) or span.get("suggested") is None:
            continue
        source = span["suggested"]
        here = asked.within(str(span.get("id", "")))
        if not isinstance(source, str) or source not in offered:
            yield here.malformed("The mark names a suggestion that was not made.", 'Leave "suggested" out.')
        elif source in used:
            yield here.malformed("Two marks come from one suggestion.", "Keep it for one of them.")
        else:
            used.add(source)


def undecided(said: object, answer: object, offered: Collection[str], asked: AnswerContext) -> Iterator[Problem]:
    """Every suggestion is accepted, changed or dismissed, and only one of these."""
    dismissed = [] if said is None else said
    if not isinstance(dismissed, list) or not all(isinstance(one, str) for one in dismissed):
        yield asked.malformed("The dismissed suggestions must be a list of their ids.")
        return
    spans = answer if isinstance(answer, list) else []
    used = {source for span in spans if isinstance(span, dict) and isinstance(source := span.get("suggested"), str)}
    if set(dismissed) - set(offered):
        yield asked.malformed("A suggestion was dismissed that was not made.", "Leave it out.")
    if used & set(dismissed):
        yield asked.malformed("A suggestion was both used and dismissed.", "Decide for one.")
    left = len(set(offered) - used - set(dismissed))
    if left:
        what = ngettext("{count} suggestion is not decided yet.", "{count} suggestions are not decided yet.", left)
        yield asked.problem(what, gettext("Accept, change or dismiss each."))
