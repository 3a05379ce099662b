"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that lies beside the checkout and never in it; tests that need it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the public data folder ../shared/data is not here")
    return SHARED_DATA
