"""Which kinds of jobs there are, and the function that does each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from goldmark.errors import Missing

if TYPE_CHECKING:
    from goldmark.jobs.context import Running

Handler = Callable[["Running"], Mapping[str, Any] | None]

_handlers: dict[str, Handler] = {}


class UnknownJobKind(Missing):
    code = "JOB-05"
    message = "this worker does not know jobs of the kind {kind!r}; it knows {known}"


def register(kind: str) -> Callable[[Handler], Handler]:
    """Make a function the handler of a kind of jobs; the last one to say so counts.

    A handler may be killed at any line and called again, perhaps on another machine, so doing it twice must come to the
    same. What it returns is kept as the job's result. `goldmark.web.runtime.handlers` names the modules with handlers.
    """

    def keep(handler: Handler) -> Handler:
        _handlers[kind] = handler
        return handler

    return keep


def handler_of(kind: str) -> Handler:
    if kind not in _handlers:
        raise UnknownJobKind(kind=kind, known=", ".join(sorted(_handlers)) or "none")
    return _handlers[kind]
