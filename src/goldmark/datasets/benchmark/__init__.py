"""Benchmark tasks of a dataset: what models must answer, how answers are scored, and baselines to compare with."""
