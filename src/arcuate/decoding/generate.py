"""Text from signals: in batches, free-running unless teacher forcing is asked for by name."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from arcuate.decoding.batches import BatchMaker, BatchStream
from arcuate.decoding.checkpoint import load_model
from arcuate.decoding.config import TrainConfig
from arcuate.decoding.data import DecodingData, Parts, read_data, read_parts
from arcuate.decoding.inputs import SignalSource, signal_source
from arcuate.decoding.language import Generation
from arcuate.decoding.loop import hardware
from arcuate.decoding.models import Decoder
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.models.retrieval import Retrieval
from arcuate.decoding.plan import Rows, plan_epoch
from arcuate.decoding.predictions import Predictions
from arcuate.decoding.tokens import decode_ids, encode_targets
from arcuate.errors import ArcuateError, UnknownName
from arcuate.metrics.signature import signature
from arcuate.progress import track


def generate(
    checkpoint: str | Path, dataset: str | Path, split: str | Path, part: str = "test", *,
    fold: int | None = None, input: str = "real", teacher_forced: bool = False,
    beams: int = 1, max_new_tokens: int | None = None, batch_size: int = 64, device: str = "auto",
    precision: str = "auto", seed: int = 0, limit: int | None = None,
) -> Predictions:
    """Let a trained decoder say what it reads in the signals of one part of a split.

    Parameters
    ----------
    checkpoint
        The folder of a training run (its best checkpoint is used) or of one checkpoint.
    dataset, split, part, fold
        Where the samples are; `part` is "train", "val" or "test".
    input
        The signal given: "real", or a control: "shuffled" among the part's samples, "noise", "zero".
    teacher_forced
        Take the best token with the TRUE tokens before it given. That is not a decoding result; the
        column's name and the signature say so.
    beams, max_new_tokens
        1 is greedy, more is beam search; by default as many tokens as in training.
    seed
        Seed of the shuffled and noise controls.
    limit
        Only the first so many samples of the part.

    Returns
    -------
    Predictions
        In the order of the dataset's samples, whatever the batches were.

    Examples
    --------
    >>> generate("nowhere", "d", "s.csv")
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: nowhere is no checkpoint: it has neither state.json nor decoder.json.
    """
    if batch_size < 1:
        raise ArcuateError(f"batch_size is {batch_size}. Give 1 or more.")
    model, tokenizer, about = load_model(checkpoint)
    data = read_data(dataset)
    _check_fits(model, data, checkpoint)
    parts = read_parts(data, split, fold)
    if part not in parts.rows:
        raise UnknownName("Part", part, parts.rows)
    rows = parts.rows[part][:limit]
    if len(rows) == 0:
        raise ArcuateError(f"{split} puts no sample in {part!r}. Choose another part.")
    most = model.spec.max_tokens if max_new_tokens is None else max_new_tokens
    how = Generation(beams=beams, max_new_tokens=most)
    source = signal_source(input, len(data), [rows], seed, *model.typical_signal())
    if isinstance(model, Baseline):
        said = _answer(model, data, rows, source, batch_size)
    else:
        place, settings = hardware(device, 1, precision)
        model = ready(model, place, settings["precision"])
        said = generate_rows(
            model, tokenizer, rows, data, source, how, teacher_forced, batch_size, place, settings
        )
    return _record(data, parts, rows, said, about, {
        "part": part, "input": input, "generation": "teacher-forced" if teacher_forced else "free",
        "beams": how.beams, "max_new_tokens": how.max_new_tokens, "seed": seed,
    })


def ready(model: Decoder, device: torch.device, precision: str) -> Decoder:
    """The model on its device; in bf16 the language model's weights are cast once, not at every step."""
    model.to(device)
    if precision.startswith("bf16") and model.uses_language:
        model.language.network.to(torch.bfloat16)
    return model.eval()


@torch.no_grad()
def generate_rows(
    model: Decoder, tokenizer: Any, rows: Rows, data: DecodingData, source: SignalSource, how: Generation,
    teacher_forced: bool, batch_size: int, device: torch.device, settings: dict[str, Any],
) -> list[str]:
    """One text a row, in the order of `rows`; samples of like length are generated together."""
    # Free-running generation is given no target, not even its length.
    targets: list[npt.NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)] * len(data)
    if teacher_forced:
        texts = [data.text[row] for row in rows]
        encoded, _ = encode_targets(tokenizer, texts, model.spec.max_tokens, model.language.causal)
        for row, target in zip(rows.tolist(), encoded, strict=True):
            targets[row] = target
    maker = BatchMaker(data, targets, source, pin=device.type == "cuda")
    one = np.ones(len(data), dtype=np.int64)
    plan = [(batch, batch) for batch in plan_epoch(data, rows, one, batch_size)]
    said: dict[int, str] = {}
    stream = BatchStream(maker, plan, device)
    with autocast(device, settings["precision"]):
        for batch in track(stream, f"{model.name} generates", total=len(plan)):
            ids = model.teacher_forced(batch) if teacher_forced else model.generate(batch, how)
            said |= dict(zip(batch.rows.tolist(), decode_ids(tokenizer, ids.tolist()), strict=True))
    return [said[row] for row in rows.tolist()]


def autocast(device: torch.device, precision: str) -> Any:
    """The context that runs a model in `precision`, as Lightning names it."""
    if precision.startswith("bf16"):
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return contextlib.nullcontext()


def _answer(
    model: Baseline, data: DecodingData, rows: Rows, source: SignalSource, batch_size: int
) -> list[str]:
    said: list[str] = []
    for first in range(0, len(rows), batch_size):
        some = rows[first:first + batch_size]
        features = None
        if isinstance(model, Retrieval):
            maker = BatchMaker(data, [np.zeros(1, dtype=np.int64)] * len(data), source)
            batch = maker.make(some)
            frames, index, mask = batch.frames.numpy(), batch.index.numpy(), batch.mask.numpy()
            features = model.features([frames[i[m]] for i, m in zip(index, mask, strict=True)])
        said += model.answer(features, [data.text[row] for row in some], some)
    return said


def _check_fits(model: Decoder, data: DecodingData, checkpoint: str | Path) -> None:
    spec = model.spec
    if (spec.modality, tuple(spec.frame_shape)) != (data.modality, data.frame_shape):
        raise ArcuateError(
            f"{checkpoint} was trained on {spec.modality} frames of {tuple(spec.frame_shape)}, "
            f"{data.folder} holds {data.modality} frames of {data.frame_shape}. Use a matching dataset."
        )


def _record(
    data: DecodingData, parts: Parts, rows: Rows, said: list[str], about: dict[str, Any], settings: dict[str, Any]
) -> Predictions:
    forced = settings["generation"] == "teacher-forced"
    trained = TrainConfig(**{**about["config"], "stages": ()}) if "config" in about else None
    line = signature(
        model=trained.model if trained else None, data=data.sha256[:12], split=parts.sha256[:12],
        method=parts.method, fold=parts.fold,
        audit={"leak": "leaks"}.get(trained.audit, trained.audit) if trained else None,
        train_input=trained.input if trained else None, train_seed=trained.seed if trained else None, **settings,
    )
    return Predictions(
        subject=tuple(data.subject[row] for row in rows), sample=tuple(data.sample[row] for row in rows),
        target=tuple(data.text[row] for row in rows), predicted=tuple(said), teacher_forced=forced,
        settings={**settings, "trained": about.get("config"), "trained_signature": about.get("signature")},
        signature=line,
    )
