"""`goldmark protocol`: check, list, show and start protocols."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.output import print_json, talk
from goldmark.errors import GoldmarkError, Kind

if TYPE_CHECKING:
    from goldmark.errors import Problem

app = App(name="protocol", help="Check, show and list protocols.")

AsJson = Annotated[bool, Parameter(name="--json", negative=(), help="Write data for machines.")]


class WouldOverwrite(GoldmarkError):
    code = "PROTOCOL-03"
    kind = Kind.CONFLICT
    message = "the file {file} is already there; choose another name or another --folder"


class CannotWriteProtocol(GoldmarkError):
    code = "PROTOCOL-04"
    kind = Kind.FAILED
    message = "the file {file} cannot be written: {reason}"


class NotAProtocolName(GoldmarkError):
    code = "PROTOCOL-05"
    message = '"{name}" cannot be the name of a protocol; use small letters, digits and hyphens, such as my-ratings'


@app.command
def check(
    files: Annotated[list[Path], Parameter(help="Protocol files (YAML).")],
    /,
    *,
    json: AsJson = False,
) -> int:
    """Say everything that is wrong with protocol files, with line and suggestion; nothing is changed."""
    from goldmark.errors import ProblemsFound
    from goldmark.protocols import check as check_protocol

    problems: list[Problem] = [problem for file in files for problem in check_protocol(file)]
    if json:
        print_json({"ok": not problems, "problems": [_problem(problem) for problem in problems]})
        return 1 if problems else 0
    if problems:
        raise ProblemsFound(problems, consequence="the protocol cannot be used yet")
    talk(f"no problem found in {', '.join(map(str, files))}")
    for file in files:
        _tell_order(file)
    return 0


def _tell_order(file: Path) -> None:
    """Of a comparison: whether the order of its texts is drawn, and if not, why."""
    from goldmark.protocols import load
    from goldmark.protocols.shown_order import AsGiven, pair_of

    protocol = load(file)
    if any(question.kind == "compare" for question in protocol.questions()):
        pair = pair_of(protocol)
        told = f"shown as given, because {pair.why}" if isinstance(pair, AsGiven) else "shown in an order that is drawn"
        talk(f"{file}: its two texts are {told}")


def _problem(problem: Problem) -> dict[str, str]:
    return {"where": problem.where, "what": problem.what, "remedy": problem.remedy, "part": problem.part}


@app.command(name="list")
def list_(*, json: AsJson = False) -> None:
    """List the built-in protocols."""
    from goldmark.protocols import builtin_names, load

    protocols = [load(name) for name in builtin_names()]
    if json:
        print_json([_summary(protocol) for protocol in protocols])
        return
    width = max(len(protocol.id) for protocol in protocols)
    for protocol in protocols:
        print(f"{protocol.id:<{width}}  {protocol.summary}")


def _summary(protocol: Any) -> dict[str, Any]:
    return {
        "protocol": protocol.id,
        "title": protocol.title,
        "summary": protocol.summary,
        "texts": list(protocol.texts),
        "questions": [question.id for question in protocol.questions()],
        "digest": protocol.digest,
    }


@app.command
def show(
    name: Annotated[str, Parameter(help="A built-in protocol, such as accuracy or accuracy/1, or a YAML file.")],
    /,
    *,
    json: Annotated[bool, Parameter(negative=(), help="What an annotator's page receives, as JSON.")] = False,
    resolved: Annotated[bool, Parameter(negative=(), help="With everything that it extends put in, as JSON.")] = False,
) -> None:
    """Print a protocol: its text, or what a page receives of it."""
    from goldmark.protocols import load, present

    protocol = load(name)
    if json:
        print_json(present(protocol))
    elif resolved:
        print_json(protocol.resolved)
    else:
        sys.stdout.write(protocol.source)
    talk(f"{protocol.id}: {protocol.title}. Digest {protocol.digest}")


@app.command
def schema() -> None:
    """Print the JSON Schema of protocol files, for editors."""
    from goldmark.protocols.schema import schema_text

    sys.stdout.write(schema_text())


@app.command
def new(
    name: Annotated[str, Parameter(help="The protocol's name: small letters, digits and hyphens.")],
    /,
    *,
    folder: Annotated[Path, Parameter(help="Where to write NAME.yaml.")] = Path(),
) -> None:
    """Write a commented protocol file to start from."""
    import re

    from goldmark.protocols.starting import starting_file

    if not re.fullmatch(r"[a-z][a-z0-9-]{0,63}", name):
        raise NotAProtocolName(name=name)
    file = folder / f"{name}.yaml"
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(starting_file(name))
    except FileExistsError:
        raise WouldOverwrite(file=file) from None
    except OSError as error:
        raise CannotWriteProtocol(file=file, reason=error.strerror) from None
    talk(f"wrote {file}; change it, then run: goldmark protocol check {file}")
