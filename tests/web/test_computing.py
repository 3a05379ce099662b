"""Figures of large campaigns come from another process: the same figures, and nobody waits for them twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from goldmark.campaigns.fingerprint import fingerprint
from goldmark.observations.filter import COUNTING
from goldmark.people.exclusions import exclude
from goldmark.protocols import load
from goldmark.results.inputs.selection import BY
from goldmark.store import open_store
from goldmark.web.computing import computed, computing
from goldmark.web.computing.computed import Evidences
from goldmark.web.computing.computing import Computing, ComputingFailed, Opened
from goldmark.web.computing.results import RequestedResults
from goldmark.web.services import Services
from tests.databases import fresh
from tests.results.filled import fill


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    address = fresh(tmp_path_factory.mktemp("computing"))
    store = open_store(address)
    fill(store, "spans", load("accuracy"))
    store.close()
    opened = Services.open(address)
    yield opened
    opened.close()


def process_of(opened: Opened, name: str) -> int:
    return os.getpid()


def dies(opened: Opened, name: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wrong(opened: Opened, name: str) -> None:
    raise ComputingFailed


calls = 0


def counted(opened: Opened, name: str) -> int:
    """How often it was asked for in its process."""
    global calls
    calls += 1
    return calls


def test_a_small_campaign_is_computed_here(services: Services) -> None:
    assert services.computing.of("spans", process_of).found == os.getpid()
    assert services.computing._pool is None


def everybody(found: Evidences) -> list[Any]:
    return [found.at(place)[:5] for place in range(len(found.people))]


def test_a_large_one_is_computed_elsewhere_with_the_same_figures(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = RequestedResults(BY, COUNTING)
    here = services.computing.of("spans", computed.quality).found, services.results.of("spans", asked).results
    services.computing._kept.clear()
    monkeypatch.setattr(computing, "LARGE", 0)
    there = services.computing.of("spans", computed.quality).found, services.results.of("spans", asked).results
    assert everybody(there[0]) == everybody(here[0])
    assert [(one.name, one.table.rows) for one in there[1].tables] == [
        (one.name, one.table.rows) for one in here[1].tables
    ]
    assert services.computing.of("spans", process_of).found != os.getpid()
    # A process that dies, or finds something wrong, takes nobody with it.
    with pytest.raises(ComputingFailed):
        services.computing.of("spans", dies)
    with pytest.raises(ComputingFailed):
        services.computing.apart("spans", wrong)
    assert services.computing.apart("spans", process_of) != os.getpid()
    services.computing._rest()
    assert services.computing._pool is None


def test_figures_may_be_a_little_older_than_answers_and_never_than_decisions(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "LARGE", 0)
    monkeypatch.setattr(Computing, "_run", lambda self, large, work, name, asked: work(self._opened, name, *asked))
    of, states = services.computing.of, iter(range(100))
    first = of("spans", counted)
    assert of("spans", counted).found == first.found
    monkeypatch.setattr(computing, "OLDER", 1e9)
    monkeypatch.setattr(computing, "fingerprint", lambda *given: (fingerprint(*given), next(states)))  # an answer came
    later = of("spans", counted)
    assert (later.found, later.older, later.at) == (first.found, True, first.at)
    monkeypatch.setattr(computing, "OLDEST", 0.0)  # time passes
    assert of("spans", counted).found == first.found + 1
    monkeypatch.setattr(computing, "OLDEST", 300.0)
    _, person = services.computing.of("spans", computed.quality).found.people[0]
    exclude(services.store, "spans", person, author="test", reason="", rule="")
    assert not of("spans", counted).older
