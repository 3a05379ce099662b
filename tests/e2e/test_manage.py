"""Managers' pages in a real browser against the real server: from the first link to the exported answers."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import Page, expect

from goldmark.accounts.roles import Role
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.people.annotators import join
from goldmark.people.participants import Arrival
from goldmark.web.app import create_app
from goldmark.web.services import Services
from goldmark.web.sign_in import SESSION
from tests.databases import fresh
from tests.e2e.conftest import press, until
from tests.e2e.test_access import clean
from tests.web.house import PASSWORD, House, build
from tests.web.test_proofs import age

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

NARROW: Any = {"viewport": {"width": 360, "height": 740}}
TEXTS = b'{"id": "g1", "text": "The Foxes won by nine.", "system": "alder"}\n{"id": "g2", "text": "It rained at noon."}'


class Served:
    """The application behind a real socket."""

    def __init__(self, services: Services) -> None:
        # Its own application: two servers at the same time would take each other's database for theirs.
        config = uvicorn.Config(create_app(services), host="127.0.0.1", port=0, log_level="warning")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)
        self.address = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(5)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    built = build(fresh(tmp_path_factory.mktemp("house")))
    served = Served(built.services)
    yield built, served.address
    served.stop()


def signed_in(house: tuple[House, str], role: str) -> dict[str, Any]:
    """Options of a browser profile in which this role is signed in."""
    built, address = house
    secret = built.services.accounts.session_for(built.accounts[role].id)
    return {"cookies": [cookie(secret, address)]}


def cookie(secret: str, address: str) -> dict[str, Any]:
    host = address.partition("//")[2].partition(":")[0]
    return {
        "name": SESSION,
        "value": secret,
        "domain": host,
        "path": "/",
        "expires": -1,
        "httpOnly": True,
        "secure": False,
        "sameSite": "Lax",
    }


def answer(link: str) -> None:
    """Someone with a personal link marks one word."""
    base, _, token = link.rpartition("/a/")
    headers = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{base}/api/v1/work", headers=headers) as client:
        task = client.post("/next").json()["assignment"]
        mistake = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}
        body = {"answers": {"mistakes": [mistake]}, "client_key": "browser-test", "seconds_active": 20}
        assert client.post(f"/assignments/{task['id']}/responses", json=body).status_code == 200


def test_a_protocol_of_ones_own_is_written_beside_the_page_it_makes(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    owner = services.accounts.create("Ada", Role.OWNER, None, author="test")
    served = Served(services)
    secret = services.accounts.session_for(owner.id)
    page = visit(f"{served.address}/protocols", cookies=[cookie(secret, served.address)])
    page.get_by_role("link", name="Copy accuracy/1", exact=True).click()
    shown = page.frame_locator("iframe")
    expect(shown.get_by_role("button", name="Other")).to_be_visible()
    page.get_by_label("One more category").fill("Tense")
    page.get_by_label("Key", exact=True).fill("t")
    page.get_by_role("button", name="Add category").click()
    expect(shown.get_by_role("button", name="Tense")).to_be_visible()
    _change_what_is_there(page)
    page.locator("#source").focus()
    press(page, "Control+End")
    page.keyboard.type("stepps: 3\n")
    expect(shown.get_by_text("stepps")).to_be_visible()
    expect(page.locator("#source")).to_be_focused()  # what is shown does not take the focus from who writes
    shown.get_by_role("link", name="line").first.click()
    assert page.evaluate("getSelection().toString() || source.value.slice(source.selectionStart, source.selectionEnd)")
    press(page, "Delete")
    expect(shown.get_by_role("button", name="Tense")).to_be_visible()
    shown.locator(".w", has_text="Friday").click()
    shown.get_by_role("button", name="Tense").click()
    shown.get_by_role("textbox", name="Correction").fill("Saturday")
    shown.get_by_role("button", name="Submit").click()
    expect(shown.get_by_role("heading", name="This was a preview")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("The protocol was saved")
    page.get_by_role("link", name="Use it in a new campaign").click()
    expect(page.get_by_label("Protocol", exact=True)).to_have_value("my-accuracy/1")
    served.stop()


def _change_what_is_there(page: Page) -> None:
    """Categories, what is preferred, a text of the training, a translation: each in its field, each taken back."""
    shown, source = page.frame_locator("iframe"), page.locator("#source")
    page.get_by_role("button", name="Prefer Tense more").click()
    expect(source).to_have_value(re.compile(r"- TENSE\n +- OTHER"))
    expect(shown.get_by_text("prefer the first of:")).to_contain_text("Not checkable, Tense, Other")
    page.locator(".labels-list summary").filter(has_text="NAME").click()
    page.get_by_label("Title of Name").fill("Proper name")
    page.get_by_label("Key of Name").fill("p")  # the one field is not lost while the other is on its way
    page.get_by_label("One more category").fill("half writ")  # nor is what is not added yet
    expect(shown.get_by_role("button", name="Proper name")).to_be_visible()
    expect(source).to_have_value(re.compile("key: p"))
    page.locator(".labels-list summary").filter(has_text="CONTEXT").click()
    page.get_by_role("button", name="Remove Context").click()
    expect(shown.get_by_role("button", name="Context")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(shown.get_by_role("button", name="Context")).to_be_visible()
    expect(page.get_by_label("One more category")).to_have_value("half writ")
    page.get_by_label("One more category").fill("")
    page.get_by_role("heading", name="Training and qualification").click()
    page.get_by_label("Its text").fill("The Owls lost on Sunday.")
    page.get_by_label("What is to be marked").fill("Sunday | NAME | Saturday")
    page.get_by_role("button", name="Add text").click()
    page.get_by_text("The Owls lost on Sunday.", exact=True).first.click()
    page.get_by_label("To be marked").first.fill("Sunday | NAME | Friday | so it was")
    press(page, "Tab")
    expect(source).to_have_value(re.compile("because: so it was"))
    page.get_by_role("heading", name="Other languages").click()
    page.get_by_label("Its code").fill("de")
    press(page, "Enter")
    page.locator("[data-part='translation/de'] summary").click()
    page.get_by_label("Proper name", exact=True).fill("Eigenname")
    press(page, "Tab")
    expect(source).to_have_value(re.compile("Proper name: Eigenname"))


@pytest.mark.slow
def test_from_the_first_link_to_the_export(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    served = Served(services)
    page = visit(f"{served.address}/link/{services.accounts.one_time_link(None)}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Password", exact=True).fill("four unrelated words")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", "text")
    page.get_by_role("button", name="Make the account").click()

    page.get_by_role("link", name="Make the first one").click()
    page.get_by_label("Title").fill("Games")
    page.get_by_label("Short name").fill("games")
    page.get_by_label("Texts").set_input_files({"name": "texts.jsonl", "mimeType": "text/plain", "buffer": TEXTS})
    page.get_by_label("People to invite").fill("Bo\nCleo")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("The campaign was created")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible()

    page.get_by_role("link", name="People", exact=True).click()
    link = page.get_by_label("link for Bo").input_value()
    page.get_by_role("link", name="Overview").click()
    expect(page.locator("#progress")).to_contain_text("0 of 2 labels done")
    answer(link)
    expect(page.locator("#progress")).to_contain_text("1 of 2 labels done")  # by itself

    page.get_by_role("link", name="Texts", exact=True).click()
    page.get_by_role("link", name="Responses").click()
    page.get_by_role("row").nth(1).get_by_role("link").click()
    expect(page.locator(".words .badge")).to_have_text("N")
    expect(page.get_by_label("Answers of revision 1")).to_contain_text("Herons")

    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download as jsonl").click()
    assert waiting.value.suggested_filename == "games.jsonl"
    assert "Herons" in Path(waiting.value.path()).read_text("utf-8")

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password", exact=True).fill("four unrelated words")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    served.stop()


SLOW_REPLIES = """() => {
  const whole = Response.prototype.text;
  Response.prototype.text = async function () {
    const told = await whole.call(this);
    await new Promise((go) => setTimeout(go, 300));
    setTimeout(() => document.body.dataset.replies = "seen");
    return told;
  };
}"""


def test_suggestions_with_a_new_campaign_and_later(tmp_path: Path, visit: Visit) -> None:
    """What was chosen stays chosen when the list is refused; whoever works meets what was given before they came."""
    services = Services.open(fresh(tmp_path))
    served = Served(services)
    columns = "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END"

    def found(*rows: str) -> Any:
        content = "\n".join((f"{columns},TYPE,CORRECTION,COMMENT", *rows)).encode()
        return {"name": "found.csv", "mimeType": "text/csv", "buffer": content}

    page = visit(f"{served.address}/link/{services.accounts.one_time_link(None)}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Password", exact=True).fill("four unrelated words")
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("link", name="Make the first one").click()
    page.get_by_label("Short name").fill("games")
    sheet: Any = {
        "name": "games.csv",
        "mimeType": "text/csv",
        "buffer": b"id,words\n1,The Foxes won by nine.\n2,It rained.\n",
    }
    page.get_by_label("Texts", exact=True).set_input_files(sheet)
    expect(page.get_by_label("Text", exact=True)).to_be_visible()
    page.evaluate(SLOW_REPLIES)
    with page.expect_response("**/campaigns/new/look"):
        page.get_by_label("Text", exact=True).select_option("words")
    page.get_by_label("Title").focus()
    page.wait_for_selector("body[data-replies=seen]")
    expect(page.get_by_label("Title")).to_be_focused()  # who moves on while a reply comes is not called back
    page.get_by_label("Suggestions").set_input_files(found("1,1,1,nine,5,5,5,5,NUMERAL,six,"))
    expect(page.get_by_label("Text", exact=True)).to_have_value("words")  # it is about the texts that were chosen
    page.get_by_label("People to invite").fill("Bo")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("NUMERAL")
    clean(page)
    page.get_by_label("Suggestions").set_input_files(found("1,1,1,nine,5,5,5,5,NUMBER,six,"))
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("The campaign was created")
    page.get_by_role("link", name="Texts", exact=True).click()
    page.get_by_role("link", name="Suggestions").click()
    page.get_by_label("A list of marks").set_input_files(found("2,1,1,rained,2,2,2,2,WORD,snowed,"))
    page.get_by_role("button", name="Give", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Done.")
    expect(page.get_by_role("listitem").filter(has_text="suggestions given")).to_contain_text(
        "texts: 1, suggestions: 1"
    )
    clean(page)
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="People", exact=True).click()
    person = visit(page.get_by_label("link for Bo").input_value())
    person.get_by_role("button", name="Start").click()
    for _ in range(2):
        expect(person.locator(".suggestions-left")).to_have_text("1 suggestion, 1 to decide")
        press(person, "Alt+ArrowDown")
        expect(person.locator(".suggestion.current")).to_be_visible()
        press(person, "Enter")
        expect(person.locator(".suggestions-left")).to_have_text("1 suggestion, all decided")
        press(person, "Control+Enter")
    expect(person.get_by_role("heading", name="Thank you!")).to_be_visible()
    page.goto(f"{served.address}/campaigns/games/suggestions")
    expect(page.get_by_role("heading", name="What became of suggestions")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="NUMBER")).to_contain_text("100.000")  # per cent accepted
    served.stop()


def test_pausing_by_keyboard_alone(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/campaigns/zoo", **signed_in(house, "manager"))
    pause = page.locator("summary", has_text="Pause")
    pause.focus()
    press(page, "Enter")
    expect(page.locator("#pause-reason")).to_be_focused()
    press(page, "Escape")
    expect(pause).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#pause-reason")).to_be_focused()
    page.keyboard.type("lunch")
    press(page, "Enter")
    expect(page.get_by_role("status")).to_contain_text("paused")
    expect(page.locator("#decisions")).to_contain_text("lunch")
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible()


def test_a_link_can_be_copied(house: tuple[House, str], visit: Visit) -> None:
    options = {**signed_in(house, "manager"), "permissions": ["clipboard-read", "clipboard-write"]}
    page = visit(f"{house[1]}/campaigns/zoo", **options)
    page.get_by_role("button", name="Copy open link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.get_by_label("open link").first.input_value()


def test_a_refused_form_takes_the_reader_to_the_trouble(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/campaigns/new", **signed_in(house, "manager"))
    broken: Any = {
        "name": "campaign.yaml",
        "mimeType": "text/yaml",
        "buffer": b"campaign: x\nprotocol: acuracy\ntexts: t.csv\n",
    }
    page.get_by_label("Files", exact=True).set_input_files(broken)
    page.get_by_role("button", name="Check and create").click()
    expect(page.locator("#wrong")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("campaign.yaml:2")
    expect(page.get_by_role("alert")).to_contain_text("accuracy")
    clean(page)


def test_a_study_is_made_in_fields_and_its_spreadsheet_stays_chosen(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/studies/new", **signed_in(house, "manager"))
    lines = ["passage;thing;by"] + [f"{by} wrote number {n}.;item {n};{by}" for n in range(6) for by in ("Ada", "bot")]
    sheet: Any = {"name": "texts.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.locator("#texts").set_input_files(sheet)
    page.get_by_label("Text", exact=True).select_option("passage")
    page.get_by_label("Item", exact=True).select_option("thing")
    expect(page.locator("#seen")).to_contain_text("Ada (6), bot (6)")
    page.get_by_label("Short name").fill("who")
    page.get_by_label("What people are asked").select_option("rating-qa/1")
    expect(page.get_by_label("by the question")).to_have_value("correct")
    page.get_by_label("What is measured").select_option("mean")
    expect(page.get_by_label("The group to be found")).to_have_count(0)
    page.get_by_role("group", name="Factor 1").get_by_label("Factor").fill("writer")
    page.get_by_role("group", name="Factor 1").get_by_label("Levels").fill("ada, bot")
    page.get_by_label("People in each condition").fill("3")
    group = page.get_by_role("group", name="Group 1")
    group.get_by_label("Group").fill("all")
    group.get_by_label("Its texts").fill("by: {writer}")
    page.get_by_role("button", name="One more test").click()
    test = page.get_by_role("group", name="Test 2")  # the first stays empty
    test.get_by_label("Test", exact=True).select_option("compare")
    test.get_by_label("Factor").fill("writer")
    test.get_by_label("Level or number").fill("ada")
    form = page.locator("#study-form")
    form.get_by_role("button", name="Check, and show").click()
    expect(page.locator("#wrong")).to_be_focused()
    expect(page.locator("#wrong")).to_contain_text("6 texts are in no group")  # Ada is no level
    expect(page.get_by_label("Text", exact=True)).to_have_value("passage")
    page.get_by_role("group", name="Group 1").get_by_label("Its texts").fill("by: bot")
    page.get_by_role("group", name="Group 2").get_by_label("Group").fill("more")
    page.get_by_role("group", name="Group 2").get_by_label("Its texts").fill("by: Ada")
    form.get_by_role("button", name="Check, and show").click()
    expect(page.locator("#plan")).to_be_focused()
    expect(page.locator("#plan")).to_contain_text("6 people, 30 answers")
    expect(page.get_by_label("The study (YAML)")).to_have_value(re.compile("compare: writer, to: ada"))
    form.get_by_role("button", name="Check and create").click()
    page.wait_for_url(re.compile("/campaigns/who/study"))
    page.get_by_role("link", name="Design", exact=True).click()
    page.get_by_label("People in each condition").fill("4")
    page.get_by_role("button", name="Check and save").click()
    expect(page.get_by_text("its new plan is written down")).to_be_visible()
    expect(page.get_by_label("People in each condition")).to_have_value("4")


def paths(built: House) -> list[str]:
    campaign = "/campaigns/zoo"
    return [
        "/",
        "/accounts",
        "/accounts/activity",
        "/account",
        "/campaigns/new",
        "/protocols",
        "/protocols/accuracy/1?against=accuracy-dates/1",
        "/protocols/new?from=accuracy/1",
        "/leaderboards/new",
        "/studies/new",
        "/studies",
        "/datasets",
        campaign,
        f"{campaign}/units",
        f"{campaign}/units/{built.unit}",
        f"{campaign}/annotators",
        f"{campaign}/responses",
        f"{campaign}/responses/{built.response}",
        f"{campaign}/settings",
        f"{campaign}/curation",
        f"{campaign}/curation/{built.unit}",
        f"{campaign}/quality",
        f"{campaign}/follow-up",
        f"{campaign}/results",
        f"{campaign}/export",
    ]


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_axe_finds_nothing_on_any_page_and_all_fit_a_narrow_screen(
    house: tuple[House, str], visit: Visit, every: int
) -> None:
    built, address = house
    page = visit(f"{address}/", **signed_in(house, "owner"))
    for path in paths(built)[::every]:
        page.goto(address + path)
        clean(page)
        page.set_viewport_size(NARROW["viewport"])
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
        if every == 1:  # a window of 1280 by 900 points at 200 %
            page.set_viewport_size({"width": 640, "height": 450})
            clean(page)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} at 200 %"
        page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}/campaigns/zoo/annotators")
    page.locator("summary").first.click()
    clean(page)
    link = built.services.accounts.one_time_link(built.accounts["spare"].id)
    stranger = visit(f"{address}/signin")
    clean(stranger)
    stranger.goto(f"{address}/")
    clean(stranger)
    stranger.goto(f"{address}/link/{link}")
    clean(stranger)
    worker = visit(f"{address}/", **signed_in(house, "annotator"))
    clean(worker)


def test_whoever_signed_in_long_ago_shows_by_keyboard_that_it_is_they(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    built.services.accounts.set_password(built.accounts["owner"].id, PASSWORD)
    options = signed_in(house, "owner")
    age(built, options["cookies"][0]["value"], timedelta(hours=1))
    page = visit(f"{address}/accounts", **options)
    name = "Eve <b>" + "w" * 120
    page.get_by_label("Name", exact=True).fill(name)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="is it still you?")).to_be_visible()
    clean(page)
    page.set_viewport_size(NARROW["viewport"])
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.get_by_label("Your password")).to_be_focused()
    page.keyboard.type("not it")
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    clean(page)
    press(page, "Tab")
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    expect(page.get_by_role("status").first).to_contain_text(name)
    page.goto(f"{address}/account")
    page.get_by_label("New password").fill("kettle")
    expect(page.get_by_text("6 more characters")).to_be_visible()
    page.get_by_label("New password").press_sequentially(" mossy quarz")
    expect(page.get_by_text("strong", exact=True)).to_be_visible()
    clean(page)


def test_no_small_form_sticks_out_of_the_screen(house: tuple[House, str], visit: Visit) -> None:
    """Wherever their buttons stand, in a narrow window and a low one, and also where a table scrolls around them."""
    built, address = house
    row = built.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    links = built.services.links
    for name in "ab":
        join(built.services.store, links, links.invite(row.id, row.invite_nonce), arrival=Arrival("prolific", name))
    page = visit(f"{address}/", **signed_in(house, "owner"))
    for path in ("annotators", "participants"):
        page.goto(f"{address}/campaigns/zoo/{path}")
        for width, height in ((NARROW["viewport"]["width"], 640), (1000, 420)):
            page.set_viewport_size({"width": width, "height": height})
            until(page, "height => innerHeight === height", height)  # it hears of it a moment later
            for summary in page.locator("details.act > summary").all():
                summary.click()
                form = page.locator("details[open] form")
                expect(form).not_to_have_css("position", "absolute")  # as it is until the page hears that it opened
                box = form.bounding_box()
                assert box is not None
                assert 0 <= box["x"] <= box["x"] + box["width"] <= width, (path, width)
                fixed = form.evaluate("it => getComputedStyle(it).position") == "fixed"
                assert not fixed or 0 <= box["y"] <= box["y"] + box["height"] <= height, (path, height)
                press(page, "Escape")
