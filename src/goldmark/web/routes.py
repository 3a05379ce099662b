"""Every route of the application: the API for programs, the pages for people, by module and where its addresses begin.

The first route that takes an address answers: what has a fixed name in its address stands before what takes any name
there. Only what annotators need is built when a server starts; see `runtime.route_groups`.
"""

from __future__ import annotations

from goldmark.web.runtime.route_groups import groups
from goldmark.web.runtime.threads import ARRIVALS, ENTRANCE, Threads

_CAMPAIGN = "/campaigns/{name}"
_CALLS = "/api/v1"
_OF_CAMPAIGN = f"{_CALLS}{_CAMPAIGN}"
FOR_ANNOTATORS = ("goldmark.web.api.work", "goldmark.web.api.lessons", "goldmark.web.pages.annotators")
_THREADS: dict[str, Threads | None] = {
    **dict.fromkeys(FOR_ANNOTATORS),  # the framework's, which nobody else takes
    "goldmark.web.pages.crowd": ARRIVALS,
    "goldmark.web.pages.server.entrance": ENTRANCE,
}

API = groups(
    "goldmark.web.api",
    {
        "work": (f"{_CALLS}/join", f"{_CALLS}/work"),
        "lessons": f"{_CALLS}/work/lesson",
        "hooks": f"{_CALLS}/hooks",
        "campaigns.protocols": f"{_CALLS}/protocols",
        "campaigns.campaigns": f"{_CALLS}/campaigns",
        "campaigns.units": f"{_OF_CAMPAIGN}/units",
        "campaigns.test_questions": f"{_OF_CAMPAIGN}/test-questions",
        "campaigns.follow_up": tuple(f"{_OF_CAMPAIGN}/{made}" for made in ("follow-up", "coded", "verified")),
        "campaigns.answer_imports": f"{_OF_CAMPAIGN}/answers",
        "campaigns.export": f"{_OF_CAMPAIGN}/export",
        "people.annotators": f"{_OF_CAMPAIGN}/annotators",
        "people.training": f"{_OF_CAMPAIGN}/training",
        "people.participants": f"{_OF_CAMPAIGN}/participants",
        "people.quality": (f"{_OF_CAMPAIGN}/quality", f"{_OF_CAMPAIGN}/annotators"),
        "people.pay": f"{_OF_CAMPAIGN}/pay",
        "people.crowd": f"{_OF_CAMPAIGN}/crowd",
        "reviews.responses": f"{_OF_CAMPAIGN}/responses",
        "reviews.reviews": f"{_OF_CAMPAIGN}/reviews",
        "reviews.unit_status": f"{_OF_CAMPAIGN}/status",
        "reviews.suggestions": f"{_OF_CAMPAIGN}/suggestions",
        "reviews.curation": (f"{_OF_CAMPAIGN}/curation", f"{_OF_CAMPAIGN}/gold"),
        "reviews.gold_imports": f"{_OF_CAMPAIGN}/gold",
        "evaluations.results": f"{_OF_CAMPAIGN}/results",
        "evaluations.datasets": f"{_OF_CAMPAIGN}/dataset",
        "evaluations.studies": (f"{_CALLS}/studies", f"{_OF_CAMPAIGN}/study"),
        "evaluations.submissions": f"{_CALLS}/leaderboards",
        "evaluations.boards": f"{_CALLS}/leaderboards",
        "server.jobs": f"{_CALLS}/jobs",
        "server.second_factor": (f"{_CALLS}/accounts", f"{_CALLS}/me/second-factor"),
        "server.accounts": (f"{_CALLS}/accounts", f"{_CALLS}/me"),
    },
    _THREADS,
)
PAGES = groups(
    "goldmark.web.pages",
    {
        "annotators": ("/a", "/join"),
        "crowd": ("/crowd", "/done"),
        "campaigns.home": "/",
        "campaigns.protocols": "/protocols",
        "campaigns.campaigns": "/campaigns",
        "campaigns.units": f"{_CAMPAIGN}/units",
        "campaigns.test_questions": f"{_CAMPAIGN}/test-questions",
        "campaigns.follow_up": tuple(f"{_CAMPAIGN}/{made}" for made in ("follow-up", "coded", "verified")),
        "campaigns.settings": f"{_CAMPAIGN}/settings",
        "campaigns.export": f"{_CAMPAIGN}/export",
        "people.people": f"{_CAMPAIGN}/annotators",
        "people.training": f"{_CAMPAIGN}/training",
        "people.quality": f"{_CAMPAIGN}/quality",
        "people.pay": f"{_CAMPAIGN}/pay",
        "people.participants": f"{_CAMPAIGN}/participants",
        "people.crowd": f"{_CAMPAIGN}/crowd",
        "reviews.responses": f"{_CAMPAIGN}/responses",
        "reviews.review": f"{_CAMPAIGN}/review",
        "reviews.unit_status": f"{_CAMPAIGN}/status",
        "reviews.suggestions": f"{_CAMPAIGN}/suggestions",
        "reviews.curation": f"{_CAMPAIGN}/curation",
        "evaluations.results": f"{_CAMPAIGN}/results",
        "evaluations.datasets": ("/datasets", f"{_CAMPAIGN}/dataset"),
        "evaluations.study_new": ("/studies/new", f"{_CAMPAIGN}/study"),
        "evaluations.studies": ("/studies", f"{_CAMPAIGN}/study"),
        "evaluations.board_new": "/leaderboards/new",
        "evaluations.board_actions": "/leaderboards",
        "evaluations.board_settings": "/leaderboards/{name}/settings",
        "evaluations.boards": "/leaderboards",
        "server.entrance": ("/signin", "/signout", "/link"),
        "server.jobs": "/jobs",
        "server.second_factor": ("/account/second-factor", "/accounts"),
        "server.accounts": ("/account", "/accounts"),
        "server.documentation": ("/api/docs", "/docs"),
    },
    _THREADS,
)
