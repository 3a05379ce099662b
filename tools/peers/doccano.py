"""doccano, run: a project of marks and relations and one of categories, answered by two people, exported as JSONL."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tools.peers.server import fine, free_port, install, running, wait_for

WANTED = ("doccano==1.8.4", "marshmallow<4", "numpy<2", "setuptools<81")
PASSWORD = "only-on-loopback"
TEXTS = (
    {"text": "The Owls 🎉 won on <b>Monday</b>.\nNobody minds.", "meta": {"system": "alder", "item": "g1"}},
    {"text": "狐狸 输了。", "meta": {"system": "birch", "item": "g1"}},
    {"text": "خسر الثعالب المباراة.", "meta": {"system": "alder", "item": "g2"}},
)


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    """The archives that doccano makes of its projects."""
    programs = install(environment, *WANTED)
    home = work / "home"
    home.mkdir()
    settings = {
        "DOCCANO_HOME": str(home),
        "DATABASE_URL": f"sqlite:///{home}/db.sqlite3",
        "MEDIA_ROOT": str(home / "media"),
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": "loopback",
        "STANDALONE": "True",
    }
    doccano, python = str(programs / "doccano"), str(programs / "python")
    for words in (["init"], ["createuser", "--username", "admin", "--password", PASSWORD]):
        with running([doccano, *words], work / f"{words[0]}.log", settings, work) as program:
            program.wait()
    port = free_port()
    # Django's own server: the one that doccano starts gives up on a machine that is busy.
    (backend,) = (programs.parent / "lib").glob("python*/site-packages/backend")
    serve = [python, "manage.py", "runserver", f"127.0.0.1:{port}", "--noreload"]
    with contextlib.ExitStack() as stack:
        log = work / "webserver.log"
        stack.enter_context(running(serve, log, settings, backend))
        stack.enter_context(running([doccano, "task", "--concurrency", "1"], work / "task.log", settings, work))
        address = f"http://127.0.0.1:{port}/v1"
        admin = stack.enter_context(httpx.Client(base_url=address, timeout=120))
        wait_for(admin, "/me", log)  # its page about health asks what it has no use for here
        _sign_in(admin, "admin")
        people = {}
        for name in ("ada", "bo"):
            said = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
            number = fine(admin.post("/users/create", json=said)).json()["id"]
            people[name] = (number, stack.enter_context(httpx.Client(base_url=address, timeout=120)))
            _sign_in(people[name][1], name)
        yield "marks.zip", _marks(admin, people)
        yield "categories.zip", _categories(admin, people)


def _sign_in(client: httpx.Client, name: str) -> None:
    key = fine(client.post("/auth/login/", json={"username": name, "password": PASSWORD})).json()["key"]
    client.headers["Authorization"] = f"Token {key}"
    client.cookies.clear()  # with a session of the page, calls would need its other secrets, too


def _project(admin: httpx.Client, people: Any, kind: str, **more: Any) -> tuple[str, list[int]]:
    said = {"name": kind, "description": "made by a script", "project_type": kind}
    said["resourcetype"] = f"{kind.replace('Document', 'Text')}Project"
    number = fine(admin.post("/projects", json={**said, **more})).json()["id"]
    here = f"/projects/{number}"
    annotator = next(one["id"] for one in fine(admin.get("/roles")).json() if one["name"] == "annotator")
    for user, _ in people.values():
        fine(admin.post(f"{here}/members", json={"user": user, "role": annotator}))
    return here, [fine(admin.post(f"{here}/examples", json=one)).json()["id"] for one in TEXTS]


def _marks(admin: httpx.Client, people: Any) -> bytes:
    here, texts = _project(admin, people, "SequenceLabeling", use_relation=True, allow_overlapping=True)
    labels = {name: _made(admin, f"{here}/span-types", name) for name in ("Wrong name", "Wrong number")}
    does = _made(admin, f"{here}/relation-types", "does")
    ada, bo = people["ada"][1], people["bo"][1]
    first, second, third = (f"{here}/examples/{one}" for one in texts)
    owls = _mark(ada, first, labels["Wrong name"], 4, 8)
    won = _mark(ada, first, labels["Wrong number"], 12, 15)  # places count as doccano's page counts: an emoji is two
    fine(ada.post(f"{first}/relations", json={"from_id": owls, "to_id": won, "type": does}))
    _mark(ada, second, labels["Wrong name"], 0, 2)
    _mark(bo, first, labels["Wrong name"], 22, 28)
    fine(bo.post(f"{here}/comments?example={texts[0]}", json={"text": "which Monday?", "example": texts[0]}))
    for text in (first, second, third):  # Ada confirmed all, the last without a mark; Bo only the first
        fine(ada.post(f"{text}/states", json={}))
    fine(bo.post(f"{first}/states", json={}))
    return _exported(admin, here)


def _categories(admin: httpx.Client, people: Any) -> bytes:
    here, texts = _project(admin, people, "DocumentClassification")
    labels = {name: _made(admin, f"{here}/category-types", name) for name in ("Good", "Bad", "Odd one")}
    for name, said in (("ada", ("Good", "Bad", "Good")), ("bo", ("Bad", "Odd one", "Good"))):
        client = people[name][1]
        for text, label in zip(texts, said, strict=True):
            fine(client.post(f"{here}/examples/{text}/categories", json={"label": labels[label]}))
            fine(client.post(f"{here}/examples/{text}/states", json={}))
    return _exported(admin, here)


def _made(admin: httpx.Client, path: str, name: str) -> int:
    return int(fine(admin.post(path, json={"text": name})).json()["id"])


def _mark(client: httpx.Client, text: str, label: int, start: int, end: int) -> int:
    said = {"start_offset": start, "end_offset": end, "label": label, "prob": 0}
    return int(fine(client.post(f"{text}/spans", json=said)).json()["id"])


def _exported(admin: httpx.Client, here: str) -> bytes:
    said = {"format": "JSONL", "exportApproved": True}
    task = fine(admin.post(f"{here}/download", json=said)).json()["task_id"]
    for _ in range(120):
        reply = fine(admin.get(f"{here}/download", params={"taskId": task}))
        if "json" not in reply.headers["content-type"]:
            return reply.content
        time.sleep(1)
    raise SystemExit("doccano's task queue did not export the project")
