"""Errors put into texts on purpose."""
