"""How far scores follow other scores: correlation, pairwise accuracy, and tests of their differences."""
