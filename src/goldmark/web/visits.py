"""A visit: one request, who makes it, and what the server has to answer it with. API calls and pages work on these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from fastapi import Request
from sqlalchemy import Connection
from starlette.datastructures import FormData, UploadFile

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.roles import Role
from goldmark.accounts.service import Account
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, look_into
from goldmark.store import Store, events
from goldmark.web.services import Services

if TYPE_CHECKING:  # what few visits need, and much stands behind
    from goldmark.campaigns.definition.uploads import Uploaded
    from goldmark.campaigns.progress import CampaignProgress
    from goldmark.leaderboards.board_view import BoardView
    from goldmark.leaderboards.definition.actor import Actor
    from goldmark.web.computing.computing import Computed

# The header of a page that asks for its inside alone, and what it says where nobody clicked: it follows the campaign.
FRAGMENT, BY_ITSELF = "goldmark-fragment", "live"

Found = TypeVar("Found")
Asked = ParamSpec("Asked")
Look = Callable[Concatenate[Connection, CampaignRow, Asked], Found]


def received(files: Iterable[Any]) -> list[Uploaded]:
    """Files that were really chosen; a form without any sends one without a name."""
    from goldmark.campaigns.definition.uploads import Uploaded

    return [Uploaded(one.filename, one.file) for one in files if isinstance(one, UploadFile) and one.filename]


@dataclass(frozen=True)
class Guest:
    """A request by anybody, also by someone whom we do not know."""

    request: Request
    services: Services
    account: Account | None = None
    csrf: str = ""  # what this visitor's forms must carry; empty for a program with a token
    form: FormData = field(default_factory=FormData)

    def may(self, role: str) -> bool:
        return self.account is not None and self.account.role >= Role[role.upper()]

    @property
    def store(self) -> Store:
        return self.services.store

    @property
    def content(self) -> ContentCache:
        return self.services.content

    @property
    def links(self) -> SignedLinks:
        return self.services.links

    @property
    def base(self) -> str:
        """The address for links that people copy: the one that was named, else that under which this request came."""
        return self.services.public or str(self.request.base_url).rstrip("/")

    @property
    def given(self) -> dict[str, str]:
        """The fields of a form as they were filled in."""
        return {key: value for key, value in self.form.items() if isinstance(value, str)}

    def lines(self, key: str) -> list[str]:
        """All fields of this name, in their order on the page."""
        return [value for value in self.form.getlist(key) if isinstance(value, str)]

    @property
    def uploads(self) -> list[Uploaded]:
        """The files that were chosen."""
        return self.uploads_as("files")

    def uploads_as(self, key: str) -> list[Uploaded]:
        """The files that were chosen in one field, where a form has several for files."""
        return received(self.form.getlist(key))

    def read(self, look: Callable[[Connection], Found]) -> Found:
        return self.store.read(look)

    def campaign(self, name: str) -> CampaignRow:
        return self.read(lambda connection: find_campaign(connection, name))

    def look_into(self, name: str, look: Look[Asked, Found], /, *args: Asked.args, **more: Asked.kwargs) -> Found:
        """What is found in a campaign, all of it as it stood at one moment."""
        return look_into(self.store, name, lambda connection, row: look(connection, row, *args, **more))

    def with_campaign(
        self, name: str, look: Look[Asked, Found], /, *args: Asked.args, **more: Asked.kwargs
    ) -> tuple[CampaignRow, Found]:
        """The same with the campaign itself."""
        return look_into(self.store, name, lambda connection, row: (row, look(connection, row, *args, **more)))

    def progress(self, name: str) -> Computed[CampaignProgress]:
        """How far a campaign is; a large one is counted elsewhere."""
        from goldmark.web.computing import computed

        return self.services.computing.of(name, computed.progress, brief=True)

    def board(self, connection: Connection, name: str) -> BoardView:
        """A leaderboard as this visitor may see it."""
        from goldmark.leaderboards.board_view import view_board

        account = None if self.account is None else self.account.id
        return view_board(connection, self.content, name, account, everything=self.may("curator"))


@dataclass(frozen=True)
class Visit(Guest):
    """A request by someone who is signed in."""

    account: Account
    token: str = ""  # with which a program asks

    @property
    def name(self) -> str:
        """How decisions are signed."""
        return self.account.name

    @cached_property
    def may_act_for_others(self) -> bool:
        """Whether personal and open links are shown: whoever has one answers, which a token that only reads may not."""
        used = self.services.accounts.token(self.token) if self.token else None
        return used is None or used.scope != "read"

    def note_file(self, campaign: str, **facts: Any) -> None:
        """For owners: who took what is hidden from annotators out of here, how, and to which address."""
        said = {**facts, **self._came()}
        kind, author = events.FILE_TAKEN, self.name
        self.store.write(
            lambda found: events.record(found, None, author=author, kind=kind, subject=campaign, facts=said)
        )

    def note_ids_seen(self, campaign: str) -> None:
        said, author = self._came(), self.name
        self.store.write(lambda found: events.note_ids_seen(found, campaign, author=author, facts=said))

    def _came(self) -> dict[str, str]:
        host = self.request.client.host if self.request.client else "unknown"
        return {"from": host, "by": "token" if self.token else "browser"}

    @property
    def actor(self) -> Actor:
        """The visitor as those who act on boards are named."""
        from goldmark.leaderboards.definition.actor import Actor

        return Actor(self.name, self.account.id, self.may("manager"))
