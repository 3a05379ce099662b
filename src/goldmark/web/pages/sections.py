"""Where one can go: a campaign's pages by task, and the documentation that belongs to each page."""

from __future__ import annotations

from dataclasses import dataclass

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.datasets.of_campaign import why_not
from goldmark.protocols.language import Protocol


@dataclass(frozen=True)
class Place:
    """A page of a campaign; `path` follows the campaign's own address."""

    path: str
    title: str


@dataclass(frozen=True)
class PageSection:
    """Pages that serve one task. Its address is that of its first page."""

    title: str
    places: tuple[Place, ...]

    @property
    def path(self) -> str:
        return self.places[0].path

    def current(self, here: str) -> Place | None:
        """The page of this section that an address within the campaign belongs to."""
        inside = [one for one in self.places if here == one.path or (one.path and here.startswith(f"{one.path}/"))]
        return max(inside, key=lambda one: len(one.path), default=None)


def sections(campaign: CampaignRow, protocol: Protocol, *, manager: bool) -> list[PageSection]:
    """What this campaign has: a protocol without marks has nothing to curate, one without training no learners."""
    marks = any(one.kind == "spans" for one in protocol.questions())
    learns = bool(protocol.file.training or protocol.file.qualification)
    settings = campaign.settings
    return [
        PageSection("Overview", (Place("", "Overview"),)),
        _section(
            "Texts",
            ("/units", "All texts", True),
            ("/responses", "Responses", True),
            ("/status", "Status", True),
            ("/suggestions", "Suggestions", marks),
        ),
        _section(
            "People",
            ("/annotators", "Annotators", True),
            ("/training", "Training", learns or settings.candidates is not None),
            ("/quality", "Quality", True),
            ("/test-questions", "Test questions", True),
            ("/pay", "Pay", manager),
            ("/crowd", "Crowd platform", manager),
            ("/participants", "Where they come from", manager),
        ),
        PageSection("Review", (Place("/review", "Responses to review"), Place("/review/figures", "In figures"))),
        *([PageSection("Curation", (Place("/curation", "Curation"),))] if marks else []),
        _section(
            "Results",
            ("/results", "Results", True),
            ("/study", "Study", bool(settings.conditions)),
            ("/verified", "Verified", campaign.protocol.startswith("verification")),
            ("/coded", "Coded", campaign.protocol.startswith("explanation-coding")),
            ("/dataset", "Dataset", manager and not why_not(protocol)),
            ("/follow-up", "Follow-ups", manager),
            ("/export", "Export", manager),
        ),
        PageSection("Settings", (Place("/settings", "Settings"),)),
    ]


def _section(title: str, *places: tuple[str, str, bool]) -> PageSection:
    return PageSection(title, tuple(Place(path, name) for path, name, wanted in places if wanted))


# The page of the documentation beside a page's title, by template.
HELP = {
    "account": "how-to/accounts-and-roles",
    "accounts": "how-to/accounts-and-roles",
    "accounts_activity": "how-to/accounts-and-roles",
    "annotators": "how-to/run-a-campaign",
    "api_docs": "reference/api",
    "board": "statistics/leaderboard-scores",
    "board_data": "how-to/submit-to-a-leaderboard",
    "board_history": "how-to/run-a-leaderboard",
    "board_join": "how-to/submit-to-a-leaderboard",
    "board_manage": "how-to/run-a-leaderboard",
    "board_metrics": "statistics/correlation",
    "board_new": "how-to/run-a-leaderboard",
    "board_plan": "how-to/run-a-leaderboard",
    "board_register": "how-to/submit-to-a-leaderboard",
    "board_settings": "how-to/run-a-leaderboard",
    "board_submit": "how-to/submit-to-a-leaderboard",
    "board_system": "statistics/leaderboard-scores",
    "boards": "how-to/run-a-leaderboard",
    "campaign": "how-to/run-a-campaign",
    "coded": "statistics/coding",
    "confirm": "how-to/accounts-and-roles",
    "crowd": "how-to/prolific",
    "crowd_bonus": "how-to/pay-fairly",
    "crowd_books": "how-to/pay-fairly",
    "crowd_publish": "how-to/prolific",
    "curation": "how-to/curate-in-the-browser",
    "curation_imported": "how-to/curate-in-the-browser",
    "curation_unit": "how-to/curate-in-the-browser",
    "curation_versions": "how-to/curate-in-the-browser",
    "dataset": "how-to/release-a-dataset",
    "datasets": "how-to/release-a-dataset",
    "export": "reference/export-formats",
    "follow_up": "how-to/verify",
    "home": "how-to/run-a-campaign",
    "jobs": "how-to/run-jobs",
    "learner": "how-to/train-and-qualify",
    "link": "how-to/accounts-and-roles",
    "new": "how-to/run-a-campaign",
    "participants": "how-to/conditions",
    "pay": "how-to/pay-fairly",
    "protocol": "how-to/write-a-protocol",
    "protocol_edit": "how-to/write-a-protocol",
    "protocol_problems": "reference/protocol-language",
    "protocols": "how-to/write-a-protocol",
    "quality": "how-to/watch-quality",
    "quality_person": "how-to/watch-quality",
    "response": "how-to/run-a-campaign",
    "responses": "how-to/run-a-campaign",
    "results": "how-to/results",
    "result_table": "how-to/results",
    "review": "how-to/review",
    "review_figures": "statistics/reviews",
    "second_factor": "how-to/accounts-and-roles",
    "settings": "how-to/run-a-campaign",
    "signin": "how-to/accounts-and-roles",
    "signin_code": "how-to/accounts-and-roles",
    "studies": "how-to/studies",
    "study": "how-to/studies",
    "study_design": "how-to/studies",
    "study_coding": "statistics/coding",
    "study_exclusions": "how-to/studies",
    "study_new": "how-to/studies",
    "study_none": "how-to/conditions",
    "suggestions": "how-to/suggestions",
    "test_questions": "how-to/test-questions",
    "training": "how-to/train-and-qualify",
    "unit": "how-to/import-texts",
    "unit_status": "how-to/quality-protocol",
    "unit_status_agreement": "statistics/agreement",
    "unit_status_texts": "how-to/quality-protocol",
    "units": "how-to/import-texts",
    "verified": "how-to/verify",
    "welcome": "index",
}


def help_for(template: str) -> str:
    """The address of the documentation of a page; nothing for the documentation itself."""
    found = HELP.get(template.removesuffix(".html"), "")
    return "" if not found else "/docs/" if found == "index" else f"/docs/{found}/"
