"""What every request may use, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.proofs import Proofs
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.second_factor import SecondFactors
from goldmark.accounts.service import AccountService
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.campaigns.more_units import finish_joining
from goldmark.quality.quality_check import QualityCheck
from goldmark.quality.training.service import TrainingService
from goldmark.store import Store, open_store
from goldmark.web.computing.computing import Computing, Opened
from goldmark.web.computing.results import ResultsKeeper
from goldmark.web.runtime.deferred_checks import DeferredChecks

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor


@dataclass(frozen=True)
class Services:
    store: Store
    links: SignedLinks
    content: ContentCache
    work: WorkService
    responses: ResponseService
    quality: QualityCheck
    accounts: AccountService
    limits: RateLimits
    second_factors: SecondFactors
    proofs: Proofs
    results: ResultsKeeper
    computing: Computing
    public: str = ""  # the address people use, if whoever started the server named one
    doors: dict[str, str] = field(default_factory=dict)  # titles and links that the first page offers to everybody

    @property
    def secure_cookies(self) -> bool:
        return self.public.startswith("https://")

    @property
    def watch(self) -> NoisyMonitor:
        """The models of annotators that this server has learned."""
        return self.quality.watching

    @property
    def training(self) -> TrainingService:
        return TrainingService(self.work)

    def start(self) -> None:
        """What goes on beside the requests; begun with the server. First, what another one had to leave half done."""
        finish_joining(self.store)
        if isinstance(self.responses.after, DeferredChecks):
            self.responses.after.start()

    def close(self) -> None:
        if isinstance(self.responses.after, DeferredChecks):
            self.responses.after.stop()
        self.computing.close()
        self.store.close()

    @classmethod
    def open(cls, address: str, *, public: str = "", checks_later: bool = False) -> Services:
        """With `checks_later`, test questions are graded a moment after their replies, so that no reply tells of it."""
        store = open_store(address)
        links, limits = SignedLinks.of(address), RateLimits(store)
        factors = SecondFactors(store, links, limits)
        content = ContentCache(store)
        work = WorkService(store, links, content)
        quality = QualityCheck(store, content)
        computing = Computing(Opened(store, content, lambda: quality.watching))
        responses = ResponseService(work, DeferredChecks(quality) if checks_later else quality)
        return cls(
            store,
            links,
            content,
            work,
            responses,
            quality,
            AccountService(store),
            limits,
            factors,
            Proofs(store, factors, limits),
            ResultsKeeper(computing),
            computing,
            public.rstrip("/"),
        )


# Not `def`: FastAPI would send it through a thread, at a cost that the path of an answer would feel.
async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


ServicesDep = Annotated[Services, Depends(services)]
