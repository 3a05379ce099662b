"""What Prolific's reference demands of requests: which fields, of which kind, and what must be true of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NUMBER, TEXT, LIST, YES_NO, OBJECT = (int, float), str, list, bool, dict
CREATE_STUDY: dict[str, Any] = {
    "name": TEXT,
    "internal_name": TEXT,
    "description": TEXT,
    "external_study_url": TEXT,
    "prolific_id_option": TEXT,
    "completion_codes": LIST,
    "total_available_places": NUMBER,
    "estimated_completion_time": NUMBER,
    "maximum_allowed_time": NUMBER,
    "reward": NUMBER,
    "device_compatibility": LIST,
    "peripheral_requirements": LIST,
    "filters": LIST,
    "filter_set_id": TEXT,
    "naivety_distribution_rate": NUMBER,
    "project": TEXT,
    "submissions_config": OBJECT,
    "study_labels": LIST,
    "content_warnings": LIST,
    "content_warning_details": TEXT,
    "metadata": TEXT,
    "is_external_study_url_secure": YES_NO,
}
REQUIRED_OF_STUDY = (
    "name",
    "description",
    "external_study_url",
    "prolific_id_option",
    "total_available_places",
    "estimated_completion_time",
    "reward",
)
CODE_TYPES = {
    "COMPLETED",
    "FAILED_ATTENTION_CHECK",
    "FOLLOW_UP_STUDY",
    "GIVE_BONUS",
    "INCOMPATIBLE_DEVICE",
    "NO_CONSENT",
    "OTHER",
    "FIXED_SCREENOUT",
    "SCREENED_IN",
    "SCREENED_OUT",
}
ACTIONS: dict[str, tuple[str, ...]] = {
    "AUTOMATICALLY_APPROVE": (),
    "MANUALLY_REVIEW": (),
    "ADD_TO_PARTICIPANT_GROUP": ("participant_group",),
    "REMOVE_FROM_PARTICIPANT_GROUP": ("participant_group",),
    "REQUEST_RETURN": ("return_reason",),
    "DYNAMIC_PAYMENT": (),
    "FIXED_SCREEN_OUT_PAYMENT": ("fixed_screen_out_reward", "slots"),
}
LABELS = {
    "survey",
    "writing_task",
    "annotation",
    "decision_making_task",
    "interview",
    "other",
    "ai_annotation",
    "ai_evaluation",
    "ai_reasoning",
    "ai_fact_checking",
    "ai_safety",
    "ai_data_creation_text",
    "ai_other",
}
REJECTIONS = {
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
}
GROUP_FILTERS = ("participant_group_allowlist", "participant_group_blocklist")
AFTER_PUBLISHING = {"internal_name", "total_available_places", "submissions_config", "access_details"}


class ProlificRefusal(Exception):
    """An error as Prolific gives it: a status, and what is wrong by field or in words."""

    def __init__(self, detail: Any, status: int = 400) -> None:
        super().__init__(str(detail))
        self.detail, self.status = detail, status


def fields(given: Any, known: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """A body with these fields and no others, each of its kind; nulls where the reference allows them."""
    if not isinstance(given, dict):
        raise ProlificRefusal("the body must be an object")
    wrong = {name: ["This field is required."] for name in required if given.get(name) is None}
    wrong |= {name: ["This field does not exist."] for name in given if name not in known}
    for name, value in given.items():
        kind = known.get(name)
        if kind is not None and value is not None and not _is(value, kind):
            wrong[name] = ["This is of another kind."]
    if wrong:
        raise ProlificRefusal(wrong)
    return given


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not (kind is NUMBER and isinstance(value, bool))


def one_of(name: str, value: Any, allowed: Any) -> None:
    if value not in allowed:
        raise ProlificRefusal({name: [f"{value!r} is not a valid choice."]})


def check_study(given: dict[str, Any]) -> None:
    fields(given, CREATE_STUDY, REQUIRED_OF_STUDY)
    one_of("prolific_id_option", given["prolific_id_option"], ("question", "url_parameters", "not_required"))
    if not given["external_study_url"].startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise ProlificRefusal({"external_study_url": ["Enter a valid URL."]})
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        if given[name] < 1 or given[name] != int(given[name]):
            raise ProlificRefusal({name: ["Ensure this value is a whole number of at least 1."]})
    minutes = given["estimated_completion_time"]
    least = math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))
    if given.get("maximum_allowed_time", least) < least:
        raise ProlificRefusal({"maximum_allowed_time": [f"It must be at least {least} minutes."]})
    for device in given.get("device_compatibility", []):
        one_of("device_compatibility", device, ("desktop", "tablet", "mobile"))
    for label in given.get("study_labels", []):
        one_of("study_labels", label, LABELS)
    if len(given.get("study_labels", [])) > 1:
        raise ProlificRefusal({"study_labels": ["Only one can be selected."]})
    check_codes(given.get("completion_codes") or [])
    for one in given.get("filters") or []:
        check_filter(one)


def check_codes(codes: list[Any]) -> None:
    if not codes:
        raise ProlificRefusal({"completion_codes": ["Specify at least one completion code."]})
    for one in codes:
        fields(one, {"code": TEXT, "code_type": TEXT, "actions": LIST, "actor": TEXT}, ("code", "code_type", "actions"))
        one_of("code_type", one["code_type"], CODE_TYPES)
        one_of("actor", one.get("actor", "participant"), ("participant", "researcher"))
        names = [action.get("action") for action in one["actions"]]
        for action in one["actions"]:
            one_of("action", action.get("action"), ACTIONS)
            missing = [name for name in ACTIONS[action["action"]] if name not in action]
            extra = set(action) - {"action", *ACTIONS[action["action"]]}
            if missing or extra:
                raise ProlificRefusal(
                    {"actions": [f"{action['action']}: {missing} is missing, {sorted(extra)} is unknown."]}
                )
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(names):
            raise ProlificRefusal({"actions": ["These cannot be used together."]})
    if len({one["code"] for one in codes}) < len(codes):
        raise ProlificRefusal({"completion_codes": ["Each code must be unique within a study."]})


def check_filter(one: Any) -> None:
    fields(
        one,
        {"filter_id": TEXT, "selected_values": LIST, "selected_range": OBJECT, "weightings": OBJECT},
        ("filter_id",),
    )
    if ("selected_values" in one) == ("selected_range" in one):
        raise ProlificRefusal({"filters": ["A filter selects values or a range."]})
