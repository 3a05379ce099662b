"""Automatic metrics against people: how far they follow them, and which follows them better."""
