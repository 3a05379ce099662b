"""Goldmark: reproducible human evaluation of generated text."""

__version__ = "0.1.0"
