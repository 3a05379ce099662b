"""A mistake list against a gold list: what was found, what was missed, what was invented."""
