"""Every table. What annotators may see and what is hidden from them never share one."""

from __future__ import annotations

from goldmark.store.tables.accounts import account, credential, rate_limit, second_factor, server_setting
from goldmark.store.tables.base import metadata
from goldmark.store.tables.campaigns import (
    annotator,
    assignment,
    campaign,
    event,
    protocol,
    response,
    unit,
    unit_secret,
)
from goldmark.store.tables.jobs import job
from goldmark.store.tables.leaderboards import (
    board,
    board_entry,
    board_event,
    board_item,
    board_member,
    board_metric,
    board_output,
    board_relation,
    board_round,
    board_score,
    board_submission,
    board_system,
    board_team,
)
from goldmark.store.tables.quality import (
    attempt,
    attempt_answer,
    notice,
    participant,
    qualification,
    test_answer,
)
from goldmark.store.tables.recruiting import ledger, posting, posting_order, posting_session
from goldmark.store.tables.reviews import curation_step, gold_version, review
from goldmark.store.tables.studies import study_plan

__all__ = [
    "account",
    "annotator",
    "assignment",
    "attempt",
    "attempt_answer",
    "board",
    "board_entry",
    "board_event",
    "board_item",
    "board_member",
    "board_metric",
    "board_output",
    "board_relation",
    "board_round",
    "board_score",
    "board_submission",
    "board_system",
    "board_team",
    "campaign",
    "credential",
    "curation_step",
    "event",
    "gold_version",
    "job",
    "ledger",
    "metadata",
    "notice",
    "participant",
    "posting",
    "posting_order",
    "posting_session",
    "protocol",
    "qualification",
    "rate_limit",
    "response",
    "review",
    "second_factor",
    "server_setting",
    "study_plan",
    "test_answer",
    "unit",
    "unit_secret",
]
