"""People on a stand-in for a platform who come through the server's own pages, as a browser without scripts would."""

from __future__ import annotations

import html
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from goldmark.errors import Failed
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn

Platform = MTurkStandIn | ProlificStandIn
SECONDS = 60.0


class NotLetIn(Failed):
    code = "REHEARSE-02"
    message = "the page answered {status} to somebody from the platform: {words}"


class Fetched(NamedTuple):
    status: int
    location: str
    text: str


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def fetch(address: str, form: Mapping[str, str] | None = None) -> Fetched:
    """One request without cookies; with a form, as a browser sends it."""
    data = None if form is None else urlencode(form).encode()
    request = urllib.request.Request(address, data, {"accept": "text/html"})  # noqa: S310 - an address of this machine
    try:
        with urllib.request.build_opener(_Stay).open(request, timeout=SECONDS) as reply:
            return Fetched(reply.status, reply.headers.get("location", ""), reply.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return Fetched(error.code, error.headers.get("location", ""), error.read().decode(errors="replace"))
    except (urllib.error.URLError, http.client.HTTPException) as error:
        raise ConnectionError(str(error)) from error


class Visitor:
    """Somebody who has taken a place, if there was one for them."""

    def __init__(self, there: Platform, name: str) -> None:
        self.there, self.name = there, name
        self.place: Any = there.take(name)
        self.token = ""

    def enter(self) -> str:
        """Open the task, agree, and come to a page of one's own; gives the personal token. Twice is once."""
        address = self.there.url(self.place)
        found = fetch(address)
        if found.status == 200:
            ticket = re.search(r'name="ticket" value="([^"]+)"', found.text)
            if ticket:
                found = fetch(address, {"ticket": html.unescape(ticket.group(1))})
        if found.status != 303:
            words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found.text)).strip()
            raise NotLetIn(status=found.status, words=words[-300:])
        self.token = found.location.rpartition("/")[2]
        return self.token

    def hand_in(self, base: str) -> None:
        """Go to the page that hands in, and press its button."""
        page = fetch(f"{base}/done/{self.token}")
        form = re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', page.text, flags=re.DOTALL)
        if form:
            fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form.group(2)))
            fetch(html.unescape(form.group(1)), {name: html.unescape(value) for name, value in fields.items()})
            return
        link = re.search(r'<a class="button primary" href="([^"]+)"', page.text)
        if link is None or not isinstance(self.there, ProlificStandIn):
            raise NotLetIn(status=page.status, words="there is no button to hand in")
        code = dict(one.split("=") for one in urlsplit(html.unescape(link.group(1))).query.split("&"))["cc"]
        self.there.complete(self.place.id, code)

    def give_back(self) -> None:
        self.there.give_back(self.place.id)
