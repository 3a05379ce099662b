"""What the tests of the checker share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does; only what it finds out may fail a test.
settings.register_profile("boxscore", deadline=None, max_examples=40)
settings.load_profile("boxscore")

SHARED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that lies beside the checkout and never in it; tests that need it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the public data folder ../shared/data is not here")
    return SHARED_DATA
