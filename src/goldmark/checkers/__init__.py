"""Checkers find mistakes in texts automatically; each is a plug-in, and the built-in ones use the same door."""
