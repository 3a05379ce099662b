"""A task for leaderboards: systems say yes or no to every input."""

from collections.abc import Sequence

from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.tasks import AnswerScores, AnswerTask
from goldmark.records.figures import Figure
from goldmark.stats.inference.proportions import exact_interval


def read(given: object, item: DatasetInput) -> str:
    answer = given.get("yes") if isinstance(given, dict) else given
    if not isinstance(answer, bool):
        raise ValueError('"yes" must be true or false')
    return "yes" if answer else "no"


def score(items: Sequence[DatasetInput], kept: Sequence[str]) -> AnswerScores:
    known = [bool((item.answer or {})["yes"]) for item in items]
    right = [float((words == "yes") == yes) for yes, words in zip(known, kept, strict=True)]
    figure = Figure(sum(right) / len(right), exact_interval(sum(right), len(right)), used=len(right))
    return AnswerScores({"accuracy": figure}, {"accuracy": right}, "figure:accuracy|interval:exact")


def wrong(item: DatasetInput) -> str:
    return "" if isinstance((item.answer or {}).get("yes"), bool) else 'its answer needs "yes": true or false'


YES_NO = AnswerTask("yes-no", "yes or no to every input", ("accuracy",), {"yes": True}, read, score, wrong)
