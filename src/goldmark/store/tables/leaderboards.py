"""Leaderboards: what they are about, who submitted what, and what metrics and people said of it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from goldmark.store.tables.base import metadata
from goldmark.store.types import Id, Json, UtcTime

board = Table(
    "board",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),  # its id in addresses
    Column("title", Text, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),
    Column("settings", Text, nullable=False),  # JSON; kept as text so that equal settings are parsed once
    Column("data", Text, nullable=False),  # JSON; how items are read
    Column("source", Text, nullable=False),  # the YAML as it was given
    Column("created_at", UtcTime, nullable=False),
    Column("closed_at", UtcTime),  # no more submissions since
)

# The dataset, in its own order. `chosen` items are the fixed random subset that people judge.
board_item = Table(
    "board_item",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("chosen", Boolean, nullable=False),
    Column("phase", String(20), nullable=False, server_default="test"),  # development, test; the test comes first
    Column("content", Json, nullable=False),  # context, references, language, hidden facts
    UniqueConstraint("board_id", "position"),
    UniqueConstraint("board_id", "name"),
)

board_team = Table(
    "board_team",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("key", String(200), nullable=False),  # the name without case and spacing: look-alikes are the same
    Column("invitation", String(40), nullable=False, server_default=""),  # what its link carries; empty: there is none
    UniqueConstraint("board_id", "key"),
)

# On one board a person belongs to one team at most.
board_member = Table(
    "board_member",
    metadata,
    Column("board_id", ForeignKey("board.id"), primary_key=True),
    Column("account_id", ForeignKey("account.id"), primary_key=True),
    Column("team_id", ForeignKey("board_team.id"), nullable=False, index=True),
)

# The team that submits a name first keeps it. The gold row belongs to no team.
board_system = Table(
    "board_system",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False),
    Column("team_id", ForeignKey("board_team.id"), index=True),
    Column("name", String(200), nullable=False),
    Column("key", String(200), nullable=False),
    Column("kind", String(10), nullable=False),  # system, gold
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("board_id", "key"),
)

# One version of a system's outputs. Versions are never overwritten; a withdrawn one stays in the history.
board_submission = Table(
    "board_submission",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False, index=True),
    Column("system_id", ForeignKey("board_system.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("phase", String(20), nullable=False, server_default="test"),  # development, test
    Column("state", String(20), nullable=False),  # private, published, withdrawn
    Column("approval", String(20), nullable=False),  # of its human evaluation: waiting, approved, declined, not asked
    Column("description", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("authors", Json, nullable=False),
    Column("outputs", Integer, nullable=False),  # how many there are; 0 where only scores were imported
    Column("digest", String(64), nullable=False),  # SHA-256 of the outputs in the dataset's order
    # Other systems whose outputs it repeats, and how many of them; for those who run the board.
    Column("same_outputs", Json),
    Column("submitted_by", Text, nullable=False),
    Column("submitted_at", UtcTime, nullable=False),
    Column("published_at", UtcTime),
    Column("withdrawn_at", UtcTime),
    UniqueConstraint("system_id", "version"),
)

board_output = Table(
    "board_output",
    metadata,
    Column("submission_id", ForeignKey("board_submission.id"), primary_key=True),
    Column("item_id", ForeignKey("board_item.id"), primary_key=True),
    Column("output", Text, nullable=False),
)

# What one metric said of one submission. `segments` holds a value for each item of the dataset, in its order.
board_metric = Table(
    "board_metric",
    metadata,
    Column("submission_id", ForeignKey("board_submission.id"), primary_key=True),
    Column("metric", String(200), primary_key=True),
    Column("state", String(20), nullable=False),  # waiting, done, failed
    Column("value", Float),
    Column("low", Float),
    Column("high", Float),
    Column("higher_is_better", Boolean, nullable=False, default=True),
    Column("signature", Text, nullable=False),
    Column("message", Text, nullable=False),  # why it failed
    Column("at", UtcTime),
    Column("segments", Json),
)

# One evaluation by people: a campaign that one or several systems share, or scores that were brought from elsewhere.
board_round = Table(
    "board_round",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("campaign_id", ForeignKey("campaign.id"), index=True),
    Column("state", String(20), nullable=False),  # planned, open, scored
    Column("opens_at", UtcTime, nullable=False),
    Column("opened_at", UtcTime),
    Column("scored_at", UtcTime),
    Column("facts", Json, nullable=False),  # what it cost, who was excluded, why it waits
    UniqueConstraint("board_id", "number"),
)
Index("ix_board_round_state_opens_at", board_round.c.state, board_round.c.opens_at)

board_entry = Table(
    "board_entry",
    metadata,
    Column("round_id", ForeignKey("board_round.id"), primary_key=True),
    Column("submission_id", ForeignKey("board_submission.id"), primary_key=True, index=True),
    Column("why", String(10), nullable=False),  # new, again, gold
)

# What people said of one submission in one round, on one axis. `segments` is per chosen item, in their order.
board_score = Table(
    "board_score",
    metadata,
    Column("round_id", ForeignKey("board_round.id"), primary_key=True),
    Column("submission_id", ForeignKey("board_submission.id"), primary_key=True, index=True),
    Column("axis", String(64), primary_key=True),
    Column("value", Float),
    Column("low", Float),
    Column("high", Float),
    Column("error", Float),
    Column("labels", Integer, nullable=False),
    Column("items", Integer, nullable=False),
    Column("annotators", Integer, nullable=False),
    Column("excluded", Integer, nullable=False),
    Column("cost", Float),
    Column("reason", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("segments", Json, nullable=False),
    Column("shared", Json),  # what it has in common with the others of its round, for differences (`board_ranks`)
)

# How one metric goes with one axis within one submission: sums over its items, from which all correlations are made,
# so that a new system costs its own sums only.
board_relation = Table(
    "board_relation",
    metadata,
    Column("submission_id", ForeignKey("board_submission.id"), primary_key=True),
    Column("axis", String(64), primary_key=True),
    Column("metric", String(200), primary_key=True),
    Column("n", Integer, nullable=False),
    Column("sums", Json, nullable=False),  # of human, metric, human squared, metric squared, human times metric
    Column("kendall", Float),
    Column("spearman", Float),
)

# What was decided about a board, when and why. Appended, never changed.
board_event = Table(
    "board_event",
    metadata,
    Column("id", Id, primary_key=True),
    Column("board_id", ForeignKey("board.id"), nullable=False, index=True),
    Column("at", UtcTime, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", String(60), nullable=False),
    Column("subject", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("facts", Json, nullable=False),
)
