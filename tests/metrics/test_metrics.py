"""Metrics agree with the packages that define them, text by text and as a whole, and their intervals with the truth."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.jobs.fanout import WorkerPool
from goldmark.metrics.meteor import TOKEN, WordNetMissing
from goldmark.metrics.plugins import METRICS, MeanMetric, MetricType, Spec, Texts, opened, parse_list
from goldmark.metrics.scores import MetricScores, score, score_each
from goldmark.metrics.trial import tried
from goldmark.metrics.wordnet import WordNet
from goldmark.plugins import Plugin

TEXTS = Texts(
    outputs=[
        "The dog bit the man.",
        "It wasn't surprising.",
        "The man had just bitten him.",
        "",
        "A fox ran over hills and dogs, quickly.",
    ],
    references=[
        ["The dog bit the man.", "The dog had bit the man."],
        ["It was not unexpected.", "No one was surprised."],
        ["The man bit him first."],
        ["Somebody said nothing."],
        ["The fox quickly ran over the hill.", "Foxes run.", "A quick fox crossed hills."],
    ],
)
WORDS = (
    "the",
    "The",
    "cat",
    "dog",
    "sat",
    "ran",
    "running",
    "runs",
    "on",
    "mat.",
    "mat",
    ",",
    "42",
    "zèbre",
    "猫坐",
    "",
)
words = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=6).map(
    lambda rows: Texts([row[0] for row in rows], [row[1] for row in rows])
)


def measure(words: str, texts: Texts = TEXTS, **more: Any) -> MetricScores:
    return score(Spec.parse(words), texts, **more)


def streams(texts: Texts) -> list[list[Any]]:
    most = max(map(len, texts.references))
    return [[one[place] if place < len(one) else None for one in texts.references] for place in range(most)]


def agrees(found: MetricScores, corpus: float, segments: list[float]) -> None:
    assert found.corpus.value == pytest.approx(corpus, abs=1e-9)
    assert found.segments == pytest.approx(segments, abs=1e-9)


@given(corpora)
@pytest.mark.parametrize("smooth", ["exp", "floor", "add-k", "none"])
def test_bleu_is_sacrebleus(smooth: str, texts: Texts) -> None:
    whole = BLEU(smooth_method=smooth, force=True).corpus_score(list(texts.outputs), streams(texts)).score
    single = BLEU(smooth_method=smooth, effective_order=True, force=True)
    pairs = zip(texts.outputs, texts.references, strict=True)
    agrees(
        measure(f"bleu:smooth={smooth}", texts),
        whole,
        [single.sentence_score(output, references).score for output, references in pairs],
    )


@given(corpora)
@pytest.mark.parametrize("order", [0, 2])
def test_chrf_is_sacrebleus(order: int, texts: Texts) -> None:
    theirs = CHRF(word_order=order)
    agrees(
        measure(f"chrf:word_order={order}", texts),
        theirs.corpus_score(list(texts.outputs), streams(texts)).score,
        [theirs.sentence_score(*pair).score for pair in zip(texts.outputs, texts.references, strict=True)],
    )


@given(corpora)
@pytest.mark.parametrize("strict", [False, True])
def test_ter_is_sacrebleus(strict: bool, texts: Texts) -> None:
    theirs = TER(normalized=strict, case_sensitive=strict)
    found = measure("ter:normalise=yes,case=yes" if strict else "ter", texts)
    agrees(
        found,
        theirs.corpus_score(list(texts.outputs), streams(texts)).score,
        [theirs.sentence_score(*pair).score for pair in zip(texts.outputs, texts.references, strict=True)],
    )
    assert not found.higher_is_better


def test_outputs_without_any_error_have_a_rate_of_0() -> None:
    found = measure("ter", Texts(["the same words", "and more"], [["the same words"], ["and more"]], ()))
    assert found.corpus.value == 0
    assert found.corpus.interval is None
    assert "the same without any text" in found.corpus.reason


class FakeComet:
    """As much of unbabel-comet as is called, strict about how: its scores are lengths, so that they can be checked."""

    def __init__(self, compares: bool) -> None:
        self.compares = compares

    def load_from_checkpoint(self, checkpoint_path: str, *, local_files_only: bool) -> FakeComet:
        assert Path(checkpoint_path).name == "model.ckpt"
        assert local_files_only, "nothing is downloaded"
        return self

    def requires_references(self) -> bool:
        return self.compares

    def predict(self, samples: list[dict[str, str]], *, batch_size: int, gpus: int, progress_bar: bool) -> Any:
        assert {tuple(one) for one in samples} == {("src", "mt", "ref") if self.compares else ("src", "mt")}
        assert (batch_size, gpus, progress_bar) == (16, 0, False)
        return SimpleNamespace(scores=[len(one["mt"]) + len(one.get("ref", "")) / 100 for one in samples])


@pytest.mark.parametrize("compares", [True, False])
def test_comet_reads_inputs_and_takes_the_best_reference(
    compares: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a stand-in: no checkpoint can be had here."""
    monkeypatch.setitem(sys.modules, "comet", FakeComet(compares))
    opened.cache_clear()
    words = f"comet:checkpoint={tmp_path}"
    texts = Texts(["abc", "de"], [["x", "xyz"], ["uv"]], ["in", "put"])
    with pytest.raises(GoldmarkError, match=r"there is no hparams\.yaml"):
        measure(words, texts)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    (tmp_path / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    found = measure(words, texts)
    assert found.segments == pytest.approx((3.03, 2.02) if compares else (3.0, 2.0))
    assert f"COMET|model:{tmp_path.name}-{zlib.crc32(b'weights'):08x}" in found.signature
    with pytest.raises(ProblemsFound):
        measure(words, texts._replace(sources=()))


def test_a_metric_is_tried_before_anybody_waits_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("nltk.data.path", [])
    monkeypatch.setattr("goldmark.metrics.meteor.PLACES", ())
    monkeypatch.delenv("GOLDMARK_WORDNET", raising=False)
    opened.cache_clear()
    few = Texts(["a b", "c"], [["a"], ["c"]], ["x", "y"])
    missing = tried(["bleu", "ter", "meteor", f"comet:checkpoint={tmp_path}", "rougeL"], few)
    assert set(missing) == {"meteor", f"comet:checkpoint={tmp_path}"}
    assert "GOLDMARK_WORDNET" in missing["meteor"]
    assert "no reference" in tried(["bleu"], Texts(["a"], [[]]))["bleu"]
    assert tried(["bleu"], few) == {}


def test_bleu_of_a_published_example() -> None:
    # The example of sacrebleu's README: BLEU 48.530, brevity penalty 1, chrF2 59.73 (its texts and its printed values).
    outputs = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    first = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
    second = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]
    texts = Texts(outputs, [list(pair) for pair in zip(first, second, strict=True)])
    assert measure("bleu", texts).corpus.value == pytest.approx(48.53, abs=0.005)
    assert measure("chrf", texts).corpus.value == pytest.approx(59.73, abs=0.005)
    assert measure("bleu", texts).signature.startswith("BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:")


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
def test_rouge_is_the_packages(kind: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=True)
    pairs = zip(TEXTS.outputs, TEXTS.references, strict=True)
    values = [scorer.score_multi(references, output)[kind].fmeasure for output, references in pairs]
    agrees(measure(kind), float(np.mean(values)), values)


def test_rouge_says_what_it_does_not_read_and_can_be_made_to() -> None:
    texts = Texts(["猫坐在垫子上"], [["猫坐在垫子旁"]])
    deaf = measure("rouge1", texts)
    assert deaf.corpus.value == 0.0
    assert "1 of 1 outputs have letters other than a-z" in deaf.notes[0]
    heard = measure("rouge1:tokenize=chars", texts)
    assert heard.corpus.value == pytest.approx(5 / 6)  # five of six characters on either side
    assert heard.notes == ()
    assert measure("rouge1:tokenize=unicode", Texts(["Der Bär"], [["der bär"]])).corpus.value == 1.0


def test_chinese_takes_sacrebleus_tokeniser() -> None:
    texts = Texts(["猫坐在垫子上面。"], [["猫坐在垫子上边。"]])
    theirs = BLEU(tokenize="zh").corpus_score(list(texts.outputs), streams(texts)).score
    found = measure("bleu:tokenize=zh", texts)
    assert found.corpus.value == pytest.approx(theirs)
    assert found.corpus.value is not None
    assert found.corpus.value > 40
    assert measure("bleu", texts).corpus.value == 0.0, "without it the sentence is one long word"
    assert "tok:zh" in found.signature
    assert "猫" in texts.outputs[0]


class NoSynonyms:
    def synsets(self, word: str) -> list[Any]:
        return []


def test_meteor_without_synonyms_is_nltks() -> None:
    from nltk.translate.meteor_score import meteor_score

    def value(output: str, references: list[str]) -> float:
        tokens = TOKEN.findall(output)
        if not tokens:
            return 0.0
        return float(meteor_score([TOKEN.findall(one) for one in references], tokens, wordnet=NoSynonyms()))

    values = [value(output, list(refs)) for output, refs in zip(TEXTS.outputs, TEXTS.references, strict=True)]
    found = measure("meteor:stages=exact+stem")
    agrees(found, float(np.mean(values)), values)
    assert "impl:nltk-" in found.signature
    assert "stages:exact+stem|" in found.signature


@pytest.fixture
def wordnet(tmp_path: Path) -> str:
    """A WordNet of our own with two meanings: cat and mog, to sit; in the form of WordNet's files."""
    lines = {
        "data.noun": "  1 a licence\n00000015 05 n 02 cat 0 mog(a) 0 000 | purrs\n",
        "index.noun": "  1 a licence\ncat n 1 0 1 0 00000015\nmog n 1 0 1 0 00000015\n",
        "data.verb": "00000099 30 v 02 sit 0 be_seated 0 000 | rest\n",
        "index.verb": "sit v 1 0 1 0 00000099\nbe_seated v 1 0 1 0 00000099\n",
        "verb.exc": "sat sit\n",
        **dict.fromkeys(("data.adj", "index.adj", "data.adv", "index.adv"), ""),
    }
    for name, content in lines.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return str(tmp_path)


def test_meteor_with_synonyms_from_a_folder(wordnet: str) -> None:
    texts = Texts(["the mog sat"], [["the cat sit"]])
    # Without synonyms one word of three matches: P = R = 1/3, F = 1/3, one chunk, penalty 0.5 * (1/1)**3.
    assert measure("meteor:stages=exact+stem", texts).corpus.value == pytest.approx(1 / 3 * 0.5)
    # mog and cat share a meaning, sat -> sit is an exception: all match, in one chunk of three.
    found = measure(f"meteor:wordnet={wordnet}", texts)
    assert found.corpus.value == pytest.approx(1 - 0.5 * (1 / 3) ** 3)
    assert "stages:exact+stem+synonym|wordnet:" in found.signature


def test_wordnet_finds_dictionary_forms(wordnet: str) -> None:
    words = WordNet(Path(wordnet))

    def synonyms(word: str) -> set[str]:
        return {lemma.name() for synset in words.synsets(word) for lemma in synset.lemmas()}

    assert synonyms("Mogs") == synonyms("cat") == {"cat", "mog"}
    assert synonyms("sat") == synonyms("sits") == synonyms("be seated") == {"sit", "be_seated"}
    assert synonyms("dog") == set()


def test_meteor_never_downloads_wordnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("nltk.data.path", [])
    monkeypatch.setattr("goldmark.metrics.meteor.PLACES", ())
    monkeypatch.delenv("GOLDMARK_WORDNET", raising=False)
    opened.cache_clear()
    with pytest.raises(WordNetMissing, match=r"exact\+stem"):
        measure("meteor")
    with pytest.raises(GoldmarkError, match=r"index\.noun"):
        measure(f"meteor:wordnet={tmp_path}")


def test_intervals_cover_what_resampling_with_sacrebleu_covers() -> None:
    """BLEU of 150 resamples by sacrebleu itself, one after the other, against ours, which are only sums."""
    rng = np.random.default_rng(11)
    vocabulary = np.array(["a", "b", "c", "d", "e", "f"])
    reference = [" ".join(rng.choice(vocabulary, 12)) for _ in range(40)]
    outputs = [" ".join(np.where(rng.random(12) < 0.25, rng.choice(vocabulary, 12), one.split())) for one in reference]
    found = measure("bleu", Texts(outputs, [[one] for one in reference]))
    values = []
    for _ in range(150):
        drawn = rng.integers(0, 40, 40)
        bleu = BLEU(force=True).corpus_score([outputs[n] for n in drawn], [[reference[n] for n in drawn]])
        values.append(bleu.score)
    assert found.corpus.interval is not None
    low, high = np.quantile(values, [0.025, 0.975])
    spread = float(np.std(values))
    assert found.corpus.interval.low == pytest.approx(low, abs=0.5 * spread)
    assert found.corpus.interval.high == pytest.approx(high, abs=0.5 * spread)
    alone = measure("bleu", Texts(outputs[:1], [[reference[0]]])).corpus
    assert alone.reason == "no interval: there is only one text"


def test_the_same_seed_gives_the_same_numbers_however_it_is_spread(shared_crew: WorkerPool) -> None:
    rng = np.random.default_rng(3)
    outputs = [" ".join(rng.choice(list("abcdef"), 6)) for _ in range(450)]
    texts = Texts(outputs, [[one] for one in reversed(outputs)])
    seen: list[tuple[int, int]] = []
    spread = measure("chrf", texts, pool=shared_crew, progress=lambda done, total, message: seen.append((done, total)))
    assert spread == measure("chrf", texts)
    assert seen == [(0, 450), (200, 450), (400, 450), (450, 450)]


@pytest.fixture(scope="module")
def shared_crew() -> Iterator[WorkerPool]:
    with WorkerPool(processes=2) as pool:
        yield pool


def test_scores_travel_as_json() -> None:
    for found in (measure("bleu"), measure("rouge1", Texts(["a"], [["a"]]))):
        assert MetricScores.from_json(found.to_json()) == found


def test_empty_outputs_count_and_are_told() -> None:
    assert measure("bleu").notes == ("1 of 5 outputs are empty",)
    assert measure("bleu").segments[3] == 0.0
    assert measure("meteor:stages=exact+stem").segments[3] == 0.0


def test_what_cannot_be_scored_is_named_all_at_once() -> None:
    with pytest.raises(ProblemsFound) as found:
        measure("bleu", Texts(["a", "b", "c"], [["a"], [], []]))
    assert [problem.where for problem in found.value.problems] == ["output 2", "output 3"]
    with pytest.raises(ProblemsFound, match="1 problem"):
        measure("bleu", Texts(["a", "b"], [["a"]]))
    with pytest.raises(ProblemsFound, match="nothing was scored"):
        measure("bleu", Texts([]))


def explode(texts: Texts) -> list[float]:
    raise FloatingPointError("too hot")


BROKEN = MetricType(name="broken", purpose="Always fails.", open=lambda options: MeanMetric("broken", explode))
LENGTH = MetricType(
    name="length",
    purpose="Characters of the output; the fewer the better.",
    open=lambda options: MeanMetric("length|v:1", lambda texts: [float(len(one)) for one in texts.outputs]),
    higher_is_better=False,
    needs_references=False,
)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two plug-ins, as an installed package would publish them."""
    found = tuple(Plugin("metrics", name, f"{__name__}:{name.upper()}", "mine") for name in ("broken", "length"))
    monkeypatch.setattr("goldmark.plugins.installed", lambda: {"metrics": found})


@pytest.mark.usefixtures("installed")
def test_a_plug_in_is_a_metric_like_any_other_and_fails_alone() -> None:
    assert {"bleu", "length", "broken"} <= set(METRICS)
    found = score_each(parse_list("broken,length,nope,bleu"), TEXTS)
    assert str(found["broken"]) == "the metric 'broken' failed on these texts: FloatingPointError: too hot"
    assert "there is no metric 'nope'" in str(found["nope"])
    length, bleu = found["length"], found["bleu"]
    assert isinstance(length, MetricScores)
    assert isinstance(bleu, MetricScores)
    assert length.segments == tuple(float(len(one)) for one in TEXTS.outputs)
    assert not length.higher_is_better


def test_metrics_are_written_the_way_people_write_them() -> None:
    specs = parse_list(" bleu, chrf:word_order=2,beta=3 ,rougeL,bleu")
    assert [str(one) for one in specs] == ["bleu", "chrf:beta=3,word_order=2", "rougeL"]
    for words, message in (
        ("blue", "did you mean 'bleu'"),
        ("bleu:speed=9", "no option 'speed'; it has tokenize, lowercase, smooth"),
        ("bleu:tokenize=spm", "it can be 13a, zh"),
        ("chrf:beta=x", "whole number from 1"),
        ("bleu:lowercase", "OPTION=VALUE"),
        ("bertscore", "give the folder of a model"),
        ("bleurt:checkpoint=/nowhere", r"no config\.json"),
    ):
        with pytest.raises(GoldmarkError, match=message):
            measure(words)


def test_a_checkpoint_without_its_package_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(GoldmarkError, match="there are no weights"):
        measure(f"bertscore:checkpoint={tmp_path}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(GoldmarkError, match="pip install bert-score torch transformers"):
        measure(f"bertscore:checkpoint={tmp_path}")
    with pytest.raises(GoldmarkError, match="pip install bleurt-pytorch torch 'transformers<5'"):
        measure(f"bleurt:checkpoint={tmp_path}")


@given(words, words)
def test_a_perfect_output_gets_the_top_value(output: str, other: str) -> None:
    texts = Texts([f"a very long winter night {output}"], [[other, f"a very long winter night {output}"]])
    for name in ("bleu", "chrf", "rouge1", "rouge2", "rougeL"):
        found = measure(name, texts)
        assert found.corpus.value == pytest.approx(found.top)
