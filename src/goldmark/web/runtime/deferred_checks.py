"""Quality checks, made together every few moments by a thread of their own.

A check that followed its answer at once would slow down whatever its annotator asks next, by just as much as grading
takes, and so tell them that there was something to grade. So answers only leave a note of whose they are, the same for
every unit, and the notes of everybody are gone through together, at moments that nobody's answers decide.
"""

from __future__ import annotations

import logging
import threading

from goldmark.campaigns.assignments.responses import KeptAnswer
from goldmark.quality.quality_check import QualityCheck

EVERY = 2.0  # seconds
_log = logging.getLogger(__name__)


class DeferredChecks:
    """Called with an answer that was kept; its check follows. `start` first makes up for missed ones."""

    def __init__(self, check: QualityCheck, every: float = EVERY) -> None:
        self.check = check
        self._every = every
        self._noted: dict[tuple[int, int], bool] = {}
        self._changing = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, kept: KeptAnswer) -> None:
        whose = (kept.campaign_id, kept.annotator_id)
        with self._changing:
            self._noted[whose] = self._noted.get(whose, False) or kept.rules_look

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._go, name="goldmark-checks", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """After what was noted so far has been checked."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def check_now(self) -> None:
        """Go through what was noted."""
        with self._changing:
            noted, self._noted = self._noted, {}
        for (campaign_id, annotator_id), rules in noted.items():
            try:
                self.check(KeptAnswer(campaign_id, annotator_id, rules))
            except Exception:  # one person's check must not end everybody's; the next one makes up for it
                _log.exception("the work of annotator %s could not be checked", annotator_id)

    def _go(self) -> None:
        try:
            self.check.catch_up()
        except Exception:
            _log.exception("missed checks could not be made up for")
        while not self._stopping.wait(self._every):
            self.check_now()
        self.check_now()
