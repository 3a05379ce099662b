"""A model behind an OpenAI-compatible address: vLLM, llama.cpp, Ollama, a proxy, or the company's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from goldmark.errors import Failed
from goldmark.texts.generation.prompts import Continuation, Sampling

# Waits between tries, in seconds; a server may ask for longer ones by Retry-After.
WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_WAIT = 120.0
TRY_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))


class ClientMissing(Failed):
    code = "GENERATE-02"
    message = "the client for model servers is not installed; install it with: pip install 'goldmark[generate]'"


class ModelServerRefused(Failed):
    code = "GENERATE-03"
    message = "the model server answered {status}: {reason}"


class ServerSilent(Failed):
    code = "GENERATE-04"
    message = "the model server at {address} could not be reached ({reason}); is it running, and is the address right?"


class ServerUnclear(Failed):
    code = "GENERATE-05"
    message = "the model server's answer is not what an OpenAI-compatible one gives: {reason}"


class ServerModel:
    """Continues texts through `/completions`, or through `/chat/completions` where a model only chats."""

    def __init__(
        self,
        address: str,
        model: str,
        *,
        key: str | None = None,
        chat: bool = False,
        timeout: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise ClientMissing from None
        self.name = model
        self.address = address.rstrip("/")
        self.chat = chat
        self._sleep = sleep
        self._errors = (httpx.TransportError,)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, timeout=timeout)

    def close(self) -> None:
        self._client.close()

    def continue_after(self, prompt: str, sampling: Sampling, stop: Sequence[str]) -> Continuation:
        asked: dict[str, Any] = {
            "model": self.name,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.most_tokens,
        }
        if sampling.seed is not None:
            asked["seed"] = sampling.seed
        if stop:
            asked["stop"] = list(stop)
        if self.chat:
            return _choice(self._post("chat/completions", {**asked, "messages": [_as_chat(prompt)]}), chat=True)
        return _choice(self._post("completions", {**asked, "prompt": prompt}), chat=False)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        """Ask, and ask again where the trouble may pass: a busy server, a lost connection."""
        for wait in (*WAITS, None):
            try:
                answer = self._client.post(f"{self.address}/{path}", json=body)
            except self._errors as error:
                if wait is None:
                    reason = str(error) or type(error).__name__
                    raise ServerSilent(address=self.address, reason=reason) from None
                self._sleep(wait)
                continue
            if answer.status_code == 200:
                try:
                    return answer.json()
                except ValueError:
                    raise ServerUnclear(reason="it is not JSON") from None
            if answer.status_code not in TRY_AGAIN or wait is None:
                raise ModelServerRefused(status=answer.status_code, reason=_reason(answer.text))
            self._sleep(min(_asked_to_wait(answer.headers.get("retry-after"), wait), LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")


def _as_chat(prompt: str) -> dict[str, str]:
    """A chat model is told to continue; what it repeats of the prompt is taken off again by `run`."""
    return {
        "role": "user",
        "content": f"Continue the last of the following texts where it stops. Write only the continuation.\n\n{prompt}",
    }


def _choice(answer: Any, *, chat: bool) -> Continuation:
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"] if chat else choice["text"]
    except (KeyError, IndexError, TypeError) as error:
        raise ServerUnclear(reason=f"there is no choice in it ({error!r})") from None
    if not isinstance(text, str):
        raise ServerUnclear(reason="its choice holds no text")
    return Continuation(text, str(choice.get("finish_reason") or "unknown"))


def _reason(text: str) -> str:
    return " ".join(text.split())[:300] or "no reason given"


def _asked_to_wait(header: str | None, otherwise: float) -> float:
    try:
        return max(float(header or ""), 0.0)
    except ValueError:
        return otherwise
