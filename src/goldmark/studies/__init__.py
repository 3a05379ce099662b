"""Controlled studies: one file, randomised participants, a plan fixed before the first answer, and a plain report."""
