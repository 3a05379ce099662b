"""The documentation, and the description of the API: for everybody to read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import FileResponse, RedirectResponse, Response

from goldmark.errors import Missing
from goldmark.web import documentation
from goldmark.web.pages.frame import page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsIfSignedIn

router = Pages()


class NoSuchPage(Missing):
    code = "DOCS-01"
    message = "the documentation has no page {path!r}; begin at /docs/"


@router.get("/api/docs")
def describe_api(visit: ReadsIfSignedIn) -> Response:
    return page(visit, "api_docs.html")


@router.get("/docs")
@router.get("/docs/{path:path}")
def read(visit: ReadsIfSignedIn, path: str = "", q: Annotated[str, Query(max_length=200)] = "") -> Response:
    address = documentation.ADDRESS + path
    if path in documentation.files():
        return FileResponse(documentation.root() / "docs" / path)
    found = documentation.page_at(address)
    if found is None or visit.request.url.path == "/docs":
        if documentation.page_at(f"{address.rstrip('/')}/") is None:
            raise NoSuchPage(path=path[:200])
        return RedirectResponse(f"{address.rstrip('/')}/", status_code=307)
    return page(
        visit,
        "documentation.html",
        found=found,
        here=address,
        navigation=documentation.navigation(),
        words=q.strip(),
        results=documentation.search(q),
    )
