"""Fine-tune any transformers checkpoint on disk. Nothing is downloaded.

Texts and types: a classifier over the text, an error's span between marks. Spans: a class for every token, taken from
its first piece. Corrections and rationales: an encoder-decoder writes them; a decoder alone continues a prompt, in the
manner of TGEA's baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from goldmark.datasets.benchmark.models.base import ModelNotInstalled, Tell
from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem, TaskSpans

TAGS = ("O", "E", "A")
IGNORED = -100  # what torch's loss leaves out
PROMPTS = {
    "correct": {"en": "The corrected text is: ", "zh": "改正后的句子是："},
    "rationale": {"en": "The reason behind the error in this text is: ", "zh": "这句话错误的原因是："},
}


class Checkpoint:
    """A checkpoint with the head that a task needs, trained with AdamW and a rate that falls to zero."""

    def __init__(
        self,
        task: BenchmarkTask,
        folder: Path,
        rng: np.random.Generator,
        *,
        epochs: int = 3,
        rate: float = 2e-5,
        batch: int = 8,
        length: int = 256,
    ) -> None:
        self.name = folder.name
        self._task, self._folder = task, folder
        self._epochs, self._rate, self._batch, self._length = epochs, rate, batch, length
        self._torch, self._transformers = _package("torch"), _package("transformers")
        self._rng = rng
        self._torch.manual_seed(int(rng.integers(1 << 31)))
        self._pieces = self._transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        if self._pieces.pad_token is None:
            self._pieces.pad_token = self._pieces.eos_token or self._pieces.unk_token
        self._labels: list[str] = []
        self._model: Any = None
        self._writes = False  # an encoder-decoder

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        torch = self._torch
        self._open(train)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(device).train()
        steps = self._epochs * -(-len(train) // self._batch)
        optimiser = torch.optim.AdamW(self._model.parameters(), lr=self._rate)
        falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.0, 1 - step / max(1, steps)))
        for epoch in range(self._epochs):
            losses = []
            for part in self._parts([train[place] for place in self._rng.permutation(len(train))]):
                given = {name: value.to(device) for name, value in self._given(part, answers=True).items()}
                loss = self._model(**given).loss
                loss.backward()
                optimiser.step()
                falling.step()
                optimiser.zero_grad()
                losses.append(float(loss.detach()))
            tell(f"epoch {epoch + 1} of {self._epochs}: loss {sum(losses) / max(1, len(losses)):.4f}")
        self._model.eval()

    def _open(self, train: Sequence[TaskItem]) -> None:
        auto, place = self._transformers, {"local_files_only": True}
        if self._task.name in PROMPTS:
            config = auto.AutoConfig.from_pretrained(str(self._folder), **place)
            self._writes = bool(config.is_encoder_decoder)
            kind = auto.AutoModelForSeq2SeqLM if self._writes else auto.AutoModelForCausalLM
            self._model = kind.from_pretrained(str(self._folder), **place)
            return
        self._labels = list(TAGS) if self._task.name == "spans" else sorted({str(item.gold) for item in train})
        kind = (
            auto.AutoModelForTokenClassification
            if self._task.name == "spans"
            else auto.AutoModelForSequenceClassification
        )
        self._model = kind.from_pretrained(
            str(self._folder), num_labels=len(self._labels), ignore_mismatched_sizes=True, **place
        )
        self._model.config.pad_token_id = self._pieces.pad_token_id

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        answers: list[Any] = []
        with self._torch.no_grad():
            for part in self._parts(items):
                answers += self._written(part) if self._task.name in PROMPTS else self._chosen(part)
        return answers

    def _parts(self, items: Sequence[TaskItem]) -> Iterator[Sequence[TaskItem]]:
        for start in range(0, len(items), self._batch):
            yield items[start : start + self._batch]

    # What the model is given.

    def _given(self, part: Sequence[TaskItem], *, answers: bool) -> dict[str, Any]:
        if self._task.name == "spans":
            return self._tokens(part, answers)
        if self._task.name in PROMPTS:
            return self._texts(part)
        given = self._cut([marked(item) for item in part])
        if answers:
            given["labels"] = self._torch.tensor([self._labels.index(str(item.gold)) for item in part])
        return dict(given)

    def _cut(self, texts: Sequence[str | list[str]], **more: Any) -> Any:
        return self._pieces(
            list(texts), padding=True, truncation=True, max_length=self._length, return_tensors="pt", **more
        )

    def _tokens(self, part: Sequence[TaskItem], answers: bool) -> dict[str, Any]:
        given = self._cut([list(item.tokens) for item in part], is_split_into_words=True)
        if answers:
            labels = self._torch.full(given["input_ids"].shape, IGNORED)
            for row, item in enumerate(part):
                for column, token in _first_pieces(given.word_ids(row)):
                    labels[row, column] = TAGS.index(item.gold.tag(token))
            given["labels"] = labels
        return dict(given)

    def _texts(self, part: Sequence[TaskItem]) -> dict[str, Any]:
        """For training: the text and what should be written. Only what should be written counts for the loss."""
        wanted = [self._answer(item) for item in part]
        if self._writes:
            given = self._cut([marked(item) for item in part])
            labels = self._cut(wanted)["input_ids"]
            given["labels"] = labels.masked_fill(labels == self._pieces.pad_token_id, IGNORED)
            return dict(given)
        end = self._pieces.eos_token or ""
        starts = [self._prompt(item) for item in part]
        given = self._cut([start + answer + end for start, answer in zip(starts, wanted, strict=True)])
        labels = given["input_ids"].clone().masked_fill(given["attention_mask"] == 0, IGNORED)
        for row, start in enumerate(starts):
            own = len(self._pieces(start, truncation=True, max_length=self._length)["input_ids"])
            first = int((given["attention_mask"][row] == 1).nonzero()[0])  # padding may stand on the left
            labels[row, first : first + own] = IGNORED
        given["labels"] = labels
        return dict(given)

    def _answer(self, item: TaskItem) -> str:
        return joined(item.gold, item.language) if self._task.name == "correct" else str(item.gold)

    def _prompt(self, item: TaskItem) -> str:
        words = PROMPTS[self._task.name]
        return f"{marked(item)} {words['zh' if item.language.startswith('zh') else 'en']}"

    # What the model says.

    def _chosen(self, part: Sequence[TaskItem]) -> list[Any]:
        given = {name: value.to(self._model.device) for name, value in self._given(part, answers=False).items()}
        best = self._model(**given).logits.argmax(-1).cpu()
        if self._task.name != "spans":
            said = [self._labels[int(place)] for place in best]
            return [one == "True" if self._task.name == "detect" else one for one in said]
        cut = self._cut([list(item.tokens) for item in part], is_split_into_words=True)
        found = []
        for row in range(len(part)):
            tags = {token: TAGS[int(best[row, column])] for column, token in _first_pieces(cut.word_ids(row))}
            erroneous, associated = (frozenset(token for token, tag in tags.items() if tag == one) for one in "EA")
            found.append(TaskSpans(erroneous, associated))
        return found

    def _written(self, part: Sequence[TaskItem]) -> list[Any]:
        starts = [marked(item) if self._writes else self._prompt(item) for item in part]
        said = []
        for start in starts:  # one at a time: padding before a prompt would change what a decoder continues
            given = self._cut([start]).to(self._model.device)
            given.pop("token_type_ids", None)
            made = self._model.generate(
                **given, max_new_tokens=min(128, self._length), do_sample=False, pad_token_id=self._pieces.pad_token_id
            )[0]
            fresh = made if self._writes else made[given["input_ids"].shape[1] :]
            said.append(self._pieces.decode(fresh, skip_special_tokens=True).strip())
        if self._task.name == "rationale":
            return said
        return [tuple(item.words()(one)) for item, one in zip(part, said, strict=True)]


def marked(item: TaskItem) -> str:
    """An item's text; an error that it asks about stands between marks."""
    if item.span is None:
        return item.text if not item.text.isspace() else "."
    start, end = item.span
    tokens = [*item.tokens[:start], "[", *item.tokens[start:end], "]", *item.tokens[end:]]
    return joined(tokens, item.language)


def joined(tokens: Sequence[str], language: str) -> str:
    """Tokens as text again; Chinese is written without spaces."""
    return ("" if language.startswith("zh") else " ").join(tokens)


def _first_pieces(words: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Where the first piece of every token stands."""
    last = None
    for column, word in enumerate(words):
        if word is not None and word != last:
            yield column, word
        last = word


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        command = "pip install torch transformers"
        raise ModelNotInstalled(name="a checkpoint", package=name, command=command) from error
