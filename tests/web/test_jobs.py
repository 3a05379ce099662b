"""The page and the calls for long work."""

from __future__ import annotations

from goldmark.jobs import Running, Worker, enqueue, register
from tests.web.house import House


@register("test.web")
def handler(running: Running) -> dict[str, int]:
    running.progress(2, 8, "<b>half</b>")
    if running.arguments.get("fail"):
        raise ValueError("<script>alert(1)</script>")
    return {"sum": 3}


def ask(house: House, **arguments: object) -> int:
    asked = house.services.store.write(
        lambda connection: enqueue(connection, "test.web", arguments, author="test", subject="<i>board</i>/x")
    )
    return asked.id


def test_a_manager_sees_how_far_jobs_are_and_has_one_done_again(either_house: House) -> None:
    house = either_house
    fine, broken, waiting = ask(house), ask(house, fail=True), ask(house)
    worker = Worker(house.services.store, kinds=["test.web"])
    assert worker.run_one()
    assert worker.run_one()
    browser = house.browser("manager")
    shown = browser.get("/jobs").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "&lt;i&gt;board&lt;/i&gt;/x" in shown
    assert f'action="/jobs/{waiting}/cancel"' in shown
    assert f'action="/jobs/{fine}/rerun"' in shown
    only = browser.get("/jobs?state=failed").text
    assert f"job {broken}," in only
    assert f"job {fine}," not in only
    assert "No job is running." in browser.get("/jobs?state=running").text

    reply = browser.post(f"/jobs/{broken}/rerun", {"reason": "mended"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/jobs?done=job-rerun")
    refused = browser.post(f"/jobs/{broken}/rerun", {})
    assert refused.status_code == 409
    assert "wait until it has ended" in refused.text


def test_a_program_follows_a_job(either_house: House) -> None:
    house = either_house
    number = ask(house)
    program = house.program("manager")
    asked = program.get(f"/api/v1/jobs/{number}").json()
    assert (asked["state"], asked["share"], asked["arguments"], asked["result"]) == ("waiting", None, {}, None)
    Worker(house.services.store, kinds=["test.web"]).run_until_empty()
    done = program.get(f"/api/v1/jobs/{number}").json()
    assert (done["state"], done["share"], done["result"], done["message"]) == ("done", 1.0, {"sum": 3}, "<b>half</b>")
    listed = program.get("/api/v1/jobs", params={"kind": "test.web"}).json()
    assert [one["id"] for one in listed["jobs"]] == [number]
    assert listed["counts"] == {"waiting": 1, "running": 0, "done": 1, "failed": 0, "cancelled": 0}
    assert program.get("/api/v1/jobs", params={"before": number, "subject": "zoo"}).json()["jobs"][0]["kind"] == (
        "test.nothing"
    )
    assert program.post(f"/api/v1/jobs/{number}/cancel", json={}).json()["code"] == "JOB-02"
    assert program.post(f"/api/v1/jobs/{number}/rerun", json={"reason": "again"}).json()["state"] == "waiting"
    assert program.post(f"/api/v1/jobs/{number}/cancel", json={}).json()["state"] == "cancelled"
    assert program.get("/api/v1/jobs/999").status_code == 404
