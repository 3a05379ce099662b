"""Which modules hold handlers of jobs. A worker imports them with its first job."""

from __future__ import annotations

from importlib import import_module

MODULES: tuple[str, ...] = (
    "goldmark.accounts.notices.mail",
    "goldmark.campaigns.settings_change",
    "goldmark.campaigns.transfer.export_job",
    "goldmark.leaderboards.human.scheduling.scheduler",
    "goldmark.leaderboards.notices.deliver",
    "goldmark.leaderboards.submitted.metric_jobs",
    "goldmark.leaderboards.submitted.same_outputs",
    "goldmark.people.exclusions",
    "goldmark.people.undo_exclusion",
    "goldmark.recruiting.watching.scheduler",
    "goldmark.studies.design.change",
)


def load_handlers() -> None:
    for module in MODULES:
        import_module(module)
