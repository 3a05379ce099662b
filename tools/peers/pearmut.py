"""pearmut, run: people mark and score in a real browser, and what comes out is what its dashboard downloads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Locator, Page

from tools.peers.browser import browser, person
from tools.peers.server import fine, free_port, install, running, wait_for

WANTED = ("pearmut==1.1.6",)
PYTHON = "3.12"  # the oldest that it runs with
TOKEN = "only-on-loopback"
SOURCE = "Die Eulen haben gewonnen, am Montag, und sind dann gegangen; es machte niemandem etwas aus. " * 3
OWLS = "The Owls 🎉 won on <b>Monday</b> & left.\nNobody minds."
PAGES: list[list[dict[str, Any]]] = [
    [
        {
            "src": SOURCE,
            "ref": "The owls won\non Monday.",
            "tgt": {"alder": OWLS, "birch": "狐狸 输了。\n真的"},
            "item_id": "g1",
            "domain": "sport",
        },
        {"src": "Die Füchse verloren.", "tgt": {"alder": "خسر الثعالب 🦊 المباراة.", "birch": "Foxes lost."}},
    ]
]
CAMPAIGNS: list[dict[str, Any]] = [
    {
        "campaign_id": "categories",
        "info": {
            "protocol": "MQM",
            "mqm_categories": {"Accuracy": ["Wrong name", "误译"], "Style/其他": []},
            "mqm_severities": ["Minor", "Major", "Kritisch"],
            "special_tokens": ["[missing]", "[untranslated]"],
            "textfield": "visible",
            "instructions": "Mark <b>every</b> error.",
        },
        "data_welcome": [[{"text": "Your language?", "form": "string"}]],
    },
    {"campaign_id": "marks", "info": {"protocol": "ESA", "sliders": []}},
    {
        "campaign_id": "sliders",
        "info": {
            "protocol": "DA",
            "sliders": [
                {"name": "Fluency", "min": 1, "max": 5, "step": 1},
                {"name": "意思", "min": 0, "max": 100, "step": 1},
            ],
        },
    },
]


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    """What its dashboard gives of three campaigns: the annotations, and what was asked."""
    programs = install(environment, *WANTED, python=PYTHON)
    settings = {"PEARMUT_ROOT": str(work)}
    for one in CAMPAIGNS:
        name = one["campaign_id"]
        info = {"assignment": "task-based", "users": ["ada", "bo"], "seed": 7, **one["info"]}
        written = {**one, "token": TOKEN, "info": info, "data": [PAGES, PAGES]}
        (work / f"{name}.json").write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
        adding = [str(programs / "pearmut"), "add", f"{name}.json"]
        with running(adding, work / f"{name}.log", settings, work) as program:
            program.wait()
    port, log = free_port(), work / "server.log"
    serve = [str(programs / "python"), "-m", "uvicorn", "pearmut.app:app", "--host", "127.0.0.1", "--port", str(port)]
    with (
        running(serve, log, settings, work),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client,
        browser() as opened,
    ):
        wait_for(client, "/annotate", log)

        def page(campaign: str, name: str) -> Page:
            return person(opened, f"http://127.0.0.1:{port}/annotate?campaign_id={campaign}&user_id={name}")

        _categories(page("categories", "ada"))
        _bo_marks_nothing(page("categories", "bo"))
        _marks(page("marks", "ada"))
        _next(page("marks", "bo"))  # nothing is wrong, and nothing else is asked
        _sliders(page("sliders", "ada"), 4, 80)
        _sliders(page("sliders", "bo"), 1, 0)
        fine(client.post("/reset-campaign", json={"campaign_id": "sliders", "user_id": "bo", "token": TOKEN}))
        _sliders(page("sliders", "bo"), 2, 5)
        for one in CAMPAIGNS:
            name = one["campaign_id"]
            for what in ("annotations", "campaigns"):
                reply = client.get(f"/download-{what}", params={"campaign_id": name})
                yield f"{name}/{what}.json", fine(reply).content


def _output(page: Page, item: int, model: str) -> Locator:
    return page.locator(".output_block").nth(item).locator(f'.output_candidate[data-model="{model}"]')


def _mark(page: Page, output: Locator, text: str, words: str, *chosen: str) -> None:
    """Click the first and the last character, as somebody does, then what is asked about the mark."""
    units = text.encode("utf-16-le")
    start = units.index(words.encode("utf-16-le")) // 2
    ends = (start, start + len(words.encode("utf-16-le")) // 2 - 1)
    for place in ends:
        output.locator(f'.tgt_char[data-i="{place}"]').dispatch_event("click")
    _say(page, *chosen)


def _say(page: Page, severity: str, *categories: str) -> None:
    box = page.locator(".span_toolbox_parent").last
    for place, category in enumerate(categories):
        box.locator("select").nth(place).select_option(category, force=True)
    box.locator(f'input[value="{severity}"]').dispatch_event("click")


def _score(output: Locator, value: int, slider: str = "") -> None:
    of = f'[data-slider="{slider}"]' if slider else ""
    output.locator(f"input[type=range]{of}").fill(str(value))
    output.locator(f"input[type=range]{of}").dispatch_event("change")


def _next(page: Page) -> None:
    page.wait_for_function("document.querySelector('#button_next')?.value.includes('✅')")
    with page.expect_response("**/log-response"):
        page.locator("#button_next").dispatch_event("click")
    page.wait_for_timeout(500)


def _form(page: Page, words: str) -> None:
    page.fill(".form-input", words)
    _next(page)
    page.wait_for_selector(".output_candidate")


def _categories(page: Page) -> None:
    _form(page, "Deutsch")
    first = _output(page, 0, "alder")
    _mark(page, first, OWLS, "Owls", "Minor", "Accuracy", "Wrong name")
    _mark(page, first, OWLS, "Nobody", "Kritisch", "Style/其他")
    first.locator(".special_token").nth(1).dispatch_event("click")
    _say(page, "Major", "Accuracy", "误译")
    first.locator("textarea").fill("which\nMonday?")
    _score(first, 40)
    _mark(page, _output(page, 0, "birch"), "狐狸 输了。\n真的", "真的", "Minor", "Accuracy", "误译")
    _score(_output(page, 0, "birch"), 0)
    _mark(page, _output(page, 1, "alder"), "خسر الثعالب 🦊 المباراة.", "المباراة", "Major", "Accuracy", "Wrong name")
    _score(_output(page, 1, "alder"), 70)
    _score(_output(page, 1, "birch"), 100)
    page.locator("#settings_comment").evaluate("(field) => { field.value = 'a hard page' }")
    _next(page)


def _bo_marks_nothing(page: Page) -> None:
    _form(page, "中文")
    for item in (0, 1):
        for model in ("alder", "birch"):
            _score(_output(page, item, model), 90)
    _next(page)


def _marks(page: Page) -> None:
    page.wait_for_selector(".output_candidate")
    _mark(page, _output(page, 0, "alder"), OWLS, "Nobody minds", "Major")
    _next(page)


def _sliders(page: Page, fluency: int, meaning: int) -> None:
    page.wait_for_selector(".output_candidate")
    for item in (0, 1):
        for model in ("alder", "birch"):
            _score(_output(page, item, model), fluency, "Fluency")
            _score(_output(page, item, model), meaning, "意思")
    _next(page)
