"""Positive and negative control of the decoders on simulated data: train, then generate real and shuffled.

    python -m benchmarks.decoding_simulated prepare FOLDER          # where polars is: splits and audits
    python -m benchmarks.decoding_simulated run FOLDER OUT          # on the GPU; writes OUT/predictions.tar.gz
    python -m benchmarks.decoding_simulated null FOLDER OUT         # 20 small runs at SNR 0, in minutes on a CPU
    python -m benchmarks.decoding_simulated judge OUT/predictions.tar.gz

A simulated dataset has the same bytes everywhere, so only its split and audit travel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EEG = {"layout": "zuco", "subjects": 12, "stories": 3, "sentences": 1000, "snr": 5.0, "seed": 1}
# One word a TR, and TRs long enough that a response falls into its own window.
FMRI = {"layout": "sparse", "subjects": 40, "stories": 40, "sentences": 50, "snr": 20.0, "seed": 1,
        "frame": "12x12x12", "words_per_segment": 1, "tr": 4.0}
NULL = {"layout": "zuco", "subjects": 6, "stories": 3, "sentences": 60, "snr": 0.0}
DATASETS: dict[str, dict[str, Any]] = {"eeg": EEG, "fmri": FMRI, **{
    f"null-{seed:02d}": {**NULL, "seed": seed} for seed in range(1, 21)
}}
SMALL_BART = {"type": "bart", "d_model": 64, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
              "decoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128}
SMALL_GPT = {"type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
SMALL: dict[str, dict[str, Any]] = {
    "eeg2text": {"language": SMALL_BART, "options": {"layers": 1, "feedforward": 128}},
    "unicorn": {"language": SMALL_BART, "options": {"hidden": 128, "width": 64, "layers": 1, "feedforward": 128}},
    "prefix": {"language": SMALL_GPT, "options": {"hidden": 128, "width": 64, "layers": 1, "feedforward": 128}},
}
RUNS = {"eeg2text": ("eeg2text", "eeg"), "unicorn-eeg": ("unicorn-eeg", "eeg"), "prefix": ("prefix", "eeg"),
        "unicorn-fmri": ("unicorn-fmri", "fmri")}
AT_ONCE = 4
EPOCHS = {"frame": 3, "sequence": 3, "step1": 1, "language": 10}


def arcuate(*words: object) -> str:
    """Run the command line as a user does; its errors end this program."""
    done = subprocess.run([sys.executable, "-m", "arcuate", *map(str, words)], capture_output=True, text=True)
    if done.returncode > 1 or (done.returncode and words[0] != "audit"):
        raise SystemExit(f"arcuate {' '.join(map(str, words))}\n{done.stderr[-1500:]}")
    return done.stdout


def simulate(name: str, folder: Path) -> Path:
    """Write one of the datasets."""
    options = [word for key, value in DATASETS[name].items() for word in (f"--{key.replace('_', '-')}", value)]
    arcuate("simulate", "--out", folder / name, *options)
    return folder / name


def prepare(out: Path, names: list[str]) -> None:
    """Split and audit each dataset."""
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            table = simulate(name, Path(temporary)) / "samples.parquet"
            ratio = "7:1:2" if name.startswith("null") else "8:1:1"
            arcuate("split", table, "--ratio", ratio, "--time-limit", 10, "--out", out / f"{name}.csv")
            (out / f"{name}.json").write_text(arcuate("audit", table, out / f"{name}.csv", "--json"))
        print(name, json.loads((out / f"{name}.csv.manifest.json").read_text())["counts"], flush=True)


def run_one(name: str, splits: Path, work: Path) -> dict[str, Any]:
    """Train and generate one run; returns its seconds."""
    recipe, data = RUNS[name]
    began = time.perf_counter()
    folder = simulate(data, work / name)
    split, model = splits / f"{data}.csv", work / name / "model"
    simulated = time.perf_counter()
    arcuate("decode", "train", folder, split, "--recipe", ROOT / "recipes" / f"{recipe}.yaml", "--reduced",
            "--audit", splits / f"{data}.json", "--out", model)
    trained = time.perf_counter()
    for given in ("real", "shuffled"):
        arcuate("decode", "generate", model, folder, split, "--input", given, "--batch-size", 256,
                "--out", work / "said" / f"{name}.{given}.csv")
    return {"run": name, "simulate_s": simulated - began, "train_s": trained - simulated,
            "generate_s": time.perf_counter() - trained, "log": (model / "log.csv").read_text()}


def run(splits: Path, out: Path, names: list[str]) -> None:
    """All runs, a few at a time on one GPU."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        (work / "said").mkdir()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = {name: pool.submit(run_one, name, splits, work) for name in names}
        for name, job in jobs.items():
            if job.exception() is not None:
                print(f"{name}: {job.exception()}", flush=True)
        done = [job.result() for job in jobs.values() if job.exception() is None]
        (work / "said" / "runs.json").write_text(json.dumps(done, indent=1))
        with tarfile.open(out / "predictions.tar.gz", "w:gz") as archive:
            archive.add(work / "said", "said")
    for row in done:
        last = row["log"].strip().splitlines()[-1]
        print(f"{row['run']:14s} simulate {row['simulate_s']:6.1f} s  train {row['train_s']:6.1f} s  "
              f"generate {row['generate_s']:5.1f} s  last epoch {last}")


def null(splits: Path, out: Path, seeds: list[int]) -> None:
    """Twenty datasets without signal, the three models in turn, in this process.

    Trained until they answer to the signal (by heart), so that a false alarm would be possible.
    """
    from arcuate.decoding.config import Stage, TrainConfig
    from arcuate.decoding.generate import generate
    from arcuate.decoding.models import MODELS
    from arcuate.decoding.train import train

    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for seed in seeds:
            name, model = f"null-{seed:02d}", list(SMALL)[seed % 3]
            folder, split = simulate(name, work), splits / f"{name}.csv"
            stages = tuple(
                Stage(name=stage.name, epochs=EPOCHS.get(stage.name, 25), batch_size=32, lr=1e-3, clip=1.0, warmup=1.0)
                for stage in MODELS[model].stages
            )
            train(TrainConfig(model=model, dataset=folder, split=split, out=work / f"{name}-run", stages=stages,
                              max_tokens=16, seed=seed, audit="clean", **SMALL[model]))
            for given in ("real", "shuffled"):
                said = generate(work / f"{name}-run", folder, split, input=given, seed=seed)
                said.write(work / "said" / f"{name}.{given}.csv")
            print(name, model, len(set(said.predicted)), said.predicted[0], flush=True)
        with tarfile.open(out / "predictions.tar.gz", "w:gz") as archive:
            archive.add(work / "said", "said")


def judge(archive: Path) -> None:
    """The verdict of real against shuffled for each run, and the false alarms of the null runs."""
    alarms = total = 0
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(archive) as packed:
            packed.extractall(temporary, filter="data")
        said = Path(temporary) / "said"
        for real in sorted(said.glob("*.real.csv")):
            name = real.name.removesuffix(".real.csv")
            text = arcuate_verdict(real, said / f"{name}.shuffled.csv")
            gap = text["difference"]["rouge1_f"]
            retrieval = text.get("retrieval", {})
            print(f"{name:14s} {text['verdict']:16s} rouge1_f {gap['value']:+.2f} [{gap['low']:.2f}, "
                  f"{gap['high']:.2f}] p {gap['p']:.4f}  retrieval {json.dumps(retrieval)[:160]}")
            if name.startswith("null"):
                total += 1
                alarms += gap["low"] > 0
    if total:
        print(f"false alarms (interval above 0): {alarms} of {total}")


def arcuate_verdict(real: Path, control: Path) -> dict[str, Any]:
    """`arcuate verdict --json`; exit 1 (not beaten) is an answer too."""
    done = subprocess.run(
        [sys.executable, "-m", "arcuate", "verdict", str(real), "--control", str(control), "--json"],
        capture_output=True, text=True,
    )
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout))


def main(words: list[str]) -> None:
    """Dispatch on the first word."""
    command, *rest = words or ["help"]
    if command == "prepare":
        prepare(Path(rest[0]), rest[1:] or list(DATASETS))
    elif command == "run":
        run(Path(rest[0]), Path(rest[1]), rest[2:] or list(RUNS))
    elif command == "null":
        null(Path(rest[0]), Path(rest[1]), [int(seed) for seed in rest[2:]] or list(range(1, 21)))
    elif command == "judge":
        judge(Path(rest[0]))
    else:
        print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
