"""Every route and every role: who may, who may not, and who is sent to sign in.

The two tables are complete: a route that is missing from them fails the test, so nobody adds a page without saying for
whom it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from goldmark.accounts.roles import Role
from goldmark.web import routes
from goldmark.web.api import hooks, lessons, work
from goldmark.web.pages import annotators, crowd
from goldmark.web.runtime.route_groups import RouteGroup
from tests.web.house import PASSWORD, House

REASON = {"reason": "because"}
TEXTS = {"rows": [{"id": "z9", "text": "A new text."}]}
CAMPAIGN = {"campaign": "zoo", "protocol": "accuracy", "texts": TEXTS}
SETTINGS = {"title": "Animals", "settings": {"labels_per_unit": 2}}
REVIEW = {"revision": 2, "verdict": "approved"}
STEP = {"after": 1, "kind": "note", "facts": {"note": "seen"}}
DECISION = {"passed": True, "reason": "because"}
FILE = [("files", ("texts.txt", b"Some text."))]

# All of them act on one campaign and in this order: what is closed cannot be paused. Tests of a file stay together.

# method, path: the lowest role, and the body that a program sends
CALLS: dict[tuple[str, str], tuple[Role, Any]] = {
    ("GET", "/api/v1/protocols"): (Role.CURATOR, None),
    ("POST", "/api/v1/protocols"): (Role.MANAGER, {"source": "protocol: our-accuracy/1\nextends: accuracy/1\n"}),
    ("POST", "/api/v1/protocols/check"): (Role.CURATOR, {"source": "protocol: our-accuracy/1"}),
    ("GET", "/api/v1/protocols/{name}/{version}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns"): (Role.MANAGER, CAMPAIGN),
    ("POST", "/api/v1/campaigns/upload"): (Role.MANAGER, FILE),
    ("GET", "/api/v1/campaigns/{name}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/progress"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/protocol"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/start"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/pause"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/close"): (Role.MANAGER, REASON),
    ("PUT", "/api/v1/campaigns/{name}/settings"): (Role.MANAGER, SETTINGS),
    ("POST", "/api/v1/campaigns/{name}/open-link/renew"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/campaigns/{name}/events"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/export"): (Role.MANAGER, None),
    ("POST", "/api/v1/campaigns/{name}/export/jobs"): (Role.MANAGER, None),
    ("GET", "/api/v1/campaigns/{name}/export/jobs/{job_id}/file"): (Role.MANAGER, None),
    ("POST", "/api/v1/campaigns/{name}/answers/upload"): (Role.MANAGER, FILE),
    ("GET", "/api/v1/campaigns/{name}/dataset"): (Role.MANAGER, None),
    ("GET", "/api/v1/campaigns/{name}/dataset/facts"): (Role.MANAGER, None),
    ("GET", "/api/v1/campaigns/{name}/units"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/units"): (Role.MANAGER, TEXTS),
    ("POST", "/api/v1/campaigns/{name}/units/upload"): (Role.MANAGER, FILE),
    ("GET", "/api/v1/campaigns/{name}/units/{unit_id}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/test-questions"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/test-questions"): (Role.MANAGER, {"rates": {"positive": 0.1}, "gold": "none"}),
    ("PUT", "/api/v1/campaigns/{name}/test-questions/rates"): (Role.MANAGER, {"rates": {"positive": 0.1}}),
    ("GET", "/api/v1/campaigns/{name}/annotators"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/annotators"): (Role.MANAGER, {"names": ["Bo"]}),
    ("GET", "/api/v1/campaigns/{name}/annotators/{annotator_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/pause"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/resume"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/link/renew"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/campaigns/{name}/quality"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/quality/{annotator_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/warn"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/exclude"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/keep"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/restore"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/campaigns/{name}/pay"): (Role.MANAGER, None),
    ("GET", "/api/v1/campaigns/{name}/pay/bonus"): (Role.MANAGER, None),
    ("GET", "/api/v1/campaigns/{name}/training"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/training/{annotator_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/training/{annotator_id}/decision"): (Role.CURATOR, DECISION),
    ("GET", "/api/v1/campaigns/{name}/participants"): (Role.MANAGER, None),
    ("POST", "/api/v1/campaigns/{name}/participants/erase"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/studies/plan"): (Role.MANAGER, FILE),
    ("POST", "/api/v1/studies"): (Role.MANAGER, FILE),
    ("GET", "/api/v1/campaigns/{name}/study"): (Role.CURATOR, None),
    ("PUT", "/api/v1/campaigns/{name}/study"): (Role.MANAGER, FILE),
    ("GET", "/api/v1/campaigns/{name}/study/plans"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/study/exclusions"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/study/exclusions/{case}"): (Role.MANAGER, {"decision": "keep"}),
    ("POST", "/api/v1/campaigns/{name}/study/coding"): (Role.MANAGER, {"campaign": "zoo-codes"}),
    ("GET", "/api/v1/campaigns/{name}/study/coding/{coding}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/responses"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/responses/{response_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/responses/{response_id}/release"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/campaigns/{name}/results"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/results/report"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/results/{table}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/results/{table}/plot"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/reviews"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/reviews/figures"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/reviews/{response_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/reviews/{response_id}"): (Role.CURATOR, REVIEW),
    ("GET", "/api/v1/campaigns/{name}/status"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/status/agreement"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/status/spot-check"): (Role.MANAGER, {"size": 1, "replace": True}),
    ("GET", "/api/v1/campaigns/{name}/status/spot-check/next"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/status/spot-check/{response_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/status/spot-check/{response_id}"): (Role.CURATOR, {"right": True}),
    ("GET", "/api/v1/campaigns/{name}/status/{status}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/suggestions"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/suggestions/list"): (Role.MANAGER, None),
    ("POST", "/api/v1/campaigns/{name}/suggestions/upload"): (Role.MANAGER, FILE),
    ("POST", "/api/v1/campaigns/{name}/suggestions/take-away"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/follow-up"): (Role.MANAGER, {"kind": "responses", "campaign": "zoo"}),
    ("GET", "/api/v1/campaigns/{name}/verified"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/coded"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/curation"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/curation/unanimous"): (Role.CURATOR, None),
    ("DELETE", "/api/v1/campaigns/{name}/curation/unanimous"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/curation/{unit_id}"): (Role.CURATOR, None),
    ("POST", "/api/v1/campaigns/{name}/curation/{unit_id}/steps"): (Role.CURATOR, STEP),
    ("GET", "/api/v1/campaigns/{name}/curation/{unit_id}/versions/{version}"): (Role.CURATOR, None),
    ("GET", "/api/v1/campaigns/{name}/gold"): (Role.CURATOR, None),
    ("GET", "/api/v1/jobs"): (Role.MANAGER, None),
    ("GET", "/api/v1/jobs/{job_id}"): (Role.MANAGER, None),
    ("POST", "/api/v1/jobs/{job_id}/cancel"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/jobs/{job_id}/rerun"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/campaigns/{name}/gold/upload"): (Role.CURATOR, FILE),
    ("POST", "/api/v1/leaderboards/upload"): (Role.MANAGER, FILE),
    ("POST", "/api/v1/leaderboards/{name}/close"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/leaderboards/{name}/reopen"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/leaderboards/{name}/settings"): (Role.MANAGER, None),
    ("PUT", "/api/v1/leaderboards/{name}/settings"): (Role.MANAGER, {"settings": {"public": True}}),
    ("GET", "/api/v1/leaderboards/{name}/events"): (Role.CURATOR, None),
    ("GET", "/api/v1/leaderboards/{name}/submissions"): (Role.ANNOTATOR, None),
    ("POST", "/api/v1/leaderboards/{name}/submissions"): (Role.ANNOTATOR, FILE),
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/publish"): (Role.ANNOTATOR, REASON),
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/withdraw"): (Role.ANNOTATOR, REASON),
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/metric"): (Role.ANNOTATOR, {"metric": "bleu"}),
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/approve"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/decline"): (Role.MANAGER, REASON),
    ("POST", "/api/v1/leaderboards/{name}/teams"): (Role.ANNOTATOR, {"team": "Lab", "account": "nobody"}),
    ("POST", "/api/v1/leaderboards/{name}/teams/remove"): (Role.ANNOTATOR, {"account": "nobody"}),
    ("POST", "/api/v1/leaderboards/{name}/teams/invitation"): (Role.ANNOTATOR, {}),
    ("POST", "/api/v1/leaderboards/{name}/teams/join"): (Role.ANNOTATOR, {"invitation": "1-forged"}),
    ("GET", "/api/v1/leaderboards/{name}/rounds"): (Role.CURATOR, None),
    ("POST", "/api/v1/leaderboards/{name}/rounds/{number}/open"): (Role.MANAGER, {}),
    ("POST", "/api/v1/leaderboards/{name}/rounds/{number}/close"): (Role.MANAGER, REASON),
    ("GET", "/api/v1/accounts"): (Role.OWNER, None),
    ("GET", "/api/v1/accounts/activity"): (Role.OWNER, None),
    ("GET", "/api/v1/accounts/second-factor"): (Role.OWNER, None),
    ("PUT", "/api/v1/accounts/second-factor"): (Role.OWNER, {"lowest_role": None}),
    ("POST", "/api/v1/accounts/{account_id}/second-factor/reset"): (Role.OWNER, REASON),
    ("POST", "/api/v1/accounts"): (Role.OWNER, {"name": "spare", "role": "curator"}),
    ("PATCH", "/api/v1/accounts/{account_id}"): (Role.OWNER, {"role": "curator"}),
    ("POST", "/api/v1/accounts/{account_id}/link"): (Role.OWNER, None),
    ("GET", "/api/v1/me"): (Role.ANNOTATOR, None),
    ("GET", "/api/v1/me/campaigns"): (Role.ANNOTATOR, None),
    ("POST", "/api/v1/me/password"): (Role.ANNOTATOR, {"current": PASSWORD, "new": PASSWORD}),
    ("GET", "/api/v1/me/second-factor"): (Role.ANNOTATOR, None),
    ("POST", "/api/v1/me/second-factor"): (Role.ANNOTATOR, {"password": PASSWORD}),
    ("POST", "/api/v1/me/second-factor/confirm"): (Role.ANNOTATOR, {"code": "123456"}),
    ("POST", "/api/v1/me/second-factor/recovery-codes"): (Role.ANNOTATOR, {"code": "123456"}),
    ("POST", "/api/v1/me/second-factor/off"): (Role.ANNOTATOR, {"code": "123456"}),
    ("POST", "/api/v1/me/sign-out"): (Role.ANNOTATOR, None),
    ("GET", "/api/v1/me/tokens"): (Role.ANNOTATOR, None),
    ("POST", "/api/v1/me/tokens"): (Role.ANNOTATOR, {"name": "another"}),
    ("DELETE", "/api/v1/me/tokens/{token_id}"): (Role.ANNOTATOR, None),
}

# Open to everybody: what a public leaderboard shows. A private one is not there for those who may not see it.
OPEN_CALLS = {
    ("GET", "/api/v1/leaderboards"),
    ("GET", "/api/v1/leaderboards/{name}"),
    ("GET", "/api/v1/leaderboards/{name}/pairs"),
    ("GET", "/api/v1/leaderboards/{name}/standings"),
    ("GET", "/api/v1/leaderboards/{name}/standings.{form}"),
    ("GET", "/api/v1/leaderboards/{name}/correlations"),
    ("GET", "/api/v1/leaderboards/{name}/drift"),
    ("GET", "/api/v1/leaderboards/{name}/systems/{system_id}"),
    ("GET", "/api/v1/leaderboards/{name}/plan"),
    ("GET", "/api/v1/leaderboards/{name}/inputs.jsonl"),
    ("POST", "/api/v1/leaderboards/{name}/register"),
}

# None: open to everybody, because it is how one enters, or because it is for everybody to read
PAGES: dict[tuple[str, str], Role | None] = {
    ("GET", "/signin"): None,
    ("POST", "/signin"): None,
    ("GET", "/signin/code"): None,
    ("POST", "/signin/code"): None,
    ("GET", "/link/{secret}"): None,
    ("POST", "/link/{secret}"): None,
    ("POST", "/signout"): Role.ANNOTATOR,
    ("GET", "/"): None,
    ("POST", "/campaigns/new/look"): Role.MANAGER,
    ("GET", "/protocols"): Role.CURATOR,
    ("GET", "/protocols/new"): Role.MANAGER,
    ("POST", "/protocols/new"): Role.MANAGER,
    ("POST", "/protocols/preview"): Role.MANAGER,
    ("GET", "/protocols/{name}/{version}"): Role.CURATOR,
    ("GET", "/protocols/{name}/{version}/preview"): Role.CURATOR,
    ("GET", "/protocols/{name}/{version}/source"): Role.CURATOR,
    ("GET", "/studies"): Role.CURATOR,
    ("GET", "/datasets"): Role.CURATOR,
    ("GET", "/account"): Role.ANNOTATOR,
    ("POST", "/account/password"): Role.ANNOTATOR,
    ("GET", "/account/second-factor"): Role.ANNOTATOR,
    ("POST", "/account/second-factor"): Role.ANNOTATOR,
    ("POST", "/account/second-factor/confirm"): Role.ANNOTATOR,
    ("POST", "/account/second-factor/recovery-codes"): Role.ANNOTATOR,
    ("POST", "/account/second-factor/off"): Role.ANNOTATOR,
    ("POST", "/account/sign-out"): Role.ANNOTATOR,
    ("POST", "/account/tokens"): Role.ANNOTATOR,
    ("POST", "/account/tokens/{token_id}/revoke"): Role.ANNOTATOR,
    ("GET", "/jobs"): Role.MANAGER,
    ("POST", "/jobs/{job_id}/cancel"): Role.MANAGER,
    ("POST", "/jobs/{job_id}/rerun"): Role.MANAGER,
    ("GET", "/accounts"): Role.OWNER,
    ("GET", "/accounts/activity"): Role.OWNER,
    ("POST", "/accounts/second-factor"): Role.OWNER,
    ("POST", "/accounts/{account_id}/second-factor/reset"): Role.OWNER,
    ("POST", "/accounts"): Role.OWNER,
    ("POST", "/accounts/{account_id}"): Role.OWNER,
    ("POST", "/accounts/{account_id}/link"): Role.OWNER,
    ("GET", "/docs"): None,
    ("GET", "/docs/{path:path}"): None,
    ("GET", "/api/docs"): None,
    ("GET", "/leaderboards"): None,
    ("GET", "/leaderboards/{name}"): None,
    ("GET", "/leaderboards/{name}/standings.{form}"): None,
    ("GET", "/leaderboards/{name}/systems/{system_id}"): None,
    ("GET", "/leaderboards/{name}/metrics"): None,
    ("GET", "/leaderboards/{name}/history"): None,
    ("GET", "/leaderboards/{name}/plan"): None,
    ("GET", "/leaderboards/{name}/data"): None,
    ("GET", "/leaderboards/{name}/register"): None,
    ("POST", "/leaderboards/{name}/register"): None,
    ("GET", "/leaderboards/{name}/inputs.jsonl"): None,
    ("GET", "/leaderboards/{name}/export.zip"): None,
    ("GET", "/leaderboards/new"): Role.MANAGER,
    ("POST", "/leaderboards/new"): Role.MANAGER,
    ("POST", "/leaderboards/new/form"): Role.MANAGER,
    ("GET", "/leaderboards/{name}/submit"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/submit"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/teams"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/teams/remove"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/teams/invitation"): Role.ANNOTATOR,
    ("GET", "/leaderboards/{name}/join"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/join"): Role.ANNOTATOR,
    ("POST", "/leaderboards/{name}/submissions/{submission_id}/{verb}"): Role.ANNOTATOR,
    ("GET", "/leaderboards/{name}/manage"): Role.CURATOR,
    ("GET", "/leaderboards/{name}/settings"): Role.MANAGER,
    ("POST", "/leaderboards/{name}/settings"): Role.MANAGER,
    ("POST", "/leaderboards/{name}/settings/whole"): Role.MANAGER,
    ("POST", "/leaderboards/{name}/rounds/{number}/{verb}"): Role.MANAGER,
    ("POST", "/leaderboards/{name}/move"): Role.MANAGER,
    ("GET", "/campaigns/new"): Role.MANAGER,
    ("POST", "/campaigns/new"): Role.MANAGER,
    ("POST", "/campaigns/new/form"): Role.MANAGER,
    ("GET", "/campaigns/{name}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/move"): Role.MANAGER,
    ("POST", "/campaigns/{name}/texts"): Role.MANAGER,
    ("GET", "/campaigns/{name}/units"): Role.CURATOR,
    ("GET", "/campaigns/{name}/units/{unit_id}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/test-questions"): Role.CURATOR,
    ("POST", "/campaigns/{name}/test-questions"): Role.MANAGER,
    ("POST", "/campaigns/{name}/test-questions/rates"): Role.MANAGER,
    ("GET", "/campaigns/{name}/annotators"): Role.CURATOR,
    ("POST", "/campaigns/{name}/annotators"): Role.MANAGER,
    ("POST", "/campaigns/{name}/annotators/{annotator_id}/pause"): Role.MANAGER,
    ("POST", "/campaigns/{name}/annotators/{annotator_id}/resume"): Role.MANAGER,
    ("POST", "/campaigns/{name}/annotators/{annotator_id}/link"): Role.MANAGER,
    ("GET", "/campaigns/{name}/quality"): Role.CURATOR,
    ("POST", "/campaigns/{name}/quality/rules"): Role.MANAGER,
    ("GET", "/campaigns/{name}/quality/{annotator_id}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/warn"): Role.MANAGER,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/pause"): Role.MANAGER,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/exclude"): Role.MANAGER,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/keep"): Role.MANAGER,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/restore"): Role.MANAGER,
    ("GET", "/campaigns/{name}/pay"): Role.MANAGER,
    ("POST", "/campaigns/{name}/pay"): Role.MANAGER,
    ("GET", "/campaigns/{name}/pay/bonus.csv"): Role.MANAGER,
    ("GET", "/campaigns/{name}/training"): Role.CURATOR,
    ("GET", "/campaigns/{name}/training/{annotator_id}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/training/{annotator_id}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/participants"): Role.MANAGER,
    ("POST", "/campaigns/{name}/participants/erase"): Role.MANAGER,
    ("GET", "/studies/new"): Role.MANAGER,
    ("POST", "/studies/new"): Role.MANAGER,
    ("POST", "/studies/new/text"): Role.MANAGER,
    ("POST", "/studies/new/fields"): Role.MANAGER,
    ("POST", "/studies/new/look"): Role.MANAGER,
    ("GET", "/campaigns/{name}/study"): Role.CURATOR,
    ("GET", "/campaigns/{name}/study/report.zip"): Role.CURATOR,
    ("GET", "/campaigns/{name}/study/design"): Role.CURATOR,
    ("POST", "/campaigns/{name}/study/design"): Role.MANAGER,
    ("POST", "/campaigns/{name}/study/design/look"): Role.MANAGER,
    ("GET", "/campaigns/{name}/study/study.yaml"): Role.CURATOR,
    ("GET", "/campaigns/{name}/study/exclusions"): Role.CURATOR,
    ("POST", "/campaigns/{name}/study/exclusions"): Role.MANAGER,
    ("POST", "/campaigns/{name}/study/coding"): Role.MANAGER,
    ("GET", "/campaigns/{name}/study/coding/{coding}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/responses"): Role.CURATOR,
    ("GET", "/campaigns/{name}/responses/{response_id}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/responses/{response_id}/release"): Role.MANAGER,
    ("GET", "/campaigns/{name}/results"): Role.CURATOR,
    ("GET", "/campaigns/{name}/review"): Role.CURATOR,
    ("GET", "/campaigns/{name}/review/figures"): Role.CURATOR,
    ("GET", "/campaigns/{name}/review/{response_id}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/review/{response_id}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/status"): Role.CURATOR,
    ("GET", "/campaigns/{name}/status/agreement"): Role.CURATOR,
    ("POST", "/campaigns/{name}/status/spot-check"): Role.MANAGER,
    ("GET", "/campaigns/{name}/status/spot-check"): Role.CURATOR,
    ("GET", "/campaigns/{name}/status/spot-check/{response_id}"): Role.CURATOR,
    ("POST", "/campaigns/{name}/status/spot-check/{response_id}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/status/{status}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/suggestions"): Role.CURATOR,
    ("POST", "/campaigns/{name}/suggestions"): Role.MANAGER,
    ("GET", "/campaigns/{name}/suggestions/suggestions.csv"): Role.MANAGER,
    ("POST", "/campaigns/{name}/suggestions/take-away"): Role.MANAGER,
    ("GET", "/campaigns/{name}/follow-up"): Role.MANAGER,
    ("POST", "/campaigns/{name}/follow-up"): Role.MANAGER,
    ("GET", "/campaigns/{name}/verified"): Role.CURATOR,
    ("GET", "/campaigns/{name}/coded"): Role.CURATOR,
    ("GET", "/campaigns/{name}/verified/gold.csv"): Role.CURATOR,
    ("GET", "/campaigns/{name}/curation"): Role.CURATOR,
    ("POST", "/campaigns/{name}/curation/import"): Role.CURATOR,
    ("POST", "/campaigns/{name}/curation/unanimous"): Role.CURATOR,
    ("POST", "/campaigns/{name}/curation/unanimous/undo"): Role.CURATOR,
    ("GET", "/campaigns/{name}/curation/{unit_id}"): Role.CURATOR,
    ("GET", "/campaigns/{name}/curation/{unit_id}/versions"): Role.CURATOR,
    ("GET", "/campaigns/{name}/settings"): Role.CURATOR,
    ("POST", "/campaigns/{name}/settings"): Role.MANAGER,
    ("POST", "/campaigns/{name}/settings/start"): Role.MANAGER,
    ("POST", "/campaigns/{name}/settings/whole"): Role.MANAGER,
    ("GET", "/campaigns/{name}/settings/campaign.yaml"): Role.MANAGER,
    ("POST", "/campaigns/{name}/settings/open-link"): Role.MANAGER,
    ("GET", "/campaigns/{name}/export"): Role.MANAGER,
    ("GET", "/campaigns/{name}/dataset"): Role.MANAGER,
    ("GET", "/campaigns/{name}/export/{format_name}"): Role.MANAGER,
    ("POST", "/campaigns/{name}/export/answers"): Role.MANAGER,
    ("POST", "/campaigns/{name}/export/jobs/{format_name}"): Role.MANAGER,
    ("GET", "/campaigns/{name}/export/jobs/{job_id}/file"): Role.MANAGER,
}
# The zoo is on no crowd platform, which is what everybody is told who may ask.
CROWD = "/campaigns/{name}/crowd"
WORDS = {"person": "Ann", "words": "because"}
CROWD_CALLS: dict[tuple[str, str], Any] = {
    ("GET", ""): None,
    ("GET", "/estimate"): None,
    ("POST", "/publish"): {"confirm": 1},
    ("POST", "/places"): {"places": 1},
    ("POST", "/pause"): REASON,
    ("POST", "/resume"): REASON,
    ("POST", "/extend"): REASON,
    ("POST", "/close"): REASON,
    ("POST", "/look"): {},
    ("GET", "/sessions"): None,
    ("POST", "/approve"): {},
    ("POST", "/reject"): WORDS,
    ("POST", "/ask-return"): WORDS,
    ("POST", "/message"): {"people": ["Ann"], "words": "because"},
    ("POST", "/block"): WORDS,
    ("GET", "/bonus"): None,
    ("POST", "/bonus"): {"confirm": 1},
    ("GET", "/ledger"): None,
    ("GET", "/books"): None,
    ("POST", "/books/adopt"): {},
    ("POST", "/orders/{order}/settle"): {"done": True},
}
# First: of the others some end the session of whoever makes them.
of_crowd = {(method, f"/api/v1{CROWD}{path}"): (Role.MANAGER, body) for (method, path), body in CROWD_CALLS.items()}
CALLS = of_crowd | CALLS
CROWD_PAGES = [(method, path) for method, path in CROWD_CALLS if method == "POST"]
CROWD_PAGES += [("GET", path) for path in ("", "/publish", "/bonus", "/books")]
PAGES |= {(method, f"{CROWD}{path}"): Role.MANAGER for method, path in (*CROWD_PAGES, ("POST", ""))}
# By the platform's signature, and by what it says of people.
BY_PERSONAL_LINK = [group for group in routes.API if group.module in {one.__name__ for one in (work, lessons, hooks)}]
OF_PEOPLE = [group for group in routes.PAGES if group.module in {annotators.__name__, crowd.__name__}]
GUARDED = {page: role for page, role in PAGES.items() if role is not None}
UPLOADS = (
    "/studies/new",
    "/campaigns/new",
    "/campaigns/new/form",
    "/campaigns/{name}/texts",
    "/campaigns/{name}/curation/import",
    "/campaigns/{name}/export/answers",
)
# What these requests ask for is there already or incomplete, so they are refused for that: a conflict, not a role.
TWICE = {
    # Nobody has a second factor here; tests/web/test_second_factor.py sets it up.
    ("POST", "/api/v1/accounts/{account_id}/second-factor/reset"): 409,
    ("POST", "/accounts/{account_id}/second-factor/reset"): 409,
    ("POST", "/api/v1/me/second-factor/confirm"): 403,
    ("POST", "/api/v1/me/second-factor/recovery-codes"): 409,
    ("POST", "/api/v1/me/second-factor/off"): 409,
    ("POST", "/account/second-factor"): 403,
    ("POST", "/account/second-factor/confirm"): 422,
    ("POST", "/account/second-factor/recovery-codes"): 422,
    ("POST", "/account/second-factor/off"): 422,
    ("POST", "/accounts/second-factor"): 422,
    # Ann is excluded by then, and who is excluded cannot be kept.
    ("POST", "/api/v1/campaigns/{name}/annotators/{annotator_id}/keep"): 409,
    ("POST", "/campaigns/{name}/quality/{annotator_id}/keep"): 409,
    # No protocol is called zoo, and an empty one cannot be saved.
    ("GET", "/api/v1/protocols/{name}/{version}"): 404,
    ("GET", "/protocols/{name}/{version}"): 404,
    ("GET", "/protocols/{name}/{version}/preview"): 404,
    ("GET", "/protocols/{name}/{version}/source"): 404,
    ("POST", "/protocols/new"): 422,
    # Nothing was suggested in the zoo.
    ("GET", "/api/v1/campaigns/{name}/suggestions"): 409,
    # The zoo is no study.
    ("POST", "/api/v1/studies/plan"): 422,
    ("POST", "/api/v1/studies"): 422,
    ("GET", "/api/v1/campaigns/{name}/study"): 409,
    ("PUT", "/api/v1/campaigns/{name}/study"): 422,
    ("GET", "/api/v1/campaigns/{name}/study/exclusions"): 409,
    ("POST", "/api/v1/campaigns/{name}/study/exclusions/{case}"): 409,
    ("POST", "/api/v1/campaigns/{name}/study/coding"): 422,
    ("GET", "/api/v1/campaigns/{name}/study/coding/{coding}"): 409,
    ("POST", "/studies/new"): 422,
    ("POST", "/studies/new/text"): 422,
    ("POST", "/studies/new/fields"): 422,
    ("GET", "/campaigns/{name}/study"): 409,
    ("GET", "/campaigns/{name}/study/report.zip"): 409,
    ("GET", "/campaigns/{name}/study/design"): 409,
    ("POST", "/campaigns/{name}/study/design"): 409,
    ("POST", "/campaigns/{name}/study/design/look"): 409,
    ("GET", "/campaigns/{name}/study/study.yaml"): 409,
    ("GET", "/campaigns/{name}/study/exclusions"): 409,
    ("POST", "/campaigns/{name}/study/exclusions"): 422,
    ("POST", "/campaigns/{name}/study/coding"): 409,
    ("GET", "/campaigns/{name}/study/coding/{coding}"): 409,
    ("POST", "/api/v1/campaigns"): 409,
    ("POST", "/api/v1/campaigns/upload"): 422,
    ("POST", "/api/v1/campaigns/{name}/units"): 422,
    ("POST", "/api/v1/campaigns/{name}/units/upload"): 422,
    ("POST", "/api/v1/campaigns/{name}/test-questions"): 422,  # no text has such a column
    ("POST", "/campaigns/{name}/test-questions"): 422,
    ("POST", "/api/v1/campaigns/{name}/follow-up"): 409,
    ("POST", "/api/v1/campaigns/{name}/training/{annotator_id}/decision"): 409,  # nobody was tested
    ("POST", "/campaigns/{name}/training/{annotator_id}"): 422,
    ("GET", "/api/v1/campaigns/{name}/verified"): 422,  # it verifies nothing
    ("GET", "/campaigns/{name}/verified/gold.csv"): 422,
    ("POST", "/campaigns/{name}/review/{response_id}"): 422,
    ("POST", "/campaigns/{name}/status/spot-check"): 422,  # how many is not said
    ("POST", "/campaigns/{name}/status/spot-check/{response_id}"): 422,
    ("POST", "/campaigns/{name}/follow-up"): 422,
    ("POST", "/api/v1/campaigns/{name}/curation/{unit_id}/steps"): 409,
    ("DELETE", "/api/v1/campaigns/{name}/curation/unanimous"): 409,  # nothing was finished together
    ("POST", "/campaigns/{name}/curation/unanimous/undo"): 409,
    ("GET", "/api/v1/campaigns/{name}/curation/{unit_id}/versions/{version}"): 404,
    ("POST", "/api/v1/jobs/{job_id}/cancel"): 409,
    ("POST", "/api/v1/jobs/{job_id}/rerun"): 409,
    ("POST", "/jobs/{job_id}/cancel"): 409,
    ("POST", "/jobs/{job_id}/rerun"): 409,
    ("POST", "/api/v1/campaigns/{name}/answers/upload"): 422,  # a text holds no answers
    ("POST", "/campaigns/{name}/export/answers"): 422,
    ("POST", "/api/v1/campaigns/{name}/export/jobs"): 202,
    ("GET", "/api/v1/campaigns/{name}/export/jobs/{job_id}/file"): 404,  # a job that makes no file
    ("GET", "/campaigns/{name}/export/jobs/{job_id}/file"): 404,
    ("POST", "/api/v1/campaigns/{name}/gold/upload"): 422,  # a text is no gold list
    ("POST", "/campaigns/{name}/curation/import"): 422,
    ("POST", "/api/v1/campaigns/{name}/suggestions/upload"): 422,  # nor is it one of suggestions
    ("POST", "/campaigns/{name}/suggestions"): 422,
    ("POST", "/api/v1/campaigns/{name}/responses/{response_id}/release"): 409,  # nobody has returned it
    ("POST", "/campaigns/{name}/responses/{response_id}/release"): 409,
    ("GET", "/api/v1/campaigns/{name}/coded"): 422,  # it codes nothing
    ("POST", "/api/v1/accounts"): 409,
    ("POST", "/accounts"): 422,
    **{(method, f"/api/v1{CROWD}{path}"): 404 for method, path in CROWD_CALLS},
    **{("POST", f"{CROWD}{path}"): 404 for method, path in CROWD_PAGES if method == "POST"},
    **{("GET", f"{CROWD}{path}"): 404 for path in ("/bonus", "/books")},
    ("GET", f"/api/v1{CROWD}/estimate"): 422,
    ("POST", f"/api/v1{CROWD}/publish"): 422,
    ("GET", f"{CROWD}/publish"): 422,
    **{("POST", f"{CROWD}{path}"): 422 for path in ("", "/publish", "/places", "/reject", "/ask-return", "/message")},
    **{("POST", f"{CROWD}{path}"): 422 for path in ("/block", "/bonus", "/orders/{order}/settle")},
    # Nothing was submitted to the board of the zoo.
    ("POST", "/api/v1/leaderboards/upload"): 422,
    ("POST", "/api/v1/leaderboards/{name}/submissions"): 422,
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/publish"): 404,
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/withdraw"): 404,
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/metric"): 404,
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/approve"): 404,
    ("POST", "/api/v1/leaderboards/{name}/submissions/{submission_id}/decline"): 404,
    ("POST", "/api/v1/leaderboards/{name}/teams"): 404,
    ("POST", "/api/v1/leaderboards/{name}/teams/remove"): 404,
    ("POST", "/api/v1/leaderboards/{name}/teams/invitation"): 422,
    ("POST", "/api/v1/leaderboards/{name}/teams/join"): 403,
    ("POST", "/api/v1/leaderboards/{name}/rounds/{number}/open"): 404,
    ("POST", "/api/v1/leaderboards/{name}/rounds/{number}/close"): 404,
    ("POST", "/leaderboards/new"): 422,
    ("POST", "/leaderboards/new/form"): 404,  # no protocol was chosen
    ("POST", "/leaderboards/{name}/submit"): 422,
    ("POST", "/leaderboards/{name}/teams"): 422,
    ("POST", "/leaderboards/{name}/teams/remove"): 422,
    ("POST", "/leaderboards/{name}/teams/invitation"): 422,
    ("GET", "/leaderboards/{name}/join"): 403,
    ("POST", "/leaderboards/{name}/join"): 403,
    ("POST", "/leaderboards/{name}/submissions/{submission_id}/{verb}"): 404,
    ("POST", "/leaderboards/{name}/rounds/{number}/{verb}"): 404,
    ("POST", "/campaigns/{name}/settings"): 422,
    ("POST", "/campaigns/{name}/settings/whole"): 422,  # an empty text
    ("POST", "/campaigns/new"): 422,
    ("POST", "/campaigns/new/form"): 422,
    ("POST", "/campaigns/{name}/quality/rules"): 422,
    ("POST", "/campaigns/{name}/texts"): 422,
}


def accepted(reply: Any, method: str, path: str) -> bool:
    return reply.status_code in (200, 201, 303) or reply.status_code == TWICE.get((method, path))


def routes_of(groups: Iterable[RouteGroup]) -> Iterator[tuple[str, str]]:
    for group in groups:
        for route in group.routes:
            assert isinstance(route, APIRoute)
            for method in route.methods or ():
                yield method, route.path


def filled(house: House, path: str) -> str:
    return path.format(
        name="zoo",
        unit_id=house.unit,
        annotator_id=house.annotator,
        response_id=house.response,
        account_id=house.accounts["spare"].id,
        token_id=1,
        job_id=1,
        version=1,
        case="0123456789abcdef",
        coding="zoo",
        format_name="jsonl",
        table="coverage" if path.endswith("{table}") else "errors",
        status="waiting",
        submission_id=1,
        system_id=1,
        number=1,
        verb="publish",
        form="csv",
        secret="x",
        order=1,
    )


def test_every_call_is_in_the_table() -> None:
    assert set(routes_of(group for group in routes.API if group not in BY_PERSONAL_LINK)) == set(CALLS) | OPEN_CALLS


def test_every_page_is_in_the_table() -> None:
    assert set(routes_of(group for group in routes.PAGES if group not in OF_PEOPLE)) == set(PAGES)


def test_the_application_has_no_other_routes(shared_house: House) -> None:
    app: FastAPI = shared_house.app
    described = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    assert described == set(CALLS) | OPEN_CALLS | set(routes_of(BY_PERSONAL_LINK))


def call(house: House, client: Any, method: str, path: str) -> Any:
    body = CALLS[method, path][1]
    sent = {"files": body} if body is FILE else {} if body is None else {"json": body}
    return client.request(method, filled(house, path), **sent)


# Before the calls of which some end the session of whoever makes them.
@pytest.mark.parametrize(("method", "path"), sorted(OPEN_CALLS))
def test_calls_that_are_open_to_everybody(shared_house: House, method: str, path: str) -> None:
    expected = 404 if "{system_id}" in path else 422 if method == "POST" else 200  # a registration without a name
    for client in (shared_house.client(), *(shared_house.program(role.title) for role in Role)):
        assert client.request(method, filled(shared_house, path)).status_code == expected
    wrong = shared_house.client(headers={"authorization": "Bearer gm_wrong"})
    assert wrong.request(method, filled(shared_house, path)).status_code == 401


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_calls(shared_house: House, method: str, path: str) -> None:
    lowest = CALLS[method, path][0]
    for role in Role:
        if path == "/api/v1/me/password":
            shared_house.services.accounts.set_password(shared_house.accounts[role.title].id, PASSWORD)
        reply = call(shared_house, shared_house.program(role.title), method, path)
        if role >= lowest:
            assert accepted(reply, method, path), (role, reply.text)
        else:
            assert (reply.status_code, reply.json()["code"]) == (403, "ACCOUNT-01"), (role, reply.text)
    nobody = call(shared_house, shared_house.client(), method, path)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "HTTP-401")
    wrong = call(shared_house, shared_house.client(headers={"authorization": "Bearer gm_wrong"}), method, path)
    assert wrong.status_code == 401
    annotator = shared_house.client(headers={"authorization": f"Bearer {shared_house.person}"})
    assert call(shared_house, annotator, method, path).status_code == 401


def send(house: House, browser: Any, method: str, path: str) -> Any:
    if method == "GET":
        return browser.get(filled(house, path))
    files = FILE if path in UPLOADS else None
    return browser.post(filled(house, path), {"current": PASSWORD, "new": PASSWORD}, files=files)


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_pages(shared_house: House, method: str, path: str) -> None:
    for role in Role:
        if path == "/account/password":
            shared_house.services.accounts.set_password(shared_house.accounts[role.title].id, PASSWORD)
        reply = send(shared_house, shared_house.browser(role.title), method, path)
        if role >= GUARDED[method, path]:
            assert accepted(reply, method, path), (role, reply.text)
        else:
            assert reply.status_code == 403, (role, reply.text)
            assert "ACCOUNT-01" in reply.text
    stranger = shared_house.client(headers={"accept": "text/html"}).request(method, filled(shared_house, path))
    assert stranger.status_code == 303
    assert stranger.headers["location"].startswith("/signin?next=/")


@pytest.mark.parametrize(("method", "path"), [key for key in GUARDED if key[0] == "POST"])
def test_a_form_without_its_token_changes_nothing(shared_house: House, method: str, path: str) -> None:
    browser = shared_house.browser("owner")
    others = shared_house.browser("owner").csrf  # of another session of the same person
    for token in ("", "0" * 64, others):
        reply = browser.post(filled(shared_house, path), {"csrf": token}, files=FILE if path in UPLOADS else None)
        assert reply.status_code == 403
        assert "FORM-01" in reply.text


@pytest.mark.parametrize(("method", "path"), [key for key in CALLS if key[0] != "GET"])
def test_a_call_with_a_cookie_needs_the_token_too(shared_house: House, method: str, path: str) -> None:
    if path == "/api/v1/me/password":
        shared_house.services.accounts.set_password(shared_house.accounts["owner"].id, PASSWORD)
    browser = shared_house.browser("owner")
    refused = call(shared_house, browser.client, method, path)
    assert (refused.status_code, refused.json()["code"]) == (403, "FORM-01")
    browser.client.headers["x-csrf-token"] = browser.csrf
    allowed = call(shared_house, browser.client, method, path)
    assert accepted(allowed, method, path), allowed.text


def test_curators_see_no_links_that_would_let_them_work_as_somebody_else(shared_house: House) -> None:
    for role, shown in (("curator", False), ("manager", True)):
        program = shared_house.program(role)
        seen = [
            program.get("/api/v1/campaigns/zoo").text,
            program.get("/api/v1/campaigns").text,
            program.get("/api/v1/campaigns/zoo/annotators").text,
            shared_house.browser(role).get("/campaigns/zoo").text,
            shared_house.browser(role).get("/campaigns/zoo/annotators").text,
        ]
        assert [("/join/" in text or "/a/" in text) for text in seen] == [shown] * 5
