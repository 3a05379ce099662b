"""Automatic metrics: plug-ins that score outputs against references, with intervals."""
