"""Campaigns on pages: make, run and change them, their units and test questions, what goes out and comes in."""

from goldmark.web.pages.campaigns import campaigns, derive, export, home, settings, test_questions, units

ROUTERS = (
    home.router,
    campaigns.router,
    units.router,
    test_questions.router,
    derive.router,
    settings.router,
    export.router,
)
