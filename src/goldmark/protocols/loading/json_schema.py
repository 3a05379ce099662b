"""The JSON Schema of protocol files, for editors that complete and check while one types."""

from __future__ import annotations

import json
from typing import Any

from goldmark.protocols.language import ProtocolFile

ADDRESS = "https://goldmark.readthedocs.io/reference/protocol.schema.json"


def schema() -> dict[str, Any]:
    """What a protocol file may say, including `extends` and what comes with it."""
    made = ProtocolFile.model_json_schema(mode="validation")
    properties = made["properties"]
    properties["extends"] = {
        "type": "string",
        "description": "A built-in protocol to start from; the keys of this file replace its keys.",
    }
    properties["change"] = {
        "type": "object",
        "description": "With extends: for the id of a question, the keys to change; attributes are added by id.",
        "additionalProperties": {"type": "object"},
    }
    tree = properties["taxonomies"]["additionalProperties"]
    refined = {
        "type": "object",
        "description": "With extends: labels to put under a label of the tree that is extended.",
        "properties": {"refine": {"type": "object", "additionalProperties": tree}},
        "required": ["refine"],
        "additionalProperties": False,
    }
    properties["taxonomies"]["additionalProperties"] = {"anyOf": [tree, refined]}
    made["required"] = ["protocol"]
    made["anyOf"] = [{"required": ["extends"]}, {"required": ["title", "steps"]}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ADDRESS, **made}


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
