from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import ProblemsFound
from goldmark.plugins import UnknownPlugin
from goldmark.texts.preparation.copies import find_copies, overlap
from goldmark.texts.preparation.cuts import NoLength, count_words, cut_after
from goldmark.texts.preparation.matched_sets import SourceSet, TooFewTexts, match
from goldmark.texts.preparation.noise import NoiseRule, UnknownScript, why_noise
from goldmark.texts.preparation.prompt_words import (
    TAGGERS,
    NotABand,
    count_nouns,
    in_band,
)
from goldmark.texts.preparation.rows import read_rows, write_rows
from goldmark.texts.segmentation.text import make_text

STORY = "Once upon a time a hen lived here. She was old. Nobody knew her name, not even the cat. The end."


class TestCutting:
    @pytest.mark.parametrize(
        ("words", "kept"),
        [
            (1, "Once upon a time a hen lived here."),
            (8, "Once upon a time a hen lived here."),  # the eighth word ends the first sentence
            (9, "Once upon a time a hen lived here. She was old."),
            (12, "Once upon a time a hen lived here. She was old. Nobody knew her name, not even the cat."),
            (500, STORY),
        ],
    )
    def test_ends_with_the_sentence_that_passes_the_number_of_words(self, words: int, kept: str) -> None:
        assert cut_after(make_text("t", STORY), words) == kept

    def test_needs_a_length(self) -> None:
        with pytest.raises(NoLength):
            cut_after(make_text("t", STORY), 0)

    @given(st.text(min_size=1, alphabet="ab .!\n"), st.integers(1, 20))
    def test_is_a_beginning_of_the_text_and_long_enough_or_whole(self, characters: str, words: int) -> None:
        if not characters.strip():
            return
        text = make_text("t", characters)
        kept = cut_after(text, words)
        assert characters.startswith(kept)
        assert kept == characters or count_words(make_text("t", kept)) >= words


class TestNoise:
    def test_fifteen_characters_are_too_few_and_sixteen_enough(self) -> None:
        assert why_noise("a" * 15, NoiseRule()) == "15 characters, not more than 15"
        assert why_noise("a b" * 8, NoiseRule()) is None  # 16 letters; white space does not count
        assert why_noise(" " * 40, NoiseRule()) is not None

    def test_seventy_of_a_hundred_characters_in_the_script_are_enough(self) -> None:
        rule = NoiseRule(script="chinese")
        assert why_noise("字" * 70 + "a" * 30, rule) is None
        assert why_noise("字" * 69 + "a" * 31, rule) == "69% of its characters are chinese, less than 70%"

    def test_an_unknown_script_is_named(self) -> None:
        with pytest.raises(UnknownScript, match=r"klingon.*latin"):
            NoiseRule(script="klingon")


class TestCopies:
    def test_overlap_is_the_share_of_runs_of_three_words(self) -> None:
        # a b c d e has the runs abc, bcd, cde; the other has abc and bcd.
        assert overlap("a b c d e", "a b c d x") == pytest.approx(2 / 3)
        assert overlap("A  B, C!", "a b c") == 1
        assert overlap("!!!", "a b c") == 0
        assert overlap("one two", "one two three") == 0  # one run of two words, which the longer text has not

    def test_counts_a_run_as_often_as_the_other_has_it(self) -> None:
        assert overlap("x x x x x", "x x x") == pytest.approx(1 / 3)

    def test_the_first_of_its_kind_is_kept(self) -> None:
        texts = [("1", STORY), ("2", "Something else entirely happens in this one."), ("3", STORY.upper())]
        assert [(copy.id, copy.of, copy.overlap) for copy in find_copies(texts)] == [("3", "1", 1.0)]

    def test_exactly_the_share_is_no_copy(self) -> None:
        # 7 words have 5 runs, of which 4 are shared: 80 %, and a copy has more than that.
        texts = [("1", "a b c d e f x"), ("2", "a b c d e f g")]
        assert list(find_copies(texts)) == []
        assert len(list(find_copies(texts, more_than=0.79))) == 1

    @given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=8).map(" ".join), max_size=12))
    def test_finds_what_comparing_every_pair_finds(self, texts: list[str]) -> None:
        named = [(str(number), text) for number, text in enumerate(texts)]
        kept: list[str] = []
        naive = []
        for name, text in named:
            if any(overlap(text, other) > 0.8 for other in kept):
                naive.append(name)
            else:
                kept.append(text)
        assert [copy.id for copy in find_copies(named)] == naive


class TestPromptWords:
    def test_the_band_is_cut_from_the_ranks(self) -> None:
        counts = Counter({word: 10 - place for place, word in enumerate("abcdefghij")})
        assert [one.word for one in in_band(counts)] == ["e", "f"]  # ranks 4 and 5 of 10
        assert [one.rank for one in in_band(counts)] == [0.4, 0.5]

    def test_bands_side_by_side_share_no_word_and_lose_none(self) -> None:
        counts = Counter({str(number): number % 5 for number in range(37)})
        bands = [in_band(counts, start / 5, (start + 1) / 5) for start in range(5)]
        words = [one.word for band in bands for one in band]
        assert sorted(words) == sorted(counts)

    @pytest.mark.parametrize("band", [(0.6, 0.4), (-0.1, 0.5), (0.5, 1.1), (0.5, 0.5)])
    def test_a_band_must_be_one(self, band: tuple[float, float]) -> None:
        with pytest.raises(NotABand):
            in_band(Counter("abc"), *band)

    def test_reads_a_corpus_that_was_tagged_elsewhere(self) -> None:
        counts = count_nouns(["the/DT cat/NN sat_VB on/IN the/DT cat_NNS a/NN"], TAGGERS["tagged"]())
        assert counts == {"cat": 2}  # a single letter cannot start a text

    def test_jieba_finds_chinese_nouns(self) -> None:
        pytest.importorskip("jieba")
        counts = count_nouns(["苹果和石头都在桌子上", "我吃苹果"], TAGGERS["jieba"]())
        assert counts["苹果"] == 2
        assert counts["桌子"] == 1
        assert "吃" not in counts

    def test_an_unknown_tagger_is_named(self) -> None:
        with pytest.raises(UnknownPlugin, match="jieba, nltk, tagged"):
            TAGGERS.find("magic")


class TestMatching:
    def human(self, number: int) -> list[dict[str, str]]:
        return [{"id": f"h{place}", "text": f"Story {place} is told. It has an end."} for place in range(number)]

    def machine(self, number: int) -> list[dict[str, str]]:
        return [
            {"id": f"m{place}", "prompt": "Once upon", "text": f"Once upon a time {place}. And more."}
            for place in range(number)
        ]

    def test_as_many_of_every_source_and_cut_alike(self) -> None:
        sets = [SourceSet("human", self.human(5)), SourceSet("tiny", self.machine(3))]
        made = match(sets, words=3, rng=np.random.default_rng(1))
        assert [row["source"] for row in made.rows] == ["human"] * 3 + ["machine"] * 3
        assert made.rows[-1] == {
            "id": "tiny/m2",
            "prompt": "Once upon",
            "text": "Once upon a time 2.",
            "source": "machine",
            "system": "tiny",
        }
        assert made.left_out == []

    def test_copies_of_priming_texts_are_left_out_with_a_reason(self) -> None:
        sets = [SourceSet("human", self.human(2)), SourceSet("tiny", self.machine(2))]
        made = match(sets, words=50, rng=np.random.default_rng(1), priming=["Once upon a time 0. And more."])
        assert [(one.id, one.source) for one in made.left_out] == [("m0", "tiny")]
        assert [row["id"] for row in made.rows if row["source"] == "machine"] == ["tiny/m1"]

    def test_too_few_are_an_error_that_counts(self) -> None:
        sets = [SourceSet("human", self.human(2)), SourceSet("tiny", self.machine(2))]
        with pytest.raises(TooFewTexts, match="3 human texts are wanted and 2 are left"):
            match(sets, words=50, rng=np.random.default_rng(1), each=3)

    def test_whole_sets_of_versions_are_drawn_where_sources_share_items(self) -> None:
        prompts = [f"p{place}" for place in range(12)]
        sets = [
            SourceSet(
                source, [{"id": one, "text": f"{source} on {one}. The end."} for one in prompts if one != skipped]
            )
            for source, skipped in (("human", "p3"), ("tiny", "p7"))
        ]
        made = match(sets, words=50, rng=np.random.default_rng(5), each=6)
        items = {
            source: [row["item"] for row in made.rows if row["source"] == source] for source in ("human", "machine")
        }
        assert items["human"] == items["machine"]
        assert len(set(items["human"])) == 6
        assert not {"p3", "p7"} & set(items["human"]), "they have no version of the other source"
        with pytest.raises(TooFewTexts, match="11 complete sets of texts are wanted and 10 are left"):
            match(sets, words=50, rng=np.random.default_rng(5), each=11)

    def test_the_seed_decides(self) -> None:
        sets = [SourceSet("human", self.human(20)), SourceSet("tiny", self.machine(20))]
        drawn = [match(sets, words=9, rng=np.random.default_rng(seed), each=5).rows for seed in (1, 1, 2)]
        assert drawn[0] == drawn[1] != drawn[2]


class TestRows:
    def test_every_problem_is_named_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "texts.jsonl"
        path.write_text('{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}\n{"id": "2"}\nnonsense\n')
        with pytest.raises(ProblemsFound) as found:
            read_rows([path])
        assert [problem.where.rpartition(":")[2] for problem in found.value.problems] == ["2", "3", "4"]

    def test_what_no_tool_knows_is_kept(self, tmp_path: Path) -> None:
        rows = [{"id": "1", "text": "a\u2028b", "system": "x", "facts": {"n": 1.5}}]
        write_rows(tmp_path / "out.jsonl", rows)
        assert read_rows([tmp_path / "out.jsonl"]) == rows
