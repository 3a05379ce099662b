"""A task for leaderboards: systems say yes or no to every input."""

from goldmark.leaderboards.definition.tasks import AnswerScores, AnswerTask
from goldmark.records.figures import Figure
from goldmark.stats.inference.proportions import exact_interval


def read(given, item):
    answer = given.get("yes") if isinstance(given, dict) else given
    if not isinstance(answer, bool):
        raise ValueError('"yes" must be true or false')
    return "yes" if answer else "no"


def score(items, kept):
    right = [float((words == "yes") == item.answer["yes"]) for item, words in zip(items, kept, strict=True)]
    figure = Figure(sum(right) / len(right), exact_interval(sum(right), len(right)), used=len(right))
    return AnswerScores({"accuracy": figure}, {"accuracy": right}, "figure:accuracy|interval:exact")


def wrong(item):
    return "" if isinstance((item.answer or {}).get("yes"), bool) else 'its answer needs "yes": true or false'


YES_NO = AnswerTask("yes-no", "yes or no to every input", ("accuracy",), {"yes": True}, read, score, wrong)
