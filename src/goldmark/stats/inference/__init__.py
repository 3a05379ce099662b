"""Intervals, tests, power and correlation."""
