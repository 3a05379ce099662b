from __future__ import annotations

import numpy as np
import pytest

from goldmark.records.tidy.columns import Frame
from goldmark.results.published import catalogue


def test_agreement_of_two_people_by_task() -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(6)
    first = rng.choice(["fine", "erroneous"], size=200, p=[0.7, 0.3])
    second = np.where(rng.random(200) < 0.9, first, rng.choice(["fine", "erroneous"], size=200))
    rows = [
        {"task": "detect", "unit": unit, "annotator": who, "label": label}
        for who, labels in (("a", first), ("b", second))
        for unit, label in enumerate(labels)
    ]
    rows += [{"task": "type", "unit": "u", "annotator": "a", "label": "word"}]
    detect, single = catalogue.run("stages", [Frame.of(rows)])[0].records()
    assert detect["agreement"] == pytest.approx(np.mean(first == second))
    assert detect["kappa"] == pytest.approx(cohen_kappa_score(first, second))
    assert detect["agreement_low"] < detect["agreement"] < detect["agreement_high"]  # type: ignore[operator]
    assert single["agreement"] is None
    assert single["reason"]
