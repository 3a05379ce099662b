"""Make the sample campaigns from what we wrote: `python -m tools.samples.build`.

Run it after changing anything in `written/` or in the league; a test fails while the shipped files differ from what it
makes. Token positions depend on the tokeniser, so the answers are made here and never typed.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from goldmark.records.texts import Text
from goldmark.samples import SHIPPED
from goldmark.samples.boards import AGREEMENT
from goldmark.texts.preparation.text_sets import draw_sets
from goldmark.texts.segmentation.text import make_text
from tools.samples import league
from tools.samples.boards import board_files
from tools.samples.marking import ANNOTATORS, Written, lines, response, spans_json
from tools.samples.tables import context_of

WRITTEN = Path(__file__).parent / "written"
SOURCES = ("definitely_human", "possibly_human", "possibly_machine", "definitely_machine")
CHOICES = {"a": "a", "b": "b", "=": "tie"}
ASPECTS = ("redundancy", "fluency", "conciseness", "overall")

Rows = list[dict[str, Any]]


def main() -> None:
    for name, content in files().items():
        path = SHIPPED / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(content, encoding="utf-8", newline="\n")


def files() -> dict[str, str]:
    """Every file that is made, by its name below the samples' folder."""
    made = dict(_league())
    for sample, make in SAMPLES.items():
        texts, answers = make(_written(sample))
        made[f"{sample}/texts.jsonl"] = lines(texts)
        answers.sort(key=itemgetter("annotator", "unit"))
        made[f"{sample}/answers.jsonl"] = lines(answers)
    boards = yaml.safe_load((WRITTEN / "boards.yaml").read_text(encoding="utf-8"))
    made |= dict(board_files(boards, _written("rating-qa"), _written("rating-summary")))
    return made


def _written(sample: str) -> list[Written]:
    return list(yaml.safe_load((WRITTEN / f"{sample}.yaml").read_text(encoding="utf-8")))


def _text(written: Written) -> Text:
    return make_text(written["id"], written["text"], tokeniser="rules", sentences="rules")


@cache
def _games() -> Sequence[league.Game]:
    return tuple(league.season(np.random.default_rng(league.SEED)))


# --- one function per sample: texts and answers ----------------------------------------------------------------------


def _accuracy(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        text = _text(item)
        texts.append(
            {
                "id": item["id"],
                "text": item["text"],
                "language": "en",
                "context": context_of(_games(), item["game"]),
                "system": item["system"],
                "item": f"game {item['game']}",
                "game": item["game"],
                "planted": spans_json(text, item),
            }
        )
        for letter in item["done"]:
            marks = spans_json(text, item, letter)
            answers.append(response(letter, item["id"], {"mistakes": marks}, words=len(text.tokens), marks=len(marks)))
    return texts, answers


def _tgea(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        text = _text(item)
        texts.append({"id": item["id"], "text": item["text"], "language": item["language"]})
        texts[-1]["planted"] = spans_json(text, item)
        for letter in item["done"]:
            marks = spans_json(text, item, letter)
            verdict = item.get(letter, {}).get("verdict", "erroneous" if marks else "fine")
            given: dict[str, Any] = {"verdict": verdict}
            if verdict == "erroneous":
                given["errors"] = marks
            count = len(given.get("errors", ()))
            answers.append(response(letter, item["id"], given, words=len(text.tokens), marks=2 * count))
    return texts, answers


def _humanlike(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        texts.append({key: item[key] for key in ("id", "text", "prompt")} | {"language": "en"})
        texts[-1] |= {"source": item["source"], "genre": item["genre"]}
        for letter, (judgement, reason) in item["answers"].items():
            source = SOURCES[judgement - 1]
            given = {"source": source, "why" if source == "definitely_human" else "change": reason}
            answers.append(response(letter, item["id"], given, words=len(item["text"].split()), marks=1))
    return texts, answers


def _question_answering(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        for number, (system, (answer, ratings)) in enumerate(item["answers"].items(), start=1):
            unit = f"{item['id']}-{number}"
            context = [_passage("Question", item["question"]), _passage("Reference answer", item["reference"])]
            row = {"id": unit, "text": answer, "language": "en", "context": context}
            texts.append(row | {"item": item["id"], "system": system})
            for letter, rating in zip(ANNOTATORS, str(ratings), strict=True):
                if rating != "-":
                    given = {"correct": AGREEMENT[int(rating) - 1]}
                    answers.append(response(letter, unit, given, words=len(answer.split())))
    return texts, answers


def _summaries(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        for number, (system, (summary, ratings)) in enumerate(item["summaries"].items(), start=1):
            unit = f"{item['id']}-{number}"
            context = [_passage("Article", item["article"]), _passage("Reference summary", item["reference"])]
            row = {"id": unit, "text": summary, "language": "en", "context": context}
            texts.append(row | {"item": item["id"], "system": system})
            for letter, digits in zip(ANNOTATORS, str(ratings).split(), strict=True):
                if digits != "-":
                    given = {aspect: AGREEMENT[int(digit) - 1] for aspect, digit in zip(ASPECTS, digits, strict=True)}
                    answers.append(response(letter, unit, given, words=len(summary.split()), marks=2))
    return texts, answers


def _pairwise(items: Sequence[Written]) -> tuple[Rows, Rows]:
    texts, answers = [], []
    for item in items:
        row = {"id": item["id"], "a": item["a"]["text"], "b": item["b"]["text"], "language": "en"}
        row |= {"context": [_passage("Request", item["request"])]}
        row |= {"system_a": item["a"]["system"], "system_b": item["b"]["system"]}
        texts.append(row)
        for letter, choice in zip(ANNOTATORS, item["choices"], strict=True):
            if choice != "-":
                words = len(row["a"].split()) + len(row["b"].split())
                answers.append(response(letter, item["id"], {"preferred": CHOICES[choice]}, words=words))
    return texts, answers


def _best_worst(items: Sequence[Written]) -> tuple[Rows, Rows]:
    replies = [
        {"id": f"{item['id']}-{system}", "text": text, "language": "en", "item": item["id"], "system": system}
        | {"context": [_passage("Request", item["request"])]}
        for item in items
        for system, text in item["replies"].items()
    ]
    sets = draw_sets(replies, size=4, each=2, rng=np.random.default_rng(19)).rows
    written = {item["id"]: item for item in items}
    done: Counter[tuple[str, str]] = Counter()
    answers = []
    for row in sets:
        item = written[row["item"]]
        roles = {row[f"system_{role}"][0]: role for role in row["texts"]}
        for letter, order, most in zip(ANNOTATORS, item["orders"], item["done"], strict=True):
            if done[row["item"], letter] < most:
                done[row["item"], letter] += 1
                own = [roles[first] for first in order if first in roles]
                words = sum(len(text.split()) for text in row["texts"].values())
                answers.append(response(letter, row["id"], {"picked": f"{own[0]}>{own[-1]}"}, words=words, marks=1))
    return sets, answers


def _passage(title: str, text: str) -> dict[str, str]:
    return {"kind": "text", "title": title, "text": text}


SAMPLES: dict[str, Callable[[Sequence[Written]], tuple[Rows, Rows]]] = {
    "accuracy": _accuracy,
    "rating-qa": _question_answering,
    "rating-summary": _summaries,
    "humanlike": _humanlike,
    "tgea": _tgea,
    "pairwise": _pairwise,
    "best-worst": _best_worst,
}


# --- beside the campaign: the league -----------------------------------------------------------------


def _league() -> Iterator[tuple[str, str]]:
    yield "accuracy/games.jsonl", lines(league.as_rows(_games()))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("GAME", "DATE", "WEEKDAY", "HOME_NAME", "VIS_NAME", "ARENA", "HOME_PTS", "VIS_PTS"))
    for number, game in enumerate(_games()):
        home, visitor = game.home, game.visitor
        when = (number, game.day.isoformat(), f"{game.day:%A}")
        writer.writerow((*when, home.team.name, visitor.team.name, home.team.arena, home.points, visitor.points))
    yield "accuracy/schedule.csv", out.getvalue()
    teams = [
        {"city": team.city, "name": team.name, "arena": team.arena, "division": team.division, "colours": team.colours}
        | {"players": list(team.players)}
        for team in league.TEAMS
    ]
    yield "accuracy/teams.json", json.dumps(teams, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()
