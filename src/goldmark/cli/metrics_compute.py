"""`goldmark metrics compute` and `list`: automatic metrics of a system's outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.choices import Count, Flag, Seed
from goldmark.cli.output import print_json, talk
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.metrics.files import Outputs
    from goldmark.metrics.scoring import MetricScores
    from goldmark.records.tables import Cell

DEFAULT = "bleu,chrf,rouge1,rouge2,rougeL"


def compute(
    outputs: Path,
    *,
    references: Path | None = None,
    metrics: str = DEFAULT,
    segments: Path | None = None,
    resamples: Count = 1000,
    seed: Seed = 17,
    processes: Count | None = None,
    dask: str = "",
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> int:
    """Score outputs against references. A metric that fails is told, and the others are still computed.

    Parameters
    ----------
    outputs
        JSON lines with `id`, `output` and perhaps `system`; or a .txt file with one output a line.
    references
        JSON lines with `id`, `reference` or `references` (a list), and perhaps `source`; or a .txt file.
    metrics
        Names with their options, such as `bleu:tokenize=zh,chrf`; `goldmark metrics list` shows them.
    segments
        Write the score of every text to this file (CSV: system, item and one column per metric), for `correlate`.
    resamples
        How often texts are resampled for the intervals.
    seed
        Where resampling starts; the same seed gives the same table.
    processes
        How many processes count at once. Default: GOLDMARK_PROCESSES, else one for each core.
    dask
        Address of a Dask scheduler whose workers count instead. Default: GOLDMARK_DASK.
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    import numpy as np

    from goldmark.cli.following import bar
    from goldmark.errors import GoldmarkError
    from goldmark.jobs.fanout import Crew
    from goldmark.metrics.files import read_outputs
    from goldmark.metrics.plugins import parse_list
    from goldmark.metrics.scoring import score_each

    specs = parse_list(metrics)
    systems = read_outputs(outputs, references)
    found: list[tuple[Outputs, str, MetricScores]] = []
    failed: list[tuple[Outputs, str, GoldmarkError]] = []
    with Crew.from_environment(processes=processes, dask=dask) as crew, bar() as told:
        for system in systems:
            rng = np.random.default_rng(seed)  # the same resamples for every system, so that they can be compared
            scored = score_each(specs, system.texts, rng=rng, resamples=resamples, crew=crew, progress=told)
            for name, result in scored.items():
                if isinstance(result, GoldmarkError):
                    failed.append((system, name, result))
                else:
                    found.append((system, name, result))
    if segments is not None:
        _write_segments(segments, found)
    if json:
        results = [{"system": system.system, **_plain(result, seed)} for system, _, result in found]
        print_json(
            {
                "results": results,
                "failed": [
                    {"system": system.system, "metric": name, "code": error.code, "message": str(error)}
                    for system, name, error in failed
                ],
            }
        )
    elif found:
        _show(found, seed, format)
    for system, name, error in failed:
        talk(f"{f'{system.system}: ' if system.system else ''}{name}: {error} [{error.code}]")
    return 1 if failed else 0


def list_metrics(*, json: Flag = False) -> None:
    """Which metrics there are, what they measure, and their options.

    Parameters
    ----------
    json
        For machines.
    """
    from goldmark.metrics.plugins import METRICS

    kinds = METRICS.usable().values()
    if json:
        print_json(
            {
                "metrics": [
                    {
                        "name": kind.name,
                        "purpose": kind.purpose,
                        "options": dict(kind.options),
                        "top": kind.top,
                        "higher_is_better": kind.higher_is_better,
                        "needs_references": kind.needs_references,
                        "needs_sources": kind.needs_sources,
                    }
                    for kind in kinds
                ]
            }
        )
        return
    for kind in kinds:
        print(f"{kind.name}\n    {kind.purpose}")
        for option, meaning in kind.options.items():
            print(f"      {option:<10}  {meaning}")


def _plain(result: MetricScores, seed: int) -> dict[str, Any]:
    data = result.to_json()
    del data["segments"]
    return {**data, "signature": f"{result.signature}|seed:{seed}"}


def _show(found: list[tuple[Outputs, str, MetricScores]], seed: int, form: Format) -> None:
    from goldmark.records.figures import Signature
    from goldmark.records.tables import Table

    named = any(system.system for system, _, _ in found)
    rows: list[dict[str, Cell]] = []
    for system, name, result in found:
        interval = result.corpus.interval
        rows.append(
            {
                **({"system": system.system} if named else {}),
                "metric": name,
                "value": result.corpus.value,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "texts": result.corpus.used,
                "reason": result.corpus.reason,
            }
        )
    signatures = {name: result.signature for _, name, result in found}
    remarks = [f"{name}: {note}" for _, name, result in found for note in result.notes]
    table = Table.of(
        "Automatic metrics",
        rows,
        notes=(*(f"{name}: {made}" for name, made in signatures.items()), *dict.fromkeys(remarks)),
        signature=str(Signature.of(figure="metrics", interval="bootstrap over texts", seed=seed)),
    )
    show(table, form=form)


def _write_segments(path: Path, found: list[tuple[Outputs, str, MetricScores]]) -> None:
    """One output per row, one column per metric, as `goldmark metrics correlate` reads it."""
    import csv

    by_system: dict[str, tuple[Outputs, dict[str, MetricScores]]] = {}
    for system, name, result in found:
        by_system.setdefault(system.system, (system, {}))[1][name] = result
    names = list(dict.fromkeys(name for _, name, _ in found))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "item", *names])
        for system, results in by_system.values():
            for place, number in enumerate(system.ids):
                writer.writerow(
                    [system.system, number]
                    + [results[name].segments[place] if name in results else None for name in names]
                )
