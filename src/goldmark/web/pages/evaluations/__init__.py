"""What comes of it, on pages: results, datasets, studies, leaderboards."""

from goldmark.web.pages.evaluations import (
    board_actions,
    board_new,
    board_settings,
    boards,
    datasets,
    results,
    studies,
    study_new,
)

ROUTERS = (
    results.router,
    datasets.router,
    study_new.router,
    studies.router,
    board_new.router,
    board_actions.router,
    board_settings.router,
    boards.router,
)
