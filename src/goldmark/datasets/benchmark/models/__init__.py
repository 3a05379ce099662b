"""Baselines: `random`, `linear`, and any transformers checkpoint on disk."""
