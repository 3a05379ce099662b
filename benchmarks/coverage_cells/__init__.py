"""What `benchmarks.coverage` measures: one module for each family of figures, each with a list `SIMULATIONS`.

To add a cell, add it to the list of its family and run `python -m benchmarks.coverage --only WORDS --write`. A
simulation draws from a generator of its own, seeded by its name, so cells that come or go change no other.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.coverage_cells import agreement, correlations, models, ranks, scales, shares, significance, spans, sums
from benchmarks.coverage_cells.cell import Simulation

FAMILIES: Mapping[str, tuple[Simulation, ...]] = {
    "Scores, differences and ranks": ranks.SIMULATIONS,
    "Means near the end of a scale": scales.SIMULATIONS,
    "Shares": shares.SIMULATIONS,
    "Figures from sums": sums.SIMULATIONS,
    "Agreement": agreement.SIMULATIONS,
    "Agreement on passages": spans.SIMULATIONS,
    "Correlations": correlations.SIMULATIONS,
    "Models": models.SIMULATIONS,
    "Tests and effects of studies": significance.SIMULATIONS,
}
