"""Reported errors shown to verifiers, and what their answers mean."""
