"""Prolific's HTTP API: requests, their errors, and pages of lists."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from goldmark.errors import GoldmarkError
from goldmark.people.platform import PlatformBusy, PlatformRefused, PlatformSilent

if TYPE_CHECKING:
    import httpx

SECONDS = 30.0
PAGE = 100
KEYS_LAST = 60 * 60.0  # seconds that Prolific's public keys are kept


class ProlificNotInstalled(GoldmarkError):
    code = "PROLIFIC-01"
    message = "Prolific needs httpx; install it with: pip install 'goldmark[prolific]'"


class Api:
    """One account's way to Prolific. It never repeats a request by itself; that is decided by the journal."""

    def __init__(self, address: str, token: str) -> None:
        try:
            import httpx
        except ImportError as error:
            raise ProlificNotInstalled from error
        self.address = address
        self._keys: tuple[float, list[dict[str, Any]]] = (0.0, [])
        self._http = httpx.Client(
            base_url=address, headers={"Authorization": f"Token {token}"}, timeout=httpx.Timeout(SECONDS, connect=10.0)
        )

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        return self.ask("GET", path, query=query)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.ask("POST", path, body=body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.ask("PATCH", path, body=body)

    def ask(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> Any:
        """One request; what went wrong says whether it may have been carried out."""
        reply = self.raw(method, path, query=query, body=body)
        try:
            return reply.json() if reply.content else None
        except ValueError as error:
            raise PlatformSilent(platform="Prolific", why="its answer is no JSON") from error

    def raw(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        import httpx

        try:
            reply = self._http.request(method, path, params=query, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise PlatformBusy(platform="Prolific", why="it cannot be reached") from error
        except httpx.HTTPError as error:
            raise PlatformSilent(platform="Prolific", why=type(error).__name__) from error
        if reply.status_code in (429, 503):
            raise PlatformBusy(platform="Prolific", why=f"it answered {reply.status_code}")
        if reply.status_code >= 500:
            raise PlatformSilent(platform="Prolific", why=f"it answered {reply.status_code}")
        if reply.status_code >= 400:
            raise PlatformRefused(platform="Prolific", why=_explained(reply))
        return reply

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Everything of a list that comes in pages."""
        number = 1
        while True:
            rows = self.get(path, **query, page=number, page_size=PAGE).get("results", [])
            yield from rows
            if len(rows) < PAGE:
                return
            number += 1

    def public_keys(self) -> list[dict[str, Any]]:
        """The keys with which Prolific signs addresses."""
        fetched, keys = self._keys
        if not keys or time.monotonic() - fetched > KEYS_LAST:
            keys = list(self.get("/.well-known/study/jwks.json").get("keys", []))
            self._keys = (time.monotonic(), keys)
        return keys


def _explained(reply: httpx.Response) -> str:
    """What Prolific says is wrong: `{"error": {"title", "detail"}}`, where detail is words, a list, or by field."""
    try:
        error = reply.json().get("error", {})
    except (ValueError, AttributeError):
        return f"it answered {reply.status_code}"
    detail = error.get("detail", "") if isinstance(error, dict) else error
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {_joined(what)}" for name, what in detail.items())
    return _joined(detail) or str(error.get("title", "")) or f"it answered {reply.status_code}"


def _joined(words: Any) -> str:
    return ", ".join(map(str, words)) if isinstance(words, list) else str(words)
