"""Decoding on one GPU at BART-large size, random weights: the published loop against ours, in one run.

    python -m benchmarks.decoding_gpu [--out FOLDER] [training generation volumes] [--small]

* training: fp32, padded to 56, batch 32, SGD, against `arcuate.decoding.train` (bf16, length buckets,
  fused SGD, compiled layers) on samples with ZuCo's sentence lengths.
* generation: batch 1, beam 5, fp32, against batches, bf16.
* volumes: UniCoRN's 3D-CNN pre-training on 64 x 64 x 27 frames, fed from the store on disk, against the
  same step fed with batches that lie in GPU memory.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch import nn

from arcuate.decoding.config import Stage, TrainConfig
from arcuate.signals.store import SignalWriter, write_store

VOCABULARY = 50265
LENGTH = 56


def word_counts(n: int, generator: np.random.Generator) -> np.ndarray:
    """Sentence lengths like ZuCo's 1,107: mean 19.9, sd 9.9, at most 56 words."""
    return np.clip(np.round(generator.gamma(4.1, 4.85, n)), 3, LENGTH - 2).astype(int)


def write_words(folder: Path, n: int, words_known: int, size: int = 840) -> Path:
    """Samples of word-level EEG with those lengths; the text has as many words as the signal."""
    generator = np.random.default_rng(0)
    lengths = word_counts(n, generator)
    frames = generator.standard_normal((int(lengths.sum()), size), dtype=np.float32)
    write_store(folder / "signals", [("all", frames, {})])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    words = [[f"w{w}" for w in generator.integers(0, words_known, count)] for count in lengths]
    pq.write_table(pa.table({
        "sample": [str(i) for i in range(n)], "subject": ["s"] * n, "text": [" ".join(w) for w in words],
        "run": ["all"] * n, "start": starts, "n_frames": lengths,
    }), folder / "samples.parquet")
    (folder / "dataset.json").write_text(json.dumps({"name": "bench", "modality": "eeg", "frame_shape": [size]}))
    parts = ["val" if i < 64 else "train" for i in range(n)]
    lines = [f"{i},{part}" for i, part in enumerate(parts)]
    (folder / "split.csv").write_text("\n".join(["sample,part", *lines]) + "\n")
    return folder


class Published(nn.Module):
    """The forward pass of the public EEG-To-Text code, with its names."""

    def __init__(self, pretrained: Any, size: int = 840):
        super().__init__()
        self.pretrained = pretrained
        self.additional_encoder_layer = nn.TransformerEncoderLayer(size, 8, 2048, batch_first=True)
        self.additional_encoder = nn.TransformerEncoder(
            self.additional_encoder_layer, 6, enable_nested_tensor=False
        )
        self.fc1 = nn.Linear(size, pretrained.config.d_model)

    def embed(self, words: torch.Tensor, inverted: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.fc1(self.additional_encoder(words, src_key_padding_mask=inverted)))

    def forward(self, words: torch.Tensor, mask: torch.Tensor, inverted: torch.Tensor, labels: torch.Tensor) -> Any:
        return self.pretrained(inputs_embeds=self.embed(words, inverted), attention_mask=mask, labels=labels)


def bart(small: bool) -> Any:
    """BART-large with random weights, or a tiny one."""
    from transformers import BartConfig, BartForConditionalGeneration

    return BartForConditionalGeneration(BartConfig(**language(small)))


def language(small: bool) -> dict[str, Any]:
    """The fields of its config."""
    if not small:
        return {"vocab_size": VOCABULARY}
    return {"vocab_size": 600, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1,
            "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16,
            "decoder_ffn_dim": 16}


def published_batches(lengths: Iterable[int], batch: int, device: str) -> list[tuple[torch.Tensor, ...]]:
    """Padded to 56 words and 56 tokens, pads -100 in the labels."""
    made = []
    lengths = np.asarray(list(lengths))
    for first in range(0, len(lengths) - batch + 1, batch):
        here = torch.as_tensor(lengths[first:first + batch], device=device)
        mask = (torch.arange(LENGTH, device=device) < here[:, None]).long()
        words = torch.randn(batch, LENGTH, 840, device=device) * mask[..., None]
        labels = torch.randint(4, 600, (batch, LENGTH), device=device)
        labels[torch.arange(LENGTH, device=device) > here[:, None]] = -100
        made.append((words, mask, mask == 0, labels))
    return made


def synchronise(device: str) -> float:
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def published_training(device: str, small: bool, steps: int) -> float:
    """Samples a second of the public loop: fp32, batch 32, SGD."""
    model = Published(bart(small)).to(device).train()
    optimiser = torch.optim.SGD(model.parameters(), lr=5e-7, momentum=0.9)
    lengths = word_counts(32 * steps, np.random.default_rng(1))
    batches = published_batches(lengths, 32, device)

    def loop(some: list[tuple[torch.Tensor, ...]]) -> None:
        for words, mask, inverted, labels in some:
            optimiser.zero_grad()
            loss = model(words, mask, inverted, labels).loss
            loss.backward()
            optimiser.step()
            loss.item()  # the public loop adds it up each step

    loop(batches[:3])
    began = synchronise(device)
    loop(batches)
    return 32 * len(batches) / (synchronise(device) - began)


def our_training(folder: Path, device: str, small: bool, batch: int, epochs: int) -> dict[str, float]:
    """Samples a second of `train`, by its own log; the first epochs compile."""
    from arcuate.decoding.train import train

    config = TrainConfig(
        model="eeg2text", dataset=folder, split=folder / "split.csv", out=folder / f"run-{batch}",
        language={"type": "bart", **language(small)}, options={"layers": 1} if small else {},
        stages=(Stage(name="step2", epochs=epochs, batch_size=batch, lr=5e-7, optimiser="sgd"),),
        compile=True, device="gpu" if device == "cuda" else "cpu",
    )
    began = time.perf_counter()
    result = train(config)
    seconds = [row["seconds"] for row in result.history]
    rate = result.samples["train"] / min(seconds)
    return {"samples_s": rate, "batch": batch, "wall_s": time.perf_counter() - began,
            **{f"epoch_{i}_s": s for i, s in enumerate(seconds)}}


def published_generation(device: str, small: bool, n: int) -> float:
    """Samples a second at batch 1, beam 5, fp32."""
    model = Published(bart(small)).to(device).eval()
    batches = published_batches(word_counts(n + 1, np.random.default_rng(2)), 1, device)

    @torch.no_grad()
    def loop(some: list[tuple[torch.Tensor, ...]]) -> None:
        for words, mask, inverted, _ in some:
            model.pretrained.generate(
                inputs_embeds=model.embed(words, inverted), attention_mask=mask, max_length=LENGTH, num_beams=5,
                do_sample=False,
            )

    loop(batches[:1])
    began = synchronise(device)
    loop(batches[1:])
    return n / (synchronise(device) - began)


def our_generation(folder: Path, run: Path, device: str, n: int, batch: int) -> float:
    """Samples a second of `arcuate.decoding.generate` at beam 5, the loading of the model left out."""
    from arcuate.decoding import generate as module
    from arcuate.decoding.checkpoint import load_model
    from arcuate.decoding.data import read_data
    from arcuate.decoding.inputs import SignalSource
    from arcuate.decoding.language import Generation

    model, tokenizer, _ = load_model(run)
    data = read_data(folder)
    place, settings = module.hardware("gpu" if device == "cuda" else "cpu", 1, "auto")
    how = Generation(beams=5, max_new_tokens=LENGTH - 1)
    rest = (data, SignalSource(), how, False, batch, place, settings)
    model = module.ready(model, place, settings["precision"])
    for rows in (np.arange(min(n, batch)), np.arange(n)):
        began = synchronise(device)
        module.generate_rows(model, tokenizer, rows, *rest)
        seconds = synchronise(device) - began
    return n / seconds


def write_volumes(folder: Path, frames: int, shape: tuple[int, int, int]) -> Path:
    """A store of volumes; windows of 10 frames."""
    runs, each = 8, frames // 8
    noise = np.random.default_rng(0).standard_normal((each, *shape), dtype=np.float32).astype(np.float16)
    with SignalWriter(folder / "signals") as writer:
        for run in range(runs):
            writer.add(f"r{run}", noise)
    rows = [(f"r{run}", start) for run in range(runs) for start in range(each - 9)]
    pq.write_table(pa.table({
        "sample": [f"{run}:{start}" for run, start in rows], "subject": [run for run, _ in rows],
        "text": ["some words here"] * len(rows), "run": [run for run, _ in rows],
        "start": [start for _, start in rows], "n_frames": [10] * len(rows),
    }), folder / "samples.parquet")
    about = {"name": "bench", "modality": "fmri", "frame_shape": list(shape)}
    (folder / "dataset.json").write_text(json.dumps(about))
    return folder


def volumes(folder: Path, device: str, stage: str, epochs: int) -> dict[str, float]:
    """Windows (sequence) or frames (frame) a second: from the store, and from GPU memory."""
    from arcuate.decoding.batches import BatchMaker, BatchStream
    from arcuate.decoding.build import build_model
    from arcuate.decoding.data import read_data
    from arcuate.decoding.generate import autocast
    from arcuate.decoding.inputs import SignalSource
    from arcuate.decoding.plan import plan_epoch

    data, place = read_data(folder), torch.device(device)
    model, _ = build_model("unicorn", data, ["some words here"], {"type": "bart", **language(True)}, {}, 56, 0)
    model.begin(stage)
    model.to(place).train()
    optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], fused=device == "cuda")
    maker = BatchMaker(data, [np.zeros(1, np.int64)] * len(data), SignalSource(), pin=device == "cuda")
    # Frames alone: a batch of 320 frames is 32 windows side by side, each frame once.
    rows = np.arange(len(data)) if stage == "sequence" else np.flatnonzero(data.start % 10 == 0)
    size, block = (320, 16) if stage == "sequence" else (32, 1)
    tokens = np.ones(len(data), np.int64)

    def plan(epoch: int) -> list[Any]:
        return [(b, b) for b in plan_epoch(data, rows, tokens, size, block=block, seed=(0, epoch))]

    def loop(batches: Iterable[Any]) -> tuple[float, int]:
        began, frames = synchronise(device), 0
        for batch in batches:
            with autocast(place, "bf16-mixed" if device == "cuda" else "32"):
                loss = model.loss_sum(batch, stage) / batch.total_frames
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
            frames += len(batch.frames)
        return synchronise(device) - began, frames

    loop(BatchStream(maker, plan(0)[:8], place))
    resident = list(BatchStream(maker, plan(1)[:12], place))
    store = [loop(BatchStream(maker, plan(2 + e), place)) for e in range(epochs)]
    memory = [loop(resident * max(1, len(plan(1)) // len(resident))) for _ in range(epochs)]
    best_store, best_memory = (max(f / s for s, f in pairs) for pairs in (store, memory))
    return {"store_frames_s": best_store, "memory_frames_s": best_memory, "ratio": best_store / best_memory,
            "first_epoch_store_frames_s": store[0][1] / store[0][0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--small", action="store_true", help="tiny sizes: only to see that it runs")
    given = parser.parse_args()
    sections = given.sections or ["training", "generation", "volumes"]
    device, small = ("cuda" if torch.cuda.is_available() else "cpu"), given.small
    found: dict[str, Any] = {"device": torch.cuda.get_device_name() if device == "cuda" else "cpu"}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        if "training" in sections or "generation" in sections:
            folder = write_words(work / "words", *((256, 500) if small else (16448, VOCABULARY - 8)))
            found["ours_training"] = our_training(folder, device, small, 64 if small else 512, 2 if small else 3)
            found["published_training"] = published_training(device, small, 4 if small else 40)
            found["training_ratio"] = found["ours_training"]["samples_s"] / found["published_training"]
            print(json.dumps(found), flush=True)
        if "generation" in sections:
            run = folder / f"run-{64 if small else 512}"
            found["published_generation"] = published_generation(device, small, 2 if small else 8)
            found["ours_generation"] = our_generation(folder, run, device, 16 if small else 1024, 8 if small else 512)
            found["generation_ratio"] = found["ours_generation"] / found["published_generation"]
            print(json.dumps(found), flush=True)
        if "volumes" in sections:
            shape = (16, 16, 7) if small else (64, 64, 27)
            folder = write_volumes(work / "volumes", 240 if small else 9600, shape)
            for stage in ("frame", "sequence"):
                found[f"volumes_{stage}"] = volumes(folder, device, stage, 1 if small else 3)
    print(json.dumps(found, indent=1))
    if given.out:
        (given.out / "decoding_gpu.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
