"""A stand-in for the server: the annotators' API over a list of units, in memory, with faults on demand.

The pages, scripts, headers and protocols are the real ones. What the real server does is tested with the real server;
this one lets a test say exactly what the page receives and when the connection fails.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from goldmark.languages import speaking
from goldmark.protocols import load, present, validate
from goldmark.protocols.language import Protocol
from goldmark.records.units import ShownUnit
from goldmark.web.pages.languages import Languages
from goldmark.web.pages.render import environment
from goldmark.web.pages.static_files import ADDRESS, Static
from goldmark.web.security_headers import SecurityHeaders


def now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass
class Study:
    """One annotator's campaign: units one after the other, answers as they were accepted."""

    protocol: Protocol
    units: list[dict[str, Any]]
    title: str = "A study of game reports"
    consent: str | None = None
    editing: bool = True
    consented: bool = False
    more: bool = False
    drafts: dict[int, dict[str, Any]] = field(default_factory=dict)
    accepted: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    languages: list[str] = field(default_factory=list)  # in which they were shown
    keys: list[str] = field(default_factory=list)  # of every submit that arrived, repetitions too
    faults: list[int] = field(default_factory=list)  # statuses that the next submits answer with
    deaf: bool = False  # drafts are not taken
    swallow: int = 0  # so many submits are accepted, but the reply gets lost

    def assignment(self, number: int) -> dict[str, Any]:
        answers = self.accepted.get(number, [])
        locks = any(step.locks for step in self.protocol.steps)
        return {
            "id": number,
            "state": "done" if answers else "active",
            "lease_until": now(),
            "unit": self.units[number - 1],
            "answers": answers[-1] if answers else None,
            "revision": len(answers),
            "draft": self.drafts.get(number),
            "locked": bool(answers) and locks,
        }

    def progress(self) -> dict[str, Any]:
        done = len(self.accepted)
        size = len(self.units)
        return {
            "done": done,
            "batch_size": size,
            "batch_done": done,
            "left_in_batch": size - done,
            "seconds_active": 95,
        }

    def next(self) -> dict[str, Any]:
        number = next((n for n in range(1, len(self.units) + 1) if n not in self.accepted), None)
        finished = None if number else {"why": "batch", "code": "K7QM-3XPA", "another": self.more}
        return {"assignment": number and self.assignment(number), "progress": self.progress(), "finished": finished}

    def work(self) -> dict[str, Any]:
        return {
            "campaign": {
                "title": self.title,
                "state": "running",
                "consent_html": self.consent,
                "editing": self.editing,
                "units": len(self.units),
            },
            "annotator": {"name": "", "state": "active", "consented": self.consented},
            "progress": self.progress(),
            "protocol": present(self.protocol, speaking.get()),
        }


class Stand:
    """The studies by token, and the address under which a browser finds them."""

    def __init__(self) -> None:
        self.studies: dict[str, Study] = {}
        self.address = ""

    def add(self, protocol: str | Protocol, *units: dict[str, Any], **more: Any) -> tuple[str, Study]:
        token = f"token-{len(self.studies) + 1}"
        loaded = load(protocol) if isinstance(protocol, str) else protocol
        self.studies[token] = Study(loaded, list(units), **more)
        return f"{self.address}/a/{token}", self.studies[token]

    def app(self) -> FastAPI:
        app = FastAPI()
        app.mount(ADDRESS, Static())
        app.add_middleware(SecurityHeaders)
        app.add_middleware(Languages)

        def study(request: Request) -> Study:
            return self.studies[request.headers["authorization"].removeprefix("Bearer ")]

        @app.get("/a/{token}")
        def page(token: str) -> HTMLResponse:
            facts = {"campaign": {"title": self.studies[token].title}, "token": token, "config": {"token": token}}
            return HTMLResponse(environment().get_template("annotator/work.html").render(**facts))

        @app.get("/join/{invite}")
        def join(invite: str) -> HTMLResponse:
            consent = "<p>We record your answers and the time they take.</p>" if invite == "consent" else ""
            facts = {"campaign": {"title": "A study"}, "consent_html": consent, "closed": "", "problem": "", "csrf": ""}
            return HTMLResponse(environment().get_template("annotator/join.html").render(**facts, named=False))

        @app.get("/api/v1/work")
        def work(request: Request) -> dict[str, Any]:
            return study(request).work()

        @app.post("/api/v1/work/consent")
        def consent(request: Request) -> dict[str, Any]:
            study(request).consented = True
            return study(request).work()

        @app.post("/api/v1/work/next")
        def following(request: Request) -> dict[str, Any]:
            return study(request).next()

        @app.post("/api/v1/work/batch")
        def batch(request: Request) -> dict[str, Any]:
            one = study(request)
            one.units.append(one.units[0])
            one.more = False
            return one.next()

        @app.get("/api/v1/work/assignments")
        def earlier(request: Request) -> dict[str, Any]:
            one = study(request)
            return {
                "assignments": [
                    {
                        "id": number,
                        "state": "done",
                        "revision": len(answers),
                        "finished_at": now(),
                        "preview": next(iter(one.units[number - 1]["texts"].values()))["characters"][:60],
                    }
                    for number, answers in sorted(one.accepted.items(), reverse=True)
                ]
            }

        @app.get("/api/v1/work/assignments/{number}")
        def look(number: int, request: Request) -> dict[str, Any]:
            return study(request).assignment(number)

        @app.put("/api/v1/work/assignments/{number}/draft")
        async def draft(number: int, request: Request) -> Response:
            one, body = study(request), await request.json()
            if one.deaf:
                return JSONResponse({"ok": False, "message": "out of order"}, status_code=503)
            held = one.drafts.get(number)
            if held and held["version"] > body["version"]:
                body = {"ok": False, "code": "DRAFT-01", "message": "another device saved a newer draft", "draft": held}
                return JSONResponse(body, status_code=409)
            saved = {**body, "version": body["version"] + 1, "saved_at": now()}
            one.drafts[number] = saved
            return JSONResponse({"version": saved["version"], "saved_at": saved["saved_at"]})

        @app.post("/api/v1/work/assignments/{number}/responses")
        async def submit(number: int, request: Request) -> Response:
            one, body = study(request), await request.json()
            if one.faults:
                return JSONResponse({"ok": False, "message": "out of order"}, status_code=one.faults.pop(0))
            found = list(validate(one.protocol, body["answers"], ShownUnit.from_json(one.units[number - 1])))
            if found:
                problems = [{"where": p.where, "part": p.part, "what": p.what, "remedy": p.remedy} for p in found]
                refusal = {"ok": False, "code": "PROBLEMS-01", "message": "not accepted", "problems": problems}
                return JSONResponse(refusal, status_code=422)
            if body["client_key"] not in one.keys:
                one.accepted.setdefault(number, []).append(body["answers"])
                one.drafts.pop(number, None)
            one.keys.append(body["client_key"])
            one.languages.append(body["language"])
            if one.swallow:
                one.swallow -= 1
                return JSONResponse({"ok": False, "message": "the reply was lost"}, status_code=502)
            accepted = {"assignment": number, "revision": len(one.accepted[number])}
            return JSONResponse({"accepted": accepted, "next": one.next()})

        return app


@contextmanager
def running() -> Iterator[Stand]:
    stand = Stand()
    server = uvicorn.Server(uvicorn.Config(stand.app(), host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    stand.address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield stand
    server.should_exit = True
    thread.join(5)
