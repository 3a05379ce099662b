"""Run the lines of docs/how-to/analysis-tools.md with the tools themselves, each in an environment of its own.

    python -m tools.peers.analysis FOLDER [TOOL ...]     installs them below FOLDER; R must be installed already

Tables of two of the samples are written as `goldmark campaign export --format tidy-parquet` and `--format tidy` write
them; a line that fails ends the run. What is printed says with which versions it was tried.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from goldmark.campaigns.definition.file import read_campaign
from goldmark.observations.files import FileKind, write_tables
from goldmark.observations.source import RecordSource
from goldmark.samples import sample
from goldmark.samples.campaigns import record_of_sample
from tools.peers.server import install

KINDS: tuple[FileKind, ...] = ("parquet", "csv")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "analysis-tools.md"
WANTED = {
    "pandas": ("pandas", "pyarrow"),
    "polars": ("polars",),
    "duckdb": ("duckdb",),
    "datasets": ("datasets",),
    "krippendorff": ("krippendorff", "pandas", "pyarrow"),
    "crowd-kit": ("crowd-kit", "pyarrow"),
    "mt-metrics-eval": ("pandas", "pyarrow"),  # its own package is not in the index: only what it reads is written
}


def snippets() -> dict[str, str]:
    """The lines for each tool, by its name."""
    found = re.findall(r'```(?:python|r) title="([^"]+)"\n(.*?)```', PAGE.read_text("utf-8"), flags=re.DOTALL)
    return dict(found)


def tables(folder: Path) -> None:
    """Ratings of one campaign and marks of another, as Parquet and as CSV."""
    for kind in KINDS:
        for name, of in (("tidy", "rating-qa"), ("marked", "accuracy")):
            record = record_of_sample(sample(of), read_campaign(sample(of).campaign), datetime.now(UTC))
            write_tables(RecordSource(record), folder / f"{name}-{kind}", kind=kind)
    (folder / "tidy").mkdir()
    for found in (*folder.glob("tidy-*/*"), *folder.glob("marked-*/spans.*")):
        shutil.copy(found, folder / "tidy" / found.name)


def run(tool: str, lines: str, environments: Path, work: Path) -> str:
    """The lines, run by the tool; which version it was."""
    if tool == "R":
        subprocess.run(["Rscript", "-e", lines], cwd=work, check=True)
        return subprocess.run(["Rscript", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    python = str(install(environments / tool, *WANTED[tool]) / "python")
    subprocess.run([python, "-c", lines], cwd=work, check=True, env={"HF_HUB_OFFLINE": "1", "HF_HOME": str(work)})
    asked = f"import importlib.metadata as m; print({tool!r}, m.version({WANTED[tool][0]!r}))"
    return subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def main(folder: Path, *only: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        tables(Path(made))
        for tool, lines in snippets().items():
            if not only or tool in only:
                print(run(tool, lines, folder, Path(made)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
