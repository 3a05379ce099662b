"""In which language annotators' pages and their API speak. Everybody else's pages are in English.

What somebody chose counts most, then the language of the campaign, then the browser's. A choice stands in the address
(`?language=de`) and is remembered in a cookie, where a browser lets us.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

import orjson
from fastapi import Request
from markupsafe import Markup, escape

from goldmark.languages import ENGLISH, best, known, offered, speaking
from goldmark.languages import gettext as plain_gettext
from goldmark.languages import ngettext as plain_ngettext
from goldmark.web.security_headers import ANNOTATORS_PAGES, App, Message, Receive, Scope, Send

COOKIE = "goldmark_language"
COOKIE_SECONDS = 2 * 365 * 24 * 60 * 60
API = ("/api/v1/work", "/api/v1/join")
CHOSEN = "goldmark_language_chosen"
SPOKEN = "goldmark_language_spoken"


class Languages:
    """Plain ASGI: this runs on the path of each answer."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith((*ANNOTATORS_PAGES, *API)):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        asked = _asked(scope) if scope["path"].startswith(ANNOTATORS_PAGES) else ""
        remembered = "" if asked or scope["path"].startswith(API) else _remembered(headers.get(b"cookie", b""))
        chosen = asked or remembered
        scope[CHOSEN] = chosen
        spoken = chosen or best(headers.get(b"accept-language", b"").decode("latin-1")) or ENGLISH
        scope[SPOKEN] = spoken
        token = speaking.set(spoken)

        async def remember(message: Message) -> None:
            if asked and message["type"] == "http.response.start":
                kept = f"{COOKIE}={asked}; Max-Age={COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Lax"
                message["headers"] = [*message["headers"], (b"set-cookie", kept.encode())]
            await send(message)

        try:
            await self._app(scope, receive, remember)
        finally:
            speaking.reset(token)


def speak(request: Request, language: str) -> None:
    """From here on in the language of a campaign, unless it has none or the person chose theirs."""
    if language and not request.scope.get(CHOSEN):
        speaking.set(language)


def speak_again(request: Request) -> None:
    """As before, for what is told after everything else has ended: that something broke."""
    speaking.set(request.scope.get(SPOKEN, ENGLISH))


def _asked(scope: Scope) -> str:
    return known(parse_qs(scope["query_string"].decode("latin-1")).get("language", [""])[0])


def _remembered(cookies: bytes) -> str:
    try:
        kept = SimpleCookie(cookies.decode("latin-1")).get(COOKIE)
    except CookieError:
        return ""
    return known(kept.value) if kept else ""


# What templates use.


def gettext(message: str, **facts: object) -> Markup:
    """A message as HTML: everything in it is escaped, but for facts that are HTML already."""
    return _marked(plain_gettext(message), facts)


def ngettext(one: str, many: str, count: int, **facts: object) -> Markup:
    return _marked(plain_ngettext(one, many, count), {"count": count, **facts})


def _marked(message: str, facts: dict[str, object]) -> Markup:
    made = escape(message)
    for name, fact in facts.items():
        made = made.replace(f"{{{name}}}", escape(fact))
    return made


def bdi(words: str) -> Markup:
    """A name, which may run in the other direction than the sentence that it stands in."""
    return Markup("<bdi>{}</bdi>").format(words)  # `format` escapes


def direction() -> str:
    return offered()[speaking.get()].direction


def catalogue_json() -> Markup:
    """The catalogue for the scripts of a page, as JSON that no markup can end."""
    made = orjson.dumps(offered()[speaking.get()].for_pages).decode()
    return Markup(made.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def in_language(request: Request | None, language: str) -> str:
    """The address of this page in another language, with everything else that stands in it."""
    given = request.query_params.multi_items() if request is not None else []
    others = [(name, value) for name, value in given if name != "language"]
    return "?" + urlencode([*others, ("language", language)])
