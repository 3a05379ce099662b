"""Campaigns on pages: make, run and change them, their units and test questions, what goes out and comes in."""

from goldmark.web.pages.campaigns import campaigns, export, follow_up, home, protocols, settings, test_questions, units

ROUTERS = (
    home.router,
    protocols.router,
    campaigns.router,
    units.router,
    test_questions.router,
    follow_up.router,
    settings.router,
    export.router,
)
