"""The command line: noun, then verb. Commands parse, call and give what comes back; rooms elsewhere do the work.

The folders stand in the order of the work: texts, campaigns, figures, evaluations; and what runs the server. Commands
share `options`, the `store` they work on, and `output`, whose `emit` gives everything that a command found.

Data goes to standard output, talk to standard error. Exit code 0 means success, 1 a failed operation, 2 wrong usage.
Every noun is a module that is imported only when its command is called, so that starting stays fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from goldmark import __version__
from goldmark.errors import GoldmarkError

NOUNS = {
    "agreement": "How far annotators agree, with intervals.",
    "aggregate": "One label per item from many annotators' labels.",
    "annotators": "Find noisy annotators; simulate how well they are found.",
    "benchmark": "Run and score models on the tasks of a dataset.",
    "campaign": "Check, create, run and export campaigns.",
    "check": "Find mistakes in texts automatically.",
    "crowd": "Crowd platforms: publish a campaign, approve, pay, keep the books.",
    "curation": "From several people's marks to one verified gold list.",
    "database": "Upgrade, back up, restore and check the database.",
    "dataset": "Release a campaign as a dataset; import, show and verify datasets.",
    "doctor": "Find what is wrong with an installation.",
    "demo": "Start Goldmark with sample campaigns.",
    "jobs": "Long work, and the workers that do it.",
    "leaderboard": "Rolling leaderboards: submissions, metrics, human evaluation, standings.",
    "metrics": "Automatic metrics, and how they correlate with people.",
    "model": "Models of ratings: systems, people, items, and how reliable people are.",
    "plugin": "What is built in and what installed packages add: formats, tables, metrics and more.",
    "prepare": "Make texts ready: cut, clean, pair, choose prompt words, generate.",
    "protocol": "Check, show, list and save protocols.",
    "rank": "Rank systems by people's scores.",
    "score": "Score a mistake list against a gold list.",
    "serve": "Start the web server.",
    "study": "Plan, run and analyse controlled studies.",
    "table": "One table of results or of a published method, from a campaign or from tidy files.",
    "text": "Look at texts the way Goldmark reads them, and put errors into them.",
    "user": "Accounts and API tokens of managers and curators.",
}

FOLDERS = {
    "texts": ("text", "prepare", "protocol", "check"),
    "campaigns": ("campaign", "annotators", "crowd", "curation"),
    "figures": ("agreement", "aggregate", "rank", "model", "score", "table", "metrics"),
    "evaluations": ("leaderboard", "study", "dataset", "benchmark"),
    "server": ("serve", "demo", "jobs", "database", "user", "plugin", "doctor"),
}
PLACES = {noun: f"goldmark.cli.{folder}.{noun}" for folder, nouns in FOLDERS.items() for noun in nouns}
ALSO = {"texts": "text"}  # nouns as people also say them
# What works on the database of a server, much at a time: people whom that server answers come first.
GIVES_WAY = {*FOLDERS["campaigns"], *FOLDERS["evaluations"], "table", "model", "database"}
NICE = 5  # as what the server itself computes for managers

app = App(name="goldmark", version=__version__, help="Reproducible human evaluation of generated text.")
for noun, purpose in NOUNS.items():
    app.command(f"{PLACES[noun]}:app", name=noun, help=purpose)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    if hasattr(os, "nice") and GIVES_WAY.intersection((sys.argv[1:] if arguments is None else arguments)[:1]):
        os.nice(NICE)
    try:
        code = run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # The reader of our output has gone, as `| head` does, or its disk is full; the rest goes nowhere.
        if not isinstance(error, BrokenPipeError):
            print(f"the output cannot be written: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a user's mistake becomes a sentence and an exit code, never a traceback."""
    from goldmark.cli.output import RefusedBySystem, explain, wrong_usage

    tokens = list(sys.argv[1:] if arguments is None else arguments)
    tokens[:1] = [ALSO.get(noun, noun) for noun in tokens[:1]]
    if tokens and tokens[0] in NOUNS and tokens[1:] in ([], *([flag] for flag in app.help_flags)):
        app[tokens[0]].resolved_commands()  # verbs that wait to be loaded have no line in the help
    try:
        result = app(tokens, exit_on_error=False, error_formatter=wrong_usage, result_action="return_value")
    except CycloptsError:
        return 2
    except GoldmarkError as error:
        explain(error)
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        explain(RefusedBySystem(path=error.filename, reason=error.strerror))
        return 1
    return result if isinstance(result, int) else 0
