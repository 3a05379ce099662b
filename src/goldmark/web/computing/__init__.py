"""Figures of whole campaigns for pages and API: what is computed, where, and what was asked for lately."""
