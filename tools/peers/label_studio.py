"""Label Studio, run: tasks are sent through a project of it.

    python -m tools.peers.label_studio FOLDER     installs it there, which takes minutes and about a gigabyte

The slow tests use the folder that GOLDMARK_LABEL_STUDIO names.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tools.peers.server import fine, free_port, install, running, wait_for

WANTED = ("label-studio==1.23.2",)
_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that only this machine reaches, for a minute
USER, PASSWORD = "manager@example.org", "only-on-loopback"
EXPORTS = ("JSON", "JSON_MIN", "CSV")


@contextlib.contextmanager
def started(folder: Path, data: Path) -> Iterator[httpx.Client]:
    """A server with an empty database in `data`, and a client that is signed in."""
    port = free_port()
    environment = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_USERNAME": USER,
        "LABEL_STUDIO_PASSWORD": PASSWORD,
        "LABEL_STUDIO_USER_TOKEN": _TOKEN,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "0",
        "LATEST_VERSION_CHECK": "0",
    }
    program = str(install(folder, *WANTED) / "label-studio")
    log = data / "server.log"
    words = [program, "start", "--no-browser", "--port", str(port), "--log-level", "ERROR"]
    headers = {"Authorization": f"Token {_TOKEN}"}
    with (
        running(words, log, environment, data),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=120) as client,
    ):
        wait_for(client, "/health", log)
        yield client


def sent_through(client: httpx.Client, title: str, tasks: list[Any], config: str) -> dict[str, bytes]:
    """What Label Studio exports, in each of its formats, of a project with this config and these tasks."""
    made = client.post("/api/projects", json={"title": title[:50], "label_config": config})
    fine(made)
    project = made.json()["id"]
    fine(client.post(f"/api/projects/{project}/import", json=tasks))
    found: dict[str, bytes] = {}
    for name in EXPORTS:
        exported = client.get(f"/api/projects/{project}/export", params={"exportType": name})
        fine(exported)
        found[name] = exported.content
    return found


CONFIG = """<View><Header value="$question"/><Text name="story" value="$article"/>
<Labels name="errors" toName="story"><Label value="Wrong name"/><Label value="错误"/></Labels>
<Choices name="tone" toName="story" choice="single"><Choice value="kind"/><Choice value="très sec"/></Choices>
<Rating name="stars" toName="story" maxRating="5"/>
<TextArea name="right" toName="story" perRegion="true"/></View>"""
ARTICLES = (
    ("alder", "The Owls 🎉 won on <b>Monday</b> & left.\nNobody minds."),
    ("birch", "狐狸 🦊 输了。"),
    ("alder", "خسر الثعالب المباراة."),
)


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    """A project that is made there, with a longer question than text, and answered by two of its users."""
    with started(environment, work) as client:
        made = fine(client.post("/api/projects", json={"title": "owls", "label_config": CONFIG})).json()["id"]
        tasks = [
            {"article": article, "question": "Who won, and when, and where? " * 10, "system": system}
            for system, article in ARTICLES
        ]
        fine(client.post(f"/api/projects/{made}/import", json=tasks))
        listed = fine(client.get("/api/tasks", params={"project": made, "page_size": 10})).json()["tasks"]
        first, second, third = sorted(task["id"] for task in listed)
        bo = {"email": "bo@example.org", "username": "bo", "password": PASSWORD}
        number = fine(client.post("/api/users", json=bo)).json()["id"]
        marks = [
            *_mark("m1", ARTICLES[0][1], "Owls", "Wrong name", "Foxes"),
            *_mark("m2", ARTICLES[0][1], "Nobody", "错误", "<who>\n& why"),
            {"type": "relation", "from_id": "m1", "to_id": "m2", "direction": "right"},
        ]
        _answer(client, first, [*marks, *_said("très sec", 4)])
        _answer(client, second, [*_mark("m3", ARTICLES[1][1], "输了", "错误", ""), *_said("kind", 1)])
        _answer(client, third, _said("kind", 5))
        _answer(client, first, _said("kind", 2), completed_by=number)
        _answer(client, second, [], completed_by=number, was_cancelled=True)  # skipped
        params = {"exportType": "JSON"}
        yield "export.json", fine(client.get(f"/api/projects/{made}/export", params=params)).content
        yield "config.xml", CONFIG.encode()


def _answer(client: httpx.Client, task: int, result: list[Any], **more: Any) -> None:
    fine(client.post(f"/api/tasks/{task}/annotations/", json={"result": result, "lead_time": 12.5, **more}))


def _mark(own: str, text: str, words: str, label: str, right: str) -> list[dict[str, Any]]:
    """As its editor writes it: places in units of 16 bits, and the words."""
    units = text.encode("utf-16-le")
    start = units.index(words.encode("utf-16-le")) // 2
    place = {"start": start, "end": start + len(words.encode("utf-16-le")) // 2, "text": words}
    of = {"id": own, "to_name": "story"}
    made = [{**of, "from_name": "errors", "type": "labels", "value": {**place, "labels": [label]}}]
    said = {**of, "from_name": "right", "type": "textarea", "value": {**place, "text": [right]}}
    return [*made, *([said] if right else [])]


def _said(tone: str, stars: int) -> list[dict[str, Any]]:
    return [
        {"id": "t", "from_name": "tone", "to_name": "story", "type": "choices", "value": {"choices": [tone]}},
        {"id": "s", "from_name": "stars", "to_name": "story", "type": "rating", "value": {"rating": stars}},
    ]


if __name__ == "__main__":
    print(install(Path(sys.argv[1]), *WANTED))
