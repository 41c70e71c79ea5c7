"""Hidden states and surprisal: a tiny model built here, checked word by word against single runs."""

from __future__ import annotations

import numpy as np
import pytest

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.align import Alignment
from arcuate.encoding.features.language_model import _encode, load, locate
from arcuate.encoding.features.make import make_features, read_layers
from arcuate.encoding.features.model_states import SURPRISAL, text_states, word_states
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.windows import tokens_of_words, windows
from arcuate.errors import ArcuateError

WORDS = "alice was beginning to get very tired of sitting by her sister on the bank".split()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A GPT-2 of two layers whose tokenizer cuts words into pairs of letters."""
    return str(_save(tmp_path_factory.mktemp("tiny"), causal=True, seed=0))


@pytest.fixture(scope="module")
def both_ways(tmp_path_factory):
    return str(_save(tmp_path_factory.mktemp("bert"), causal=False, seed=0))


def _save(folder, causal, seed):
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    pieces = {"<s>", "<u>", *(c for w in WORDS for c in w), *(w[i : i + 2] for w in WORDS for i in range(0, len(w), 2))}
    pieces |= {f"##{p}" for p in pieces}
    vocabulary = {piece: i for i, piece in enumerate(sorted(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="<u>", max_input_chars_per_word=30))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<u>", model_max_length=64
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    size = len(vocabulary)
    if causal:
        model = GPT2LMHeadModel(GPT2Config(vocab_size=size, n_positions=64, n_embd=8, n_layer=2, n_head=2,
                                           bos_token_id=vocabulary["<s>"], eos_token_id=vocabulary["<s>"]))  # fmt: skip
    else:
        model = BertModel(BertConfig(vocab_size=size, hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
                                     intermediate_size=16, max_position_embeddings=64))  # fmt: skip
    model.save_pretrained(folder)
    return folder


def options(tmp_path, **changes) -> FeatureOptions:
    return FeatureOptions(**{"cache": tmp_path / "cache", "context": 3, "stride": 1, **changes})


def alone(model, text):
    """States by layer and log-probabilities of one text, token by token, without batches."""
    import torch

    language = load(locate(model))
    encoding = language.tokenizer(text, return_offsets_mapping=True)
    ids = [language.tokenizer.bos_token_id, *encoding["input_ids"]]
    with torch.inference_mode():
        output = language.model(input_ids=torch.tensor([ids]), output_hidden_states=True)
    log_p = torch.log_softmax(output.logits[0, :-1], dim=-1)[range(len(ids) - 1), ids[1:]].numpy()
    return [state[0].numpy() for state in output.hidden_states], log_p, encoding["offset_mapping"]


@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_each_word_is_read_after_exactly_its_context(tiny, tmp_path, pooling):
    states = word_states(WORDS, tiny, [1, SURPRISAL], options(tmp_path, pooling=pooling, batch_size=4))
    for index in range(len(WORDS)):
        shown = WORDS[max(0, index - 3) : index + 1]
        hidden, log_p, offsets = alone(tiny, " ".join(shown))
        begins = len(" ".join(shown)) - len(shown[-1])
        own = [i for i, (start, _) in enumerate(offsets) if start >= begins]
        expected = hidden[1][np.array(own) + 1]
        expected = expected[-1] if pooling == "last" else expected.mean(axis=0)
        assert np.allclose(states[1][index], expected, atol=1e-5)
        assert states[SURPRISAL][index, 0] == pytest.approx(-log_p[own].sum() / np.log(2), abs=1e-4)


def test_a_stride_gives_each_word_at_least_its_context(tiny, tmp_path):
    strided = word_states(WORDS, tiny, [2], options(tmp_path, stride=4))[2]
    for window in windows(len(WORDS), 3, 4):
        for index in range(window.read_from, window.last):
            hidden, _, _ = alone(tiny, " ".join(WORDS[window.first : index + 1]))
            assert np.allclose(strided[index], hidden[2][-1], atol=1e-5)


def test_texts_by_last_token_by_mean_and_by_sentences(tiny, tmp_path):
    text = "alice was tired. her sister was sitting!"
    hidden, _, _ = alone(tiny, text)
    assert np.allclose(text_states([text], tiny, [2], options(tmp_path))[2][0], hidden[2][-1], atol=1e-5)
    mean = text_states([text], tiny, [2], options(tmp_path, pooling="mean"))[2][0]
    assert np.allclose(mean, hidden[2][1:].mean(axis=0), atol=1e-5)
    lasts = [alone(tiny, part)[0][2][-1] for part in ("alice was tired.", "her sister was sitting!")]
    sentences = text_states([text], tiny, [2], options(tmp_path, pooling="sentences"))[2][0]
    assert np.allclose(sentences, np.mean(lasts, axis=0), atol=1e-5)


def test_batches_change_nothing(tiny, tmp_path):
    one = word_states(WORDS, tiny, [2], options(tmp_path / "a", batch_size=1))[2]
    many = word_states(WORDS, tiny, [2], options(tmp_path / "b", batch_size=7))[2]
    assert np.allclose(one, many, atol=1e-5)


def test_a_second_call_reads_the_cache_and_loads_no_model(tiny, tmp_path, monkeypatch):
    first = word_states(WORDS, tiny, [1, 2], options(tmp_path))
    monkeypatch.setattr("arcuate.encoding.features.model_states.load", lambda *_: pytest.fail("model was loaded"))
    again = word_states(WORDS, tiny, [2], options(tmp_path))
    assert np.array_equal(first[2], again[2])


@pytest.mark.parametrize("change", ["words", "context", "weights"])
def test_the_cache_knows_all_that_changes_the_values(tiny, tmp_path, tmp_path_factory, change):
    before = word_states(WORDS, tiny, [2], options(tmp_path))[2]
    model, words, context = tiny, list(WORDS), 3
    if change == "words":
        words[0] = "sister"
    elif change == "context":
        context = 2
    else:
        model = str(_save(tmp_path_factory.mktemp("other"), causal=True, seed=1))
    after = word_states(words, model, [2], options(tmp_path, context=context))[2]
    assert not np.allclose(before, after)


def test_a_damaged_cache_entry_is_made_again(tiny, tmp_path):
    before = word_states(WORDS, tiny, [2], options(tmp_path))[2]
    kept = next((tmp_path / "cache").rglob("2.npy"))
    kept.write_bytes(kept.read_bytes()[:100])
    assert np.array_equal(before, word_states(WORDS, tiny, [2], options(tmp_path))[2])


def test_read_layers_runs_the_model_once_for_all_layers(tiny, tmp_path, monkeypatch):
    onsets = np.arange(len(WORDS)) * 1.0
    heard = BrainResponses(dataset="toy", subject="1", kind="continuous", responses=np.zeros((9, 1)), tr=2.0,
                           stimuli=TimedWords(tuple(WORDS), onsets, onsets + 0.5))  # fmt: skip
    settings = options(tmp_path, alignment=Alignment(method="offset"))
    specs = [f"{tiny}:0", f"{tiny}:2", f"rate+surprisal:{tiny}"]
    read_layers(specs, heard, settings)
    monkeypatch.setattr("arcuate.encoding.features.model_states.load", lambda *_: pytest.fail("model was loaded"))
    for spec in specs:
        assert make_features(spec, heard, settings).features.values.shape[0] == 9


def test_the_first_word_has_the_tokens_that_it_has_inside_a_text(tmp_path):
    """Byte-level tokenizers, as of GPT-2, cut "hammer" and " hammer" differently."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    cut = ByteLevelBPETokenizer()
    cut.train_from_iterator(["a hammer and a hammer"] * 50, vocab_size=300, show_progress=False)
    PreTrainedTokenizerFast(tokenizer_object=cut._tokenizer, bos_token="<s>").save_pretrained(tmp_path)
    config = GPT2Config(vocab_size=400, n_positions=64, n_embd=8, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1)
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    language = load(locate(str(tmp_path)))
    ids, offsets = _encode(language, "hammer a hammer")
    assert language.blank_first
    assert ids[1] == ids[3]
    assert offsets[1:] == [(0, 6), (6, 8), (8, 15)]
    assert tokens_of_words("hammer a hammer", [(0, 6), (7, 8), (9, 15)], offsets) == [[1], [2], [3]]


def test_states_are_scaled_as_the_next_layer_reads_them_unless_told_otherwise(tiny, tmp_path):
    read = BrainResponses(dataset="toy", subject="1", kind="isolated", responses=np.eye(2), stimuli=("alice", "sister"))
    raw = make_features(f"{tiny}:2", read, options(tmp_path, scale="none")).features
    scaled = make_features(f"{tiny}:2", read, options(tmp_path)).features
    assert np.allclose(np.mean(scaled.values**2, axis=1), 1)
    assert np.allclose(scaled.values * np.sqrt(np.mean(raw.values**2, axis=1))[:, None], raw.values)
    assert "scale:rms" in scaled.signature
    assert "scale:none" in raw.signature


def test_a_model_that_reads_both_ways_may_not_see_later_words(both_ways, tmp_path):
    with pytest.raises(ArcuateError, match=r"stride is 5, but this model reads in both directions.*Use stride=1"):
        word_states(WORDS, both_ways, [1], options(tmp_path, stride=5))
    assert word_states(WORDS, both_ways, [1], options(tmp_path))[1].shape == (len(WORDS), 8)
    with pytest.raises(ArcuateError, match="Surprisal needs a causal language model"):
        word_states(WORDS, both_ways, [SURPRISAL], options(tmp_path))


def test_what_does_not_fit_the_model_is_refused(tiny, tmp_path):
    with pytest.raises(ArcuateError, match=r"has no layer 3. Use 0 \(embedding\) to 2"):
        word_states(WORDS, tiny, [3], options(tmp_path))
    with pytest.raises(ArcuateError, match=r"is longer than the model's 64"):
        text_states([" ".join(WORDS * 5)], tiny, [1], options(tmp_path))
    with pytest.raises(ArcuateError, match=r"no config\.json"):
        word_states(WORDS, str(tmp_path), [1], options(tmp_path))


def test_a_token_belongs_to_the_word_of_its_last_letter():
    text = "to  get"
    assert tokens_of_words(text, [(0, 2), (4, 7)], [(0, 2), (2, 3), (3, 5), (5, 7)]) == [[0], [2, 3]]
    with pytest.raises(ArcuateError, match="no token for 'get'"):
        tokens_of_words(text, [(0, 2), (4, 7)], [(0, 2)])


@pytest.mark.slow
def test_smollm2_finds_the_expected_word_likelier(tmp_path):
    words = "the capital of France is Paris".split()
    odd = "the capital of France is bread".split()
    settings = options(tmp_path, context=10, stride=10)
    likely = word_states(words, "smollm2", [SURPRISAL], settings)[SURPRISAL]
    unlikely = word_states(odd, "smollm2", [SURPRISAL], settings)[SURPRISAL]
    assert np.allclose(likely[:5], unlikely[:5], atol=1e-2)
    assert likely[5, 0] + 5 < unlikely[5, 0]
