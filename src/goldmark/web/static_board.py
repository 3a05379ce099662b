"""A board as pages that need no server: what everybody may see of it, the same bytes for the same board."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from sqlalchemy import Connection

from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition.boards import find_board
from goldmark.leaderboards.scores.correlations import correlations
from goldmark.leaderboards.scores.standings import PUBLIC, Standing
from goldmark.records.tables import Table
from goldmark.results.output.tables import to_csv
from goldmark.web.api.evaluations.boards import StandingsOut, standings_out
from goldmark.web.api.figures import TableOut
from goldmark.web.pages.evaluations.board_rows import StandingsRequest
from goldmark.web.pages.evaluations.boards import standings_facts
from goldmark.web.pages.frame import prepared, shown
from goldmark.web.pages.render import WEB
from goldmark.web.services import Services

STYLES = ("goldmark.css", "boards.css")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # what a zip file can say; the hour of export is nobody's business


def exported(services: Services, name: str) -> dict[str, bytes]:
    """Every file of the export by its name: a page, its styles, and the standings as data."""

    def look(connection: Connection) -> tuple[BoardView, list[Standing], Table]:
        row = find_board(connection, name)
        seen = BoardView(row, PUBLIC, None, services.content.protocol(row.protocol_id))
        rows = seen.standings(connection)
        return seen, rows, correlations(connection, row, rows, seen.main)

    seen, rows, correlated = services.store.read(look)
    table = seen.table(rows)
    facts = standings_facts(seen, rows, StandingsRequest())
    tables = shown([correlated]) if correlated.rows else []
    template = prepared().get_template("manage/board_static.html")
    page = template.render(**facts, notes=table.notes, how=table.signature, tables=tables)
    data = StandingsOut.model_validate(standings_out(seen, rows)).model_dump(mode="json")
    data["correlations"] = TableOut.model_validate(correlated).model_dump(mode="json")
    return {
        "index.html": page.encode(),
        "standings.csv": to_csv(table).encode(),
        "standings.json": (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode(),
        **{style: (WEB / "static" / "css" / style).read_bytes() for style in STYLES},
    }


def export_board(services: Services, name: str, folder: Path) -> list[Path]:
    """Write the export into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for file, content in exported(services, name).items():
        path = folder / file
        path.write_bytes(content)
        made.append(path)
    return made


def exported_zip(services: Services, name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in exported(services, name).items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}", EARLIEST), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
