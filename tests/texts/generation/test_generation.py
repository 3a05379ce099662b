"""Against a server of our own on the loopback: no model is at hand, but the protocol is the real one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from goldmark.texts.generation.local import LocalModel, ModelLibraryMissing, NotAModel
from goldmark.texts.generation.prompts import Continuation, NotASetting, Priming, Sampling
from goldmark.texts.generation.run import GenerationPlan, NotOurFile, OtherSettings, generate
from goldmark.texts.generation.server import ModelServerRefused, ServerModel, ServerSilent, ServerUnclear
from goldmark.texts.preparation.noise import NoiseRule

Answer = Callable[[str, dict[str, Any]], tuple[int, dict[str, str], bytes]]


class Loopback:
    """A server that answers what a test tells it to and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.answer: Answer = lambda path, body: completion(" there was a hen who could count to nine.")
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append((self.path, body, self.headers.get("Authorization")))
                status, headers, content = outer.answer(self.path, body)
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=[0.01], daemon=True).start()


def completion(text: str, finished: str = "stop") -> tuple[int, dict[str, str], bytes]:
    return 200, {}, json.dumps({"choices": [{"text": text, "finish_reason": finished}]}).encode()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture
def model(loopback: Loopback) -> Iterator[ServerModel]:
    made = ServerModel(loopback.address, "tiny", key="secret", sleep=lambda seconds: None)
    yield made
    made.close()


PROMPTS = [{"id": str(number), "prompt": f"Once upon a time {number},"} for number in range(5)]


class TestServer:
    def test_asks_as_the_api_wants_it(self, loopback: Loopback, model: ServerModel) -> None:
        made = model.continue_after("Once", Sampling(0.5, 0.9, 40, seed=7), ["###"])
        assert made == Continuation(" there was a hen who could count to nine.", "stop")
        path, body, key = loopback.asked[0]
        assert (path, key) == ("/v1/completions", "Bearer secret")
        assert body == {
            "model": "tiny",
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 40,
            "seed": 7,
            "stop": ["###"],
            "prompt": "Once",
        }

    def test_a_model_that_only_chats(self, loopback: Loopback) -> None:
        loopback.answer = lambda path, body: (
            200,
            {},
            json.dumps({"choices": [{"message": {"content": "Hello"}, "finish_reason": None}]}).encode(),
        )
        model = ServerModel(loopback.address, "tiny", chat=True)
        assert model.continue_after("Once", Sampling(), []) == Continuation("Hello", "unknown")
        path, body, key = loopback.asked[0]
        assert path == "/v1/chat/completions"
        assert key is None
        assert body["messages"][0]["content"].endswith("\n\nOnce")
        model.close()

    def test_waits_as_long_as_a_busy_server_asks(self, loopback: Loopback) -> None:
        waited: list[float] = []
        model = ServerModel(loopback.address, "tiny", sleep=waited.append)
        loopback.answer = lambda path, body: (
            (429, {"Retry-After": "7"}, b"slow down") if len(loopback.asked) < 3 else completion(" yes")
        )
        assert model.continue_after("Once", Sampling(), []).text == " yes"
        assert waited == [7, 7]
        model.close()

    def test_a_wrong_request_is_not_repeated(self, loopback: Loopback, model: ServerModel) -> None:
        loopback.answer = lambda path, body: (404, {}, b'{"error": "no such\\nmodel"}')
        with pytest.raises(ModelServerRefused, match=r"404.*no such"):
            model.continue_after("Once", Sampling(), [])
        assert len(loopback.asked) == 1

    @pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"text": null}]}'])
    def test_an_answer_of_another_kind(self, loopback: Loopback, model: ServerModel, content: bytes) -> None:
        loopback.answer = lambda path, body: (200, {}, content)
        with pytest.raises(ServerUnclear):
            model.continue_after("Once", Sampling(), [])

    def test_nobody_there(self) -> None:
        model = ServerModel("http://127.0.0.1:9/v1", "tiny", sleep=lambda seconds: None)
        with pytest.raises(ServerSilent, match=r"127\.0\.0\.1:9"):
            model.continue_after("Once", Sampling(), [])
        model.close()


class TestRun:
    def test_a_text_begins_with_its_prompt_and_tells_how_it_was_made(
        self, loopback: Loopback, model: ServerModel, tmp_path: Path
    ) -> None:
        seen: list[tuple[int, int]] = []
        out = tmp_path / "out.jsonl"
        outcome = generate(
            PROMPTS[:2], model, out, GenerationPlan(), progress=lambda done, total: seen.append((done, total))
        )
        assert (outcome.written, outcome.kept_from_before, outcome.given_up) == (2, 0, ())
        rows = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
        assert rows["0"]["text"] == "Once upon a time 0, there was a hen who could count to nine."
        assert rows["0"]["prompt"] == "Once upon a time 0,"
        assert rows["0"]["generation"] == {
            "prompt": "Once upon a time 0,",
            "model": "tiny",
            "sampling": {"temperature": 0.7, "top_p": 1.0, "most_tokens": 300, "seed": None},
            "priming": None,
            "delimiter": None,
            "tries": 1,
            "finished": "stop",
        }
        assert seen == [(1, 2), (2, 2)]

    def test_priming_texts_stand_before_the_prompt(
        self, loopback: Loopback, model: ServerModel, tmp_path: Path
    ) -> None:
        plan = GenerationPlan(priming=Priming(("First.", "Second."), "\n--\n"))
        generate(PROMPTS[:1], model, tmp_path / "out.jsonl", plan)
        body = loopback.asked[0][1]
        assert body["prompt"] == "First.\n--\nSecond.\n--\nOnce upon a time 0,"
        assert body["stop"] == ["--"]

    def test_a_stopped_run_goes_on_where_it_stopped(
        self, loopback: Loopback, model: ServerModel, tmp_path: Path
    ) -> None:
        out = tmp_path / "out.jsonl"
        generate(PROMPTS[:3], model, out, GenerationPlan())
        with out.open("a") as file:
            file.write('{"id": "3", "text": "cut off in the mid')  # the machine stopped while this was written
        loopback.asked.clear()
        outcome = generate(PROMPTS, model, out, GenerationPlan())
        assert (outcome.written, outcome.kept_from_before) == (2, 3)
        assert len(loopback.asked) == 2
        assert sorted(json.loads(line)["id"] for line in out.read_text().splitlines()) == list("01234")

    def test_one_file_holds_texts_of_one_setting(self, model: ServerModel, tmp_path: Path) -> None:
        out = tmp_path / "out.jsonl"
        generate(PROMPTS[:1], model, out, GenerationPlan())
        with pytest.raises(OtherSettings, match="sampling"):
            generate(PROMPTS, model, out, GenerationPlan(sampling=Sampling(temperature=1)))
        (tmp_path / "other.jsonl").write_text('{"id": "0"}\n')
        with pytest.raises(NotOurFile, match="line 1"):
            generate(PROMPTS, model, tmp_path / "other.jsonl", GenerationPlan())

    def test_copies_and_noise_are_drawn_again_with_the_next_seed(
        self, loopback: Loopback, model: ServerModel, tmp_path: Path
    ) -> None:
        copied = "Once upon a time 0, the old mill stood still and nobody came by for a year."
        said = [copied.removeprefix("Once upon a time 0,"), "", " something new was tried at last by the miller."]
        loopback.answer = lambda path, body: completion(said[len(loopback.asked) - 1])
        out = tmp_path / "out.jsonl"
        generate(PROMPTS[:1], model, out, GenerationPlan(sampling=Sampling(seed=10), priming=Priming((copied,))))
        row = json.loads(out.read_text())
        assert row["generation"]["tries"] == 3
        assert row["generation"]["sampling"]["seed"] == 12
        assert [body["seed"] for _, body, _ in loopback.asked] == [10, 11, 12]
        assert (
            generate(
                PROMPTS[:1], model, out, GenerationPlan(sampling=Sampling(seed=10), priming=Priming((copied,)))
            ).written
            == 0
        )

    def test_what_never_gets_better_is_given_up_with_its_reason(
        self, loopback: Loopback, model: ServerModel, tmp_path: Path
    ) -> None:
        plan = GenerationPlan(noise=NoiseRule(script="chinese"), most_tries=2)
        outcome = generate(PROMPTS[:1], model, tmp_path / "out.jsonl", plan)
        assert outcome.written == 0
        assert outcome.given_up[0][1].startswith("after 2 tries: 0% of its characters are chinese")

    def test_a_prompt_word_need_not_be_marked(self, model: ServerModel, tmp_path: Path) -> None:
        out = tmp_path / "out.jsonl"
        generate([{"id": "a", "prompt": "hen"}], model, out, GenerationPlan(mark_prompt=False))
        row = json.loads(out.read_text())
        assert "prompt" not in row
        assert row["generation"]["prompt"] == "hen"


def test_settings_are_checked() -> None:
    with pytest.raises(NotASetting, match="temperature must be 0 to 2, not 3"):
        Sampling(temperature=3)


def test_a_model_on_disk_needs_its_library(tmp_path: Path) -> None:
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        with pytest.raises(ModelLibraryMissing):
            LocalModel(tmp_path)
    else:
        with pytest.raises(NotAModel):
            LocalModel(tmp_path / "nothing")
