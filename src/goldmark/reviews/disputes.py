"""An annotator answered a return with a reason: who decides, and what follows.

The reviewer who returned the answer reads the reason. If they approve it now, they yield. If they return it again, the
two disagree, and somebody who has not returned it before decides: approved, it stands as it is; returned, its annotator
has to amend it. Whoever looks at the reason first may be such a person; then their word decides at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol


class SaidOfRevision(Protocol):
    """A reviewer's word on one revision; the last one holds."""

    @property
    def revision(self) -> int: ...
    @property
    def reviewer(self) -> str: ...
    @property
    def verdict(self) -> str: ...


Dispute = Literal["raised", "undecided", "yielded", "upheld", "overruled"]
# What an annotator's reason has led to, in words.
MEANING: Mapping[Dispute, str] = {
    "raised": "answered with a reason, waiting for the reviewer",
    "undecided": "still disputed, waiting for somebody else to decide",
    "yielded": "the reviewer accepted the reason",
    "upheld": "decided for the annotator",
    "overruled": "decided for the reviewer",
}
# The state of a response that follows.
STATES: Mapping[Dispute, str] = {
    "raised": "waiting",
    "undecided": "waiting",
    "yielded": "done",
    "upheld": "done",
    "overruled": "returned",
}


def returned_before(revision: int, words: Iterable[SaidOfRevision]) -> frozenset[str]:
    """Reviewers who returned an earlier revision: they are a party to the dispute."""
    return frozenset(one.reviewer for one in words if one.revision < revision and one.verdict == "returned")


def stand_of(reply: str, revision: int, words: Iterable[SaidOfRevision]) -> Dispute | None:
    """Where the dispute about this revision stands; None if it did not come with a reason."""
    if not reply:
        return None
    words = list(words)
    parties = returned_before(revision, words)
    now = [one for one in words if one.revision == revision]
    decided = [one.verdict for one in now if one.reviewer not in parties]
    if decided:
        return "overruled" if decided[-1] == "returned" else "upheld"
    last = {one.reviewer: one.verdict for one in now}
    if not last:
        return "raised"
    return "undecided" if "returned" in last.values() else "yielded"
