"""Campaigns for programs: make, run and change them, their units and test questions, what goes out and comes in."""

from goldmark.web.api.campaigns import answer_imports, campaigns, export, follow_up, protocols, test_questions, units

ROUTERS = (
    protocols.router,
    campaigns.router,
    units.router,
    test_questions.router,
    follow_up.router,
    answer_imports.router,
    export.router,
)
