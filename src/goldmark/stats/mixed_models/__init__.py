"""Ratings explained by systems, items and people at once: linear, on ordered scales, and how reliable people are."""
