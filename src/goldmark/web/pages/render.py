"""Jinja templates, always autoescaped: everything in them may be hostile text."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket

from goldmark.languages import offered, speaking
from goldmark.web.pages import languages
from goldmark.web.pages.static_files import asset
from goldmark.web.question_kinds import scripts

WEB = Path(__file__).resolve().parents[1]
COMPILED = Path(cache_from_source(__file__)).parent


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates that were compiled lie beside compiled modules, where these may; one that has changed is compiled anew.

    Compiling takes more than drawing a page, and memory that the process keeps.
    """

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=CompiledTemplates(str(COMPILED)),
    )
    made.globals.update(kind_scripts=scripts, asset=asset)
    made.globals.update(
        _=languages.gettext,
        ngettext=languages.ngettext,
        bdi=languages.bdi,
        catalogue_json=languages.catalogue_json,
        direction=languages.direction,
        in_language=languages.in_language,
        languages=offered,
        speaking=speaking.get,
    )
    return made


def render(request: Request, template: str, **facts: Any) -> HTMLResponse:
    return HTMLResponse(environment().get_template(template).render(request=request, **facts))
