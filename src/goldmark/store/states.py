"""What an assignment can be, and what that means for the counts of its unit and its annotator.

`active` is in someone's hands and `lapsed` was; `done` counts; `waiting` is submitted and counts once a reviewer has
approved it; `returned` is back with its annotator to be amended; `released` was returned and its annotator did not come
back, so that its place was given to others; `extra` came after its unit had all its labels, or is no person's;
`excluded` is kept, but its annotator was excluded: it holds no place and counts nowhere until that is undone.
"""

from __future__ import annotations

ARRIVING = "arriving"  # of a campaign: not all of it is there yet, and nobody sees it
JOINING = "joining"  # of such a campaign: it is only texts, all there, which are becoming a part of another
LEAVING = "leaving"  # of one that stood still or broke off: what has come of it is being removed
UNSEEN = (ARRIVING, JOINING, LEAVING)

# Whoever reads answers asks for their annotator's state as well: while much work is set aside, some of it has not been.
HOLD_A_PLACE = ("active", "waiting", "returned", "done")
ANSWERED = ("waiting", "returned", "released", "done", "extra", "excluded")
NOT_FINAL = ("waiting", "returned", "released")  # kept, but nobody has said yet that it may be used
# Still to be done by its annotator. Statements spell it out: bound values would hide the partial index for it.
STILL_OPEN = "state IN ('returned', 'active', 'lapsed')"
OPEN_JOB = "state IN ('waiting', 'running')"  # the same of jobs
