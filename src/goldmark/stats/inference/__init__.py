"""Intervals: of shares, means, medians and whatever else is made of drawn units."""
