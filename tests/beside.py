"""Two at once: somebody acts while another one stands between their look and what they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def beside(
    monkeypatch: pytest.MonkeyPatch, place: Any, name: str, act: Callable[[], Any]
) -> Iterator[list[Future[Any]]]:
    """Whoever is the first to come back from this function goes on a moment after somebody else has begun to act.

    Yields what came of that, once somebody came by; it has ended when the block ends.
    """
    known, waiting, asked = getattr(place, name), [act], list[Future[Any]]()
    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as here:

        def slowly(*given: Any, **more: Any) -> Any:
            found = known(*given, **more)
            if waiting:
                asked.append(pool.submit(waiting.pop()))
                wait(asked, 0.3)
            return found

        here.setattr(place, name, slowly)
        yield asked
        wait(asked)
    assert asked
