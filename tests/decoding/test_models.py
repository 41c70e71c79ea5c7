"""The contract of every model, and the published architecture of EEG2Text."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.decoding.tiny import BART, GPT, OPTIONS, STAGES, eeg_dataset
from torch import nn

from arcuate.decoding.batches import Batch, BatchMaker
from arcuate.decoding.build import build_model
from arcuate.decoding.checkpoint import load_model, save_checkpoint
from arcuate.decoding.data import read_data
from arcuate.decoding.inputs import SignalSource
from arcuate.decoding.language import Generation
from arcuate.decoding.models import MODELS
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.models.frames import VolumeDecoder, VolumeEncoder
from arcuate.decoding.models.unicorn import one_slot_a_frame
from arcuate.decoding.tokens import IGNORED, encode_targets, word_tokenizer
from arcuate.errors import ArcuateError

LEARNING = [name for name, model in MODELS.items() if not issubclass(model, Baseline)]
BASELINES = [name for name, model in MODELS.items() if issubclass(model, Baseline)]
CASES = [(name, kind) for name in LEARNING for kind in ("eeg", "fmri") if (name, kind) != ("eeg2text", "fmri")]


@pytest.fixture
def built(request):
    """Make a small model with its data and a function that makes batches."""

    def build(name: str, kind: str):
        data = read_data(request.getfixturevalue(kind).folder)
        language = GPT if name == "prefix" else BART
        model, tokenizer = build_model(name, data, data.text, language, OPTIONS.get(name, {}), 16, 0)
        targets, _ = encode_targets(tokenizer, data.text, 16, language is GPT)
        return model, tokenizer, data, BatchMaker(data, targets, SignalSource())

    return build


def widened(batch: Batch, frames: int, tokens: int) -> Batch:
    """The same batch with more padding on both sides."""
    pad = nn.functional.pad
    return Batch(
        batch.frames, pad(batch.index, (0, frames)), pad(batch.mask, (0, frames)),
        pad(batch.labels, (0, tokens), value=IGNORED), batch.rows,
    )


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_loss_falls_on_a_tiny_batch(built, name, kind):
    model, _, _, maker = built(name, kind)
    batch = maker.make(np.arange(6))
    for stage in STAGES[name]:
        model.begin(stage)
        optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-3)
        losses = []
        for _ in range(15 if stage != "prefix" else 60):
            loss = model.loss_sum(batch, stage)
            assert loss.shape == ()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        # A prefix can only steer a language model that is held.
        assert losses[-1] < (0.98 if stage == "prefix" else 0.9) * losses[0], stage
        held = set(dict(model.named_parameters())) - set(model.trained(stage))
        assert all(dict(model.named_parameters())[n].grad is None for n in held)
        model.zero_grad(set_to_none=True)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_padding_and_company_change_nothing(built, name, kind):
    model, tokenizer, _, maker = built(name, kind)
    model.begin(STAGES[name][-1])
    model.eval()
    rows = np.array([0, 3, 5])
    batch = maker.make(rows)
    stage = STAGES[name][-1]
    with torch.no_grad():
        together = model.loss_sum(batch, stage)
        alone = sum(model.loss_sum(maker.make(rows[i:i + 1]), stage) for i in range(3))
        wide = model.loss_sum(widened(batch, 5, 3), stage)
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(together, wide, rtol=1e-4, atol=1e-4)
    how = Generation(max_new_tokens=8)
    first, again = model.generate(batch, how), model.generate(widened(batch, 5, 0), how)
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_shapes_and_saved_models_say_the_same(built, name, kind, tmp_path):
    model, tokenizer, _, maker = built(name, kind)
    stage = STAGES[name][-1]
    model.begin(stage)
    model.eval()
    batch = maker.make(np.arange(4))
    embeddings, mask = model.encode(batch)
    assert embeddings.shape == (4, mask.shape[1], 32)
    forced = model.teacher_forced(batch)
    assert forced.shape == batch.labels.shape
    beams = Generation(beams=2, max_new_tokens=6)
    said = model.generate(batch, beams)
    assert said.shape[0] == 4
    save_checkpoint(tmp_path / "c", model, tokenizer, {"stage": stage})
    loaded, words, about = load_model(tmp_path / "c")
    assert loaded.generate(batch, beams).tolist() == said.tolist()
    assert loaded.teacher_forced(batch).tolist() == forced.tolist()
    assert words.get_vocab() == tokenizer.get_vocab()
    assert about["stage"] == stage


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("kind", ["eeg", "fmri"])
def test_baselines_answer_alike_after_loading(built, name, kind, tmp_path):
    model, tokenizer, data, _ = built(name, kind)
    rows = np.arange(8)
    with pytest.raises(ArcuateError, match="not been fitted"):
        model.answer(None, data.text[:8], rows)
    model.fit(data, rows, seed=3)
    features = None
    if name == "retrieval":
        windows = [data.store.window(*window) for window in data.windows()[:8]]
        features = model.features(windows)
    said = model.answer(features, data.text[:8], rows)
    assert len(said) == 8
    save_checkpoint(tmp_path / "c", model, tokenizer, {})
    loaded, _, _ = load_model(tmp_path / "c")
    assert loaded.answer(features, data.text[:8], rows) == said
    if name in ("oracle", "retrieval"):  # its own training signal is nearest to itself
        assert said == [" ".join(text.split()[:16]) for text in data.text[:8]]
    if name == "constant":
        assert len(set(said)) == 1
        assert said[0] in data.text
    if name == "unigram":
        assert model.answer(None, data.text[3:5], rows[3:5]) == said[3:5]


class PublishedTranslator(nn.Module):
    """The public class, line for line in what it computes."""

    def __init__(self, pretrained, in_feature=840, decoder_embedding_size=1024, nhead=8, feedforward=2048):
        super().__init__()
        self.pretrained = pretrained
        self.additional_encoder_layer = nn.TransformerEncoderLayer(
            d_model=in_feature, nhead=nhead, dim_feedforward=feedforward, batch_first=True
        )
        self.additional_encoder = nn.TransformerEncoder(
            self.additional_encoder_layer, num_layers=6, enable_nested_tensor=False
        )
        self.fc1 = nn.Linear(in_feature, decoder_embedding_size)

    def forward(self, words, mask, inverted, labels):
        encoded = self.additional_encoder(words, src_key_padding_mask=inverted)
        encoded = torch.relu(self.fc1(encoded))
        return self.pretrained(inputs_embeds=encoded, attention_mask=mask, labels=labels, return_dict=True)


def published_size() -> int:
    """Parameters of the encoder and the projection, by formula."""
    d, ff = 840, 2048
    layer = (3 * d * d + 3 * d) + (d * d + d) + (d * ff + ff) + (ff * d + d) + 2 * 2 * d
    return 6 * layer + (d * 1024 + 1024)


def test_eeg2text_has_the_published_parameters_and_takes_the_published_batch(tmp_path):
    from transformers import BartConfig, BartForConditionalGeneration

    data = read_data(eeg_dataset(tmp_path, subjects=6, texts=2, size=840).folder)
    small = {**BART, "d_model": 1024, "encoder_attention_heads": 16, "decoder_attention_heads": 16}
    model, tokenizer = build_model("eeg2text", data, data.text, small, {}, 56, 0)
    own = sum(p.numel() for n, p in model.named_parameters() if not n.startswith("language."))
    assert own == published_size()
    kind = {k: v for k, v in small.items() if k != "type"}
    bart = BartForConditionalGeneration(BartConfig(
        vocab_size=len(tokenizer), pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=0, **kind
    ))
    reference = PublishedTranslator(bart)
    template = sum(p.numel() for p in reference.additional_encoder_layer.parameters())
    assert sum(p.numel() for p in reference.parameters()) - template == sum(p.numel() for p in model.parameters())

    reference.additional_encoder.load_state_dict(model.encoder.state_dict())
    reference.fc1.load_state_dict(model.project.state_dict())
    bart.load_state_dict(model.language.network.state_dict())
    reference.eval(), model.eval()
    mask = torch.arange(56) < torch.tensor([[3], [20]])
    words = torch.randn(2, 56, 840) * mask[..., None]
    labels = torch.randint(4, len(tokenizer), (2, 56)).masked_fill(~mask, IGNORED)
    with torch.no_grad():
        ours = model(words, mask, labels)
        theirs = reference(words, mask.long(), ~mask, labels)
    assert ours.shape == (2, 56, len(tokenizer))
    torch.testing.assert_close(ours[mask], theirs.logits[mask], rtol=1e-4, atol=1e-4)


def test_eeg2text_at_bart_large_size_by_formula():
    """BART-large itself, without making it: 406,291,456 parameters as released (50,265 words)."""
    from transformers import BartConfig, BartForConditionalGeneration

    with torch.device("meta"):
        large = BartForConditionalGeneration(BartConfig(vocab_size=50265))
    assert sum(p.numel() for p in large.parameters()) == 406_291_456
    assert published_size() + 406_291_456 == 406_291_456 + 6 * 6_272_648 + 861_184


def test_step_1_trains_what_the_public_code_leaves_free(built):
    model, *_ = built("eeg2text", "eeg")
    free = model.trained("step1")
    of_language = {name for name in free if name.startswith("language.")}
    assert any("embed_positions" in name for name in of_language)
    assert any(".shared." in name for name in of_language)
    assert any("encoder.layers.0." in name for name in of_language)
    assert not any("decoder.layers" in name for name in of_language)
    assert {n for n, _ in model.named_parameters() if not n.startswith("language.")} < set(free)
    assert len(model.trained("step2")) > len(free)


@pytest.mark.parametrize("shape", [(64, 64, 27), (8, 8, 5), (7, 9, 6)])
def test_the_mirror_gives_back_the_frame_shape(shape):
    channels = (2, 4, 8, 8) if shape[0] == 64 else (2, 4)
    encoder = VolumeEncoder(shape, channels, 16)
    decoder = VolumeDecoder(encoder, channels, 16)
    assert decoder(encoder(torch.zeros(1, *shape))).shape == (1, *shape)
    if shape[0] == 64:
        assert encoder.sizes[-1] == (4, 4, 2)


def test_unicorn_reads_a_frame_once_however_many_windows_hold_it(built):
    model, _, data, maker = built("unicorn", "fmri")
    batch = maker.make(np.arange(8))  # eight neighbouring windows of four frames
    assert len(batch.frames) == 11
    slots = one_slot_a_frame(batch)
    assert batch.index.flatten()[slots].tolist() == list(range(11))
    by_window = batch.windows().float()
    for i, (run, start, length) in enumerate(data.windows()[:8]):
        np.testing.assert_array_equal(by_window[i].numpy(), data.store.window(run, start, length))


def test_unicorn_throws_its_mirror_away(built):
    model, *_ = built("unicorn", "fmri")
    assert any(name.startswith("frame_decoder.") for name, _ in model.named_parameters())
    model.begin("text")
    assert not any(name.startswith(("frame_decoder.", "decoder.")) for name, _ in model.named_parameters())


def test_prefix_holds_its_language_model(built):
    model, *_ = built("prefix", "eeg")
    model.begin("prefix")
    model.train()
    assert not any(p.requires_grad for p in model.language.parameters())
    assert not model.language.training
    assert model.encoder.training


def test_options_and_language_are_checked(eeg, tmp_path):
    data = read_data(eeg.folder)
    with pytest.raises(ArcuateError, match="'layer' is not known"):
        build_model("eeg2text", data, data.text, BART, {"layer": 2}, 16, 0)
    with pytest.raises(ArcuateError, match="causal"):
        build_model("prefix", data, data.text, BART, {}, 16, 0)
    with pytest.raises(ArcuateError, match="divisor"):
        build_model("eeg2text", data, data.text, BART, {"heads": 5}, 16, 0)
    with pytest.raises(ArcuateError, match="could not be loaded|tokenizer"):
        build_model("eeg2text", data, data.text, str(tmp_path / "none"), {}, 16, 0)


def test_a_vocabulary_that_does_not_fit_is_refused():
    from arcuate.decoding.language import language_model

    with pytest.raises(ArcuateError, match=r"10 tokens .* vocabulary has 5"):
        language_model({**BART, "vocab_size": 5}, word_tokenizer(["a b c d e f"]))
