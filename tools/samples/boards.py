"""Items and outputs of the sample leaderboards, one for each GENIE template, from what we wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tools.samples.marking import Written, lines


def board_files(
    boards: Written, questions: Sequence[Written], articles: Sequence[Written]
) -> Iterator[tuple[str, str]]:
    """Items and outputs of every sample board, by name below the samples' folder."""
    made = {
        "question-answering": [
            (
                {"id": one["id"], "context": {"Question": one["question"]}, **_references(one)},
                {system: answer for system, (answer, _) in one["answers"].items()},
            )
            for one in questions
        ],
        "explanation": [
            (
                {
                    "id": one["id"],
                    "context": {"Before": one["before"], "After": one["after"]},
                    "reference": one["reference"],
                },
                one["outputs"],
            )
            for one in boards["explanation"]
        ],
        "translation": [
            ({"id": one["id"], **_references(one), "source": one["source"]}, one["outputs"])
            for one in boards["translation"]
        ],
        "summarisation": [
            (
                {"id": one["id"], "context": {"Article": one["article"]}, "reference": one["reference"]},
                {system: summary for system, (summary, _) in one["summaries"].items()},
            )
            for one in articles
        ],
    }
    for name, rows in made.items():
        yield f"leaderboards/{name}/items.jsonl", lines([{**item, "language": "en"} for item, _ in rows])
        for system in rows[0][1]:
            yield (
                f"leaderboards/{name}/{system}.jsonl",
                lines([{"id": item["id"], "output": outputs[system]} for item, outputs in rows]),
            )


def _references(one: Written) -> Written:
    """A right answer to be shown, and the same in other words for test questions."""
    return {"reference": one["reference"], "paraphrase": one["paraphrase"]}
