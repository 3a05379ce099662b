"""Under which terms a dataset is released: a few well-known licences by name, or the text of any other."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from goldmark.errors import GoldmarkError


class UnknownLicence(GoldmarkError):
    code = "DATASET-12"
    message = '"{given}" is neither one of {known} nor a file with the text of a licence'


class Licence(NamedTuple):
    """Its short name (empty if none was chosen) and what the file LICENSE says."""

    name: str
    text: str


KNOWN = {
    "CC0-1.0": ("CC0 1.0 Universal (public domain)", "https://creativecommons.org/publicdomain/zero/1.0/legalcode"),
    "CC-BY-4.0": ("Creative Commons Attribution 4.0", "https://creativecommons.org/licenses/by/4.0/legalcode"),
    "CC-BY-SA-4.0": (
        "Creative Commons Attribution-ShareAlike 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/legalcode",
    ),
    "CC-BY-NC-4.0": (
        "Creative Commons Attribution-NonCommercial 4.0",
        "https://creativecommons.org/licenses/by-nc/4.0/legalcode",
    ),
    "ODC-BY-1.0": ("Open Data Commons Attribution 1.0", "https://opendatacommons.org/licenses/by/1-0/"),
    "Apache-2.0": ("Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    "MIT": ("MIT License", "https://opensource.org/license/mit"),
}
NONE = Licence(
    "",
    "No licence was chosen for this dataset. Without one nobody but its makers may copy, change or publish it.\n"
    "To choose one, build it again with --licence, for instance --licence CC-BY-4.0.\n",
)


def find_licence(given: str, *, files: bool = True) -> Licence:
    """A licence by its SPDX name or, where `files` is true, from a file."""
    if not given:
        return NONE
    known = {name.casefold(): name for name in KNOWN}
    name = known.get(given.casefold())
    if name:
        title, address = KNOWN[name]
        return Licence(name, f"{title}\nSPDX-License-Identifier: {name}\n\nThe terms are at {address}\n")
    path = Path(given)
    if files and path.is_file():
        return Licence("other", path.read_text(encoding="utf-8"))
    raise UnknownLicence(given=given, known=", ".join(KNOWN))
