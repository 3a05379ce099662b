"""Label Studio's files: our campaigns as its tasks and back, and projects that were made there."""

from __future__ import annotations

import json
from collections.abc import Sequence

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.format import Format, everything
from goldmark.exchange.label_studio.projects import LabelStudioProject, NotLabelStudio, WhichText, project_of
from goldmark.exchange.label_studio.read_config import LabellingConfig, read_config
from goldmark.exchange.label_studio.returned import Task, read_returned
from goldmark.exchange.label_studio.tasks import write, write_config
from goldmark.exchange.left_out import HISTORY
from goldmark.exchange.responses.from_campaign import carried
from goldmark.exchange.responses.given import GivenAnswers, Target
from goldmark.records.campaigns import CampaignRecord
from goldmark.texts.readers.formats import decode

_BOM = b"\xef\xbb\xbf"
NO_TASKS = "the file is no list of tasks; export as JSON"


def read(files: Files, text: str | None = None) -> CampaignRecord:
    """The campaign of these tasks; `text` names the field that holds the text in a project made in Label Studio."""
    tasks, config, problems = _read_files(files)
    if not tasks or any(task.extra for task in tasks):
        return read_returned(tasks, problems)
    return _project(tasks, config, text, problems).with_protocol()


def answers(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
    """For a campaign that has the texts as its units."""
    tasks, config, found = _read_files(files)
    file = next(iter(files)) if len(files) == 1 else ""
    if not tasks or any(task.extra for task in tasks):
        return carried(read_returned(tasks, found), target, problems, file=file)
    project = _project(tasks, config, target.text, found)
    return carried(project.record, target, problems, file=file, asked=project.asked)


def _project(
    tasks: Sequence[Task], config: LabellingConfig | None, text: str | None, problems: list[Problem]
) -> LabelStudioProject:
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    try:
        return project_of(tasks, config, text, problems)
    except WhichText as error:
        where = tasks[0].where.partition(":")[0] if tasks else "the import"
        raise ProblemsFound([Problem(where, str(error))], "nothing was imported") from None


def _read_files(files: Files) -> tuple[list[Task], LabellingConfig | None, list[Problem]]:
    problems: list[Problem] = ProblemList()
    tasks: list[Task] = []
    config: LabellingConfig | None = None
    for name, content in files.items():
        written = decode(content.removeprefix(_BOM), name, problems)
        if written is None:
            continue
        try:
            if name.endswith(".xml"):
                config = read_config(name, written)
                continue
            listed = json.loads(written)
            if not isinstance(listed, list):
                raise NotLabelStudio(reason=f"{NO_TASKS}, not as JSON-MIN")
            for number, task in enumerate(listed, start=1):
                where = f"{name}:task {number}"
                if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
                    what = "it has no data; export as JSON, not as JSON-MIN"
                    problems.append(Problem(where, what))
                else:
                    tasks.append(Task(where, task))
        except (ValueError, RecursionError, GoldmarkError) as error:
            told = error if isinstance(error, GoldmarkError) else f"{NO_TASKS} ({error})"
            problems.append(Problem(name, str(told)))
    return tasks, config, problems


LABEL_STUDIO = Format(
    "label-studio",
    "final responses as tasks, and the labelling config beside them",
    everything(write),
    read,
    answers,
    single=True,
    fields=True,
    no_place=HISTORY,
    keys=("data", "annotations"),
)
LABEL_STUDIO_CONFIG = Format(
    "label-studio-config", "the labelling config that fits the tasks", everything(write_config), single=True
)
