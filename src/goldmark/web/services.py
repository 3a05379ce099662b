"""What every request may use, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from sqlalchemy import Connection

from goldmark.accounts.desk import AccountDesk
from goldmark.campaigns.answers import AnswerDesk
from goldmark.campaigns.library import Library
from goldmark.campaigns.work import Workbench
from goldmark.connectors.links import Links, signing_key
from goldmark.quality.learning import School
from goldmark.quality.test_questions import grading
from goldmark.store import Store, open_store
from goldmark.web.limits import RateLimiter
from goldmark.web.results import ResultsKeeper

if TYPE_CHECKING:
    from goldmark.quality.watch import Watch


class Rules:
    """Lets a campaign's rules act, and keeps the model they ask. A server starts without loading numbers."""

    def __init__(self, library: Library) -> None:
        self._library = library

    @cached_property
    def watch(self) -> Watch:
        from goldmark.quality.watch import Watch

        return Watch()

    def __call__(self, connection: Connection, campaign_id: int, annotator_id: int) -> None:
        from goldmark.quality.rules import RuleKeeper

        RuleKeeper(self._library, self.watch).look(connection, campaign_id, annotator_id)


@dataclass(frozen=True)
class Services:
    store: Store
    links: Links
    library: Library
    bench: Workbench
    desk: AnswerDesk
    accounts: AccountDesk
    limiter: RateLimiter
    results: ResultsKeeper
    secure_cookies: bool  # the public address is https

    @property
    def watch(self) -> Watch:
        """The models of annotators that this server has learned."""
        rules = self.desk.rules
        return rules.watch if isinstance(rules, Rules) else Rules(self.library).watch

    @property
    def school(self) -> School:
        return School(self.bench)

    @classmethod
    def open(cls, address: str, *, secure_cookies: bool = False) -> Services:
        store = open_store(address)
        links = Links(signing_key(address))
        library = Library(store)
        bench = Workbench(store, links, library)
        desk = AnswerDesk(bench, grading(library), Rules(library))
        return cls(
            store, links, library, bench, desk, AccountDesk(store), RateLimiter(), ResultsKeeper(store), secure_cookies
        )


# Not `def`: FastAPI would send it through a thread, at a cost that the path of an answer would feel.
async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


ServicesDep = Annotated[Services, Depends(services)]
