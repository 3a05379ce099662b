"""Many prompts, one file of texts. What is written stays written: a run that was stopped goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from goldmark.errors import Conflict, GoldmarkError
from goldmark.texts.generation.prompts import Priming, Sampling, Writer
from goldmark.texts.preparation.copies import COPY, overlap
from goldmark.texts.preparation.noise import NoiseRule, why_noise
from goldmark.texts.preparation.rows import Values, line_of


class OtherSettings(Conflict):
    code = "GENERATE-08"
    message = (
        "{path} holds texts that were made otherwise ({what}); one file holds texts of one model with one setting: "
        "write to another file"
    )


class NotOurFile(GoldmarkError):
    code = "GENERATE-09"
    message = "line {line} of {path} is not a text of an earlier run; write to another file"


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """How every text of a run is made, and when one is thrown away and drawn again."""

    sampling: Sampling = field(default_factory=Sampling)
    priming: Priming = field(default_factory=Priming)
    noise: NoiseRule | None = None
    most_overlap: float = COPY  # with a priming text
    most_tries: int = 3
    mark_prompt: bool = True  # whether campaigns show the prompt bold; not for single words, which a text may inflect

    def to_json(self) -> dict[str, Any]:
        return {
            "sampling": self.sampling.to_json(),
            "priming": self.priming.digest,
            "delimiter": self.priming.delimiter if self.priming.texts else None,
        }


class GenerationRun(NamedTuple):
    """How a run ended."""

    written: int
    kept_from_before: int
    given_up: tuple[tuple[str, str], ...]  # id of the prompt, and why its texts were thrown away


def writer_for(model: str, *, server: str | None = None, key: str | None = None, chat: bool = False) -> Writer:
    """A model behind an OpenAI-compatible address or, without one, a transformers checkpoint in a folder."""
    if server is not None:
        from goldmark.texts.generation.server import ServerModel

        return ServerModel(server, model, key=key, chat=chat)
    from goldmark.texts.generation.local import LocalModel

    return LocalModel(Path(model))


def generate(
    prompts: Sequence[Values],
    writer: Writer,
    out: Path,
    plan: GenerationPlan,
    *,
    at_once: int = 4,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GenerationRun:
    """Continue every prompt (`id`, `prompt`) and append it to `out` as it comes, one JSON object a line.

    A row holds the whole text beginning with its prompt, so that a campaign shows the prompt bold and leaves it out of
    the judgement, and under `generation` all that is needed to make it again.
    """
    done = _already_there(out, writer.name, plan)
    todo = [row for row in prompts if row["id"] not in done]
    given_up: list[tuple[str, str]] = []
    written = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a", encoding="utf-8", newline="\n") as file, ThreadPoolExecutor(at_once) as pool:
        for row, made in _as_they_come(pool, todo, lambda row: write_one(row, writer, plan), at_once):
            if isinstance(made, str):
                given_up.append((row["id"], made))
            else:
                file.write(line_of(made))
                file.flush()
                os.fsync(file.fileno())
                written += 1
            progress(written + len(given_up), len(todo))
    return GenerationRun(written, len(prompts) - len(todo), tuple(given_up))


def write_one(row: Values, writer: Writer, plan: GenerationPlan) -> Values | str:
    """One text, or why none of the tries was good enough."""
    prompt = row["prompt"]
    why = ""
    for attempt in range(plan.most_tries):
        sampling = plan.sampling.drawn_again(attempt)
        made = writer.continue_after(plan.priming.before(prompt), sampling, plan.priming.stop)
        rest = made.text.removeprefix(prompt) if made.text.startswith(prompt) else made.text
        text = (prompt + rest).rstrip()
        why = _why_not(text, rest, plan)
        if not why:
            about = {"model": writer.name, **plan.to_json(), "tries": attempt + 1, "finished": made.finished}
            about["sampling"] = sampling.to_json()
            shown = row if plan.mark_prompt else {key: value for key, value in row.items() if key != "prompt"}
            return {**shown, "system": writer.name, "text": text, "generation": {"prompt": prompt, **about}}
    return f"after {plan.most_tries} tries: {why}"


def _why_not(text: str, continuation: str, plan: GenerationPlan) -> str:
    if not continuation.strip():
        return "the model wrote nothing"
    noise = why_noise(text, plan.noise) if plan.noise else None
    if noise:
        return noise
    worst = max((overlap(text, other) for other in plan.priming.texts), default=0.0)
    return f"{worst:.0%} of it copies a priming text" if worst > plan.most_overlap else ""


def _as_they_come(
    pool: ThreadPoolExecutor, rows: Sequence[Values], work: Callable[[Values], Values | str], at_once: int
) -> Iterator[tuple[Values, Values | str]]:
    """Results in the order in which they are ready, never more than a few ahead: an error stops the rest at once."""
    waiting: dict[Future[Values | str], Values] = {}
    left = iter(rows)
    try:
        while True:
            waiting.update({pool.submit(work, row): row for row in islice(left, at_once - len(waiting))})
            if not waiting:
                return
            ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                yield waiting.pop(future), future.result()
    finally:
        for future in waiting:
            future.cancel()


def _already_there(out: Path, model: str, plan: GenerationPlan) -> set[str]:
    """The ids of a run that was stopped. A last line that was cut off by a crash is taken away."""
    if not out.exists():
        return set()
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        out.write_bytes(whole)
    ids: set[str] = set()
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            row = json.loads(line)
            about = row["generation"]
            ids.add(row["id"])
        except (ValueError, KeyError, TypeError):
            raise NotOurFile(path=out, line=number) from None
        now = {"model": model, **plan.to_json()}
        # The seed of a text may be a later one, when an earlier try was thrown away.
        was = {**about, "sampling": {**about.get("sampling", {}), "seed": plan.sampling.seed}}
        differs = [key for key, value in now.items() if was.get(key) != value]
        if differs:
            raise OtherSettings(path=out, what=f"line {number} differs in {', '.join(differs)}")
    return ids
