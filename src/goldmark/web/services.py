"""What every request may use, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from goldmark.accounts.desk import AccountDesk
from goldmark.campaigns.answers import AnswerDesk
from goldmark.campaigns.library import Library
from goldmark.campaigns.work import Workbench
from goldmark.connectors.links import Links, signing_key
from goldmark.quality.learning import School
from goldmark.quality.test_questions import grading
from goldmark.store import Store, open_store
from goldmark.web.limits import RateLimiter


@dataclass(frozen=True)
class Services:
    store: Store
    links: Links
    library: Library
    bench: Workbench
    desk: AnswerDesk
    accounts: AccountDesk
    limiter: RateLimiter
    secure_cookies: bool  # the public address is https

    @property
    def school(self) -> School:
        return School(self.bench)

    @classmethod
    def open(cls, address: str, *, secure_cookies: bool = False) -> Services:
        store = open_store(address)
        links = Links(signing_key(address))
        library = Library(store)
        bench = Workbench(store, links, library)
        desk = AnswerDesk(bench, grading(library))
        return cls(store, links, library, bench, desk, AccountDesk(store), RateLimiter(), secure_cookies)


# Not `def`: FastAPI would send it through a thread, at a cost that the path of an answer would feel.
async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


ServicesDep = Annotated[Services, Depends(services)]
