"""Pages for people who take part speak their language; what is kept, hidden and asked is the same in all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.observe import observe
from goldmark.people.annotators import renew_invite
from tests.web.house import HTML, House, TestClient


def language_of(page: str) -> tuple[str, ...]:
    found = re.search(r'<html lang="([\w-]+)" dir="(ltr|rtl)">', page)
    assert found, page[:200]
    return found.groups()


def test_chosen_counts_before_the_campaign_and_that_before_the_browser(house: House) -> None:
    here, browser = f"/a/{house.person}", {**HTML, "accept-language": "fr-CA, en;q=0.5"}
    client = house.client(headers=browser)
    assert language_of(client.get(here).text) == ("fr", "ltr")
    change_settings(
        house.services.store,
        "zoo",
        Settings(labels_per_unit=2, language="ar"),
        title="Animals",
        author="test",
        reason="",
    )
    page = client.get(here)
    assert language_of(page.text) == ("ar", "rtl")
    assert "set-cookie" not in page.headers
    chosen = client.get(f"{here}?x=1&language=de")
    assert language_of(chosen.text) == ("de", "ltr")
    assert "?x=1&amp;language=hi" in chosen.text, "another language keeps the rest of the address"
    assert language_of(client.get(here).text) == ("de", "ltr"), "it is remembered"
    assert language_of(client.get(f"{here}?language=klingon").text) == ("de", "ltr"), "and nonsense changes nothing"
    assert language_of(client.get("/a/nonsense").text) == ("de", "ltr"), "errors too"
    assert "dieser Link ist ungültig" in client.get("/a/nonsense").text
    assert language_of(client.get("/signin").text) == ("en", "ltr"), "managers' pages are in English"


def test_the_join_page_and_its_refusals(house: House) -> None:
    path = f"/join/{renew_invite(house.services.store, house.services.links, 'zoo', author='test')}"
    client = house.client(headers={**HTML, "accept-language": "es"})
    assert "Su nombre" in client.get(path).text
    refused = client.post(path, data={"name": "Ann"})
    assert (refused.status_code, "alguien llamado «Ann» ya participa" in refused.text) == (409, True)
    hostile = client.post(f"{path}?language=de", data={"name": "<b>Ann"})
    assert hostile.status_code == 303


def test_the_catalogue_on_the_page_is_the_one_of_its_language(house: House) -> None:
    page = house.client(headers={**HTML, "accept-language": "ru"}).get(f"/a/{house.person}").text
    found = re.search(r'id="catalogue">(.*?)</script>', page, re.DOTALL)
    assert found
    said = json.loads(found[1])
    assert said["messages"]["{count} suggestion"] == [
        "{count} предложение",
        "{count} предложения",
        "{count} предложений",
    ]
    assert "catalogue" not in house.client(headers=HTML).get(f"/a/{house.person}").text, "English needs none"


def asked(house: House, language: str) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {house.person}", "accept-language": language}
    protocol: dict[str, Any] = house.client(headers=headers).get("/api/v1/work").json()["protocol"]
    return protocol


def without_words(value: Any) -> Any:
    if isinstance(value, dict):
        read = ("title", "ask", "help", "otherwise", "summary", "instructions_html")
        return {key: without_words(one) for key, one in value.items() if key not in read}
    return [without_words(one) for one in value] if isinstance(value, list) else value


def test_a_built_in_protocol_is_asked_in_another_language_and_means_the_same(house: House) -> None:
    english, german, chinese = (asked(house, language) for language in ("en", "de", "zh"))
    assert german["steps"][0]["questions"][0]["ask"] == "Welche Wörter sind falsch?"
    assert chinese["title"] == "找出事实错误"
    assert "Was zu tun ist" in german["instructions_html"]
    assert without_words(german) == without_words(chinese) == without_words(english)
    assert asked(house, "hi") == english, "not translated yet: as it was written"


def test_the_language_shown_is_kept_with_each_response(either_house: House) -> None:
    house = either_house
    client = house.client(headers={"authorization": f"Bearer {house.person}", "accept-language": "de"})
    task = client.post("/api/v1/work/next", json={}).json()["assignment"]
    body = {"answers": {"mistakes": []}, "client_key": "a-key-of-mine", "language": "de"}
    address = f"/api/v1/work/assignments/{task['id']}/responses"
    assert client.post(address, json={**body, "language": "<script>"}).status_code == 422
    wrong = client.post(address, json={**body, "answers": {"mistakes": 3}})
    assert wrong.status_code == 422
    assert client.post(address, json=body).status_code == 200
    record = record_of(house.services.store, "zoo")
    assert [one.language for one in record.responses] == ["", "", "de"]
    spans = observe(house.services.store, "zoo")["spans"]
    assert sorted(set(spans.cells["shown_in"])) == ["", "de"]
    missing = client.get("/api/v1/work/assignments/999999")
    assert missing.json()["message"] == "Sie haben keine Aufgabe 999999"


def test_a_refused_answer_is_explained_in_the_language_of_the_page_and_has_one_code(house: House) -> None:
    def refused(language: str) -> dict[str, Any]:
        client = house.client(headers={"authorization": f"Bearer {house.person}", "accept-language": language})
        task = client.post("/api/v1/work/next", json={}).json()["assignment"]
        wrong = {"answers": {"mistakes": [{"id": "e1", "start": 0, "end": 1}]}, "client_key": "a-key-of-mine"}
        reply = client.post(f"/api/v1/work/assignments/{task['id']}/responses", json=wrong)
        assert reply.status_code == 422
        body: dict[str, Any] = reply.json()
        return body

    english, german = refused("en"), refused("de")
    assert (english["code"], german["code"]) == ("ANSWER-01", "ANSWER-01")
    assert [(one["where"], one["part"]) for one in english["problems"]] == [
        (one["where"], one["part"]) for one in german["problems"]
    ]
    assert english["problems"][0]["what"] == "The span has no label."
    assert german["problems"][0]["what"] == "Die Markierung hat kein Etikett."
    assert english["message"].endswith("nothing was saved")
    assert german["message"].endswith("nichts wurde gespeichert")


def test_refusals_at_the_door_are_in_the_language_of_the_campaign(house: House) -> None:
    settings = Settings(labels_per_unit=2, language="de")
    change_settings(house.services.store, "zoo", settings, title="Animals", author="test", reason="")
    invite = renew_invite(house.services.store, house.services.links, "zoo", author="test")
    client = house.client(headers={**HTML, "accept-language": "fr"})
    refused = client.post(f"/join/{invite}", data={"name": "Ann"})
    assert (language_of(refused.text), "jemand namens" in refused.text) == (("de", "ltr"), True)
    broken = client.get(f"/join/{invite}?PROLIFIC_PID={'x' * 500}")
    assert (broken.status_code, "die Kennung einer Person hat" in broken.text) == (422, True)
    assert "Introuvable" in client.get("/join/").text, "no campaign is known: as the browser likes it"


def test_even_an_accident_is_told_in_the_language_of_the_browser(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(token: str) -> None:
        raise RuntimeError(token)

    monkeypatch.setattr(house.services.work, "person", broken)
    client = house.client(headers={**HTML, "accept-language": "de"}, raise_server_exceptions=False)
    page = client.get(f"/a/{house.person}")
    assert (page.status_code, language_of(page.text)) == (500, ("de", "ltr"))


def documented_protocol() -> str:
    """The example of the documentation, with a training and a passage to mark."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "languages.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\nprotocol: rating-headline/1")[2].partition("```")[0]
    taught = "  lessons:\n    - {title: First read, instructions: Read this.}\n"
    taught += "    - {title: Try, examples: [{text: A line., "
    taught += "expected: {fits: yes}, explanation: It fits.}]}\n"
    more = "      First read: Zuerst lesen\n      Read this.: Lesen Sie dies.\n      It fits.: Sie passt.\n"
    return f"protocol: rating-headline/1{example}{more}training:\n{taught}"


def test_translations_of_ones_own_protocol_from_its_yaml_to_the_page(house: House) -> None:
    source = documented_protocol()
    browser = house.browser("manager")
    assert browser.post("/protocols/new", {"source": source, "action": "save"}).status_code == 303
    form = {"campaign": "headlines", "protocol": "rating-headline/1", "labels_per_unit": "1", "join.open": "yes"}
    rows = [("files", ("rows.csv", b"id,text\na,Zebra seen in Norway\n"))]
    assert browser.post("/campaigns/new/form", form, files=rows).status_code == 303
    move(house.services.store, "headlines", "started", author="test")
    invite = renew_invite(house.services.store, house.services.links, "headlines", author="test")
    token = house.client().post("/api/v1/join", json={"invite": invite}).json()["token"]

    def speaking(language: str) -> TestClient:
        return house.client(headers={"authorization": f"Bearer {token}", "accept-language": language})

    german, italian = speaking("de"), speaking("it")
    asked, as_written = (one.get("/api/v1/work").json()["protocol"] for one in (german, italian))
    assert asked["title"] == "Die Überschrift bewerten"
    assert "Lesen Sie zuerst die Überschrift" in asked["instructions_html"]
    question = asked["steps"][0]["questions"][0]
    assert (question["ask"], [one["title"] for one in question["options"]]) == ("Passt sie?", ["Ja", "Nein"])
    assert (as_written["title"], without_words(as_written)) == ("Rate the headline", without_words(asked))
    lesson = german.post("/api/v1/work/lesson").json()
    assert (lesson["item"]["title"], "Lesen Sie dies." in lesson["item"]["html"]) == ("Zuerst lesen", True)
    read = german.post("/api/v1/work/lesson/answers", json={"item": lesson["item"]["id"], "client_key": "read-it-all"})
    item = read.json()["lesson"]["item"]["id"]
    wrong = {"item": item, "answers": {"fits": ["no"]}, "client_key": "wrong-kind"}
    refused = german.post("/api/v1/work/lesson/answers", json=wrong).json()
    assert refused["problems"][0]["what"].startswith("Die Seite und der Server verstehen einander nicht.")
    told = german.post(
        "/api/v1/work/lesson/answers", json={**wrong, "answers": {"fits": "no"}, "client_key": "answered"}
    )
    assert "Sie passt." in told.json()["feedback"]["explanation_html"]
    # The editor shows them, and an edit of something else keeps them.
    editor = browser.get("/protocols/new?from=rating-headline/1").text
    assert 'value="Passt sie?"' in editor
    kept = browser.post("/protocols/new", {"source": source, "action": "fields", "help/fits": "Look twice."}).text
    assert "Passt sie?" in kept.partition('id="source"')[2]
