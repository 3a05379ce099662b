"""Every route of the application: the API for programs, the pages for people.

In a group, what has a fixed name in its address stands before what takes any name there.
"""

from __future__ import annotations

from fastapi import APIRouter

from goldmark.web.api import campaigns as campaign_calls
from goldmark.web.api import evaluations as evaluation_calls
from goldmark.web.api import hooks, lessons, work
from goldmark.web.api import people as people_calls
from goldmark.web.api import reviews as review_calls
from goldmark.web.api import server as server_calls
from goldmark.web.pages import annotators, campaigns, crowd, evaluations, people, reviews, server

API: tuple[APIRouter, ...] = (
    work.router,
    lessons.router,
    hooks.router,
    *campaign_calls.ROUTERS,
    *people_calls.ROUTERS,
    *review_calls.ROUTERS,
    *evaluation_calls.ROUTERS,
    *server_calls.ROUTERS,
)
PAGES: tuple[APIRouter, ...] = (
    annotators.router,
    crowd.router,
    *campaigns.ROUTERS,
    *people.ROUTERS,
    *reviews.ROUTERS,
    *evaluations.ROUTERS,
    *server.ROUTERS,
)
