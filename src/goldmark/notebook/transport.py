"""Calls of a server's JSON API: a token, time limits, another try where that cannot do harm, and its errors as ours."""

from __future__ import annotations

import os
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from goldmark.errors import Failed, GoldmarkError, Kind, Problem, ProblemsFound

if TYPE_CHECKING:
    import httpx

TOKEN = "GOLDMARK_TOKEN"  # noqa: S105 (the name of a variable, not its value)
WAITS = (0.5, 1.0, 2.0)  # seconds before another try
CONNECT_SECONDS = 10.0
TRY_AGAIN = frozenset((502, 503, 504))  # what a proxy says while the server behind it starts
KINDS = {403: Kind.FORBIDDEN, 404: Kind.MISSING, 409: Kind.CONFLICT, 429: Kind.TOO_MANY, 500: Kind.FAILED}

Answer = TypeVar("Answer")


class File(NamedTuple):
    """What is sent under which name: bytes, or what a path holds."""

    name: str
    content: bytes | Path
    field: str = "files"


class HttpxMissing(Failed):
    code = "CLIENT-01"
    message = "the client of servers needs httpx; install it with: pip install 'goldmark[client]'"


class NotAnAddress(GoldmarkError):
    code = "CLIENT-02"
    message = "{url!r} is not the address of a server; write it as https://eval.example.org"


class NoToken(GoldmarkError):
    code = "CLIENT-03"
    message = (
        "no API token was given; make one on your account page (or with goldmark user token) and give it as token=..., "
        "or put it into the environment variable GOLDMARK_TOKEN"
    )


class Unreachable(Failed):
    code = "CLIENT-04"
    message = "{url} could not be reached ({reason}); is the server running, and is the address right?"


class NotGoldmark(Failed):
    code = "CLIENT-05"
    message = "{url} answered {status}, not as a Goldmark server does{more}; is the address right?"

    def __init__(self, reply: httpx.Response) -> None:
        location = reply.headers.get("location")
        self.status = reply.status_code
        more = f" (it points to {location})" if location else ""
        super().__init__(url=reply.request.url.copy_with(query=None), status=self.status, more=more)


class Refused(GoldmarkError):
    """What the server says is wrong, under the server's own code; `problems` are everything that is."""

    code = "CLIENT-06"
    message = "{message}"

    def __init__(self, status: int, reply: Mapping[str, Any]) -> None:
        super().__init__(message=reply["message"])
        self.status = status
        self.code = str(reply["code"])  # type: ignore[misc]
        self.kind = KINDS.get(status, Kind.INVALID)  # type: ignore[misc]
        told = reply.get("problems") or ()
        self.problems = tuple(Problem(one["where"], one["what"], one["remedy"], one["part"]) for one in told)
        self.__notes__ = ProblemsFound(self.problems).__notes__ if self.problems else []


class Transport:
    """One server, and who is calling."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        signed_in: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise HttpxMissing from None
        if not url.startswith(("http://", "https://")):
            raise NotAnAddress(url=url)
        secret = token or os.environ.get(TOKEN, "")
        if not secret and signed_in:
            raise NoToken
        self.url = url.rstrip("/")
        self._sleep = sleep
        self._trouble = httpx.TransportError
        # Redirects are not followed: the token is meant for this address and no other.
        self._http = httpx.Client(
            headers={"authorization": f"Bearer {secret}"} if secret else {},
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        )

        self._finished = weakref.finalize(self, self._http.close)

    def close(self) -> None:
        self._finished()

    def get(self, path: str, **params: Any) -> Any:
        """What the server knows. Asking changes nothing, so a lost connection is tried again."""
        return self._retried(lambda: self._got(path, params).json())

    def whole(self, path: str, part: str, **params: Any) -> Any:
        """The same of a reply whose list comes in pages, with all of it."""
        found = self.get(path, **params)
        for number in range(2, found["pages"] + 1):
            found[part] += self.get(path, page=number, **params)[part]
        return found

    def content(self, path: str, **params: Any) -> bytes:
        """A file that fits into memory."""
        return self._retried(lambda: self._got(path, params).content)

    def post(self, path: str, body: object = None) -> Any:
        """Change something, once: nobody knows how far a lost call came."""
        return self._once(lambda: _understood(self._http.post(self._address(path), json=body or {})).json())

    def send(self, path: str, files: Sequence[File], **form: Any) -> Any:
        """Send files, once."""
        with _opened(files) as parts:
            return self._once(
                lambda: _understood(self._http.post(self._address(path), files=parts, data=_plain(form))).json()
            )

    @contextmanager
    def download(self, path: str, **params: Any) -> Iterator[tuple[Path, str]]:
        """A file of any size for a while, and what kind of file the server says it is."""
        with tempfile.TemporaryDirectory(prefix="goldmark-download-") as folder:
            target = Path(folder) / "download"
            yield target, self._retried(lambda: self._streamed(path, params, target))

    def _got(self, path: str, params: Mapping[str, Any]) -> httpx.Response:
        return _understood(self._http.get(self._address(path), params=_plain(params)))

    def _streamed(self, path: str, params: Mapping[str, Any], target: Path) -> str:
        with self._http.stream("GET", self._address(path), params=_plain(params)) as reply, target.open("wb") as file:
            if not reply.is_success:
                reply.read()
            _understood(reply)
            for part in reply.iter_bytes():
                file.write(part)
            return str(reply.headers.get("content-type", ""))

    def _retried(self, ask: Callable[[], Answer]) -> Answer:
        for wait in WAITS:
            try:
                return ask()
            except self._trouble:
                self._sleep(wait)
            except (Refused, NotGoldmark) as error:
                if error.status not in TRY_AGAIN:
                    raise
                self._sleep(wait)
        return self._once(ask)

    def _once(self, ask: Callable[[], Answer]) -> Answer:
        try:
            return ask()
        except self._trouble as error:
            raise Unreachable(url=self.url, reason=str(error) or type(error).__name__) from None

    def _address(self, path: str) -> str:
        return f"{self.url}/api/v1{path}"


def _understood(reply: httpx.Response) -> httpx.Response:
    """The reply, if it is one; else what the server says against the call."""
    kind = str(reply.headers.get("content-type", ""))
    if reply.is_success and (kind.startswith("application/json") or "content-disposition" in reply.headers):
        return reply
    try:
        told = reply.json() if kind.startswith("application/json") else None
    except ValueError:
        told = None
    if isinstance(told, dict) and {"code", "message"} <= set(told):
        raise Refused(reply.status_code, told)
    raise NotGoldmark(reply)


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Only what was said."""
    return {name: value for name, value in params.items() if value not in (None, "", (), [], False)}


@contextmanager
def _opened(files: Sequence[File]) -> Iterator[list[tuple[str, tuple[str, Any]]]]:
    """Files to send, open as long as it takes."""
    with ExitStack() as open_files:
        yield [
            (
                one.field,
                (
                    one.name,
                    one.content if isinstance(one.content, bytes) else open_files.enter_context(one.content.open("rb")),
                ),
            )
            for one in files
        ]
