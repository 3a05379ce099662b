"""A campaign as a few flat tables, from which every figure is computed."""
