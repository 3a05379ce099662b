"""The command line: noun, then verb. Commands parse, call and give what comes back; rooms elsewhere do the work.

The folders stand in the order of the work: texts, campaigns, figures, evaluations; and what runs the server. Commands
share `options`, the `store` they work on, and `output`, whose `emit` gives everything that a command found.

Data goes to standard output, talk to standard error. Exit code 0 means success, 1 a failed operation, 2 wrong usage.
Every noun is a module that is imported only when its command is called, so that starting stays fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from goldmark.errors import GoldmarkError

# What works on the database of a server, much at a time: people whom that server answers come first.
GIVES_WAY = {
    "campaign",
    "annotators",
    "crowd",
    "curation",
    "leaderboard",
    "study",
    "dataset",
    "table",
    "model",
    "database",
}
NICE = 10  # as what the server itself computes for managers


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
    """Read one command and do it; the code to exit with."""
    # Here and not above: a server is a command too, and need not keep what reads commands.
    from cyclopts import CycloptsError

    from goldmark.cli.nouns import ALSO, NOUNS, app
    from goldmark.cli.output import wrong_usage

    tokens = list(sys.argv[1:] if arguments is None else arguments)
    tokens[:1] = [ALSO.get(noun, noun) for noun in tokens[:1]]
    if tokens and tokens[0] in NOUNS and tokens[1:] in ([], *([flag] for flag in app.help_flags)):
        app[tokens[0]].resolved_commands()  # verbs that wait to be loaded have no line in the help
    try:
        return do(lambda: app(tokens, exit_on_error=False, error_formatter=wrong_usage, result_action="return_value"))
    except CycloptsError:
        return 2


def do(work: Callable[[], object]) -> int:
    """What a command does; a user's mistake becomes a sentence and an exit code, never a traceback."""
    try:
        result = work()
    except GoldmarkError as error:
        from goldmark.cli.output import explain

        explain(error)
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        from goldmark.cli.output import RefusedBySystem, explain

        explain(RefusedBySystem(path=error.filename, reason=error.strerror))
        return 1
    return result if isinstance(result, int) else 0
