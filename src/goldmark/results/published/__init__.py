"""The tables of the published methods."""
