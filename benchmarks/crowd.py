"""Are spammers caught? A simulated crowd works through a real server, 25 seeded times with test questions and without.

With test questions and the rule "noisy at 99 %: exclude" at least 90 % of the spammers must be excluded within 15 test
questions and no careful annotator at all, and the scores must hold: the truth lies within their intervals.
"""

from __future__ import annotations

import os
import sys
import uuid
from statistics import mean

import numpy as np

from goldmark.simulate.rehearsal import RehearsalPlan, RehearsalResult, rehearse
from goldmark.web.runtime.rehearsal_server import stage

RUNS = int(os.environ.get("BENCH_RUNS", "25"))
WITHIN = 15


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    watched: list[RehearsalResult] = []
    unwatched: list[RehearsalResult] = []
    with stage() as place:
        for seed in range(RUNS):
            for setup, outcomes, name in (
                (RehearsalPlan(), watched, f"watched-{seed}"),
                (RehearsalPlan().unwatched(), unwatched, f"unwatched-{seed}"),
            ):
                rng = np.random.default_rng(seed)
                services = place.services
                outcomes.append(rehearse(services.store, services.links, place.ask, setup, name=name, rng=rng))
            if sys.stderr.isatty():
                print(f"\r{seed + 1} of {RUNS}", end="", file=sys.stderr, flush=True)
    spammers = [one for outcome in watched for one in outcome.spammers]
    caught = [one for one in spammers if one.excluded and one.tests <= WITHIN]
    careful = [one for outcome in watched for one in outcome.people if one.habit in ("careful", "drop-out")]
    wronged = [one for one in careful if one.excluded]
    sloppy = [one for outcome in watched for one in outcome.people if one.habit == "sloppy"]
    questions = sorted(one.tests for one in caught)
    print(f"runs {RUNS}, spammers {len(spammers)}, careful people {len(careful)}, sloppy ones {len(sloppy)}")
    print(f"spammers excluded within {WITHIN} test questions: {len(caught)} ({len(caught) / len(spammers):.1%})")
    print(f"test questions until then: median {questions[len(questions) // 2]}, most {questions[-1]}")
    print(f"careful people excluded: {len(wronged)}; sloppy ones: {sum(one.excluded for one in sloppy)}")
    for name, outcomes in (("with test questions", watched), ("without", unwatched)):
        scores = [score for outcome in outcomes for score in outcome.scores]
        print(
            f"{name:20} truth within the interval {sum(bool(one.holds) for one in scores)} of {len(scores)}, "
            f"mean error {mean(one.error for one in outcomes):.4f}, "
            f"spam among labels {mean(one.spam_labels / one.labels_done for one in outcomes):.1%}, "
            f"answers paid {mean(one.answers for one in outcomes):.0f} "
            f"(spammers' {mean(one.spam_answers for one in outcomes):.0f})"
        )


if __name__ == "__main__":
    main()
