"""What `benchmarks.coverage` measures: one module for each family of figures, each with a list `CELLS`.

To add a cell, add it to the list of its family and run `python -m benchmarks.coverage --only WORDS --write`. A cell
draws from a generator of its own, seeded by its name, so cells that come or go change no other.
"""
