"""What was answered, for programs: responses, reviews, the status of units, curation."""

from goldmark.web.api.reviews import curation, gold_imports, responses, reviews, suggestions, unit_status

ROUTERS = (
    responses.router,
    reviews.router,
    unit_status.router,
    suggestions.router,
    curation.router,
    gold_imports.router,
)
