"""A simulated crowd that comes through a stand-in for a platform: by its pages, and paid by the real connector."""

from __future__ import annotations

import os
from decimal import Decimal

import numpy as np
import pytest

from goldmark.campaigns.definition.settings import Batch, Pay, Recruit, Settings
from goldmark.simulate.platform_rehearsal import NoStandIn, rehearse_on_platform, standing_in
from goldmark.simulate.rehearsal import RehearsalPlan
from goldmark.web.runtime.rehearsal_server import stage


@pytest.mark.parametrize("platform", ["mturk", pytest.param("prolific", marks=pytest.mark.slow)])
def test_the_crowd_comes_through_the_platform(platform: str) -> None:
    plan = RehearsalPlan(
        units=9,
        systems=2,
        settings=Settings(
            labels_per_unit=2,
            batch=Batch(size=3, per_person=1),
            pay=Pay(per_unit=0.2, currency="USD"),
            recruit=Recruit(platform=platform, budget=Decimal(20)),
        ),
        crowd={"careful": 2, "drop-out": 2},
        test_questions=0,
    )
    before = dict(os.environ)
    with stage() as place, standing_in(platform) as there:
        store, links, rng = place.services.store, place.services.links, np.random.default_rng(5)
        found = rehearse_on_platform(store, links, place.ask, place.address, plan, there, name="a", rng=rng)
    assert dict(os.environ) == before, "its keys are gone with it"
    assert (found.result.labels_done, found.result.labels_wanted) == (18, 18)
    states = [one.session.state for one in found.books.lines]
    assert states.count("approved") == 6, "six people of three texts each"
    gone = found.returned + found.timed_out
    assert gone > 0
    assert len(states) == 6 + gone
    assert found.books.agrees
    assert found.books.spent.total == found.charged <= 2_000
    assert found.books.spent.rewards == 6 * 60
    assert found.confirmed == found.charged, "nobody but those who finished was paid, each once"


def test_a_platform_without_a_stand_in_says_so() -> None:
    with pytest.raises(NoStandIn, match="rehearse without"), standing_in("link"):
        pass
