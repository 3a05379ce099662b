"""Many small matrices are computed in one thread: several would wait for each other longer than they compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")


def in_one_thread(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The same function, with the linear algebra beneath it in one thread; what it finds is the same."""

    @wraps(function)
    def alone(*args: Given.args, **more: Given.kwargs) -> Found:
        with _libraries().limit(limits=1, user_api="blas"):
            return function(*args, **more)

    return alone


@cache
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401  it brings a library of its own, which must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
