"""Linear algebra in one thread, and as many as before afterwards."""

from __future__ import annotations

import scipy.linalg  # noqa: F401  brings a library of its own
from threadpoolctl import threadpool_info, threadpool_limits

from goldmark.stats._one_thread import in_one_thread


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_a_function_computes_in_one_thread_and_leaves_the_others_as_they_were() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        assert in_one_thread(threads)() == {1}
        assert threads() == before
