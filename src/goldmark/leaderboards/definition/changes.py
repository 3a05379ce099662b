"""What can be changed of a board that exists, each change with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from goldmark.campaigns.definition.yaml_file import checked, data_of, written
from goldmark.errors import Problem, ProblemsFound
from goldmark.jobs import owed
from goldmark.leaderboards.definition.boards import BoardRow, find_board, items_of, note
from goldmark.leaderboards.definition.file import inconsistencies
from goldmark.leaderboards.definition.names import key_of, plain, same
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.leaderboards.definition.teams import teams_of
from goldmark.leaderboards.human.open_round import protocol_of
from goldmark.leaderboards.submitted.submit import ask_for_new_metrics, owe_new_metrics
from goldmark.store import Store
from goldmark.store.tables import board, board_round, board_team

KEPT = "(kept)"  # what stands in the place of a hook's secret; sent back, the secret stays
NOTHING = "nothing was changed"
# Keys of a leaderboard file that are no settings: a file may be given as it was created.
ELSEWHERE = ("leaderboard", "title", "protocol", "data")


def settings_shown(row: BoardRow, *, short: bool = False) -> dict[str, Any]:
    """The settings without the secrets of hooks; `short`, without what is as it is by default."""
    values: dict[str, Any] = row.settings.model_dump(mode="json", exclude_defaults=short)
    for one in values.get("notify", ()):
        if one.get("secret"):
            one["secret"] = KEPT
    return values


def settings_text(row: BoardRow) -> str:
    """The same as YAML, as a leaderboard file has them."""
    values = settings_shown(row, short=True)
    return written(values) if values else ""


def read_settings(row: BoardRow, text: str, file: str = "settings") -> BoardSettings:
    """Settings from such a text, or everything that is wrong with it by line. A leaderboard file will do as well."""
    problems: list[Problem] = []
    data = data_of(text if text.strip() else "{}", file, NOTHING)
    for key in ELSEWHERE:
        data.pop(key, None)
    subset = data.get("subset")
    if isinstance(subset, dict) and row.settings.subset is not None:
        subset.setdefault("seed", row.settings.subset.seed)  # that was drawn when the board was created
    found = checked(BoardSettings, data, problems)
    if found is None:
        raise ProblemsFound(problems, consequence=NOTHING)
    return found


def _with_secrets(row: BoardRow, settings: BoardSettings) -> BoardSettings:
    """Secrets that were not shown stay what they are."""
    kept = {one.to: one.secret for one in row.settings.notify}
    told = (
        one.model_copy(update={"secret": kept.get(one.to, "")}) if one.secret == KEPT else one
        for one in settings.notify
    )
    return settings.model_copy(update={"notify": tuple(told)})


def change_board(
    store: Store, name: str, given: BoardSettings, *, title: str = "", author: str, reason: str = ""
) -> BoardRow:
    """New settings for what comes, or everything that speaks against them.

    Data, protocol and subset stay as they were created, and how scores are made once people have judged. Metrics that
    are new are computed for all systems.
    """
    wrong = store.read(lambda connection: list(_wrong(connection, find_board(connection, name), given)))

    def change(connection: Connection) -> tuple[BoardRow, int | None]:
        row = find_board(connection, name, hold=True)
        settings = _with_secrets(row, given)
        problems = [*_fixed(connection, row, settings), *wrong]
        if problems:
            raise ProblemsFound(problems, consequence=NOTHING)
        values = {"title": title.strip() or row.title, "public": settings.public}
        told = {**values, "settings": settings.model_dump_json()}
        connection.execute(update(board).where(board.c.id == row.id).values(**told))
        changed = {**_changes(row.settings, settings), **({"title": values["title"]} if title.strip() else {})}
        after = find_board(connection, name)
        _add_teams(connection, after)
        note(connection, after, author=author, kind="settings changed", subject=name, reason=reason, facts=changed)
        return after, owe_new_metrics(connection, after, row.settings.metrics, author=author)

    after, owing = store.write(change)
    if owing is not None:
        ask_for_new_metrics(store, name, author=author)
        store.write(lambda connection: owed.done(connection, owing))
    return after


def _fixed(connection: Connection, row: BoardRow, settings: BoardSettings) -> Iterator[Problem]:
    before = row.settings
    if settings.subset != before.subset:
        yield Problem(
            "subset", "the items that people judge stay the same for every system", "make a new board", "subset"
        )
    practice = [one.development.items if one.development else "" for one in (before, settings)]
    if practice[0] != practice[1]:
        remedy = "close the phase with development.closes" if practice[0] else "make a new board with it"
        yield Problem(
            "development.items", "the items of a board stay as they were created", remedy, "development.items"
        )
    judged = select(board_round.c.id).where(board_round.c.board_id == row.id, board_round.c.scored_at.is_not(None))
    if settings.scores != before.scores and connection.execute(judged.limit(1)).first():
        what = "people have judged already, and scores of all rounds are made alike"
        yield Problem("scores", what, "leave scores as they are", "scores")


def _wrong(connection: Connection, row: BoardRow, settings: BoardSettings) -> Iterator[Problem]:
    """By data and protocol, which stay: what they say is read beside the writer."""
    items = [one.item for one in items_of(connection, row)]
    for at, what, remedy in inconsistencies(settings, row.data, protocol_of(connection, row), items):
        part = ".".join(map(str, at))
        yield Problem(part, what, remedy, part)


def _changes(before: BoardSettings, after: BoardSettings) -> dict[str, Any]:
    """Every key that is another now, as it is now; of hooks only how many there are."""
    hidden = {"notify"}
    old, new = (dict(_flat(one.model_dump(mode="json", exclude=hidden))) for one in (before, after))
    found = {key: value for key, value in new.items() if old.get(key) != value}
    found |= {key: None for key in old if key not in new}
    return found if before.notify == after.notify else {**found, "notify": f"{len(after.notify)} addresses"}


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and key != "teams":
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _add_teams(connection: Connection, row: BoardRow) -> None:
    """Teams that are named now; those that are named no more stay, with what they submitted."""
    known: Sequence[str] = [one.name for one in teams_of(connection, row)]
    for name in (plain(team, "team") for team in row.settings.submit.teams):
        if not any(same(name, other) for other in known):
            connection.execute(insert(board_team).values(board_id=row.id, name=name, key=key_of(name)))
