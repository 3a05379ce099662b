"""A protocol file to start from, with every part of the language that most people need."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from goldmark.errors import Conflict, Failed, GoldmarkError


class WouldOverwrite(Conflict):
    code = "PROTOCOL-03"
    message = "the file {file} is already there; choose another name or another --folder"


class CannotWriteProtocol(Failed):
    code = "PROTOCOL-04"
    message = "the file {file} cannot be written: {reason}"


class NotAProtocolName(GoldmarkError):
    code = "PROTOCOL-05"
    message = '"{name}" cannot be the name of a protocol; use small letters, digits and hyphens, such as my-ratings'


def write_starting_file(name: str, folder: Path) -> Path:
    """Write the starting file for a protocol of this name, over none that is there."""
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
    return file


def starting_file(name: str) -> str:
    """The commented starting file for a protocol of this name."""
    text = (resources.files("goldmark.protocols") / "starting.yaml").read_text(encoding="utf-8")
    return text.replace("my-protocol", name)
