"""Controlled studies: one file, participants by lot, a plan fixed before the first answer, and a plain report."""
