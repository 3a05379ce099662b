"""Suggestions on pages and over the API: with a new campaign, later, taken away, and offered for the next time."""

from __future__ import annotations

from typing import Any

from goldmark.texts.readers.gsml import COLUMNS
from tests.web.house import House

HERE = "/api/v1/campaigns/zoo/suggestions"
PAGE = "/campaigns/zoo/suggestions"
HEADER = f"{','.join(COLUMNS)}\n"


def a_list(unit: str, label: str = "NUMBER", word: str = "The") -> bytes:
    return f"{HEADER}{unit},1,1,{word},1,1,1,1,{label},four,\n".encode()


def names(house: House) -> tuple[str, str]:
    """A text that nobody has got, and the one that Ann answered."""
    units = house.program("curator").get("/api/v1/campaigns/zoo/units").json()["units"]
    free = next(one for one in units if one["id"] != house.unit and one["preview"].startswith("The "))
    return free["name"], next(one["name"] for one in units if one["id"] == house.unit)


def first_word(house: House) -> str:
    shown = house.program("curator").get(f"/api/v1/campaigns/zoo/units/{house.unit}").json()["shown"]
    return str(shown["texts"]["text"]["characters"].split()[0])


def test_given_told_and_taken_away_over_the_api(house: House) -> None:
    program = house.program("manager")
    free, seen = names(house)
    both = a_list(free) + a_list(seen, word=first_word(house)).removeprefix(HEADER.encode())
    reply = program.post(f"{HERE}/upload", files=[("file", ("found.csv", both))], data={"reason": "a try"})
    assert (reply.status_code, reply.json()) == (201, {"texts": 1, "marks": 1, "left": [seen]})
    listed = program.get(f"{HERE}/list")
    assert listed.headers["content-disposition"] == 'attachment; filename="suggestions.csv"'
    assert listed.text.splitlines()[1].startswith(f"{free},1,1,The,")
    assert program.get(HERE).json()["tables"][0]["title"] == "What became of suggestions"
    assert program.post(f"{HERE}/take-away", json={"reason": ""}).json() == {"texts": 1, "marks": 0, "left": []}
    kinds = [one["kind"] for one in program.get("/api/v1/campaigns/zoo/events").json()["events"]]
    assert kinds[:2] == ["suggestions taken away", "suggestions given"]


def test_the_page_gives_them_says_what_is_wrong_and_offers_the_list(house: House) -> None:
    browser = house.browser("manager")
    free, seen = names(house)
    page = browser.get(PAGE).text
    assert "No text of this campaign has suggestions." in page
    assert "TEXT_ID,SENTENCE_ID" in page, "how a row looks, for a text of this campaign"
    wrong = browser.post(PAGE, files=[("files", ("found.csv", a_list(free, "NUMERAL")))])
    assert wrong.status_code == 422
    assert "has the label &#34;NUMERAL&#34;" in wrong.text
    both = a_list(free) + a_list(seen, word=first_word(house)).removeprefix(HEADER.encode())
    done = browser.post(PAGE, {"reason": "it helps"}, files=[("files", ("found.csv", both))])
    page = browser.get(done.headers["location"]).text
    assert f"already shown to somebody, so as they were: {seen}" in page
    assert "it helps" in page
    assert "suggestions: suggestions.csv" in page
    assert "suggestions: suggestions.csv" in browser.get("/campaigns/zoo/settings/campaign.yaml").text
    assert browser.get(f"{PAGE}/suggestions.csv").text.startswith(HEADER.strip())
    assert "Give suggestions" not in house.browser("curator").get(PAGE).text
    browser.post(f"{PAGE}/take-away", {"reason": "enough"})
    assert "No text of this campaign has suggestions." in browser.get(PAGE).text


def test_a_new_campaign_has_them_from_the_start(house: House) -> None:
    browser = house.browser("manager")
    texts = b'{"id": "g1", "text": "The Foxes won by nine."}\n'
    form = {"campaign": "helped", "protocol": "accuracy/1", "labels_per_unit": "1"}

    def create(found: bytes) -> Any:
        # Of the same name as the texts: neither takes the other's place.
        files = [("files", ("list.jsonl", texts)), ("suggestions", ("list.jsonl", found))]
        return browser.post("/campaigns/new/form", form, files=files)

    refused = create(a_list("g7"))
    assert refused.status_code == 422
    assert "list.jsonl:2" in refused.text
    assert "g7" in refused.text
    assert create(a_list("g1", word="The")).status_code in (200, 303)
    listed = house.program("manager").get("/api/v1/campaigns/helped/suggestions/list").text
    assert listed.splitlines()[1].startswith("g1,1,1,The,1,1,1,1,NUMBER,four")
