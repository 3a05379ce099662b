"""Rounds of human evaluation: planned, opened, scored, on a schedule."""
