"""Checkpoints: safetensors and JSON, whole or not at all, and a pointer that moves last.

A run folder holds `checkpoints/NAME/` (weights, spec, tokenizer, optimiser) and `state.json`, which
names the last and the best of them. The pointer is replaced only when the new folder is complete, so a
kill or a full disk at any moment leaves the last good checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from arcuate.atomic import replacing_folder, write_text
from arcuate.decoding.build import rebuild_model
from arcuate.decoding.models import Decoder
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.tokens import load_tokenizer
from arcuate.errors import ArcuateError

WEIGHTS, SPEC, OPTIMISER, STATE = "model.safetensors", "decoder.json", "optimiser.pt", "state.json"


def weights(model: Decoder) -> dict[str, torch.Tensor]:
    """Every parameter once (tied ones share a name) and every buffer."""
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    return {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}


def save_checkpoint(
    folder: Path, model: Decoder, tokenizer: Any, about: Mapping[str, Any],
    optimiser: Mapping[str, Any] | None = None,
) -> Path:
    """Write one checkpoint folder, whole or not at all."""
    with _saving(folder), replacing_folder(folder, overwrite=True) as temporary:
        save_file(weights(model), str(temporary / WEIGHTS))
        spec = {"spec": model.spec.as_dict(), "about": dict(about)}
        if isinstance(model, Baseline):
            spec["state"] = model.state
        write_text(temporary / SPEC, json.dumps(spec, indent=1))
        tokenizer.save_pretrained(str(temporary))
        if optimiser is not None:
            torch.save(dict(optimiser), temporary / OPTIMISER)
    return folder


def load_weights(model: Decoder, folder: Path) -> None:
    """Copy a checkpoint's weights into a model; refuse one that is of another model."""
    path = folder / WEIGHTS
    try:
        stored = load_file(str(path))
    except (OSError, SafetensorError) as error:
        raise ArcuateError(f"{path} cannot be read ({error}). Use another checkpoint, or train again.") from error
    own = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    if isinstance(model, Baseline):  # its buffers take the size they were fitted with
        for name, tensor in stored.items():
            if "." not in name:
                setattr(model, name, tensor)
        return
    for name in sorted(own.keys() ^ stored.keys()):
        where = "the checkpoint lacks" if name in own else "only the checkpoint has"
        raise ArcuateError(
            f"{path} is a checkpoint of another model than {model.spec.model!r}: {where} {name!r}."
        )
    with torch.no_grad():
        for name, tensor in own.items():
            if tensor.shape != stored[name].shape:
                raise ArcuateError(
                    f"{path}: {name!r} has shape {tuple(stored[name].shape)}, the model needs "
                    f"{tuple(tensor.shape)}. The vocabulary or the sizes differ: use the checkpoint's own."
                )
            tensor.copy_(stored[name])


def load_optimiser(folder: Path) -> dict[str, Any]:
    """The optimiser's state of a checkpoint."""
    try:
        return torch.load(folder / OPTIMISER, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError) as error:
        raise ArcuateError(f"{folder / OPTIMISER} cannot be read ({error}). Train without --resume.") from error


def load_model(checkpoint: str | Path) -> tuple[Decoder, Any, dict[str, Any]]:
    """The model, its tokenizer, and what the training run wrote about it.

    `checkpoint` is a run's folder (its best checkpoint is taken) or one checkpoint's folder.
    """
    folder = resolve(checkpoint)
    values = _read_json(folder / SPEC)
    tokenizer = load_tokenizer(folder)
    model = rebuild_model(values["spec"], tokenizer)
    model.begin(str(values["about"].get("stage", "")))
    load_weights(model, folder)
    if isinstance(model, Baseline):
        model.state = values["state"]
    return model.eval(), tokenizer, values["about"]


def resolve(checkpoint: str | Path) -> Path:
    """The checkpoint folder that a run's folder points to as best, or the folder itself."""
    folder = Path(checkpoint)
    if (folder / STATE).is_file():
        best = read_state(folder).get("best") or read_state(folder).get("last")
        if best is None:
            raise ArcuateError(f"{folder} holds no checkpoint yet: the first epoch was not finished.")
        return folder / "checkpoints" / best
    if not (folder / SPEC).is_file():
        raise ArcuateError(f"{folder} is no checkpoint: it has neither {STATE} nor {SPEC}.")
    return folder


def read_state(run: Path) -> dict[str, Any]:
    """What a run's pointer file says; empty when there is none."""
    return _read_json(run / STATE) if (run / STATE).is_file() else {}


def write_state(run: Path, state: Mapping[str, Any]) -> None:
    """Move the pointer, then remove the checkpoints that nothing points to any more."""
    with _saving(run / STATE):
        write_text(run / STATE, json.dumps(dict(state), indent=1))
    kept = {state.get("last"), state.get("best"), *state.get("kept", [])}
    for folder in sorted((run / "checkpoints").iterdir()):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _saving(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        raise ArcuateError(
            f"Cannot save {path}: {str(error).splitlines()[0]}. The last good checkpoint is untouched; "
            "make room and go on with --resume."
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ArcuateError(f"{path} cannot be read ({error}). Use another checkpoint.") from error
