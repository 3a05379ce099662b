"""potato, run: two people answer a task in a real browser, and the task's folder is what comes out of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tools.peers.browser import browser, person
from tools.peers.server import free_port, install, running, wait_for

WANTED = ("potato-annotation==2.12.1",)
CONFIG = """annotation_task_name: owls
task_dir: .
output_annotation_dir: annotation_output
output_annotation_format: jsonl
data_files: [items.jsonl]
item_properties: {id_key: key, text_key: body}
require_password: false
user_config: {allow_all_users: true, users: []}
site_dir: default
server: {host: 127.0.0.1}
annotation_schemes:
  - {annotation_type: radio, name: tone, description: "Which tone?", labels: [kind, rude]}
  - {annotation_type: multiselect, name: topics, description: "About what?", labels: [sport, weather]}
  - {annotation_type: likert, name: fluency, description: "How fluent?", size: 5, min_label: bad, max_label: good}
  - {annotation_type: select, name: place, description: "Where?", labels: [home, away]}
  - {annotation_type: slider, name: trust, description: "How sure?", min_value: 0, max_value: 10, starting_value: 5}
  - {annotation_type: number, name: count, description: "How many?"}
  - {annotation_type: text, name: why, description: "Why?"}
  - {annotation_type: span, name: errors, description: "Mark errors.", labels: [{name: name}, {name: number}]}
"""
TEXTS = ("The Owls 🎉 won on <b>Monday</b> & left.\nNobody minds.", "狐狸 输了。", "خسر الثعالب المباراة.")
SYSTEMS = ("alder", "birch", "alder")
_BY_THE_WAY = ("instance_id_to_behavioral_data", "training_state")  # every click, with times and the browser's name


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the task: its config, its data, and what potato wrote of the answers."""
    potato = str(install(environment, *WANTED) / "potato")
    (work / "config.yaml").write_text(CONFIG, encoding="utf-8")
    rows = [{"key": f"i{n}", "body": text, "system": SYSTEMS[n]} for n, text in enumerate(TEXTS)]
    (work / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    port, log = free_port(), work / "server.log"
    with running([potato, "start", "config.yaml", "-p", str(port)], log, {}, work):
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            wait_for(client, "/health", log)
        _answer(f"http://127.0.0.1:{port}/")
    for name in ("config.yaml", "items.jsonl"):
        yield name, (work / name).read_bytes()
    for found in sorted((work / "annotation_output").glob("*/user_state.json")):
        state = json.loads(found.read_bytes())
        kept = {name: value for name, value in state.items() if value and name not in _BY_THE_WAY}
        yield found.relative_to(work).as_posix(), json.dumps(kept, indent=1, ensure_ascii=False).encode()


def _answer(address: str) -> None:
    with browser() as opened:
        for name in ("ada", "bo"):
            page = person(opened, address)
            page.fill("#login-email", name)
            page.press("#login-email", "Enter")
            _one(page, name)


def _one(page: Page, person: str) -> None:
    """Ada answers all of the first text and marks the second and nothing in the third; Bo answers the first."""
    page.wait_for_selector("#tone_kind_radio")
    page.check("#tone_kind_radio" if person == "ada" else "#tone_rude_radio")
    page.check("#topics_sport_checkbox")
    page.check("#fluency_4_radio")
    page.select_option("#place_select-one_select", "away")
    page.fill("#trust_slider_range", "7")
    page.fill("#count_number_number", "12")
    page.fill("#why_text_box_text", "because\u00a0of <them>")
    page.keyboard.press("Tab")
    if person == "ada":
        page.check("#topics_weather_checkbox")
        _mark(page, "name", "Owls")
        _mark(page, "number", "Nobody")
    _next(page)
    if person == "ada":
        page.check("#tone_rude_radio")
        _mark(page, "name", "狐狸")
        _next(page)
        page.check("#tone_kind_radio")
        _next(page)


def _mark(page: Page, label: str, words: str) -> None:
    """As somebody does with the mouse: choose the label, select the words, let the button go."""
    page.click(f'label[for="errors_{label}"]')
    page.evaluate(
        """words => {
            const text = document.querySelector("#text-content");
            const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf(words);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at);
                range.setEnd(walk.currentNode, at + words.length);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                text.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
                return;
            }
            throw new Error("not in the text");
        }""",
        words,
    )
    page.wait_for_timeout(3000)


def _next(page: Page) -> None:
    page.wait_for_timeout(2500)  # the page saves a moment after the last change
    page.click("#next-btn")
    page.wait_for_timeout(4000)
