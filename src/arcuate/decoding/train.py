"""Train a decoder as its config says: stage after stage, resumable after a kill at any moment."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from arcuate.atomic import write_text
from arcuate.decoding.batches import BatchMaker
from arcuate.decoding.build import build_model
from arcuate.decoding.checkpoint import (
    load_optimiser,
    load_weights,
    read_state,
    save_checkpoint,
    write_state,
)
from arcuate.decoding.config import Stage, TrainConfig
from arcuate.decoding.data import DecodingData, Parts, read_data, read_parts
from arcuate.decoding.inputs import signal_source
from arcuate.decoding.loop import EpochEnd, EpochStream, StageModule, hardware, make_trainer
from arcuate.decoding.models import Decoder
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.plan import default_block
from arcuate.decoding.tokens import encode_targets
from arcuate.errors import ArcuateError, NotPossible, UnknownName
from arcuate.metrics.signature import signature
from arcuate.signals.normalise import fit as fit_scaling


@dataclass(frozen=True, kw_only=True)
class TrainResult:
    """What a training run gave.

    `history` has one row an epoch: stage, epoch, lr, train_loss, val_loss, seconds. `checkpoint` is the
    run's folder, which `generate` takes; `targets_cut` counts training texts longer than max_tokens.
    """

    checkpoint: Path
    model: str
    history: tuple[dict[str, Any], ...]
    best_val_loss: float | None
    parameters: int
    targets_cut: int
    samples: dict[str, int]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "checkpoint": str(self.checkpoint), "history": list(self.history)}


def train(config: TrainConfig) -> TrainResult:
    """Train one model on one split; write the run to `config.out` and say what came of it.

    The folder then holds `state.json` with the checkpoints, `log.csv` with the loss of every epoch and
    `result.json`. With `config.resume` a run that was stopped goes on from its last finished epoch and
    ends with the same weights, bit for bit on a CPU.

    Raises
    ------
    NotPossible
        The audit of the split found a leak and `allow_leak` was not given.
    ArcuateError
        The dataset, the split, the config or the folder do not fit; nothing has been trained then.

    Examples
    --------
    >>> train(TrainConfig(model="constant", dataset=Path("d"), split=Path("s.csv"), out=Path("o"),
    ...                   audit="leak"))
    Traceback (most recent call last):
    ...
    arcuate.errors.NotPossible: The split s.csv leaks. Train on a clean split, or give --allow-leak; the \
result will say so.
    """
    if config.audit == "leak" and not config.allow_leak:
        raise NotPossible(
            f"The split {config.split} leaks. Train on a clean split, or give --allow-leak; "
            "the result will say so."
        )
    run = _Run.prepare(config)
    if isinstance(run.model, Baseline):
        run.fit_baseline()
    else:
        for number in range(run.state["stage"], len(run.stages)):
            run.train_stage(number)
    return run.finish()


@dataclass(eq=False)
class _Run:
    config: TrainConfig
    data: DecodingData
    parts: Parts
    model: Decoder
    tokenizer: Any
    targets: list[npt.NDArray[np.int64]]
    targets_cut: int
    stages: tuple[Stage, ...]
    state: dict[str, Any]

    @classmethod
    def prepare(cls, config: TrainConfig) -> _Run:
        """Read and check everything before anything is trained or written."""
        hardware(config.device, config.devices, config.precision)
        data = read_data(config.dataset)
        parts = read_parts(data, config.split, config.fold)
        for part in ("train", "val"):
            if len(parts.rows[part]) == 0:
                raise ArcuateError(f"{config.split} puts no sample in {part!r}. Make a split that does.")
        state = _start_state(config, data, parts)
        train_texts = [data.text[row] for row in parts.rows["train"]]
        model, tokenizer = build_model(
            config.model, data, train_texts, config.language, config.options, config.max_tokens, config.seed
        )
        causal = model.uses_language and model.language.causal
        targets, _ = encode_targets(tokenizer, data.text, config.max_tokens, causal)
        _, cut = encode_targets(tokenizer, train_texts, config.max_tokens, causal)
        run = cls(config, data, parts, model, tokenizer, targets, cut, _stages(config, model), state)
        if not state["history"]:
            run._fit_scaling()
        return run

    def fit_baseline(self) -> None:
        assert isinstance(self.model, Baseline)
        self.model.fit(self.data, self.parts.rows["train"], self.config.seed)
        self._save("fitted", {})
        self.state |= {"last": "fitted", "best": "fitted", "stage": 0}
        write_state(self.config.out, self.state)

    def train_stage(self, number: int) -> None:
        """Run one stage from where the state says it is."""
        stage = self.stages[number]
        resumed = self.state["stage"] == number and self.state["epoch"] > 0
        self.model.begin(stage.name)
        if resumed:
            load_weights(self.model, self._folder(self.state["last"]))
        if not resumed:
            self.state |= {"stage": number, "epoch": 0, "stale": 0, "best_loss": None, "stopped": False}
        left = 0 if self.state["stopped"] else stage.epochs - self.state["epoch"]
        if left > 0:
            self._fit(number, stage, left, load_optimiser(self._folder(self.state["last"])) if resumed else None)
        load_weights(self.model, self._folder(self.state["best"]))

    def _fit(self, number: int, stage: Stage, epochs: int, optimiser: dict[str, Any] | None) -> None:
        config = self.config
        device, settings = hardware(config.device, config.devices, config.precision)
        if config.compile and device.type == "cuda":
            self._compile_layers()
        module = StageModule(
            self.model, stage, (config.seed, number), self.state["epoch"], config.accumulate
        )
        module.optimiser_state = optimiser
        end = EpochEnd(self._finish_epoch, stage.epochs)
        trainer = make_trainer(epochs, config.accumulate, settings, end)
        streams = self._streams(stage, number, module, device, trainer)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="lightning")
            warnings.filterwarnings("ignore", message=".*(LeafSpec|barrier|gloo).*")
            trainer.fit(module, *streams)
        self.model.to("cpu")

    def _compile_layers(self) -> None:
        """Compile each kind of layer once, for all lengths: a whole model would take minutes."""
        torch._dynamo.config.recompile_limit = 64
        for layer in self.model.repeated_layers():
            layer.compile(dynamic=True)
        compiled = torch.compile(self.model.language.cross_entropy, dynamic=True)
        self.model.language.cross_entropy = compiled  # type: ignore[method-assign]

    def _streams(
        self, stage: Stage, number: int, module: StageModule, device: torch.device, trainer: Any
    ) -> tuple[EpochStream, EpochStream]:
        config, rows = self.config, self.parts.rows
        source = signal_source(
            config.input, len(self.data), [rows["train"], rows["val"]], config.seed, *self.model.typical_signal()
        )
        maker = BatchMaker(self.data, self.targets, source, pin=device.type == "cuda")
        common: dict[str, Any] = {
            "maker": maker, "tokens": np.array([len(ids) for ids in self.targets]),
            "batch_size": stage.batch_size, "device": device,
            "block": config.block or default_block(self.data, rows["train"]),
            "world": trainer.world_size, "rank": int(os.environ.get("LOCAL_RANK", 0)),
        }
        training = EpochStream(
            rows=rows["train"], seed=(config.seed, number), accumulate=config.accumulate,
            epoch=lambda: module.epoch, label=f"{self.model.name} {stage.name}", **common,
        )
        return training, EpochStream(rows=rows["val"], **common)

    def _finish_epoch(self, module: StageModule, seconds: float) -> bool:
        """Save the epoch and move the pointer; True when the stage should stop early."""
        stage, state, losses = module.stage, self.state, module.losses
        better = state["best_loss"] is None or losses["val"] < state["best_loss"]
        state["epoch"] = module.epoch + 1
        state["stale"] = 0 if better else state["stale"] + 1
        state["stopped"] = stage.patience is not None and state["stale"] >= stage.patience
        name = f"{state['stage']}-{stage.name}-{state['epoch']:04d}"
        state["last"] = name
        if better:
            state |= {"best": name, "best_loss": losses["val"]}
        state["history"].append({
            "stage": stage.name, "epoch": state["epoch"], "lr": stage.lr_at(module.epoch),
            "train_loss": losses["train"], "val_loss": losses["val"], "seconds": round(seconds, 3),
        })
        if module.trainer.is_global_zero:
            self._save(name, {"stage": stage.name}, module.trainer.optimizers[0].state_dict())
            write_state(self.config.out, state)
            self._log()
        return bool(state["stopped"])

    def finish(self) -> TrainResult:
        config, losses = self.config, self.state.get("best_loss")
        result = TrainResult(
            checkpoint=config.out, model=config.model, history=tuple(self.state["history"]), best_val_loss=losses,
            parameters=sum(p.numel() for p in self.model.parameters()), targets_cut=self.targets_cut,
            samples={part: len(rows) for part, rows in self.parts.rows.items()},
            signature=self.signature(),
        )
        if int(os.environ.get("LOCAL_RANK", 0)) == 0:
            write_text(config.out / "result.json", json.dumps(result.as_dict(), indent=1))
        return result

    def signature(self) -> str:
        """Data, split, audit, model and training in one line."""
        config = self.config
        return signature(
            model=config.model, data=self.data.sha256[:12], split=self.parts.sha256[:12],
            method=self.parts.method, fold=config.fold,
            audit={"leak": "leaks"}.get(config.audit, config.audit), train_input=config.input, seed=config.seed,
            epochs="+".join(str(stage.epochs) for stage in self.stages) or None, max_tokens=config.max_tokens,
        )

    def _fit_scaling(self) -> None:
        scaling = self.model.scaling
        if scaling.how == "training":
            parts = np.full(len(self.data), "other", dtype=object)
            parts[self.parts.rows["train"]] = "train"
            fitted = fit_scaling(self.data.store, self.data.windows(), parts.tolist(), self.parts.sha256)
            scaling.shift.copy_(torch.from_numpy(fitted.shift))
            scaling.scale.copy_(torch.from_numpy(fitted.scale))

    def _folder(self, name: str) -> Path:
        return self.config.out / "checkpoints" / name

    def _save(self, name: str, about: dict[str, Any], optimiser: dict[str, Any] | None = None) -> None:
        about = {**about, "config": self.config.as_dict(), "signature": self.signature(),
                 "data_sha256": self.data.sha256, "split_sha256": self.parts.sha256}
        save_checkpoint(self._folder(name), self.model, self.tokenizer, about, optimiser)

    def _log(self) -> None:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(self.state["history"][0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.state["history"])
        write_text(self.config.out / "log.csv", out.getvalue())
        if self.config.tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            row = self.state["history"][-1]
            with SummaryWriter(str(self.config.out / "tensorboard")) as board:
                for name in ("train_loss", "val_loss", "lr"):
                    board.add_scalar(f"{row['stage']}/{name}", row[name], row["epoch"])


def _stages(config: TrainConfig, model: Decoder) -> tuple[Stage, ...]:
    """The stages asked for, or the published ones; pre-training falls away for a random encoder."""
    known = [stage.name for stage in model.stages]
    for stage in config.stages:
        if stage.name not in known:
            raise UnknownName(f"Stage of {model.name}", stage.name, known)
    stages = config.stages or model.stages
    if dict(config.options).get("random_encoder"):
        stages = tuple(stage for stage in stages if stage.name == "text")
    if model.name == "prefix" and isinstance(config.language, str):
        stages = tuple(stage for stage in stages if stage.name != "language")
    if not stages and model.stages:
        raise ArcuateError(f"No stage of {model.name!r} is left to train. Name at least one of: {known}.")
    return stages


def _start_state(config: TrainConfig, data: DecodingData, parts: Parts) -> dict[str, Any]:
    """An empty state for a new run, or that of the run to resume, which must be the same run."""
    identity = {"data": data.sha256, "split": parts.sha256, "config": _lasting(config)}
    stored = read_state(config.out)
    if config.resume and stored:
        if stored["identity"] != json.loads(json.dumps(identity)):
            changed = [k for k, v in json.loads(json.dumps(identity)).items() if stored["identity"].get(k) != v]
            raise ArcuateError(
                f"{config.out} was begun with another {', '.join(changed)}. Resume with the same, "
                "or train into a new folder."
            )
        return stored
    main = int(os.environ.get("LOCAL_RANK", 0)) == 0
    if main and config.out.is_dir() and any(config.out.iterdir()):
        raise ArcuateError(f"{config.out} is not empty. Give --resume to go on, or name a new folder.")
    return {"identity": identity, "stage": 0, "epoch": 0, "stale": 0, "best_loss": None, "stopped": False,
            "last": None, "best": None, "history": []}


def _lasting(config: TrainConfig) -> dict[str, Any]:
    """The config's fields that decide the result."""
    passing = ("out", "resume", "dataset", "split", "device", "devices", "tensorboard", "compile")
    return {name: value for name, value in config.as_dict().items() if name not in passing}

