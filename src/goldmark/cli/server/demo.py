"""`goldmark demo`: Goldmark with sample campaigns, ready to be tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Host,
)
from goldmark.cli.output import talk
from goldmark.cli.server.run_server import run_server

if TYPE_CHECKING:
    from goldmark.web.services import Services

app = App(name="demo")

OWNER = "demo"


@app.command
def start(
    *,
    host: Host = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port to listen at.")] = 8000,
    folder: Annotated[Path, Parameter(help="Where the demo keeps its database; delete it to start afresh.")] = Path(
        "demo-data"
    ),
) -> None:
    """Start the server on sample campaigns and print the links to try. What you mark stays for the next start."""
    folder.mkdir(parents=True, exist_ok=True)
    run_server(str(folder / "goldmark.db"), host=host, port=port, say=talk, before=prepare)


def prepare(services: Services, base: str) -> list[str]:
    """Fill in the samples and say how to reach them."""
    from datetime import UTC, datetime

    from goldmark.accounts.roles import Role
    from goldmark.accounts.service import UnknownAccount
    from goldmark.samples.boards import fill_board
    from goldmark.samples.campaigns import fill

    campaigns = fill(services.store, now=datetime.now(UTC))
    board = fill_board(services.store, now=datetime.now(UTC))
    try:
        owner = services.accounts.find(OWNER)
    except UnknownAccount:
        owner = services.accounts.create(OWNER, Role.OWNER, None, author="demo")
    services.proofs.asks = False
    link = services.accounts.one_time_link(owner.id)
    services.doors.update({row.title: f"/join/{services.links.invite(row.id, row.invite_nonce)}" for row in campaigns})
    width = max(len(row.title) for row in campaigns)
    return [
        "",
        "Annotate (anyone with the link can join):",
        *(f"  {row.title:{width}}  {base}/join/{services.links.invite(row.id, row.invite_nonce)}" for row in campaigns),
        "",
        "A leaderboard (anyone may look):",
        f"  {board.title:{width}}  {base}/leaderboards/{board.name}",
        "",
        "Manage (this link signs you in once; start the demo again for another):",
        f"  {base}/link/{link}",
        "",
        "Ctrl+C stops it.",
    ]
