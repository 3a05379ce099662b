"""How the files of one version were made. Run once for a version, never again: see README.md.

    python -m tests.compatibility.make NEW-FOLDER

It uses the command and the HTTP interface, as users do, so that it knows nothing of how the program is built; only who
comes from a crowd platform comes as in the tests of those. The texts are made up for this.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tests.compatibility import reading
from tests.compatibility.filled import (
    accounts,
    animals,
    board,
    crowded,
    helped,
    pairs,
    plain,
    stages,
    study,
    taught,
    tested,
    versions,
)
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
EXPORTED |= dict.fromkeys(("helped", "versions", "tested", "crowded"), ("jsonl", "csv", "parquet"))
CAMPAIGNS = (
    *("plain", "animals", "animals-again", "tested", "taught", "stages", "stages-model", "who-wrote", "pairs"),
    *("questions-round-1", "questions-round-2", "helped", "versions", "crowded"),
)


def expected(program: Program) -> dict[str, Any]:
    """What the files hold, as far as anybody can ask for it: answers, figures, standings, who may enter."""
    found: dict[str, Any] = {"secret": SECRET, "tokens": program.tokens, "campaigns": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in CAMPAIGNS:
            copy = Path(folder) / f"{name}.jsonl"
            program.run("campaign", "export", name, str(copy))
            results = program.run("campaign", "results", name, "--json", "--resamples", "100", "--with-models")
            found["campaigns"][name] = {
                "answers": reading.answers(copy.read_text(encoding="utf-8")),
                "states": reading.states(copy.read_text(encoding="utf-8")),
                "figures": reading.figures(json.loads(results)),
            }
    found["standings"] = reading.standings(json.loads(program.run("leaderboard", "standings", "questions", "--json")))
    found["study"] = reading.study(json.loads(program.run("study", "analyse", "who-wrote", "--json")))
    found["ledger"] = reading.ledger(json.loads(program.run("crowd", "ledger", "crowded", "--json")))
    return found


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
            for part in (plain, animals, tested, taught, pairs, stages, study, board, helped, versions):
                part(program)
        crowded(program)
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
        files(target / "files.zip")
        words = json.dumps(expected(program), indent=1, ensure_ascii=False, sort_keys=True)
        (target / "expected.json").write_text(words + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve())
