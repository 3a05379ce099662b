"""What was answered, on pages: responses, reviews, the status of units, curation."""
