"""Stand-ins for platforms, as tests of recruiting have them."""

from __future__ import annotations

from tests.recruiting.conftest import lite, mturk, prolific

__all__ = ["lite", "mturk", "prolific"]
