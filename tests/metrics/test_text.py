"""Text scores against nltk, sacrebleu, rouge-score and jiwer on thousands of generated pairs."""

from __future__ import annotations

import re
import warnings

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import corpus_bleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from arcuate.errors import ArcuateError
from arcuate.metrics.bleu import bleu_from_sums, bleu_statistics
from arcuate.metrics.text import METRICS, check_pairs, text_score, text_scores, text_statistics

WORDS = st.sampled_from(["the", "cat", "sat", "on", "a", "The", "it's", "2", "mat.", "é", "x-y", "&amp;"])
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join)
TARGETS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(TARGETS, SENTENCES), min_size=1, max_size=40)
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=25)
ANY_PAIRS = st.lists(st.tuples(ANY_TEXT.filter(str.strip), ANY_TEXT), min_size=1, max_size=20)
EXAMPLES = settings(max_examples=250, deadline=None)


def columns(pairs):
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@EXAMPLES
@given(pairs=PAIRS)
def test_bleu_is_nltks_corpus_bleu(order, pairs):
    """nltk counts one n-gram in a hypothesis too short to have any; with that added, all are equal."""
    targets, predicted = columns(pairs)
    statistics = bleu_statistics(targets, predicted, str.split)
    statistics[:, 6:] = np.maximum(statistics[:, 6:], 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = 100 * corpus_bleu(
            [[target.split()] for target in targets], [output.split() for output in predicted],
            weights=(1 / order,) * order,
        )
    assert float(bleu_from_sums(statistics.sum(axis=0), order)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@EXAMPLES
@given(pairs=PAIRS | ANY_PAIRS)
def test_bleu_is_sacrebleus(order, pairs):
    targets, predicted = columns(pairs)
    # sacrebleu strips a line's end before it tokenises; a sentence is one line here as there.
    expected = BLEU(max_ngram_order=order, smooth_method="none").corpus_score(predicted, [targets]).score
    assert text_score(f"bleu{order}", targets, predicted) == pytest.approx(expected, abs=1e-9)


@EXAMPLES
@given(pairs=PAIRS | ANY_PAIRS)
def test_rouge_is_rouge_scores(pairs):
    targets, predicted = columns(pairs)
    scorer = RougeScorer(["rouge1"], use_stemmer=False)
    expected = [scorer.score(*pair)["rouge1"] for pair in pairs]
    ours = text_scores(targets, predicted, ["rouge1_p", "rouge1_r", "rouge1_f"])
    assert ours["rouge1_p"] == pytest.approx(100 * np.mean([score.precision for score in expected]))
    assert ours["rouge1_r"] == pytest.approx(100 * np.mean([score.recall for score in expected]))
    assert ours["rouge1_f"] == pytest.approx(100 * np.mean([score.fmeasure for score in expected]))


@EXAMPLES
@given(pairs=PAIRS | ANY_PAIRS)
def test_error_rates_are_jiwers(pairs):
    targets, predicted = columns(pairs)
    assert text_score("wer", targets, predicted) == pytest.approx(100 * jiwer.wer(targets, predicted))
    assert text_score("cer", targets, predicted) == pytest.approx(100 * jiwer.cer(targets, predicted))


def test_the_rouge_pitfall_of_the_specification():
    """Four pairs on which two packages of that name disagree: ours follows rouge-score."""
    scorer = RougeScorer(["rouge1"], use_stemmer=False)
    pairs = [("The cat sat.", "the cat"), ("a b", ""), ("Dogs bark!", "dogs, bark"), ("one two", "three")]
    expected = 100 * np.mean([scorer.score(*pair)["rouge1"].fmeasure for pair in pairs])
    assert text_score("rouge1_f", *columns(pairs)) == pytest.approx(expected)


@pytest.mark.parametrize("name", METRICS)
class TestContract:
    """What every text metric must do."""

    def test_says_direction_and_signature(self, name):
        metric = METRICS[name]
        better = "higher" if metric.higher_is_better else "lower"
        form = rf"metric:{name}\|unit:percent\|.*\|better:{better}\|arcuate:.+"
        assert re.fullmatch(form, metric.signature)

    def test_perfect_and_empty_output(self, name):
        best, worst = (100, 0) if METRICS[name].higher_is_better else (0, 100)
        targets = ["the cat sat on the mat", "a dog ran over the hill"]
        assert text_score(name, targets, targets) == pytest.approx(best)
        # Silence picks no text out: chance among two texts, all of them among the top five.
        worst = {"retrieval_rank": 50, "retrieval_top1": 50, "retrieval_top5": 100}.get(name, worst)
        assert text_score(name, targets, ["", ""]) == worst

    def test_refuses_unequal_lengths(self, name):
        with pytest.raises(ArcuateError, match="3 targets but 2 predictions"):
            text_score(name, ["a", "b", "c"], ["a", "b"])

    def test_order_of_pairs_does_not_matter(self, name):
        targets, predicted = ["the cat sat down", "a b c d e"], ["the cat sat", "a b c e"]
        turned = text_score(name, targets[::-1], predicted[::-1])
        assert text_score(name, targets, predicted) == pytest.approx(turned)

    def test_a_sum_of_statistics_is_the_score(self, name):
        targets = ["the cat sat on a mat"] * 3 + ["x y z u v"]
        predicted = ["the cat sat on", "", "a mat", "x y z u w"]
        rows = text_statistics(targets, predicted, [name])[METRICS[name].family]
        twice = METRICS[name].from_sums(np.stack([rows.sum(axis=0), 2 * rows.sum(axis=0)]))
        assert twice == pytest.approx(text_score(name, targets, predicted))


def test_refuses_empty_targets_and_names_the_row():
    with pytest.raises(ArcuateError, match=r"1 targets are empty, the first at row 1"):
        check_pairs(["a", " "], ["a", "b"])


def test_refuses_an_unknown_metric():
    with pytest.raises(ArcuateError, match=r"'bleu9' is not known\. Known: bleu1"):
        text_score("bleu9", ["a"], ["a"])


def test_refuses_a_bare_string():
    with pytest.raises(ArcuateError, match="lists of sentences"):
        check_pairs("abc", "abc")
