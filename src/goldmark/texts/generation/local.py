"""A transformers checkpoint on this machine. torch and transformers are not part of Goldmark: bring your own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goldmark.errors import Failed, Missing
from goldmark.texts.generation.prompts import Continuation, Sampling


class ModelLibraryMissing(Failed):
    code = "GENERATE-06"
    message = (
        "a model on disk needs torch and transformers, which are not installed here: pip install torch transformers"
    )


class NotAModel(Missing):
    code = "GENERATE-07"
    message = "{path} holds no language model that transformers can load: {reason}"


class LocalModel:
    """Continues texts with a causal language model in a folder; nothing is fetched from anywhere."""

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise ModelLibraryMissing from None
        if not folder.is_dir():
            raise NotAModel(path=folder, reason="it is no folder")
        try:
            self._tokens: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise NotAModel(path=folder, reason=error) from None
        self.name = folder.name
        self._torch: Any = torch
        # One text at a time: the seed is the library's own and would be shared between threads.
        self._turn = threading.Lock()

    def continue_after(self, prompt: str, sampling: Sampling, stop: Sequence[str]) -> Continuation:
        with self._turn, self._torch.no_grad():
            if sampling.seed is not None:
                self._torch.manual_seed(sampling.seed)
            asked = self._tokens(prompt, return_tensors="pt")
            drawing = {"temperature": sampling.temperature, "top_p": sampling.top_p} if sampling.temperature else {}
            made = self._model.generate(
                **asked,
                max_new_tokens=sampling.most_tokens,
                do_sample=bool(sampling.temperature),
                pad_token_id=self._tokens.eos_token_id,
                **drawing,
            )
        fresh = made[0][asked["input_ids"].shape[1] :]
        text: str = self._tokens.decode(fresh, skip_special_tokens=True)
        found = [place for mark in stop if (place := text.find(mark)) >= 0]
        if found:
            return Continuation(text[: min(found)], "stop")
        return Continuation(text, "length" if len(fresh) >= sampling.most_tokens else "stop")
