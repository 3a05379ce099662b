"""What was answered, for programs: responses, reviews, the status of units, curation."""
