"""Flags as managers read them: the signs of careless work that stand out, in words, and explanations one by one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.quality import signals
from goldmark.quality.answers_given import answers_given
from goldmark.quality.evidence import Evidence, timed_answers
from goldmark.quality.signals import ShareSignal

MOST_SHOWN = 50
FLAGGED = 0.3  # of someone's answers or explanations
ALWAYS_THE_SAME = 0.95
ENOUGH = 5  # answers before a share of them says anything
FAR_BELOW = 0.6  # of the usual agreement, or of the usual share of known errors that people find


def flags_of(one: Evidence) -> list[str]:
    """What is flagged in someone's work; nothing is proof."""
    found, said = one.signals, one.signals.explanations
    told: list[str] = []
    for share, words, level in (
        (found.pace.fast, "too fast", FLAGGED),
        (found.sameness.commonest, "same answer", ALWAYS_THE_SAME),
        (said.copied, "explanations copied", FLAGGED),
        (said.short, "explanations too short", FLAGGED),
        (said.repeated, "explanations repeated", FLAGGED),
        (said.off_topic, "explanations off topic", FLAGGED),
    ):
        if _flagged(share, level):
            told.append(f"{words} {share.found} of {share.of}")
    agreement, usual = found.agreement, found.usual_agreement
    if agreement.value is not None and usual and agreement.of >= ENOUGH and agreement.value < FAR_BELOW * usual:
        told.append(f"agrees {agreement.value:.2f}, usual is {usual:.2f}")
    errors, recall = found.errors_found, found.usual_errors_found
    if errors.value is not None and recall and errors.of >= ENOUGH and errors.value < FAR_BELOW * recall:
        told.append(f"known errors found {errors.found} of {errors.of}, usual is {recall:.0%}")
    return told


def _flagged(share: ShareSignal, level: float) -> bool:
    return share.of >= ENOUGH and share.found >= level * share.of


def explanations_of(
    connection: Connection, row: CampaignRow, content: ContentCache, annotator_id: int
) -> list[dict[str, Any]]:
    """Someone's latest explanations with what is wrong with each, newest first."""
    given = answers_given(connection, row, content, annotator_id)
    found: list[dict[str, Any]] = []
    for one in timed_answers(given):
        for said in one.said:
            if said.strip():
                short = len(signals.words(said)) < signals.FEWEST_WORDS
                amiss = [
                    *(["copied from the text"] if signals.is_copied(said, one.shown) else []),
                    *(["too short"] if short else []),
                ]
                found.append({"unit": int(one.unit), "said": said, "amiss": amiss})
    return found[::-1][:MOST_SHOWN]
