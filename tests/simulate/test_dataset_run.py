"""A small campaign of errors goes the whole way through the real server: annotated, reviewed, amended, released."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import _released as released
from benchmarks.dataset_run import Released, release
from goldmark.web.runtime.rehearsal_server import stage
from tools.simulate.reviewed import Setup, remarks_on

TEXTS = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Released]:
    folder: Path = tmp_path_factory.mktemp("release")
    setup = Setup(slips=0.3, amends=0.7, overlooks=0.0, ambiguous=0.1)
    with stage() as place:
        yield release(place, folder, texts=TEXTS, annotators=5, checked=20, rng=np.random.default_rng(4), setup=setup)


def test_every_text_is_reviewed_until_it_passes(run: Released) -> None:
    statuses = run.status["statuses"]
    assert statuses["approved"] + statuses["discarded"] == run.status["texts"] == TEXTS
    assert run.status["set_aside"] == {"ambiguous": statuses["discarded"]}
    assert statuses["discarded"] > 0
    assert run.outcome.amended > 0
    # Some text came back more than once, and only what is right was approved, for these reviewers overlook nothing.
    assert run.outcome.returned >= run.outcome.amended > 0
    assert all(not remarks_on(given, run.outcome.right[text]) for text, given in run.answers.values())
    assert len(run.outcome.by_annotator) == 5


def test_two_reviewers_are_compared_and_a_spot_check_measures(run: Released) -> None:
    shared = {row["about"]: row for row in run.status["calibration"]["rows"]}
    assert shared["(whole response)"]["percent"] == 100.0  # both know what is right
    check = run.status["spot_check"]
    assert (check["size"], check["judged"], check["of"]) == (20, 20, TEXTS)
    rows = run.status["spot_check_table"]["rows"]
    assert all(row["right"] == row["reviewed"] for row in rows)


def test_the_release_holds_what_was_approved_and_counts_it_rightly(run: Released) -> None:
    released.check(run.folders[0], run.answers)
    assert run.manifest.bases == {"approved": TEXTS - run.status["statuses"]["discarded"]}
    assert run.manifest.left_out == {"discarded: ambiguous": run.status["statuses"]["discarded"]}
    # And the check can fail: one text more, one answer changed.
    name, (text, _) = next((name, one) for name, one in run.answers.items() if "errors" in one[1])
    with pytest.raises(AssertionError, match=name):
        released.check(run.folders[0], {**run.answers, name: (text, {"verdict": "fine"})})


def test_a_second_build_gives_the_same_bytes(run: Released) -> None:
    first, second = map(released.bytes_of, run.folders)
    assert first == second
    assert {"jsonl/train.jsonl", "parquet/test.parquet", "README.md", "SHA256SUMS"} <= set(first)
