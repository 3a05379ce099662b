"""Student's t against scipy."""

from __future__ import annotations

import pytest
from scipy.special import stdtrit

from goldmark.stats.inference.student import student_quantile


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 4, 9.7, 30, 400, 1e5, 1e8])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.9, 0.975, 0.9995])
def test_quantiles_equal_scipys(share: float, freedom: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(float(stdtrit(freedom, share)), rel=1e-7, abs=1e-9)
