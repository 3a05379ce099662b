"""The side of the stand-in for Prolific by which people are grouped and written to, and events are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldmark.simulate.platforms.prolific_checks import LIST, TEXT, ProlificRefusal, fields
from goldmark.simulate.platforms.prolific_records import HEX
from goldmark.simulate.platforms.server import Asked, StandIn, new_id


@dataclass
class Contacts(StandIn):
    """Groups of participants, messages, and web hooks, which can be held back, repeated and forged."""

    workspace: str = "644aaabfaf6bbc363b9d47c6"
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    mails: list[dict[str, Any]] = field(default_factory=list)
    hook_secret: str = "a-secret-for-hooks"  # noqa: S105 - opens nothing
    hooks: dict[str, dict[str, Any]] = field(default_factory=dict)

    def list_groups(self, asked: Asked) -> tuple[int, Any]:
        if asked.query.get("workspace_id") != self.workspace:
            raise ProlificRefusal({"workspace_id": ["This field is required."]})
        return 200, {
            "results": [{name: one[name] for name in one if name != "members"} for one in self.groups.values()]
        }

    def create_group(self, asked: Asked) -> tuple[int, Any]:
        known = {
            "workspace_id": TEXT,
            "name": TEXT,
            "description": TEXT,
            "participant_ids": LIST,
            "organisation_id": TEXT,
        }
        given = fields(asked.json(), known, ("name",))
        if given.get("workspace_id") != self.workspace:
            raise ProlificRefusal({"workspace_id": ["Either a workspace or organisation ID must be specified."]})
        number = new_id(24, HEX)
        members = set(given.get("participant_ids", []))
        self.groups[number] = {"id": number, "name": given["name"], "is_deleted": False, "members": members}
        return 201, {"id": number, "name": given["name"], "is_deleted": False}

    def add_to_group(self, asked: Asked, number: str) -> tuple[int, Any]:
        given = fields(asked.json(), {"participant_ids": LIST}, ("participant_ids",))
        if number not in self.groups:
            raise ProlificRefusal("No such group.", 404)
        self.groups[number]["members"] |= set(given["participant_ids"])
        return 200, {"results": [{"participant_id": one} for one in sorted(self.groups[number]["members"])]}

    def send_message(self, asked: Asked) -> tuple[int, Any]:
        names = ("recipient_id", "body", "study_id")
        given = fields(asked.json(), dict.fromkeys(names, TEXT), names)
        self.mails.append(
            {**given, "id": new_id(24, HEX), "sent_at": self.now().isoformat(), "sender_id": "researcher"}
        )
        return 204, None

    def list_messages(self, asked: Asked) -> tuple[int, Any]:
        if not {"user_id", "created_after"} & set(asked.query):
            raise ProlificRefusal({"user_id": ["It must be provided if no created_after date is provided."]})
        return 200, {"results": [one for one in self.mails if one["recipient_id"] == asked.query.get("user_id")]}

    def create_secret(self, asked: Asked) -> tuple[int, Any]:
        fields(asked.json(), {"workspace_id": TEXT}, ("workspace_id",))
        self.hook_secret = new_id(32, HEX)
        return 201, {"id": new_id(24, HEX), "value": self.hook_secret, "workspace_id": self.workspace}

    def create_hook(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        names = ("workspace_id", "event_type", "target_url")
        given = fields(asked.json(), dict.fromkeys(names, TEXT), names)
        if not given["target_url"].startswith(("https://", "http://127.0.0.1")):
            raise ProlificRefusal({"target_url": ["It must use https."]})
        number = new_id(24, HEX)
        self.hooks[number] = {**given, "id": number, "is_enabled": False, "secret": new_id(16, HEX)}
        told = {name: value for name, value in self.hooks[number].items() if name != "secret"}
        return 201, told, {"X-Hook-Secret": self.hooks[number]["secret"]}

    def confirm_hook(self, asked: Asked, number: str) -> tuple[int, Any]:
        given = fields(asked.json(), {"secret": TEXT}, ("secret",))
        if number not in self.hooks or given["secret"] != self.hooks[number]["secret"]:
            raise ProlificRefusal("The secret is wrong.")
        self.hooks[number]["is_enabled"] = True
        return 200, {"id": number, "is_enabled": True}
