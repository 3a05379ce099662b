"""What was answered, on pages: responses, reviews, the status of units, curation."""

from goldmark.web.pages.reviews import curation, responses, review, suggestions, unit_status

ROUTERS = (responses.router, review.router, unit_status.router, suggestions.router, curation.router)
