"""Training: resumable bit by bit, the same however many processes share a batch, and refusing bad input."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tests.decoding.tiny import BART, STAGES, Tiny, config_for, eeg_dataset

from arcuate.decoding.checkpoint import read_state, resolve
from arcuate.decoding.config import Stage, TrainConfig, read_recipe
from arcuate.decoding.generate import generate
from arcuate.decoding.models import MODELS
from arcuate.decoding.train import train
from arcuate.errors import ArcuateError, NotPossible

ROOT = Path(__file__).parents[2]


def weights(run: Path) -> dict[str, np.ndarray]:
    return load_file(resolve(run) / "model.safetensors")


def same(one: Path, other: Path) -> bool:
    a, b = weights(one), weights(other)
    return a.keys() == b.keys() and all(a[name].tobytes() == b[name].tobytes() for name in a)


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_trains_generates_and_says_how(eeg, tmp_path, name):
    result = train(config_for(name, eeg, tmp_path / "run"))
    assert [row["stage"] for row in result.history] == list(STAGES.get(name, ()))
    assert "audit:clean" in result.signature
    assert json.loads((tmp_path / "run" / "result.json").read_text())["signature"] == result.signature
    said = generate(tmp_path / "run", eeg.folder, eeg.split, batch_size=5)
    assert len(said.predicted) == len(said.target) == 12
    assert said.column == "predicted_free"
    assert "generation:free" in said.signature
    again = generate(tmp_path / "run", eeg.folder, eeg.split, batch_size=12)
    assert again.predicted == said.predicted
    forced = generate(tmp_path / "run", eeg.folder, eeg.split, teacher_forced=True, input="zero")
    assert "generation:teacher-forced" in forced.signature
    assert "input:zero" in forced.signature


def test_early_stopping_keeps_the_best_and_stages_follow_from_it(eeg, tmp_path):
    config = config_for("eeg2text", eeg, tmp_path / "run")
    # Noise can only be learned by heart: the validation loss soon rises.
    stages = (
        Stage(name="step1", epochs=60, batch_size=16, lr=1e-2, patience=2),
        Stage(name="step2", epochs=2, batch_size=16, lr=1e-4, warmup=1.0),
    )
    result = train(config.replace(stages=stages, input="noise"))
    assert "train_input:noise" in result.signature
    first = [row for row in result.history if row["stage"] == "step1"]
    best = min(first, key=lambda row: row["val_loss"])["epoch"]
    assert len(first) == best + 2 < 60
    assert result.best_val_loss == min(row["val_loss"] for row in result.history if row["stage"] == "step2")
    kept = {folder.name for folder in (tmp_path / "run" / "checkpoints").iterdir()}
    assert kept == {read_state(tmp_path / "run")["last"], read_state(tmp_path / "run")["best"]}


SCRIPT = """
import sys
from pathlib import Path
from tests.decoding.tiny import Tiny, config_for
from arcuate.decoding.train import train
folder, out, resume = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "resume"
options = {"channels": [4, 8], "hidden": 32, "width": 32, "layers": 1, "heads": 2, "feedforward": 64, "dropout": 0.2}
train(config_for("unicorn", Tiny(folder, folder / "split.csv"), out, epochs=4, resume=resume, options=options))
"""


def start(*words: object, **more) -> subprocess.Popen:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *map(str, words)], env=environment, stderr=subprocess.PIPE, text=True, **more
    )


def test_killed_and_resumed_ends_with_the_same_weights(eeg, tmp_path):
    whole = start(eeg.folder, tmp_path / "whole", "new")
    killed = start(eeg.folder, tmp_path / "killed", "new")
    # Somewhere in the second stage, not at a point the program chose.
    until = time.monotonic() + 120
    while "sequence" not in str(read_state(tmp_path / "killed").get("last")) and time.monotonic() < until:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    killed.stderr.close()
    assert whole.wait() == 0, whole.stderr.read()
    whole.stderr.close()
    assert len(read_state(tmp_path / "killed")["history"]) < 12
    resumed = start(eeg.folder, tmp_path / "killed", "resume")
    assert resumed.wait() == 0, resumed.stderr.read()
    resumed.stderr.close()
    assert same(tmp_path / "whole", tmp_path / "killed")
    drop = [
        [{k: v for k, v in row.items() if k != "seconds"} for row in read_state(tmp_path / run)["history"]]
        for run in ("whole", "killed")
    ]
    assert drop[0] == drop[1]


def test_resume_refuses_another_run(eeg, tmp_path):
    config = config_for("eeg2text", eeg, tmp_path / "run")
    train(config)
    with pytest.raises(ArcuateError, match="not empty"):
        train(config)
    with pytest.raises(ArcuateError, match="begun with another config"):
        train(config.replace(resume=True, seed=5))
    before = weights(tmp_path / "run")
    train(config.replace(resume=True))
    assert weights(tmp_path / "run").keys() == before.keys()


def write_recipe(path: Path, **changes) -> Path:
    import yaml

    recipe = {
        "model": "eeg2text", "language": BART, "max_tokens": 16,
        "options": {"layers": 1, "heads": 2, "feedforward": 32, "dropout": 0.0},
        "stages": [{"name": "step2", "epochs": 3, "batch_size": 16, "lr": 1e-3}], **changes,
    }
    path.write_text(yaml.safe_dump(recipe))
    return path


def clean_audit(tiny: Tiny, path: Path, verdict: str = "clean") -> Path:
    from arcuate.decoding.data import split_hashes

    known = sorted(split_hashes(tiny.split))[0]
    path.write_text(json.dumps({"verdict": verdict, "signature": f"audit:all|split:{known[:12]}|arcuate:0"}))
    return path


def test_two_processes_learn_what_one_learns(eeg, tmp_path, arcuate):
    done = arcuate(
        "decode", "train", eeg.folder, eeg.split, "--recipe", write_recipe(tmp_path / "r.yaml"),
        "--audit", clean_audit(eeg, tmp_path / "a.json"), "--out", tmp_path / "two", "--devices", 2, "--device", "cpu",
    )
    assert done.returncode == 0, done.stderr
    config = TrainConfig(
        **read_recipe(tmp_path / "r.yaml"), dataset=eeg.folder, split=eeg.split, out=tmp_path / "one", device="cpu"
    )
    train(config)
    train(config.replace(out=tmp_path / "pieces", accumulate=2))
    logs = [
        [(row["train_loss"], row["val_loss"]) for row in read_state(tmp_path / run)["history"]]
        for run in ("one", "two", "pieces")
    ]
    np.testing.assert_allclose(logs[1], logs[0], rtol=2e-5)
    np.testing.assert_allclose(logs[2], logs[0], rtol=2e-5)


def test_a_leaking_split_is_refused_unless_allowed(eeg, tmp_path, arcuate):
    # The tiny split cuts by subject only: every text is on both sides.
    recipe = write_recipe(tmp_path / "r.yaml", model="constant", stages=[], options={})
    words = ("decode", "train", eeg.folder, eeg.split, "--recipe", recipe, "--out", tmp_path / "run")
    refused = arcuate(*words)
    assert refused.returncode == 1
    assert "leaks" in refused.stderr
    assert not (tmp_path / "run").exists()
    allowed = arcuate(*words, "--allow-leak", "--json")
    assert allowed.returncode == 0, allowed.stderr
    assert "audit:leaks" in json.loads(allowed.stdout)["signature"]
    said = arcuate("decode", "generate", tmp_path / "run", eeg.folder, eeg.split, "--out", tmp_path / "p.csv", "--json")
    assert "audit:leaks" in json.loads(said.stdout)["signature"]
    scored = arcuate("decode", "score", tmp_path / "p.csv", "--json")
    assert set(json.loads(scored.stdout)["scores"]) >= {"bleu1", "bleu4", "rouge1_f", "wer", "cer", "retrieval_top1"}


def test_an_audit_of_another_split_is_refused(eeg, tmp_path):
    from arcuate.decoding.audit_file import read_audit

    assert read_audit(clean_audit(eeg, tmp_path / "a.json", "leak"), eeg.split) == "leak"
    (tmp_path / "other.csv").write_text("sample,part\n00-00,train\n00-01,test\n")
    with pytest.raises(ArcuateError, match="audit of another split"):
        read_audit(tmp_path / "a.json", tmp_path / "other.csv")
    (tmp_path / "b.json").write_text("[]")
    with pytest.raises(ArcuateError, match="is not what"):
        read_audit(tmp_path / "b.json", eeg.split)


def test_bad_requests_are_refused_before_anything_is_written(eeg, fmri, tmp_path):
    config = config_for("eeg2text", eeg, tmp_path / "run")
    with pytest.raises(NotPossible, match="leaks"):
        train(config.replace(audit="leak"))
    with pytest.raises(ArcuateError, match="'frames' is not known"):
        train(config.replace(stages=(Stage(name="frames"),)))
    with pytest.raises(ArcuateError, match="'gpt' is not known"):
        train(config.replace(model="gpt"))
    with pytest.raises(ArcuateError, match="cannot be shared"):
        train(config.replace(accumulate=90))
    assert not (tmp_path / "run" / "state.json").exists()
    train(config_for("unicorn", eeg, tmp_path / "ok"))
    with pytest.raises(ArcuateError, match=r"trained on eeg frames of \(24,\)"):
        generate(tmp_path / "ok", fmri.folder, fmri.split)


@pytest.mark.skipif(__import__("torch").cuda.is_available(), reason="this machine has a GPU")
def test_no_gpu_when_one_was_asked_for(eeg, tmp_path):
    with pytest.raises(ArcuateError, match="A GPU was asked for"):
        train(config_for("eeg2text", eeg, tmp_path / "run", device="gpu"))


def test_checkpoints_of_another_model_or_damaged_are_refused(eeg, tmp_path):
    train(config_for("language-alone", eeg, tmp_path / "a"))
    train(config_for("eeg2text", eeg, tmp_path / "b"))
    one, other = resolve(tmp_path / "a"), resolve(tmp_path / "b")
    (one / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(ArcuateError, match="checkpoint of another model than 'language-alone'"):
        generate(tmp_path / "a", eeg.folder, eeg.split)
    (one / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ArcuateError, match="cannot be read"):
        generate(tmp_path / "a", eeg.folder, eeg.split)
    spec = json.loads((other / "decoder.json").read_text())
    spec["spec"]["language"]["vocab_size"] += 3
    (other / "decoder.json").write_text(json.dumps(spec))
    with pytest.raises(ArcuateError, match="vocabulary or the sizes differ"):
        generate(tmp_path / "b", eeg.folder, eeg.split)


FULL = """
import resource, sys
from pathlib import Path
from tests.decoding.tiny import Tiny, config_for
from arcuate.cli import main
from arcuate.decoding.train import train
from arcuate.errors import ArcuateError
folder, out, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    train(config_for("eeg2text", Tiny(folder, folder / "split.csv"), out, epochs=2, resume=True))
except ArcuateError as error:
    sys.exit(str(error))
"""


def test_a_full_disk_leaves_the_last_good_checkpoint(eeg, tmp_path):
    out = tmp_path / "run"
    # One epoch is done when the disk fills.
    first = config_for("eeg2text", eeg, out, epochs=2)
    script = FULL.replace("resource.setrlimit(", "0 and resource.setrlimit(")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    stopped = subprocess.Popen([sys.executable, "-c", script, eeg.folder, out, "1"], env=environment,
                               stderr=subprocess.DEVNULL)
    while not read_state(out).get("history"):
        time.sleep(0.005)
    stopped.kill()
    stopped.wait()
    before, state = weights(out), read_state(out)
    if len(state["history"]) == 4:
        pytest.skip("the run was over before it could be stopped")
    full = subprocess.run([sys.executable, "-c", FULL, eeg.folder, out, "20000"], env=environment,
                          capture_output=True, text=True)
    assert full.returncode == 1
    assert "Cannot save" in full.stderr
    assert "last good checkpoint is untouched" in full.stderr
    assert read_state(out) == state
    assert all((weights(out)[name] == before[name]).all() for name in before)
    assert len(train(first.replace(resume=True)).history) == 4
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_training_needs_no_polars_sklearn_or_nilearn(eeg, tmp_path):
    code = f"""
import sys
for name in ("polars", "sklearn", "nilearn", "himalaya", "rouge_score", "jiwer"):
    sys.modules[name] = None  # importing it raises
from pathlib import Path
from tests.decoding.tiny import Tiny, config_for
from arcuate.decoding.train import train
from arcuate.decoding.generate import generate
tiny = Tiny(Path({str(eeg.folder)!r}), Path({str(eeg.split)!r}))
train(config_for("eeg2text", tiny, Path({str(tmp_path / "run")!r})))
generate({str(tmp_path / "run")!r}, tiny.folder, tiny.split).write({str(tmp_path / "p.csv")!r})
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-800:]
    assert (tmp_path / "p.csv").read_text().startswith("subject,sample,target,predicted_free\n")


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_recipe_reads_and_names_stages_of_its_model(path):
    for reduced in (False, True):
        values = read_recipe(path, reduced=reduced)
        known = {stage.name for stage in MODELS[values["model"]].stages}
        assert {stage.name for stage in values["stages"]} <= known
        assert set(values.get("options", {})) <= set(MODELS[values["model"]].options)


def test_recipes_with_unknown_fields_are_refused(tmp_path):
    (tmp_path / "r.yaml").write_text("model: eeg2text\nepochs: 3\n")
    with pytest.raises(ArcuateError, match="'epochs' is not known"):
        read_recipe(tmp_path / "r.yaml")
    (tmp_path / "r.yaml").write_text("model: eeg2text\nstages: [{name: step2, rate: 1}]\n")
    with pytest.raises(ArcuateError, match="'rate' is not known"):
        read_recipe(tmp_path / "r.yaml")


def test_a_high_rate_that_ends_in_nan_says_so(tmp_path):
    tiny = eeg_dataset(tmp_path / "d")
    stages = (Stage(name="step2", epochs=3, batch_size=8, lr=1e18, optimiser="sgd"),)
    with pytest.raises(NotPossible, match="training loss became"):
        train(config_for("eeg2text", tiny, tmp_path / "run", stages=stages))
