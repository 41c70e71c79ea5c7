"""One training stage with Lightning: losses that do not depend on how many processes share a batch."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import lightning.pytorch as pl
import numpy as np
import numpy.typing as npt
import torch

from arcuate.decoding.batches import Batch, BatchMaker, BatchStream
from arcuate.decoding.config import Stage
from arcuate.decoding.models import Decoder
from arcuate.decoding.plan import Rows, plan_epoch, share
from arcuate.errors import ArcuateError, NotPossible
from arcuate.progress import track


@dataclass(eq=False)
class EpochStream:
    """The batches of whatever epoch is on: their order depends on seed, stage and epoch alone."""

    maker: BatchMaker
    rows: Rows
    tokens: npt.NDArray[np.int64]
    batch_size: int
    block: int
    device: torch.device
    world: int = 1
    rank: int = 0
    accumulate: int = 1
    seed: tuple[int, ...] | None = None
    epoch: Callable[[], int] = lambda: 0
    label: str = ""

    def plan(self) -> list[tuple[Rows, Rows]]:
        """(this process's rows, the whole batch's rows) for every step of the epoch."""
        seed = None if self.seed is None else (*self.seed, self.epoch())
        batches = plan_epoch(
            self.maker.data, self.rows, self.tokens, self.batch_size, block=self.block, seed=seed
        )
        return [
            (piece, batch) for batch in batches for piece in share(batch, self.rank, self.world, self.accumulate)
        ]

    def __len__(self) -> int:
        return len(self.plan())

    def __iter__(self) -> Iterator[Batch]:
        plan = self.plan()
        stream = BatchStream(self.maker, plan, self.device)
        if not self.label or self.rank:
            yield from stream
            return
        yield from track(stream, f"{self.label} epoch {self.epoch() + 1}", total=len(plan))


class StageModule(pl.LightningModule):
    """Runs a decoder through the epochs of one stage; the learning rate follows the stage's schedule."""

    def __init__(self, decoder: Decoder, stage: Stage, seed: tuple[int, ...], first_epoch: int, accumulate: int):
        super().__init__()
        self.decoder, self.stage, self.seed = decoder, stage, seed
        self.first_epoch, self.accumulate = first_epoch, accumulate
        self.optimiser_state: dict[str, Any] | None = None
        self.sums: dict[str, torch.Tensor] = {}
        self.counts: dict[str, int] = {}
        self.losses: dict[str, float] = {}

    @property
    def epoch(self) -> int:
        """Epochs of this stage done so far, those before a resume counted in."""
        return self.first_epoch + self.trainer.current_epoch

    def configure_optimizers(self) -> torch.optim.Optimizer:
        parameters = [p for p in self.decoder.parameters() if p.requires_grad]
        fused = bool(parameters[0].is_cuda)
        settings: dict[str, Any] = {
            "lr": self.stage.lr, "weight_decay": self.stage.weight_decay, "fused": fused
        }
        if self.stage.optimiser == "sgd":
            optimiser: torch.optim.Optimizer = torch.optim.SGD(
                parameters, momentum=self.stage.momentum, **settings
            )
        else:
            optimiser = torch.optim.AdamW(parameters, **settings)
        if self.optimiser_state is not None:
            optimiser.load_state_dict(self.optimiser_state)
        return optimiser

    def configure_gradient_clipping(self, optimizer: Any, *given: Any, **named: Any) -> None:
        # Lightning's own refuses fused optimisers; bf16 needs no unscaling, so the plain norm is right.
        if self.stage.clip is not None:
            torch.nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], self.stage.clip)

    def on_train_epoch_start(self) -> None:
        # Seeding each epoch makes a resumed run draw the same dropout as one that was never stopped.
        torch.manual_seed(_mix(*self.seed, self.epoch, self.trainer.global_rank))
        self._reset("train")

    def on_train_batch_start(self, batch: Batch, number: int) -> None:
        rate = self.stage.lr_at(self.epoch, (number + 1) / float(self.trainer.num_training_batches))
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = rate

    def on_validation_epoch_start(self) -> None:
        self._reset("val")

    def training_step(self, batch: Batch, number: int) -> torch.Tensor:
        total = self._add("train", batch)
        summed = self.decoder.loss_sum(batch, self.stage.name)
        self.sums["train"] += summed.detach()
        # Lightning divides by the pieces and averages over processes: undo both, for the true mean.
        return summed * (self.trainer.world_size * self.accumulate / total)

    def validation_step(self, batch: Batch, number: int) -> None:
        self._add("val", batch)
        self.sums["val"] += self.decoder.loss_sum(batch, self.stage.name)

    def on_validation_epoch_end(self) -> None:
        self.losses["val"] = self._mean("val")

    def close_epoch(self) -> None:
        """Work out the epoch's training loss; a loss that is no number ends the run."""
        self.losses["train"] = self._mean("train")
        if not math.isfinite(self.losses["train"]):
            raise NotPossible(
                f"The training loss became {self.losses['train']} in epoch {self.epoch + 1} of stage "
                f"{self.stage.name!r} (lr {self.stage.lr_at(self.epoch):g}). Use a smaller learning rate or clip."
            )

    def transfer_batch_to_device(self, batch: Batch, device: torch.device, index: int) -> Batch:
        return batch.to(device)

    def _reset(self, part: str) -> None:
        self.sums[part], self.counts[part] = torch.zeros((), device=self.device, dtype=torch.float64), 0

    def _add(self, part: str, batch: Batch) -> int:
        whole = batch.total_tokens if self.decoder.unit(self.stage.name) == "tokens" else batch.total_frames
        self.counts[part] += whole
        return whole

    def _mean(self, part: str) -> float:
        summed = self.trainer.strategy.reduce(self.sums[part], reduce_op="sum")
        # Every piece of an accumulated batch counted the whole batch.
        pieces = self.accumulate if part == "train" else 1
        return float(summed) * pieces / self.counts[part]


class EpochEnd(pl.Callback):
    """After each epoch: tell the loss, hand it on to be saved, and stop early when the run says so."""

    def __init__(self, finish: Callable[[StageModule, float], bool], epochs: int):
        self.finish, self.epochs, self.began = finish, epochs, time.perf_counter()

    def on_train_epoch_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.began = time.perf_counter()

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        assert isinstance(module, StageModule)
        module.close_epoch()
        seconds = time.perf_counter() - self.began
        stop = self.finish(module, seconds)
        if trainer.is_global_zero:
            print(
                f"{module.decoder.name} {module.stage.name} epoch {module.epoch + 1}/{self.epochs}: "
                f"train {module.losses['train']:.4f} val {module.losses['val']:.4f} ({seconds:.1f} s)",
                file=sys.stderr, flush=True,
            )
        trainer.should_stop = stop


def hardware(device: str, devices: int, precision: str) -> tuple[torch.device, dict[str, Any]]:
    """The device to use and Lightning's settings for it; refuse a GPU that is not there."""
    has_gpu = torch.cuda.is_available()
    if device == "gpu" and not has_gpu:
        raise ArcuateError("A GPU was asked for (device=gpu) but PyTorch sees none. Use device=cpu or auto.")
    on_gpu = has_gpu and device != "cpu"
    if on_gpu and devices > torch.cuda.device_count():
        raise ArcuateError(f"devices={devices}, but PyTorch sees {torch.cuda.device_count()} GPUs.")
    if precision == "auto":
        precision = "bf16-mixed" if on_gpu else "32-true"
    settings = {
        "accelerator": "gpu" if on_gpu else "cpu", "devices": devices, "precision": precision,
        "strategy": "ddp" if devices > 1 else "auto",
    }
    return torch.device("cuda" if on_gpu else "cpu"), settings


def make_trainer(epochs: int, accumulate: int, settings: dict[str, Any], end: EpochEnd) -> pl.Trainer:
    """A Lightning trainer that leaves saving, logging and progress to this package."""
    import logging

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        # Advice on machines and loaders, not on results.
        warnings.simplefilter("ignore")
        return pl.Trainer(
            max_epochs=epochs, accumulate_grad_batches=accumulate,
            callbacks=[end], logger=False, enable_checkpointing=False, enable_progress_bar=False,
            enable_model_summary=False, num_sanity_val_steps=0, use_distributed_sampler=False,
            inference_mode=False, barebones=False, **settings,
        )


def _mix(*numbers: int) -> int:
    return int(np.random.SeedSequence(list(numbers)).generate_state(1)[0])
