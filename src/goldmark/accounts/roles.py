"""Four roles, each able to do all that the next one can."""

from __future__ import annotations

from enum import IntEnum

from goldmark.errors import Forbidden, GoldmarkError


class RoleTooLow(Forbidden):
    code = "ACCOUNT-01"
    message = "this needs the role {needed}; you are {have}"


class UnknownRole(GoldmarkError):
    code = "ACCOUNT-02"
    message = "{role!r} is not a role; the roles are owner, manager, curator, annotator"


class Role(IntEnum):
    ANNOTATOR = 1  # does the campaigns they were invited to
    CURATOR = 2  # sees campaigns and responses, curates and reviews
    MANAGER = 3  # creates and runs campaigns, invites people, exports
    OWNER = 4  # manages accounts as well

    @property
    def title(self) -> str:
        return self.name.lower()


def role_named(name: str) -> Role:
    try:
        return Role[name.upper()]
    except KeyError:
        raise UnknownRole(role=name) from None


def require(have: Role, needed: Role) -> None:
    if have < needed:
        raise RoleTooLow(needed=needed.title, have=have.title)
