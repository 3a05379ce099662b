"""Files that a command reads instead of a campaign: labels, ratings, errors, marks and scores."""
