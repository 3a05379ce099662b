"""The tables of any campaign: ratings, errors, comparisons, agreement, people."""
