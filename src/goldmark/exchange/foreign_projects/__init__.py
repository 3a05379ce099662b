"""Whole projects of other tools as campaigns."""
