"""What every request may use, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from goldmark.accounts.links import SignedLinks, signing_key
from goldmark.accounts.service import AccountService
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.quality.looks import QualityLook
from goldmark.quality.training.service import TrainingService
from goldmark.store import Store, open_store
from goldmark.web.limits import RateLimiter
from goldmark.web.results import ResultsKeeper
from goldmark.web.runtime.later_looks import LaterLooks

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor


@dataclass(frozen=True)
class Services:
    store: Store
    links: SignedLinks
    content: ContentCache
    bench: WorkService
    responses: ResponseService
    quality: QualityLook
    accounts: AccountService
    limiter: RateLimiter
    results: ResultsKeeper
    secure_cookies: bool  # the public address is https

    @property
    def watch(self) -> NoisyMonitor:
        """The models of annotators that this server has learned."""
        return self.quality.watching

    @property
    def training(self) -> TrainingService:
        return TrainingService(self.bench)

    def start(self) -> None:
        """What goes on beside the requests; begun with the server."""
        if isinstance(self.responses.after, LaterLooks):
            self.responses.after.start()

    def close(self) -> None:
        if isinstance(self.responses.after, LaterLooks):
            self.responses.after.stop()
        self.store.close()

    @classmethod
    def open(cls, address: str, *, secure_cookies: bool = False, looks_later: bool = False) -> Services:
        """With `looks_later`, test questions are graded a moment after their replies, so that no reply tells of it."""
        store = open_store(address)
        links = SignedLinks(signing_key(address))
        content = ContentCache(store)
        bench = WorkService(store, links, content)
        quality = QualityLook(store, content)
        responses = ResponseService(bench, LaterLooks(quality) if looks_later else quality)
        return cls(
            store,
            links,
            content,
            bench,
            responses,
            quality,
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
