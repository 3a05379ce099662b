"""How the files of one version were made. Run once for a version, never again: see README.md.

    python -m tests.compatibility.make NEW-FOLDER

It uses the command and the HTTP interface only, as users do, so that it knows nothing of how the program is built. The
texts are made up for this.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tests.compatibility import reading
from tests.compatibility.filled import accounts, animals, board, pairs, plain, stages, study, taught, tested
from tests.compatibility.program import SECRET, Program

HERE = Path(__file__).parent
FORMATS = {
    "jsonl": ".jsonl",
    "csv": ".zip",
    "parquet": ".zip",
    "tidy": ".zip",
    "tidy-parquet": ".zip",
    "gsml": ".zip",
    "webanno-tsv": ".zip",
    "label-studio": ".json",
}
EVERYTHING = ("jsonl", "csv", "parquet", "tidy", "tidy-parquet", "label-studio")
EXPORTED = {"plain": EVERYTHING, "animals": tuple(FORMATS), "who-wrote": ("jsonl",), "pairs": ("jsonl", "csv")}
# In which order tables came: what an older database could hold. None of a later campaign goes into an earlier one.
SINCE = {"plain": 1, "animals": 2, "animals-again": 2, "tested": 3, "taught": 3, "stages": 3}
SINCE |= {"questions-round-1": 5, "questions-round-2": 5, "who-wrote": 6, "pairs": 6, "stages-model": 8}


def expected(program: Program) -> dict[str, Any]:
    """What the files hold, as far as anybody can ask for it: answers, figures, standings, who may enter."""
    found: dict[str, Any] = {"secret": SECRET, "tokens": program.tokens, "campaigns": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in SINCE:
            copy = Path(folder) / f"{name}.jsonl"
            program.run("campaign", "export", name, str(copy))
            results = program.run("campaign", "results", name, "--json", "--resamples", "100")
            found["campaigns"][name] = {
                "answers": reading.answers(copy.read_text(encoding="utf-8")),
                "states": reading.states(copy.read_text(encoding="utf-8")),
                "figures": reading.figures(json.loads(results)),
            }
    found["standings"] = reading.standings(json.loads(program.run("leaderboard", "standings", "questions", "--json")))
    found["study"] = reading.study(json.loads(program.run("study", "analyse", "who-wrote", "--json")))
    return found


def older(newest: Path, folder: Path) -> None:
    """Databases as they were before each later step, with what could be in them then, as SQL that can be read."""
    from alembic import command

    from goldmark.store import open_store
    from goldmark.store.migrate import alembic_config

    rows = sqlite3.connect(newest)
    for number in range(1, 8):
        path = folder / "made.db"
        path.unlink(missing_ok=True)
        store = open_store(str(path))
        with store.engine().begin() as connection:
            config = alembic_config()
            config.attributes["connection"] = connection
            command.upgrade(config, f"{number:04}")
        store.close()
        made = sqlite3.connect(path)
        fill(rows, made, number)
        made.commit()
        with gzip.GzipFile(folder / f"{number:04}.sql.gz", "wb", mtime=0) as file:
            file.write("\n".join(made.iterdump()).encode())
        made.close()
        path.unlink()


def fill(rows: sqlite3.Connection, made: sqlite3.Connection, number: int) -> None:
    kept = [row[0] for row in rows.execute("SELECT id, name FROM campaign") if SINCE[row[1]] <= number]
    campaigns = f"({', '.join(map(str, kept))})"
    within = {"campaign": f"id IN {campaigns}"}
    made.execute("PRAGMA foreign_keys = OFF")
    for (table,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table == "alembic_version":
            continue
        columns = [row[1] for row in made.execute(f"PRAGMA table_info({table})")]
        condition = within.get(table, f"campaign_id IS NULL OR campaign_id IN {campaigns}")
        if table in ("response", "review"):
            condition = f"assignment_id IN (SELECT id FROM assignment WHERE campaign_id IN {campaigns})"
        elif table == "unit_secret":
            condition = f"unit_id IN (SELECT id FROM unit WHERE campaign_id IN {campaigns})"
        elif table in ("attempt", "notice"):
            condition = f"annotator_id IN (SELECT id FROM annotator WHERE campaign_id IN {campaigns})"
        elif "campaign_id" not in columns and table != "campaign":
            condition = "1"
        quoted = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("?" for _ in columns)
        some = rows.execute(f"SELECT {quoted} FROM {table} WHERE {condition}").fetchall()
        if table == "campaign" and number < 3:
            place = columns.index("settings")
            some = [(*row[:place], first_settings(row[place]), *row[place + 1 :]) for row in some]
        made.executemany(f"INSERT INTO {table} ({quoted}) VALUES ({marks})", some)


def first_settings(given: str) -> str:
    """The settings that there were before quality, pay and conditions."""
    known = ("labels_per_unit", "batch", "order", "lease_minutes", "subset", "consent", "join", "editing", "review")
    found = {key: value for key, value in json.loads(given).items() if key in known}
    found["join"] = {key: found["join"][key] for key in ("open", "at_most", "invite")}
    return json.dumps(found)


def files(target: Path) -> None:
    """What people write by hand: protocols, campaigns, studies and boards."""
    source = HERE.parents[1]
    chosen = [
        *(source / "src/goldmark/protocols/builtin").glob("*.yaml"),
        *(path for path in (source / "examples").rglob("*.*") if path.suffix in (".yaml", ".jsonl")),
        *(source / "src/goldmark/samples/leaderboards").rglob("*.*"),
    ]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(chosen):
            place = path.relative_to(source).as_posix()
            for prefix in ("src/goldmark/samples/", "src/goldmark/"):
                place = place.removeprefix(prefix)
            archive.writestr(zipfile.ZipInfo(place), path.read_bytes(), zipfile.ZIP_DEFLATED)


def make(target: Path) -> None:
    target.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder) / "goldmark.db")
        program.run("database", "upgrade")
        accounts(program)
        with program.served():
            for part in (plain, animals, tested, taught, pairs, stages, study, board):
                part(program)
        backup = Path(folder) / "backup"
        program.run("database", "backup", str(backup))
        with gzip.GzipFile(target / "backup.gz", "wb", mtime=0) as file:
            file.write(backup.read_bytes())
        (target / "exports").mkdir()
        for campaign, formats in EXPORTED.items():
            for form in formats:
                name = f"{campaign}.{form}{FORMATS[form]}".replace(".jsonl.jsonl", ".jsonl")
                place = target / "exports" / name
                program.run("campaign", "export", campaign, str(place), "--format", form)
        program.run("campaign", "gold", "animals", str(target / "exports" / "animals.gold.csv"))
        dataset = Path(folder) / "dataset"
        program.run("dataset", "build", "stages", "--out", str(dataset), "--split", "2:1:1", "--licence", "CC0-1.0")
        shutil.make_archive(str(target / "dataset"), "zip", dataset)
        (target / "older").mkdir()
        older(backup, target / "older")
        files(target / "files.zip")
        words = json.dumps(expected(program), indent=1, ensure_ascii=False, sort_keys=True)
        (target / "expected.json").write_text(words + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve())
