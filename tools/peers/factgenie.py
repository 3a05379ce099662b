"""factgenie, run: two people, and a manager who tries the page, mark outputs in a real browser; archives come out.

It keeps everything inside its own package, so what an earlier run left there is removed first.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

from tools.peers.browser import browser, person
from tools.peers.server import fine, free_port, install, running, wait_for

WANTED = ("factgenie==1.2.1", "setuptools<81")
GAME, SPLIT = "games", "test"
INPUTS = ("Owls - Foxes 88-79, on a Monday in March, in front of an empty hall. " * 4, "فاز البوم", "狐狸 与 猫头鹰")
OUTPUTS = {
    "alder": (
        "The Owls 🎉 won on <b>Monday</b> & left &amp; slept.\nNobody minds.",
        "خسر الثعالب 🦊 المباراة.",
        "狐狸 输了。",
    ),
    "birch": ("Owls won.", "فاز الفريق.", "猫头鹰 赢了。"),
}
CONFIG: dict[str, Any] = {
    "annotatorInstructions": "Mark **every** error.",
    "finalMessage": "Thanks.",
    "examplesPerBatch": 6,
    "annotatorsPerExample": 3,
    "idleTime": 60,
    "annotationOverlapAllowed": True,
    "annotateReason": True,
    "service": "local",
    "sortOrder": "keep-all",
    "annotationSpanCategories": [
        {"name": "Wrong name", "color": "#f00", "description": "Somebody else."},
        {"name": "错误", "color": "#0f0", "description": ""},
    ],
    "flags": ["Off topic?"],
    "options": [{"label": "Tone", "values": ["kind", "très sec"]}],
    "sliders": [{"label": "Quality", "min": 1, "max": 5, "step": 1}],
    "textFields": ["Remarks"],
}


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    """The archives of two campaigns, of which one marks words and one characters."""
    programs = install(environment, *WANTED)
    (package,) = (programs.parent / "lib").glob("python*/site-packages/factgenie")
    for left in ("campaigns", f"data/inputs/{GAME}", f"data/outputs/{GAME}", "data/datasets.yml"):
        shutil.rmtree(package / left, ignore_errors=True)
        (package / left).unlink(missing_ok=True)
    said = {"name": GAME, "description": "made by a script", "format": "text", "dataset": {SPLIT: "\n".join(INPUTS)}}
    chosen = [{"dataset": GAME, "split": SPLIT, "setup_id": system} for system in OUTPUTS]
    with _served(programs, work) as client:
        _ok(client.post("/upload_dataset", json=said))
        _write_outputs(package / "data" / "outputs" / GAME)
        for granularity in ("words", "chars"):
            config = {**CONFIG, "annotationGranularity": granularity}
            asked = {"campaignId": granularity, "campaignData": chosen, "config": config}
            _ok(client.post("/crowdsourcing/create", json=asked))
    with browser() as opened:
        # A manager who looks at the page as annotators see it is nobody, and may press the button, too.
        for granularity, name in (("words", "ada"), ("words", "bo"), ("words", ""), ("chars", "ada"), ("chars", "bo")):
            with _served(programs, work) as client:  # anew, as it falls over the first file of answers that it meets
                whose = f"?annotatorId={name}" if name else ""
                _annotate(person(opened, f"{client.base_url}/annotate/{granularity}{whose}"), name)
    with _served(programs, work) as client:
        for granularity in ("words", "chars"):
            for path, content in _unpacked(client.get(f"/export_campaign_outputs/{granularity}")):
                if not path.startswith("pages/"):  # its own page, which says nothing of answers
                    yield f"{granularity}/{path}", content
        for path, content in _unpacked(client.get("/export_dataset", params={"dataset_id": GAME})):
            yield f"words/{GAME}/{path}", content


def _unpacked(reply: httpx.Response) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(fine(reply).content)) as archive:
        yield from ((name, archive.read(name)) for name in sorted(archive.namelist()))


@contextlib.contextmanager
def _served(programs: Path, work: Path) -> Iterator[httpx.Client]:
    port, log = free_port(), work / "server.log"
    serve = [str(programs / "factgenie"), "run", "--host", "127.0.0.1", "--port", str(port)]
    with running(serve, log, {}, work), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
        wait_for(client, "/about", log)
        yield client


def _ok(reply: httpx.Response) -> None:
    if fine(reply).json().get("success") is not True:
        raise SystemExit(reply.text[:2000])


def _write_outputs(folder: Path) -> None:
    """As files: what is uploaded cannot have an output of several lines."""
    folder.mkdir(parents=True)
    for system, outputs in OUTPUTS.items():
        rows = [
            {"dataset": GAME, "split": SPLIT, "setup_id": system, "example_idx": number, "output": output}
            for number, output in enumerate(outputs)
        ]
        written = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (folder / f"{SPLIT}-{system}.jsonl").write_text(written, encoding="utf-8")


def _annotate(page: Page, name: str) -> None:
    """Ada marks and answers all; Bo finds nothing to mark."""
    page.on("dialog", lambda dialog: dialog.accept())
    page.wait_for_selector("#hideOverlayBtn:not([disabled])")
    page.click("#hideOverlayBtn")
    page.wait_for_selector("#overlay-start", state="hidden")
    for number in range(6):
        page.wait_for_selector(f"#out-text-{number}-par .annotatable")
        if name == "ada" and number == 0:
            _mark(page, number, 1, "Owls", "which owls?")
            _mark(page, number, 2, "Monday", "")
            _mark(page, number, 2, "Nobody", "<nobody>\n& co")
        if name == "ada" and number == 1:
            _mark(page, number, 1, "المباراة", "خطأ")
        page.evaluate("(yes) => { document.querySelector('#checkbox-0').checked = yes }", name == "ada")
        page.select_option("#select-crowdsourcing-0", "1" if name == "ada" else "0")
        page.fill("#slider-crowdsourcing-0", "4")
        page.dispatch_event("#slider-crowdsourcing-0", "input")
        page.fill("#textbox-crowdsourcing-0", f"{name} 🎉 <b>")
        page.evaluate("markAnnotationAsComplete()")
    with page.expect_response("**/submit_annotations"):
        page.evaluate("submitAnnotations()")


def _mark(page: Page, number: int, category: int, words: str, reason: str) -> None:
    """As somebody does with the mouse: choose the category, press, draw, let go; then say why."""
    page.click(f'label[for="btnradio{category}"]')
    places = page.evaluate(
        """([number, words]) => {
            const spans = [...document.querySelectorAll(`#out-text-${number}-par .annotatable`)];
            const text = spans.map(span => span.dataset.content + (span.dataset.whitespace || "")).join("");
            const start = text.indexOf(words), end = start + words.length;
            const of = at => spans.filter(span => Number(span.dataset.index) <= at).pop().firstChild;
            return [of(start), of(end - 1)].map(words => {
                const range = document.createRange();
                range.selectNode(words);
                const box = range.getClientRects()[0];
                return [box.x + box.width / 2, box.y + box.height / 2];
            });
        }""",
        [number, words],
    )
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=3)
    page.mouse.up()
    page.wait_for_selector("#annotation-reason-modal.show")
    if reason:
        page.fill("#annotation-reason-input", reason)
        page.click("#annotation-reason-modal .btn-primary")
    else:
        page.click("#annotation-reason-modal .btn-secondary")
    page.wait_for_selector(".modal-backdrop", state="detached")
