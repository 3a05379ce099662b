"""Where people come from: a connector says how a platform names them and, if it can, opens a way to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel

from goldmark.plugins import Group

if TYPE_CHECKING:
    from goldmark.people.platform import Arriving, Platform

BROWSER = "browser"  # no id at all: only a browser that can be known again
ACCOUNT = "account"  # someone who signs in here
INVITED = "invited"  # by name, into the campaigns of one crowd
_OURS = frozenset({BROWSER, ACCOUNT, INVITED, "goldmark"})


@dataclass(frozen=True)
class Connector:
    """A platform that sends people. Its name is kept with those who come from it.

    With the first four fields people come by a campaign's open link. A connector with the others can be asked to
    publish, to say who somebody is, and to pay.
    """

    name: str
    purpose: str
    parameter: str  # in which the platform says who somebody is
    value: str  # what stands there on the platform, to be replaced by the person's id
    options: type[BaseModel] | None = None  # what a campaign file may say for this platform alone
    reads: Callable[[Mapping[str, str]], Arriving | None] | None = None  # from the parameters of a posting's address
    opens: Callable[[bool], Platform] | None = None  # given whether it is live; the keys come from the environment
    hears: Callable[[Mapping[str, str], bytes], bool] | None = None  # whether a web hook is really the platform's

    @property
    def recruits(self) -> bool:
        return self.opens is not None and self.reads is not None and self.options is not None


def _wrong(found: Connector, name: str) -> str:
    if name in _OURS or not re.fullmatch(r"[a-z][a-z0-9-]{0,29}", name):
        return "its name must be small letters, digits and hyphens, and not one that Goldmark uses itself"
    return "" if found.parameter else "it does not say in which parameter of the link a person is named"


CONNECTORS: Group[Connector] = Group(
    "connectors",
    "connector",
    Connector,
    {
        "prolific": "goldmark.connectors.prolific:PROLIFIC",
        "mturk": "goldmark.connectors.mturk:MTURK",
        "link": "goldmark.connectors.link:LINK",
    },
    _wrong,
)


def sender(parameters: Mapping[str, str]) -> tuple[str, str] | None:
    """From the parameters of a link, the platform that sent somebody and what it calls them."""
    for name, connector in CONNECTORS.usable().items():
        given = parameters.get(connector.parameter, "").strip()
        if given:
            return name, given
    return None
