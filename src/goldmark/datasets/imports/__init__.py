"""Annotations that others published, as sources of datasets."""
