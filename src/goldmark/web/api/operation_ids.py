"""How generated clients call what the API does: noun, then verb, as short as it stays clear.

`POST /api/v1/campaigns/{name}/units/upload` by the function `add_files` is `units_upload_add_files`; what is done to a
campaign itself is such as `campaign_start`.
"""

from __future__ import annotations

from fastapi.routing import APIRoute

_ROOT = "/api/v1/"
_WHOLE = "campaigns"


def operation_id(route: APIRoute) -> str:
    """The nouns of the address, then what of the function's name they do not say already."""
    if not route.path_format.startswith(_ROOT):
        return route.name  # a page, which is in no description
    places = route.path_format.removeprefix(_ROOT).replace(".", "/").split("/")
    nouns = [word for place in places if not place.startswith("{") for word in place.split("-")]
    verbs = [word for word in route.name.split("_") if word not in nouns and f"{word}s" not in nouns]
    inside = nouns[0] == _WHOLE and len(nouns) > 1 and places[1].startswith("{")
    words = [*nouns[1:], *verbs] if inside else [*nouns, *verbs]
    return "_".join(words if len(words) > 1 else ["campaign", *words] if inside else [*words, route.name])
