"""Rolling leaderboards: submissions at any time, metrics at once, people's scores with their uncertainty.

A board is declared in one file. Whoever may submits a system's outputs; automatic metrics are computed as jobs, a
campaign asks people about a fixed random subset of the items, and the standings say who is better than whom as far as
the intervals allow.
"""
