"""A leaderboard is made: from a few fields, or from its file."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

from goldmark.campaigns.definition.protocols import find_protocol, list_protocols
from goldmark.campaigns.definition.yaml_file import written
from goldmark.leaderboards.definition import boards
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.web.pages.forms import names_in, number, refusable, written_file
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager, SendsAsManager

router = Pages("/leaderboards")

NOBODY = "none"  # in the place of a protocol: metrics alone score
BLANK = {
    "leaderboard": "",
    "title": "",
    "protocol": "rating-qa/1",
    "subset": "",
    "metrics": "bleu\nchrf\nrougeL",
    "public": "yes",
    "human.start": "approval",
    "human.labels_per_unit": "1",
    "human.language": "",
    "human.pay.per_unit": "",
}


@router.get("/new")
def new(visit: ReadsAsManager, *, wrong: Wrong = NOT_FAILED) -> Response:
    given = wrong.fields("form", BLANK)
    return page(visit, "board_new.html", wrong=wrong, given=given, protocols=visit.read(list_protocols))


@router.post("/new/form")
@refusable("form", new)
def create_from_fields(visit: SendsAsManager) -> Response:
    """The fields as a leaderboard file, checked like any other; everything else can be set on the board's own page."""
    given = {key: value.strip() for key, value in visit.given.items()}
    asked = given.get("protocol", "")
    own = None if asked == NOBODY else visit.read(lambda connection: find_protocol(connection, asked))
    human: dict[str, Any] = {"start": given.get("human.start") or "approval"}
    human |= {"labels_per_unit": number(labels)} if (labels := given.get("human.labels_per_unit")) else {}
    human |= {"language": language} if (language := given.get("human.language")) else {}
    human |= {"pay": {"per_unit": number(price)}} if (price := given.get("human.pay.per_unit")) else {}
    names = [one.name for one in visit.uploads]
    file = {
        "leaderboard": given.get("leaderboard", ""),
        **({"title": given["title"]} if given.get("title") else {}),
        **({} if own is None else {"protocol": own.id if own.built_in else "protocol.yaml"}),
        "data": names[0] if names else "",
        **({"subset": {"size": number(given["subset"])}} if given.get("subset") else {}),
        "metrics": names_in(given.get("metrics", "")),
        "public": given.get("public") != "no",
        "human": human,
    }
    files = [
        *visit.uploads,
        written_file("leaderboard.yaml", written(file)),
    ]
    if own is not None and not own.built_in:
        files.append(written_file("protocol.yaml", own.protocol.source))
    made = boards.create_board(visit.store, board_from_files(files), author=visit.name)
    return go(f"/leaderboards/{made.name}/settings", "board-created")


@router.post("/new")
@refusable("files", new)
def create(visit: SendsAsManager) -> Response:
    made = boards.create_board(visit.store, board_from_files(visit.uploads), author=visit.name)
    return go(f"/leaderboards/{made.name}", "board-created")
