"""`goldmark protocol`: check, list, show and start protocols."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import Call, Flag, Output
from goldmark.cli.output import emit, emit_check, parts, print_json, talk
from goldmark.errors import ProblemsFound

app = App(name="protocol", help="Check, show, list and save protocols.")


@app.command
def check(
    files: Annotated[list[Path], Parameter(help="Protocol files (YAML).")], /, *, output: Output = Output()
) -> int:
    """Say everything that is wrong with protocol files, with line and suggestion; nothing is changed."""
    from goldmark.protocols import check as check_protocol
    from goldmark.protocols import load
    from goldmark.protocols.shown_order import told_order

    def look() -> tuple[dict[str, Any], str]:
        problems = [problem for file in files for problem in check_protocol(file)]
        if problems:
            raise ProblemsFound(problems, consequence="the protocol cannot be used yet")
        orders = (f"{file}: {order}" for file in files if (order := told_order(load(file))))
        return {}, "\n".join((f"no problem found in {', '.join(map(str, files))}", *orders))

    return emit_check(output, look)


@app.command(name="list")
def list_(*, output: Output = Output()) -> None:
    """List the built-in protocols."""
    from goldmark.protocols import builtin_names, load

    protocols = [load(name) for name in builtin_names()]
    width = max(len(protocol.id) for protocol in protocols)
    rows = [
        {"protocol": one.id, "questions": [question.id for question in one.questions()]}
        | parts(one, "title", "summary", "texts", "digest")
        for one in protocols
    ]
    emit(output, rows, lines=(f"{one.id:<{width}}  {one.summary}" for one in protocols))


@app.command
def show(
    name: Annotated[str, Parameter(help="A built-in protocol, such as accuracy or accuracy/1, or a YAML file.")],
    /,
    *,
    json: Annotated[Flag, Parameter(help="What an annotator's page receives, as JSON.")] = False,
    resolved: Annotated[Flag, Parameter(help="With everything that it extends put in, as JSON.")] = False,
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
    from goldmark.protocols.loading.json_schema import schema_text

    sys.stdout.write(schema_text())


@app.command
def new(
    name: Annotated[str, Parameter(help="The protocol's name: small letters, digits and hyphens.")],
    /,
    *,
    folder: Annotated[Path, Parameter(help="Where to write NAME.yaml.")] = Path(),
) -> None:
    """Write a commented protocol file to start from."""
    from goldmark.protocols.loading.starter import write_starting_file

    file = write_starting_file(name, folder)
    talk(f"wrote {file}; change it, then run: goldmark protocol check {file}")


@app.command
def save(files: Annotated[list[Path], Parameter(help="Protocol files (YAML).")], /, *, call: Call = Call()) -> None:
    """Keep protocols of your own on the server, where the browser offers them for new campaigns; all or none.

    One that a campaign asks never changes: a change gets a new version.
    """
    from goldmark.campaigns.definition.protocols import save_protocol
    from goldmark.cli.store import opened
    from goldmark.protocols import load

    given = [load(file) for file in files]
    with opened(call) as store:
        kept = store.write(lambda connection: [save_protocol(connection, one) for one in given])
    emit(call, [{"protocol": one.id, **parts(one, "title", "digest")} for one in kept])
    talk(f"saved {', '.join(one.id for one in kept)}")
