"""Every route of the application: the API for programs, the pages for people."""

from __future__ import annotations

from fastapi import APIRouter

from goldmark.web.api import accounts as account_calls
from goldmark.web.api import annotators as annotator_calls
from goldmark.web.api import answer_imports, gold_imports, work
from goldmark.web.api import boards as board_calls
from goldmark.web.api import campaigns as campaign_calls
from goldmark.web.api import curation as curation_calls
from goldmark.web.api import datasets as dataset_calls
from goldmark.web.api import derive as derive_calls
from goldmark.web.api import export as export_calls
from goldmark.web.api import jobs as job_calls
from goldmark.web.api import learning as learning_calls
from goldmark.web.api import lessons as lesson_calls
from goldmark.web.api import participants as participant_calls
from goldmark.web.api import pay as pay_calls
from goldmark.web.api import quality as quality_calls
from goldmark.web.api import responses as response_calls
from goldmark.web.api import results as result_calls
from goldmark.web.api import reviews as review_calls
from goldmark.web.api import studies as study_calls
from goldmark.web.api import submissions as submission_calls
from goldmark.web.api import suggestions as suggestion_calls
from goldmark.web.api import test_questions as test_calls
from goldmark.web.api import unit_status as standing_calls
from goldmark.web.api import units as unit_calls
from goldmark.web.pages import (
    accounts,
    annotators,
    board_running,
    boards,
    campaigns,
    curation,
    datasets,
    derive,
    entrance,
    export,
    home,
    jobs,
    learning,
    participants,
    pay,
    people,
    quality,
    responses,
    results,
    review,
    settings,
    studies,
    suggestions,
    test_questions,
    unit_status,
    units,
)

API: tuple[APIRouter, ...] = (
    work.router,
    lesson_calls.router,
    campaign_calls.router,
    unit_calls.router,
    test_calls.router,
    annotator_calls.router,
    learning_calls.router,
    participant_calls.router,
    study_calls.router,
    quality_calls.router,
    pay_calls.router,
    response_calls.router,
    result_calls.router,
    review_calls.router,
    standing_calls.router,
    suggestion_calls.router,
    derive_calls.router,
    curation_calls.router,
    gold_imports.router,
    answer_imports.router,
    export_calls.router,
    dataset_calls.router,
    submission_calls.router,
    board_calls.router,
    job_calls.router,
    account_calls.router,
)
PAGES: tuple[APIRouter, ...] = (
    annotators.router,
    entrance.router,
    home.router,
    campaigns.router,
    units.router,
    test_questions.router,
    people.router,
    learning.router,
    quality.router,
    pay.router,
    participants.router,
    studies.router,
    responses.router,
    results.router,
    review.router,
    unit_status.router,
    suggestions.router,
    derive.router,
    curation.router,
    settings.router,
    export.router,
    datasets.router,
    board_running.router,
    boards.router,
    jobs.router,
    accounts.router,
)
