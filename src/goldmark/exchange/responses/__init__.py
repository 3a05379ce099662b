"""Answers that were made elsewhere, for a campaign that has its units."""
