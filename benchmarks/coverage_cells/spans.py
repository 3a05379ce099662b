"""Agreement of people about marked passages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, held_figure
from goldmark.records.spans import Span
from goldmark.results.tables.agreement import span_measures
from goldmark.stats.agreement_measures.mark_columns import Mark, SeenText
from goldmark.stats.agreement_measures.spans import span_agreement

TOKENS = 60
KINDS = ("name", "number", "word")
# Of 50,000 texts of the following simulation, gamma of 1,800.
TRUTHS = {
    "token_alpha": 0.537,
    "marked_alpha": 0.588,
    "token_f1": 0.610,
    "category_percent": 0.813,
    "category_alpha": 0.719,
    "gamma": 0.568,
}
CALLED = {
    "token_alpha": "alpha of each token's category",
    "marked_alpha": "alpha of marked or not",
    "token_f1": "token F1, mean of pairs",
    "category_percent": "same category on matched spans",
    "category_alpha": "alpha of categories on matched spans",
    "gamma": "gamma",
}


def marked(rng: np.random.Generator, texts: int, people: int = 3) -> list[SeenText]:
    """True errors that people find, blur and call something; and some that are none."""
    made = []
    for place in range(texts):
        begins = np.sort(rng.choice(TOKENS // 6, size=rng.poisson(2) % 9, replace=False)) * 6
        lengths, kinds = rng.integers(1, 4, size=len(begins)), rng.integers(0, 3, size=len(begins))
        easy = rng.beta(4, 2)  # some texts are easier than others
        own: dict[str, list[Mark]] = {}
        for who in range(people):
            marks: list[Mark] = []
            for begin, length, kind in zip(begins.tolist(), lengths.tolist(), kinds.tolist(), strict=True):
                if rng.random() < easy:
                    more = int(rng.random() < 0.3)
                    called = kind if rng.random() < 0.85 else int(rng.integers(3))
                    marks.append((Span(begin, begin + length + more), KINDS[called]))
            if rng.random() < 0.2:
                wrong = int(rng.integers(TOKENS // 6)) * 6 + 5
                marks.append((Span(wrong, wrong + 1), KINDS[int(rng.integers(3))]))
            own[f"p{who}"] = marks
        made.append(SeenText(f"t{place:05}", TOKENS, own))
    return made


def simulation(texts: int, *, gamma: bool) -> Simulation:
    names = ["gamma"] if gamma else [name for name in TRUTHS if name != "gamma"]

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = span_measures(span_agreement(marked(rng, texts), rng=rng, no_gamma="" if gamma else "takes long"))
        return [held_figure(made[name], TRUTHS[name]) for name in names]

    design = f"{texts} texts x 3 people"
    pages = {name: "gamma" if name == "gamma" else "span-agreement" for name in names}
    cells = (Cell(CALLED[name], design, "coverage", pages[name]) for name in names)
    return Simulation(tuple(cells), simulate)


def _simulations() -> Iterator[Simulation]:
    for texts in (10, 20, 60):
        yield simulation(texts, gamma=False)
    for texts in (10, 30):
        yield simulation(texts, gamma=True)


SIMULATIONS = tuple(_simulations())
