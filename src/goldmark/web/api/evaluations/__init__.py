"""What comes of it, for programs: results, datasets, studies, leaderboards."""

from goldmark.web.api.evaluations import boards, datasets, results, studies, submissions

ROUTERS = (results.router, datasets.router, studies.router, submissions.router, boards.router)
