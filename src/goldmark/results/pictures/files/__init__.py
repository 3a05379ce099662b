"""A picture as a file: SVG, PNG or PDF."""
