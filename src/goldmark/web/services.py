"""What every request may use, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from sqlalchemy import Connection

from goldmark.accounts.links import SignedLinks, signing_key
from goldmark.accounts.service import AccountService
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.quality.test_questions import grading
from goldmark.quality.training.service import TrainingService
from goldmark.store import Store, open_store
from goldmark.web.limits import RateLimiter
from goldmark.web.results import ResultsKeeper

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor


class AutomaticRules:
    """Lets a campaign's rules act, and keeps the model they ask. A server starts without loading numbers."""

    def __init__(self, content: ContentCache) -> None:
        self._content = content

    @cached_property
    def watch(self) -> NoisyMonitor:
        from goldmark.quality.noisy_monitor import NoisyMonitor

        return NoisyMonitor()

    def __call__(self, connection: Connection, campaign_id: int, annotator_id: int) -> None:
        from goldmark.quality.rules import RuleKeeper

        RuleKeeper(self._content, self.watch).look(connection, campaign_id, annotator_id)


@dataclass(frozen=True)
class Services:
    store: Store
    links: SignedLinks
    content: ContentCache
    bench: WorkService
    responses: ResponseService
    accounts: AccountService
    limiter: RateLimiter
    results: ResultsKeeper
    secure_cookies: bool  # the public address is https

    @property
    def watch(self) -> NoisyMonitor:
        """The models of annotators that this server has learned."""
        rules = self.responses.rules
        return rules.watch if isinstance(rules, AutomaticRules) else AutomaticRules(self.content).watch

    @property
    def training(self) -> TrainingService:
        return TrainingService(self.bench)

    @classmethod
    def open(cls, address: str, *, secure_cookies: bool = False) -> Services:
        store = open_store(address)
        links = SignedLinks(signing_key(address))
        content = ContentCache(store)
        bench = WorkService(store, links, content)
        responses = ResponseService(bench, grading(content), AutomaticRules(content))
        return cls(
            store,
            links,
            content,
            bench,
            responses,
            AccountService(store),
            RateLimiter(),
            ResultsKeeper(store),
            secure_cookies,
        )


# Not `def`: FastAPI would send it through a thread, at a cost that the path of an answer would feel.
async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


ServicesDep = Annotated[Services, Depends(services)]
