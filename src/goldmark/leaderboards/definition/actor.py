"""Who acts on a board."""

from __future__ import annotations

from typing import NamedTuple


class Actor(NamedTuple):
    """Who acts: an account, or someone at the server's keyboard (no account), who may do all that managers may."""

    name: str
    account_id: int | None = None
    manages: bool = False

    @property
    def may_all(self) -> bool:
        return self.manages or self.account_id is None
