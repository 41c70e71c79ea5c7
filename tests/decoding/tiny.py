"""Tiny datasets whose signal holds the words, written as `prepare` writes real ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from arcuate.decoding.config import Stage, TrainConfig
from arcuate.signals.store import write_store

WORDS = [
    "the", "a", "cat", "dog", "bird", "tree", "saw", "ate", "likes", "finds", "big", "red", "small", "old",
    "house", "river",
]
BART = {
    "type": "bart", "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 96,
    "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0,
}
GPT = {
    "type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 96,
    "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0,
}
OPTIONS = {
    "eeg2text": {"layers": 1, "heads": 2, "feedforward": 32, "dropout": 0.0},
    "unicorn": {"channels": [4, 8], "hidden": 32, "width": 32, "layers": 1, "heads": 2, "feedforward": 64,
                "dropout": 0.0},
    "prefix": {"channels": [4, 8], "hidden": 32, "width": 32, "layers": 1, "heads": 2, "feedforward": 64,
               "dropout": 0.0},
}


@dataclass(frozen=True)
class Tiny:
    """Where a tiny dataset and its split lie."""

    folder: Path
    split: Path


def write_dataset(folder: Path, modality: str, samples: list[dict], runs: dict[str, np.ndarray],
                  parts: list[str]) -> Tiny:
    write_store(folder / "signals", [(name, frames, {}) for name, frames in runs.items()])
    pq.write_table(pa.Table.from_pylist(samples), folder / "samples.parquet")
    shape = list(next(iter(runs.values())).shape[1:])
    about = {"name": "tiny", "modality": modality, "frame_shape": shape, "options": {}}
    (folder / "dataset.json").write_text(json.dumps(about))
    lines = ["sample,part", *(f"{s['sample']},{part}" for s, part in zip(samples, parts, strict=True))]
    (folder / "split.csv").write_text("\n".join(lines) + "\n")
    return Tiny(folder, folder / "split.csv")


def eeg_dataset(folder: Path, subjects: int = 6, texts: int = 12, size: int = 24, seed: int = 0) -> Tiny:
    generator = np.random.default_rng(seed)
    code = generator.standard_normal((len(WORDS), size))
    sentences = [generator.integers(0, len(WORDS), generator.integers(3, 12)) for _ in range(texts)]
    samples, runs, parts = [], {}, []
    for s in range(subjects):
        frames, start = [], 0
        for t, words in enumerate(sentences):
            part = ["train", "train", "train", "train", "val", "test"][(s * 6 // subjects)]
            samples.append({
                "sample": f"{s:02d}-{t:02d}", "subject": f"S{s}", "story": "x",
                "text": " ".join(WORDS[w] for w in words), "run": f"S{s}", "start": start, "n_frames": len(words),
            })
            frames.append(code[words] + 0.1 * generator.standard_normal((len(words), size)))
            start += len(words)
            parts.append(part)
        runs[f"S{s}"] = np.concatenate(frames)
    return write_dataset(folder, "eeg", samples, runs, parts)


def fmri_dataset(folder: Path, subjects: int = 5, frames: int = 16, window: int = 4, seed: int = 0) -> Tiny:
    generator = np.random.default_rng(seed)
    shape = (8, 8, 5)
    code = generator.standard_normal((len(WORDS), *shape))
    heard = generator.integers(0, len(WORDS), frames)
    samples, runs, parts = [], {}, []
    for s in range(subjects):
        runs[f"S{s}"] = 3 + 2 * (code[heard] + 0.1 * generator.standard_normal((frames, *shape)))
        for t in range(frames - window + 1):
            samples.append({
                "sample": f"{s}:{t}", "subject": f"S{s}", "story": "x", "segment": t, "n_segments": window,
                "text": " ".join(WORDS[w] for w in heard[t:t + window]), "run": f"S{s}", "start": t,
                "n_frames": window,
            })
            parts.append(["train", "train", "train", "val", "test"][s * 5 // subjects])
    return write_dataset(folder, "fmri", samples, runs, parts)


STAGES = {
    "eeg2text": ("step1", "step2"), "unicorn": ("frame", "sequence", "text"), "prefix": ("language", "prefix"),
    "language-alone": ("text",),
}


def config_for(model: str, tiny: Tiny, out: Path, epochs: int = 1, **changes) -> TrainConfig:
    """A config that trains in a second or two on a CPU."""
    stages = tuple(
        Stage(name=name, epochs=epochs, batch_size=16, lr=3e-3, schedule="constant")
        for name in STAGES.get(model, ())
    )
    values = {
        "model": model, "dataset": tiny.folder, "split": tiny.split, "out": out, "device": "cpu",
        "language": GPT if model == "prefix" else BART, "options": OPTIONS.get(model, {}), "stages": stages,
        "max_tokens": 16, "audit": "clean",
    }
    return TrainConfig(**{**values, **changes})
