"""Retrieval: exact against a loop over all texts; chance is chance."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcuate.metrics.retrieval import retrieval_statistics
from arcuate.metrics.text import text_scores

WORDS = st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "dog"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
OUTPUTS = SENTENCES | st.just("") | st.just("unheard of")


def by_hand(targets, predicted):
    """The definition, sentence by sentence."""
    texts = list(dict.fromkeys(targets))
    in_texts = Counter(word for text in texts for word in set(text.split()))

    def vector(text):
        counts = {word: n for word, n in Counter(text.split()).items() if word in in_texts}
        known = {word: n * math.log1p(len(texts) / in_texts[word]) for word, n in counts.items()}
        norm = math.sqrt(sum(v * v for v in known.values()))
        return {word: value / norm for word, value in known.items()}

    rows = []
    for target, output in zip(targets, predicted, strict=True):
        of = vector(output)
        similarity = [sum(of.get(w, 0) * v for w, v in vector(text).items()) for text in texts]
        own = similarity[texts.index(target)]
        others = [value for text, value in zip(texts, similarity, strict=True) if text != target]
        higher = sum(value > own + 1e-5 for value in others)
        ties = sum(abs(value - own) <= 1e-5 for value in others)
        rank = (len(others) - higher - ties / 2) / len(others) if others else 0.5
        rows.append((rank, min(1, max(0, (1 - higher) / (ties + 1)))))
    return np.array(rows)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(SENTENCES, OUTPUTS), min_size=1, max_size=20))
def test_ranks_are_those_of_a_loop(pairs):
    targets, predicted = map(list, zip(*pairs, strict=True))
    assert retrieval_statistics(targets, predicted)[:, :2] == pytest.approx(by_hand(targets, predicted))


@pytest.mark.parametrize("constant", ["", "the cat", "something else"])
def test_a_constant_output_is_at_chance(constant):
    targets = [f"the cat number{n} has things{n % 3}" for n in range(40)]
    scores = text_scores(targets, [constant] * 40, ["retrieval_rank", "retrieval_top1", "retrieval_top5"])
    assert scores["retrieval_rank"] == pytest.approx(50)
    assert scores["retrieval_top1"] == pytest.approx(100 / 40)
    assert scores["retrieval_top5"] == pytest.approx(500 / 40)


def test_many_texts_compete_with_a_sample_of_them():
    targets = [f"word{n} and word{n + 1}" for n in range(300)]
    few = retrieval_statistics(targets, targets, max_candidates=50)
    assert (few[:, 1] == 1).all()
    assert set(few[:, 3].round(6)) == {round(1 / 50, 6), round(1 / 51, 6)}
    shuffled = [targets[(n + 100) % 300] for n in range(300)]
    assert retrieval_statistics(targets, shuffled, max_candidates=50)[:, 0].mean() < 0.6
