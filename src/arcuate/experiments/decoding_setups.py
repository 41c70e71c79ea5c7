"""How each model is trained in the grid: the reduced sizes for simulated data, and the published recipes.

'longer' is the papers' other setting: more epochs at a smaller learning rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arcuate.decoding.config import Stage, read_recipe
from arcuate.errors import UnknownName

BASELINES = ("constant", "unigram", "retrieval", "oracle")
LONGER = 3  # times the epochs, at this part of the learning rate


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A model as the grid trains it; `label` is its name in tables."""

    label: str
    model: str
    language: str | Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    max_tokens: int = 24

    @property
    def is_baseline(self) -> bool:
        """Whether it is fitted to texts or signals at once, with nothing to train for longer."""
        return self.model in BASELINES

    def longer(self) -> Setup:
        """The text stage of this setup for more epochs, more slowly; without early stopping."""
        return replace(self, stages=tuple(
            replace(stage, epochs=LONGER * stage.epochs, lr=stage.lr / LONGER,
                    lr_end=None if stage.lr_end is None else stage.lr_end / LONGER, patience=None)
            if stage.name in ("text", "step2", "prefix") else stage
            for stage in self.stages
        ))

    def values(self) -> dict[str, Any]:
        """Plain values for a cell's settings."""
        return {**asdict(self), "language": self.language, "options": dict(self.options),
                "stages": [asdict(stage) for stage in self.stages]}


_BART = {"type": "bart", "d_model": 96, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 192, "decoder_ffn_dim": 192,
         "max_position_embeddings": 64, "dropout": 0.0, "attention_dropout": 0.0}
_GPT = {"type": "gpt2", "n_embd": 96, "n_layer": 2, "n_head": 4, "n_positions": 64}
_UNICORN = {"channels": [8, 16], "hidden": 192, "width": 96, "layers": 1, "heads": 4, "feedforward": 192,
            "dropout": 0.0}
_TEXT: dict[str, Any] = {"batch_size": 192, "lr": 2e-3, "schedule": "exponential", "lr_end": 1e-4, "clip": 1.0}


def _pretraining(epochs: int) -> tuple[Stage, ...]:
    return tuple(Stage(name=name, epochs=epochs, batch_size=256, lr=1e-3, clip=1.0) for name in ("frame", "sequence"))


def reduced_setups(modality: str, epochs: int = 12, pretraining: int = 12) -> dict[str, Setup]:
    """Every model at a size that a simulated dataset can bear, by label.

    Examples
    --------
    >>> sorted(reduced_setups("fmri"))[:4], "eeg2text" in reduced_setups("eeg")
    (['constant', 'language_alone', 'oracle', 'prefix'], True)
    """
    text = Stage(name="text", epochs=epochs, **_TEXT)
    unicorn = Setup(label="unicorn", model="unicorn", language=_BART, options=_UNICORN,
                    stages=(*_pretraining(pretraining), text))
    setups = [
        unicorn,
        replace(unicorn, label="unicorn_random_encoder", options={**_UNICORN, "random_encoder": True}, stages=(text,)),
        Setup(label="prefix", model="prefix", language=_GPT, options=_UNICORN, stages=(
            # The frozen language model must know the language before a prefix can steer it.
            Stage(name="language", epochs=epochs, **_TEXT), replace(text, name="prefix", epochs=3 * epochs))),
        Setup(label="language_alone", model="language-alone", language=_BART, stages=(text,)),
        *(Setup(label=name, model=name) for name in BASELINES),
    ]
    if modality == "eeg":
        setups.append(Setup(
            label="eeg2text", model="eeg2text", language=_BART,
            options={"layers": 1, "heads": 4, "feedforward": 192, "dropout": 0.0},
            stages=(replace(text, name="step2"),),
        ))
    return {setup.label: setup for setup in setups}


def published_setups(modality: str, language: str = "facebook/bart-large") -> dict[str, Setup]:
    """The papers' models as published (lr 1e-6, 80 epochs for EEG2Text's fair benchmark), and the baselines.

    Examples
    --------
    >>> [stage.epochs for stage in published_setups("fmri")["unicorn"].stages]
    [30, 30, 10]
    """
    down: dict[str, Any] = {"lr": 1e-4, "schedule": "exponential", "lr_end": 1e-6}
    batch = 320 if modality == "fmri" else 512
    pretraining = tuple(Stage(name=name, epochs=30, batch_size=batch, **down) for name in ("frame", "sequence"))
    text = Stage(name="text", epochs=10, batch_size=90, **down)
    unicorn = Setup(label="unicorn", model="unicorn", language=language, stages=(*pretraining, text), max_tokens=56)
    random_encoder = replace(unicorn, label="unicorn_random_encoder", options={"random_encoder": True},
                             stages=(replace(text, epochs=20),))
    setups = [unicorn, random_encoder, *(Setup(label=name, model=name) for name in BASELINES)]
    if modality == "eeg":
        step = Stage(name="step2", epochs=80, batch_size=32, lr=1e-6, optimiser="sgd", schedule="step", step_size=30)
        setups.append(Setup(label="eeg2text", model="eeg2text", language=language, stages=(step,), max_tokens=56))
    return {setup.label: setup for setup in setups}


def recipe_setup(path: str | Path, reduced: bool) -> Setup:
    """A setup from a YAML recipe (see recipes/)."""
    values = read_recipe(path, reduced=reduced)
    known = {"model", "language", "options", "stages", "max_tokens"}
    return Setup(label=Path(path).stem, **{name: value for name, value in values.items() if name in known})


def chosen_setups(setups: Mapping[str, Setup], labels: list[str]) -> dict[str, Setup]:
    """Those asked for; an unknown label is refused."""
    for label in labels:
        if label not in setups:
            raise UnknownName("Model", label, setups)
    return {label: setups[label] for label in labels}
