"""Goldmark: reproducible human evaluation of generated text.

    import goldmark as gm

    gm.agreement(ratings, level="ordinal")
    gm.results(ratings)["ratings"].to_pandas()
    gm.Client("https://eval.example.org").campaign("games").results()

Each name is loaded when it is first used, so that importing Goldmark costs nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # that of `typing`, which would take longer to import than everything here
if TYPE_CHECKING:
    from goldmark.errors import GoldmarkError
    from goldmark.notebook.campaigns import Campaign, read_campaign
    from goldmark.notebook.client import Client
    from goldmark.notebook.result import Result
    from goldmark.notebook.results import results
    from goldmark.notebook.statistics import (
        aggregate,
        agreement,
        compare,
        noisy_annotators,
        rank,
        rating_model,
        reliability,
        score,
        span_agreement,
    )
    from goldmark.protocols.loader import load as load_protocol

__version__ = "0.1.0"

__all__ = [
    "Campaign",
    "Client",
    "GoldmarkError",
    "Result",
    "aggregate",
    "agreement",
    "compare",
    "load_protocol",
    "noisy_annotators",
    "rank",
    "rating_model",
    "read_campaign",
    "reliability",
    "results",
    "score",
    "span_agreement",
]

_HOMES = {
    "Campaign": "notebook.campaigns",
    "Client": "notebook.client",
    "GoldmarkError": "errors",
    "Result": "notebook.result",
    "load_protocol": "protocols.loader:load",
    "read_campaign": "notebook.campaigns",
    "results": "notebook.results",
}


class _Package(ModuleType):
    """This package, in which `results` stays a function after somebody has imported the room of that name."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


if not TYPE_CHECKING:  # a type checker would take every name to be there

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'goldmark' has no attribute {name!r}")
        from importlib import import_module

        module, _, own = _HOMES.get(name, "notebook.statistics").partition(":")
        globals()[name] = found = getattr(import_module(f"goldmark.{module}"), own or name)
        return found


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


sys.modules[__name__].__class__ = _Package
