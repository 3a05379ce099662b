"""A mistake list against a gold list: recall, precision, and two lists compared."""
